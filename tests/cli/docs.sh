#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual page and the completion have every command and option that the help texts have.  The
# completion finds roots and files.
. tests/cli/common

man=$ULF_SRC/docs/man/ulf.1 completion=$ULF_SRC/tools/completion/ulf.bash
plain=$(sed 's/\\-/-/g; s/\\f.//g; s/"//g' "$man")
completions=$(sed 's/"/ /g' "$completion")
commands=$(ulf help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
for command in $commands; do
	contains "$completions" " $command"
	[ "$command" = help ] && continue
	contains "$plain" ".SS ulf $command"
	for option in $(ulf help "$command" | sed -n 's/^  [-., a-z]*\(--[a-z-]*\).*/\1/p'); do
		contains "$plain" "$option"
		contains "$completions" "$option"
	done
done

# Macros of two fonts join their words unless a quote stands before the first word.
joined=$(grep -nE '^\.([BIR])([BIR]) [^"]*[^ "]"' "$man") && fail "blanks get lost: $joined"

command -v bash >/dev/null || skip "no bash; the rest passed"
# complete_line WORD...: print what completion offers for the last word.
complete_line() {
	bash -c '
		compopt() { :; }
		. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_ulf
		printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$@" | xargs
}
start_hello
expect "commands" "mount" "$(complete_line ulf mo)"
expect "roots" "$root/" "$(complete_line ulf cat hel)"
expect "files" "$root/trace_marker $root/trace_marker_raw" \
	"$(complete_line ulf cat "$root/trace_mark")"
contains " $(complete_line ulf exec hel) " " $root "
expect "roots to remove" "$root" "$(complete_line ulf rm hel)"
mkdir "$ULF_DIR/roots/hel$(printf '\033')[1m.1"
expect "roots without control characters" "$root" "$(complete_line ulf rm hel)"
expect "roots with events" "$root" "$(complete_line ulf top hel)"
expect "events of a root" "hello_request" "$(complete_line ulf top "$root" hello_)"
expect "columns" "p50 p90 p99 p99.9" "$(complete_line ulf top --sort p)"
expect "options" "--live" "$(complete_line ulf run --li)"
expect "users" "root" "$(complete_line ulf --user roo)"
expect "commands for users" "cat check" "$(complete_line ulf --user root c)"
expect "help" "server stop" "$(complete_line ulf help s)"
exit 0
