#!/bin/sh
# SPDX-License-Identifier: MIT
# The walks of docs/WALKS.md name files that exist, and each `function()` is defined in the
# file that its step has named before it.
set -u
cd "$ULF_SRC" || exit 1
document=docs/WALKS.md steps_min=60
status=0

complain() { echo "$document:$*"; status=1; }

# steps: a step is a numbered item below a heading of the second order.  Print `LINE step
# NUMBER` for each step, with the number of its functions.  For the names in it print `LINE
# file FILE` and `LINE function NAME FILE`, without FILE if the step has named no file before.
steps() {
	awk '
		function end_step(    nr, part, i, file, name, nr_functions) {
			if (!line)
				return
			nr = split(text, part, "`")
			for (i = 2; i <= nr; i += 2) {
				name = part[i]
				if (name ~ /^[A-Za-z0-9_.\/-]+\.[chS]$/) {
					file = name
					print line, "file", file
				} else if (name ~ /^[A-Za-z_][A-Za-z0-9_]*[(][)]$/) {
					sub(/[(][)]$/, "", name)
					print line, "function", name, file
					nr_functions++
				}
			}
			print line, "step", nr_functions + 0
			line = 0
		}
		/^#/ { is_walk = /^## / }
		/^[0-9]+\. / { end_step(); text = $0; line = is_walk ? NR : 0; next }
		/^ / { text = text " " $0; next }
		{ end_step() }
		END { end_step() }' "$document"
}

# is_defined NAME FILE: true if FILE defines NAME: as a function, whose definition begins in
# the first column and has a { before any ;, as a macro, or in assembler as a label or by a
# macro that makes a label.
is_defined() {
	awk -v name="$1" '
		$1 == "#define" && index($2, name "(") == 1 { found = 1; exit }
		$1 == name ":" { found = 1; exit }
		$1 ~ /^(\.macro|function|entry|append_function)$/ {
			sub(/,$/, "", $2)
			if ($2 == name) { found = 1; exit }
		}
		/^[A-Za-z_]/ { is_open = (" " $0) ~ ("[^A-Za-z0-9_]" name "[(]") }
		is_open && /[{;]/ {
			sub(/;.*/, "")
			if (/[{]/) { found = 1; exit }
			is_open = 0
		}
		END { exit !found }' "$2"
}

check_file() {
	case $2 in
	src/* | include/*) [ -f "$2" ] || complain "$1: there is no $2" ;;
	*) complain "$1: $2 is not below src/ or include/" ;;
	esac
}

check_function() {
	if [ -z "$3" ]; then
		complain "$1: no file is named before $2()"
	elif [ -f "$3" ] && ! is_defined "$2" "$3"; then
		complain "$1: $3 does not define $2()"
	fi
}

nr_steps=0 nr_functions=0
list=$(steps) || exit 1
while read -r line what name file; do
	case $what in
	file) check_file "$line" "$name" ;;
	function)
		nr_functions=$((nr_functions + 1))
		check_function "$line" "$name" "$file" ;;
	step)
		nr_steps=$((nr_steps + 1))
		[ "$name" -gt 0 ] || complain "$line: the step names no function" ;;
	esac
done <<END
$list
END
[ "$nr_steps" -ge $steps_min ] ||
	complain " $nr_steps steps were found, at least $steps_min are needed"
echo "score: $nr_steps steps, $nr_functions functions"
exit $status
