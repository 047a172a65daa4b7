# SPDX-License-Identifier: MIT
# Completion for bash.  Source this file, or copy it to
# /usr/share/bash-completion/completions/ulf.
#
# Completion starts no server: it looks up roots in the directory, and files of the tree only
# if a server runs.

_ulf_dir() {
	local place name
	if [[ -n ${ULF_DIR-} ]]; then
		echo "$ULF_DIR"
		return
	fi
	for place in "/run/ulf/$UID" "/dev/shm/ulf-$UID"; do
		for name in "$place" "$place".{1..63}; do
			[[ -O $name && -d $name && ! -L $name ]] && { echo "$name"; return; }
		done
	done
	echo "${XDG_RUNTIME_DIR:-/run/user/$UID}/ulf"
}

# _ulf_add NAME [END]: offer NAME.  Bash would write a control character in it to the
# terminal, so a name with one is not offered.
_ulf_add() {
	[[ $1 == *[![:print:]]* ]] || COMPREPLY+=("$1${2-}")
}

# _ulf_paths WORD: offer names below the directory that WORD is in.
_ulf_paths() {
	local dir=$(_ulf_dir) word=$1 entry
	compopt -o nospace
	if [[ $word != */* ]]; then
		for entry in "$dir"/roots/"$word"*; do
			[[ -d $entry ]] && _ulf_add "${entry##*/}" /
		done
	elif [[ -S $dir/server.sock ]]; then
		while read -r entry; do
			entry=${word%/*}/$entry
			[[ $entry == "$word"* ]] && _ulf_add "$entry"
		done < <(ulf ls "${word%/*}" 2>/dev/null)
	fi
}

_ulf_roots() {
	local dir=$(_ulf_dir) entry
	for entry in "$dir"/roots/"$1"*; do
		[[ -d $entry ]] && _ulf_add "${entry##*/}"
	done
}

# _ulf_root_and_event WORD: the word before it is the root, or the event's root.
_ulf_root_and_event() {
	local before=${COMP_WORDS[COMP_CWORD - 1]} entry
	local sock=$(_ulf_dir)/server.sock

	if [[ $before != -* && -S $sock && -d $(_ulf_dir)/roots/$before ]]; then
		while read -r entry; do
			[[ ${entry#*:} == "$1"* ]] && _ulf_add "${entry#*:}"
		done < <(ulf cat "$before/available_events" 2>/dev/null)
	else
		_ulf_roots "$1"
	fi
}

_ulf() {
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-} i
	local commands="run record report graph diff export archive attach detach ls mount umount cat echo exec hist top blackbox dump check rm server stop help"

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "$commands --user --help --version" -- "$word"))
		return
	fi
	if [[ $command == --user ]]; then
		# with --user, no file of another user is read
		((COMP_CWORD != 2)) || COMPREPLY=($(compgen -u -- "$word"))
		((COMP_CWORD != 3)) || COMPREPLY=($(compgen -W "detach ls cat echo hist dump check rm stop" -- "$word"))
		return
	fi
	case $command in
	run)
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			-e | -o) ((i++)) ;;
			--) ((i++)); break ;;
			-*) ;;
			*) break ;;
			esac
		done
		if ((i < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
			_command_offset $i
		elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -o ]]; then
			COMPREPLY=($(compgen -f -- "$word"))
		elif [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-e -f -l -o --event --follow --live --output --help -- \
				--trace-event --trace-buf-size --trace-clock --trace-options \
				--trace-instance --trace-trigger --alloc-snapshot --stacktrace \
				--stacktrace-filter --ftrace --ftrace-filter --ftrace-notrace \
				--ftrace-graph-filter --ftrace-graph-notrace \
				--ftrace-graph-max-depth \
				--traceoff-on-warning --ftrace-dump-on-oops --tp-printk" -- "$word"))
		else
			COMPREPLY=($(compgen -c -- "$word") $(compgen -f -- "$word"))
		fi ;;
	record)
		for ((i = 2; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} != -- ]] || { ((i++)); break; }
		done
		if [[ ${COMP_WORDS[i - 1]} == -- ]] && declare -F _command_offset >/dev/null; then
			_command_offset $i
		elif [[ ${COMP_WORDS[i - 1]} == -- ]]; then
			COMPREPLY=($(compgen -c -- "$word") $(compgen -f -- "$word"))
		elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-o|--output) ]]; then
			COMPREPLY=($(compgen -f -- "$word"))
		elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-p|--tracer) ]]; then
			COMPREPLY=($(compgen -W "function function_graph" -- "$word"))
		elif [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-o -e -p -F -f -b -m -r --output --event --tracer \
				--functions --filter --buffer-size --max-size --rotate --help --" \
				-- "$word"))
		else
			_ulf_roots "$word"
		fi ;;
	report)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-e -f -s -u -g -S --event --filter --since --until \
				--function-graph --stats --no-pager --help" -- "$word"))
		else
			COMPREPLY=($(compgen -f -- "$word"))
		fi ;;
	graph)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-d -s --depth --share --help" -- "$word"))
		else
			COMPREPLY=($(compgen -f -- "$word"))
		fi ;;
	diff)
		if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-b|--by) ]]; then
			COMPREPLY=($(compgen -W "self total average calls" -- "$word"))
		elif [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-b -n --by --rows --help" -- "$word"))
		else
			COMPREPLY=($(compgen -f -- "$word"))
		fi ;;
	export)
		if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-t|--to) ]]; then
			COMPREPLY=($(compgen -W "perfetto json csv folded svg" -- "$word"))
		elif [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-t -o -e -f -s -u -c --to --output --event --filter \
				--since --until --counter --help" -- "$word"))
		else
			COMPREPLY=($(compgen -f -- "$word"))
		fi ;;
	archive)
		if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-o|--output) ]]; then
			COMPREPLY=($(compgen -f -- "$word"))
		elif [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-o -i --output --instance --help" -- "$word"))
		else
			_ulf_roots "$word"
		fi ;;
	attach)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-e --event --help \
				--trace-event --trace-buf-size --trace-clock --trace-options \
				--trace-instance --trace-trigger --alloc-snapshot --stacktrace \
				--stacktrace-filter --ftrace --ftrace-filter --ftrace-notrace \
				--ftrace-graph-filter --ftrace-graph-notrace \
				--ftrace-graph-max-depth \
				--traceoff-on-warning --ftrace-dump-on-oops" -- "$word"))
		else
			COMPREPLY=($(compgen -W "$(ps -u "$UID" -o pid=,comm= 2>/dev/null)" -- "$word"))
		fi ;;
	detach)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--help" -- "$word"))
		else
			_ulf_roots "$word"
		fi ;;
	ls)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--long --all --help" -- "$word"))
		else
			_ulf_paths "$word"
		fi ;;
	cat) _ulf_paths "$word" ;;
	echo)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-a -n --append --no-newline --help" -- "$word"))
		elif ((COMP_CWORD > 2)); then
			_ulf_paths "$word"
		fi ;;
	exec)
		for ((i = 2; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} == -- ]] && { ((i++)); break; }
			[[ ${COMP_WORDS[i + 1]} == -- ]] || break
		done
		if ((i < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
			_command_offset $i
		else
			((COMP_CWORD > 2)) || _ulf_roots "$word"
			COMPREPLY+=($(compgen -c -- "$word"))
		fi ;;
	hist)
		if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-i|--input) ]]; then
			COMPREPLY=($(compgen -f -- "$word"))
		elif [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--json --prometheus --input --help" -- "$word"))
		else
			_ulf_root_and_event "$word"
		fi ;;
	top)
		if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-s|--sort) ]]; then
			COMPREPLY=($(compgen -W "key rate hits share sum avg p50 p90 p99 p99.9" -- "$word"))
		elif [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--count --delay --rows --sort --filter --size \
				--help" -- "$word"))
		else
			_ulf_root_and_event "$word"
		fi ;;
	blackbox)
		if [[ ${COMP_WORDS[COMP_CWORD - 1]} == @(-o|--output) ]]; then
			COMPREPLY=($(compgen -d -- "$word"))
		elif [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "-e -k -o --event --files --output --help" -- "$word"))
		else
			_ulf_roots "$word"
		fi ;;
	dump)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--cpu --help" -- "$word"))
		else
			_ulf_roots "$word"
		fi ;;
	check) _ulf_roots "$word" ;;
	rm)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--dead --help" -- "$word"))
		else
			_ulf_roots "$word"
		fi ;;
	mount) COMPREPLY=($(compgen -d -- "$word")) ;;
	umount)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--lazy --help" -- "$word"))
		else
			COMPREPLY=($(compgen -d -- "$word"))
		fi ;;
	server) COMPREPLY=($(compgen -W "--background --help" -- "$word")) ;;
	help) COMPREPLY=($(compgen -W "$commands" -- "$word")) ;;
	esac
}
complete -F _ulf ulf
