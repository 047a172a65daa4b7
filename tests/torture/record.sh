#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 600
# The records in the file of ulf record, and those that it reports as lost, are exactly those that
# were written: with large and small rings, when the program or the server is killed, and with
# children that are forked.
. tests/cli/common

records=300000
[ "${ULF_TORTURE-}" != long ] || records=10000000
[ -z "${ULF_SANITIZER-}" ] || records=50000
emit=$ULF_BUILD/tests/clients-emit
cd "$TMPDIR" || fail "cd"

# number PATTERN: the sum of the numbers that PATTERN finds in err.
number() { sed -n "$1" err | awk '{ n += $1 } END { printf "%d\n", n }'; }
saved() { number 's/^[^:]*: \([0-9]*\) records.*/\1/p'; }
lost() { number 's/.*, \([0-9]*\) lost$/\1/p'; }

total_saved=0 total_lost=0
for size in 16K 1M 64M; do
	echo $records | ulf record -b $size -o record.dat -e emit -- "$emit" >out 2>err ||
		fail "-b $size: $(cat err)"
	expect "saved and lost with $size" $records $(($(saved) + $(lost)))
	total_saved=$((total_saved + $(saved))) total_lost=$((total_lost + $(lost)))
done
[ "$total_saved" -gt 0 ] || fail "nothing was saved"

# Children record to the rings of their root, at the same time.
echo $((records / 10)) | ulf record -b 1M -o forks.dat -e emit -- "$emit" 10 >out 2>err ||
	fail "forks: $(cat err)"
expect "output of forks" "$records emitted" "$(cat out)"
expect "saved and lost of children" $records $(($(saved) + $(lost)))
total_saved=$((total_saved + $(saved))) total_lost=$((total_lost + $(lost)))

# The report counts the records in the file itself.
expect "records in the file" "$(saved)" "$(ulf report --stats forks.dat | sed -n 's/^records *//p')"

# The program is killed: all that it has written before is there, or counted.
mkfifo ask answer
ulf record -b 1M -o killed.dat -e emit -- sh -c "exec $emit" <ask >answer 2>err & recorder=$!
exec 8>ask 9<answer
echo $((records / 10)) >&8
read -r said word <&9
root=$(ulf ls | sed -n 's/^\(clients-emit[.0-9]*\) .*alive.*/\1/p')
kill_server
echo $((records / 10)) >&8
read -r more word <&9
kill -9 "${root#clients-emit.}"
wait $recorder 2>/dev/null
expect "status" 137 $?
expect "saved and lost of a killed program" $((said + more)) $(($(saved) + $(lost)))
echo "score: $total_saved saved, $total_lost lost"
