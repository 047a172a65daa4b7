# SPDX-License-Identifier: MIT
# Completion for bash.  Source this file, or copy it to
# /usr/share/bash-completion/completions/ulf.
#
# `ulf complete` prints the completions: src/cli/complete.h.

# _ulf_read_words: set words to the words up to the cursor, without backslashes, and starts to
# their indexes in COMP_WORDS, which has --event=kv:get as the words --event = kv : get.
_ulf_read_words() {
	local rest=$COMP_LINE blanks word i
	words=() starts=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		blanks=${rest%%[![:blank:]]*}
		rest=${rest#"$blanks"}
		rest=${rest#"$word"}
		word=${word//\\/}
		if [[ $i == 0 || -n $blanks ]]; then
			words+=("$word") starts+=("$i")
		else
			words[${#words[@]} - 1]+=$word
		fi
	done
}

# _ulf_offer CANDIDATE: offer it without the part of the word that stays.  Names of programs may
# contain what a shell would execute.
_ulf_offer() {
	local candidate=${1#"$stays"}
	[[ $candidate != *[!A-Za-z0-9_./:=,+%@*-]* ]] || printf -v candidate %q "$candidate"
	COMPREPLY+=("$candidate")
}

# _ulf_files OPTION: offer files (-f) or directories (-d).
_ulf_files() {
	local -a names
	compopt -o filenames
	mapfile -t names < <(compgen "$1" -- "$current")
	COMPREPLY+=("${names[@]}")
}

# _ulf_command INDEX: complete the command line that begins with that word after ulf.
_ulf_command() {
	local -a names
	if declare -F _command_offset >/dev/null; then
		_command_offset "${starts[$1 + 1]}"
	elif (($1 + 2 == ${#words[@]})); then
		mapfile -t names < <(compgen -c -- "$current")
		COMPREPLY+=("${names[@]}")
		_ulf_files -f
	else
		_ulf_files -f
	fi
}

_ulf() {
	local line current=${COMP_WORDS[COMP_CWORD]//\\/} stays
	local -a words starts
	_ulf_read_words
	[[ $current != [:=] ]] || current=
	stays=${words[${#words[@]} - 1]%"$current"}
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:files) _ulf_files -f ;;
		:dirs) _ulf_files -d ;;
		:command*) _ulf_command "${line#:command }" ;;
		*) _ulf_offer "${line%%$'\t'*}" ;;
		esac
	done < <("$1" complete -- "${words[@]:1}" 2>/dev/null)
	if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[/=] ]]; then
		compopt -o nospace
	fi
}
complete -F _ulf ulf
