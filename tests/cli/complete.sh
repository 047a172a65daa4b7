#!/bin/sh
# SPDX-License-Identifier: MIT
# Completion: `ulf complete` offers every command and option that help texts have, and values
# for their placeholders.  bash, zsh and fish complete command lines with it.
. tests/cli/common

# names WORD...: print the completions of the last word, without descriptions, in a line.
names() { ulf complete -- "$@" | sed 's/	.*//' | xargs; }

for command in $(ulf help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	contains " $(names '') " " $command "
	[ "$command" = help ] && continue
	offered=" $(names "$command" -) "
	for option in $(ulf help "$command" | sed -n 's/^  [-., a-zA-Z]*\(--[a-z-]*=\{0,1\}\).*/\1/p'); do
		contains "$offered" " $option "
	done
done
[ -n "$option" ] || fail "no command has options"

start_hello
expect "commands" "mount" "$(names mo)"
expect "without words" 2 "$(ulf complete 2>/dev/null; echo $?)"
expect "roots" "$root/" "$(names cat hel)"
expect "files" "$root/trace_marker $root/trace_marker_raw" "$(names cat "$root/trace_mark")"
expect "files of a shortened root" "hello/events/hello/" "$(names echo 1 hello/events/hel)"
expect "roots to remove" "$root" "$(names rm x hel)"
expect "roots or a command" "$root" "$(ulf complete -- exec hel | grep '^hello' | xargs)"
expect "a command" ":command 1" "$(ulf complete -- exec hel | grep :)"
expect "arguments of a command" ":command 3" "$(names exec "$root" -- trace-cmd re)"
expect "a program" ":command 4" "$(names record -e kv -- ./p)"
expect "the value of an option" ":files" "$(names record -o '')"
expect "no operand after the last" "" "$(names dump "$root" '')"
expect "events" "hello:hello_request" "$(names top "$root" '')"
expect "an event by its name" "hello_request" "$(names top "$root" hello_)"
expect "events of all roots" "hello:hello_request" "$(names run -e '')"
expect "a list of events" "kv,hello:hello_request" "$(names run -e kv,hello:)"
expect "a value after =" "--event=hello:hello_request" "$(names record --event=hello:)"
expect "fields" "count who" "$(names top "$root" hello_request '' | sed 's/common_[a-z_]* //g')"
expect "columns" "p50 p90 p99 p99.9" "$(names top --sort p)"
expect "choices of a command" "self" "$(names diff --by se)"
expect "choices after =" "--by=total" "$(names diff --by=t)"
expect "two files" ":files :files" "$(names diff '') $(names diff a '')"
expect "tracers" "function function_graph" "$(names attach --ftrace fun)"
expect "settings" "--ftrace-filter= --ftrace=" "$(names attach --ftrace | tr ' ' '\n' |
	grep -e '^--ftrace=' -e filter= | grep -v graph | LC_ALL=C sort | xargs)"
expect "clocks" "mono mono_raw" "$(names run --trace-clock mono)"
expect "options of the trace" "raw norecord-cmd norecord-tgid" \
	"$(names run --trace-options raw | xargs) $(names run --trace-options norec)"
contains " $(names attach "$pid") " " $pid "
expect "users" "root" "$(names --user roo)"
expect "commands for users" "cat check" "$(names --user root c)"
expect "no roots of other users" "" "$(names --user root cat hel)"
expect "help" "server stop" "$(names help s)"
mkdir "$ULF_DIR/roots/hel$(printf '\033')[1m.1"
expect "roots without control characters" "$root" "$(names rm hel)"

# Completion starts no server.
ulf stop
expect "roots without a server" "$root" "$(names rm hel)"
expect "no events without a server" "" "$(names top "$root" '')"
[ ! -e "$ULF_DIR/server.sock" ] || fail "completion has started a server"

# The shells.  A root may have a name that a shell would execute.
mkdir "$ULF_DIR/roots/zoo\$(x).1" "$TMPDIR/files" && touch "$TMPDIR/files/file one"
script=$ULF_SRC/tools/completion
missing=
if command -v bash >/dev/null; then
	cat >"$TMPDIR/type.py" <<-'END'
	# type.py SHELL START LINE RESULT...: start SHELL interactively and type START.  Type each
	# LINE, which has a tab, and expect the command that it becomes to print RESULT.
	import os, pty, re, select, sys
	shell, start, *lines = sys.argv[1:]
	pid, fd = pty.fork()
	if not pid:
	    os.execvp(shell.split()[0], shell.split())
	text = ""
	def expect(pattern):
	    global text
	    while not re.search(pattern, text, re.S):
	        ready, _, _ = select.select([fd], [], [], 120)
	        assert ready, "no %r in %r" % (pattern, text)
	        text += os.read(fd, 65536).decode("utf-8", "replace")
	    text = text[re.search(pattern, text, re.S).end():]
	os.write(fd, (start + "; echo rea''dy\n").encode())
	expect("\nready\r")
	for line, result in zip(lines[::2], lines[1::2]):
	    os.write(fd, (line + "\n").encode())
	    expect("\n" + re.escape("<" + result + ">"))
	os.write(fd, b"exit\n")
	try:
	    while os.read(fd, 65536):
	        pass
	except OSError:
	    pass
	assert os.waitpid(pid, 0)[1] == 0
	END
	# $1 is ulf: `set -- ulf ...` prints the completed words and runs nothing.
	show='ulf() { [ "$1" = complete ] && command ulf "$@" || printf "<%s>\n" "$*"; }'
	cd "$TMPDIR/files" || exit 1
	HOME=$TMPDIR PS1='> ' TERM=dumb python3 "$TMPDIR/type.py" "bash --norc --noprofile -i" \
		"bind 'set enable-bracketed-paste off'; . '$script/ulf.bash'; $show" \
		"ulf mo	" "mount" \
		"ulf report --fil	x --since	1" "report --filter=x --since=1" \
		"ulf rm hello	" "rm $root" \
		"ulf rm zo	zo	" "rm zoo\$(x).1 zoo\$(x).1" \
		"ulf hist --input=fi	" "hist --input=file one" \
		"ulf hist -i fi	" "hist -i file one" \
		"ulf run --ftrace=function_	" "run --ftrace=function_graph" \
		"ulf hist -i file\\ o	x" "hist -i file one x" \
		"ulf run -- printen	x" "run -- printenv x" || fail "bash"
	cd "$ULF_SRC" || exit 1
else
	missing="$missing bash"
fi
if command -v zsh >/dev/null; then
	cd "$TMPDIR/files" || exit 1
	HOME=$TMPDIR PS1='> ' TERM=dumb python3 "$TMPDIR/type.py" "zsh -f -i" \
		"fpath=('$script' \$fpath); autoload -Uz compinit; compinit -u -D; $show" \
		"ulf mo	" "mount" \
		"ulf report --fil	x --since	1" "report --filter=x --since=1" \
		"ulf rm hello	" "rm $root" \
		"ulf rm zo	zo	" "rm zoo\$(x).1 zoo\$(x).1" \
		"ulf hist --input=fi	" "hist --input=file one" \
		"ulf hist -i fi	" "hist -i file one" \
		"ulf run --ftrace=function_	" "run --ftrace=function_graph" \
		"ulf run -- printen	x" "run -- printenv x" || fail "zsh"
	cd "$ULF_SRC" || exit 1
else
	missing="$missing zsh"
fi
# complete_line LINE: print the completions that fish offers for LINE.
complete_line() {
	(cd "$TMPDIR/files" && HOME=$TMPDIR fish -c "source '$script/ulf.fish'; complete -C '$1'") |
		sed 's/	.*//' | xargs -d '\n'
}
if command -v fish >/dev/null; then
	expect "fish: commands" "mount" "$(complete_line 'ulf mo')"
	expect "fish: options" "--filter=" "$(complete_line 'ulf report --fil')"
	expect "fish: roots" "$root" "$(complete_line 'ulf rm hello')"
	expect "fish: files after =" "--input=file one" "$(complete_line 'ulf hist --input=fi')"
	expect "fish: files" "file one" "$(complete_line 'ulf hist -i fi')"
	expect "fish: values" "--ftrace=function --ftrace=function_graph" \
		"$(complete_line 'ulf run --ftrace=func')"
	expect "fish: a program" "printenv" "$(complete_line 'ulf run -- printen')"
else
	missing="$missing fish"
fi
[ -z "$missing" ] || skip "not installed:$missing; the rest passed"
exit 0
