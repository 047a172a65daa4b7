# SPDX-License-Identifier: MIT
# A load for bash: arithmetic, arrays, strings, subshells, pipes and traps, with results that are
# known.  worker.bash STOP PROGRESS; ends with status 5, and with 3 if a result is wrong.
wrong() { echo "wrong: $*"; exit 3; }
n=0
while [ ! -e "$1" ]; do
	sum=0 text= array=()
	for i in {1..100}; do
		((sum += i * i))
		array[i]=$((i ^ 5))
		text+=${i:0:1}
	done
	[ $sum = 338350 ] || wrong "sum $sum"
	[ ${#array[@]} = 100 ] || wrong "array ${#array[@]}"
	[ ${#text} = 100 ] || wrong "text $text"
	[ "$(echo "${array[@]}" | tr ' ' '\n' | sort -n | tail -n 1)" = 103 ] || wrong "pipe"
	[ "$(trap 'echo trapped' EXIT; exit 4)" = trapped ] || wrong "trap"
	(exit 7)
	[ $? = 7 ] || wrong "status"
	[[ "a1b22c333" =~ ([0-9]+)c([0-9]+)$ ]] && [ "${BASH_REMATCH[2]}" = 333 ] || wrong "match"
	read -r first rest < <(printf '%s\n' "x y z")
	[ "$rest" = "y z" ] || wrong "read"
	n=$((n + 1))
	echo $n >"$2"
done
exit 5
