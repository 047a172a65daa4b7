#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages have every command, option, setting, file of the tree and public function, and
# name only what there is.  man and mandoc find no mistake in them.
. tests/cli/common

pages=$ULF_SRC/docs/man
# plain PAGE: print the source of a page without fonts and quotes.
plain() { sed 's/\\-/-/g; s/\\f.//g; s/\\&//g; s/\\~/ /g; s/"//g' "$pages/$1"; }
# items PAGE: print the lines that begin with .TP items, without macros.
items() { plain "$1" | awk '/^\.T[PQ]$/ { getline; sub(/^\.[BIR]+ /, ""); print }'; }
# has_item PAGE NAME WHAT
has_item() {
	items "$1" | awk -v name="$2" '{ sub(/[ =[].*/, "") } $0 == name { found = 1 }
		END { exit !found }' ||
		fail "docs/man/$1 lacks $3 $2: add '.TP', '.I $2' and what it does"
}

commands=$(ulf help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vx help)
for command in $commands; do
	page=ulf-$command.1
	summary=$(ulf help | sed -n "s/^  $command  *//p")
	[ -e "$pages/$page" ] || fail "ulf $command has no page: write docs/man/$page"
	plain "$page" | grep -qxF "ulf-$command - $summary" ||
		fail "docs/man/$page: the line below .SH NAME must be: ulf\\-$command \\- $summary"
	items ulf.1 | grep -qxF "ulf-$command (1)" ||
		fail "docs/man/ulf.1: add '.TP', '.BR ulf\\-$command (1)' and the summary"
	plain ulf.1 | grep -qxF "$summary" || fail "docs/man/ulf.1: the summary of $command is: $summary"

	options=$(ulf complete -- "$command" - | sed -n 's/^\(-[^=	]*\).*/\1/p' | grep -vxe -h -e --help)
	listed=$(items "$page" | grep '^-' | sed 's/\[[^]]*\]//g; s/=[^,]*//g; s/,/ /g')
	for option in $options; do
		case " $(printf '%s' "$listed" | tr -s '\n ' ' ') " in
		*" $option "*) ;;
		*)	# SETTINGS are in ulf.conf(5)
			plain ulf.conf.5 | grep -q "^\.B[RI]* $(echo "${option#--}" | tr - _)" &&
				grep -q '^.RI \[ SETTINGS \]' "$pages/$page" ||
				fail "docs/man/$page lacks the option $option of ulf help $command" ;;
		esac
	done
	for option in $listed; do
		printf '%s\n' "$options" | grep -qxe "$option" ||
			fail "docs/man/$page has the option $option, ulf help $command has not"
	done
done
for page in "$pages"/ulf-*.1; do
	command=$(basename "$page" .1)
	echo "$commands" | grep -qx "${command#ulf-}" || fail "$page: there is no such command"
done

# Commands that --user takes
of_users=$(ulf complete -- --user root '' | cut -f 1 | xargs | sed 's/ /, /g; s/, \([a-z]*\)$/ and \1/')
plain ulf.1 | grep -qxF "The commands are $of_users." ||
	fail "docs/man/ulf.1, OTHER USERS: a line must be: The commands are $of_users."

# Pages that other pages refer to.
for link in $(cat "$pages"/* | sed -n 's/\\-/-/g; s/.*\<\(\(ulf\|libulf\)[a-z.-]*\) (\([1-8]\)).*/\1.\3/p' | sort -u); do
	[ -e "$pages/$link" ] || fail "pages refer to $link, which docs/man has not"
done

# Settings: ulf.conf(5)
for setting in $(sed -n '/define BOOT_WORDS/,/^$/s/.*X([A-Z_]*, "\([a-z_]*\)".*/\1/p' src/event/boot.h); do
	has_item ulf.conf.5 "$setting" "the setting"
done
for setting in $(grep -rhoE '"dead_[a-z]+"' src/server | tr -d '"' | sort -u); do
	has_item ulf.conf.5 "$setting" "the setting"
done
[ -n "$setting" ] || fail "src/server has no settings dead_..."

# Files, tracers, clocks, options, commands: ulf-tracefs(7)
start_hello
tree=ulf-tracefs.7
for name in $(ulf ls "$root" | tr -d /); do
	has_item $tree "$name" "the file"
done
for name in $(ulf ls "$root/events" | grep -v /); do
	has_item $tree "events/$name" "the file"
done
for name in $(ulf ls "$root/events/hello" | grep -v /); do
	has_item $tree "events/SYSTEM/$name" "the file"
done
for name in $(ulf ls "$root/events/hello/hello_request"); do
	has_item $tree "events/SYSTEM/EVENT/$name" "the file"
done
for name in $(ulf ls "$root/per_cpu/cpu0"); do
	has_item $tree "per_cpu/cpuN/$name" "the file"
done
for name in $(ulf ls "$root/options"); do
	has_item $tree "$name" "the option"
done
for name in $(ulf cat "$root/available_tracers"); do
	has_item $tree "$name" "the tracer"
done
for name in $(ulf cat "$root/trace_clock" | tr -d '[]'); do
	has_item $tree "$name" "the clock"
done
for name in $(ulf cat "$root/events/hello/hello_request/trigger" | sed -n 's/^# \([a-z].*\)/\1/p'); do
	items $tree | grep -q "^$name\(:.*\)\{0,1\}$" ||
		fail "docs/man/$tree lacks the trigger command $name"
done

# Public functions and macros: libulf(3)
for name in $(sed -n '/^global:/,/^}/s/^	\([a-z_]*\);/\1/p' src/runtime/libulf.map) \
	$(sed -n 's/^#define \([a-z][a-z_]*\)(.*/\1/p' include/ulf/printk.h); do
	plain libulf.3 | grep -q "\(^\|[^a-z_]\)$name\([^a-z_]\|$\)" ||
		fail "docs/man/libulf.3 lacks $name(), which libulf exports"
done

# Macros of two fonts join their words unless a quote stands before the first word.
joined=$(grep -nE '^\.([BIR])([BIR]) [^"]*[^ "]"' "$pages"/*) && fail "blanks get lost: $joined"
long=$(awk 'length > 100 { print FILENAME ":" FNR }' "$pages"/*)
[ -z "$long" ] || fail "lines of more than 100 columns: $long"
missing=
if command -v mandoc >/dev/null; then
	mandoc -Tlint -W warning "$pages"/* >"$TMPDIR/lint" || fail "mandoc: $(cat "$TMPDIR/lint")"
else
	missing="$missing mandoc"
fi
if command -v man >/dev/null && command -v groff >/dev/null; then
	for page in "$pages"/*; do
		text=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
		[ -z "$text" ] || fail "man --warnings: $text"
	done
else
	missing="$missing man and groff"
fi
[ -z "$missing" ] || skip "not installed:$missing; the rest passed"
exit 0
