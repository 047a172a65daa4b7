#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# The events raw_syscalls:sys_enter and sys_exit have the kernel's formats, record what strace
# shows, and come and go while threads run.
. tests/cli/common
program=$ULF_BUILD/tests/cli-syscalls
ulf server --background

# ---- formats ----

ulf run -o "$TMPDIR/trace" --syscalls -e 'raw_syscalls:*' -- "$program" list 2>"$TMPDIR/err" ||
	fail "$(cat "$TMPDIR/err")"
root=$(ulf ls | sed -n 's/^\(cli-syscalls[^ ]*\).*/\1/p')
ulf cat "$root/events/raw_syscalls/sys_enter/format" | sed 1,7d >"$TMPDIR/enter"
printf '%s\n' '' '	field:long id;	offset:8;	size:8;	signed:1;' \
	'	field:unsigned long args[6];	offset:16;	size:48;	signed:0;' '' \
	'print fmt: "NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", REC->id, REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5]' |
	cmp - "$TMPDIR/enter" || fail "sys_enter: $(cat "$TMPDIR/enter")"
ulf cat "$root/events/raw_syscalls/sys_exit/format" | sed 1,7d >"$TMPDIR/exit"
printf '%s\n' '' '	field:long id;	offset:8;	size:8;	signed:1;' \
	'	field:long ret;	offset:16;	size:8;	signed:1;' '' \
	'print fmt: "NR %ld = %ld", REC->id, REC->ret' |
	cmp - "$TMPDIR/exit" || fail "sys_exit: $(cat "$TMPDIR/exit")"
# The kernel whose formats these are has 315 of the system calls.
tar xzf tests/data/formats-6.1.tar.gz -C "$TMPDIR"
formats=0
for format in "$TMPDIR"/events/syscalls/sys_*/format; do
	event=${format%/format}
	ulf cat "$root/events/syscalls/${event##*/}/format" | sed /^ID:/d >"$TMPDIR/ours"
	sed /^ID:/d "$format" | cmp - "$TMPDIR/ours" || fail "${event##*/}: $(cat "$TMPDIR/ours")"
	formats=$((formats + 1))
done
expect "formats that were compared" 630 $formats
ulf cat "$root/available_events" | sed -n 's/^syscalls:sys_enter_//p' | sort >"$TMPDIR/entered"
ulf cat "$root/available_events" | sed -n 's/^syscalls:sys_exit_//p' | sort |
	cmp - "$TMPDIR/entered" || fail "the events of entry and return differ"
for call in read newstat execve clone3 openat2 bpf seccomp; do
	grep -qx $call "$TMPDIR/entered" || fail "no event of $call"
done
ulf rm "$root"

# Each call is recorded by its own event, with the values of the raw one.
ulf run -o "$TMPDIR/named" --syscalls -e 'syscalls:*' -- "$program" list 2>"$TMPDIR/err" ||
	fail "$(cat "$TMPDIR/err")"

# The lines are the kernel's, also in `ulf report` and with options.
root=$(ulf ls | sed -n 's/^\(cli-syscalls[^ ]*\).*/\1/p')
lines=$(sed -n 's/.*-\([0-9]*\) .*\(: sys_close(fd: 9)\)$/\2/p' "$TMPDIR/named" | sort | uniq -c)
expect "close(9)" "      2 : sys_close(fd: 9)" "$lines"
# lines_with OPTION...: the lines of two calls, from the event's name on.
lines_with() {
	for option; do ulf echo 1 "$root/options/$option"; done
	ulf cat "$root/trace" | sed -n '/sys_close(.*fd: 9)\|sys_enter_close: .*fd=0x9/,$ p' |
		sed 's/^[^:]*: //; 5 q; s/0x[0-9a-f]\{5,\}/ADDRESS/' | head -n 2
	for option; do ulf echo 0 "$root/options/$option"; done
}
expect "the lines" "$(printf '%s\n' 'sys_close(fd: 9)' 'sys_close -> 0x0')" "$(lines_with)"
expect "the lines with types" \
	"$(printf '%s\n' 'sys_close(unsigned int fd: 9)' 'sys_close -> 0x0')" "$(lines_with verbose)"
expect "the fields" "$(printf '%s\n' 'sys_enter_close: __syscall_nr=0x3 (3) fd=0x9 (9)' \
	'sys_exit_close: __syscall_nr=0x3 (3) ret=0x0 (0)')" "$(lines_with fields)"
grep -q ': sys_getppid()$' "$TMPDIR/named" || fail "a call without arguments"
grep -q ': sys_close -> 0xfffffffffffffff7$' "$TMPDIR/named" || fail "an error"
ulf echo 1 "$root/options/raw"
ulf cat "$root/trace" | grep -q '^[0-9]* [0-9]* [0-9]* type: [0-9]*$' || fail "raw"
ulf echo 0 "$root/options/raw"
ulf archive -o "$TMPDIR/named.dat" "$root" >"$TMPDIR/out" 2>&1 || fail "$(cat "$TMPDIR/out")"
ulf report "$TMPDIR/named.dat" | sed 's/^[^:]*: //' | grep -o 'sys_close[( ].*' >"$TMPDIR/reported"
grep -o 'sys_close[( ].*' "$TMPDIR/named" | cmp - "$TMPDIR/reported" || fail "ulf report"
ulf rm "$root"

# ---- against strace ----

command -v strace >/dev/null || skip "strace is not installed"
strace -f -e raw=all -X raw -o "$TMPDIR/strace" "$program" list ||
	skip "strace cannot trace: $(tail -n 1 "$TMPDIR/strace")"
cat >"$TMPDIR/compare" <<'END'
import re, sys

# The calls of the list whose arguments are the same in each run, and their numbers.
CALLS = { 'read': 0, 'getppid': 110, 'openat': 257, 'write': 1, 'fcntl': 72, 'dup2': 33, 'dup3': 292,
          'close': 3, 'socketpair': 53, 'sendto': 44, 'getpriority': 140, 'sched_yield': 24,
          'alarm': 37, 'kill': 62, 'access': 21, 'lseek': 8, 'wait4': 61, 'tgkill': 234,
          'umask': 95, 'newfstatat': 262, 'getpid': 39 }
NAMES = { number: name for name, number in CALLS.items() }
COUNT = { 'read': 3, 'getppid': 0, 'getpid': 0, 'sched_yield': 0, 'close': 1, 'umask': 1, 'alarm': 1, 'dup2': 2,
          'kill': 2, 'access': 2, 'getpriority': 2, 'fcntl': 2, 'lseek': 3, 'write': 3, 'dup3': 3,
          'tgkill': 3, 'openat': 3, 'wait4': 4, 'socketpair': 4, 'newfstatat': 4, 'sendto': 6 }
# The instruction after this call is shorter than a jump, so its return is not seen.
UNSEEN = ['tgkill']

def plain(name, number, tids):
    """Values that differ between runs: addresses, and ids of threads in order of appearance."""
    if name == 'wait4' and number > 300 and number not in tids:
        return 'P'      # a child without calls of the list, or an address
    if number in tids:
        return 'T%d' % tids.index(number)
    return 'P' if 1 << 20 < number < 1 << 63 and number >> 12 != 0xfffff else number & 0xffffffff

def between_umasks(calls):
    """For each thread, its calls between umask(0101) and umask(0102), as enter and exit."""
    calls = list(calls)
    tids, by_thread, is_on = list(dict.fromkeys(call[0] for call in calls)), {}, False
    for tid, name, args, ret in calls:
        if name == 'umask' and args:
            is_on = args[0] == 0o101
        if not is_on or (args is None and name in UNSEEN):
            continue
        row = [name] + [plain(name, x, tids) for x in args] if args is not None else \
              [name, '=', plain(name, ret, tids) if name != 'getppid' else 'parent']
        by_thread.setdefault(tids.index(tid), []).append(row)
    return by_thread

def of_strace(path):
    for line in open(path):
        tid, rest = line.split(None, 1)
        enter = re.match(r'(?:<\.\.\. )?(\w+)(?: resumed>|\()(.*)', rest)
        if not enter or enter[1] not in CALLS:
            continue
        name, is_enter = enter[1], 'resumed>' not in rest
        if is_enter:
            args = enter[2].split(' <unfinished')[0].split(')')[0].split(', ')
            args = [int(x, 0) for x in args if x.strip()]
            yield int(tid), name, args[:COUNT[name]], None
        ret = re.search(r'\) += (-?\w+)(?: (\w+))?', rest)
        if ret:
            import errno
            value = int(ret[1], 0)
            if value == -1 and ret[2]:
                value = -getattr(errno, ret[2])
            yield int(tid), name, None, value

def of_named(line):
    """A record of the system syscalls."""
    m = re.search(r'-(\d+) +\[.*: sys_(\w+)(\(| -> 0x)(.*)', line)
    if m and m[2] in CALLS:
        if m[3] == '(':
            values = [int(x, 16) for x in re.findall(': ([0-9a-f]+)', m[4])]
            yield int(m[1]), m[2], values[:COUNT[m[2]]], None
        else:
            value = int(m[4], 16)
            yield int(m[1]), m[2], None, value - (value >> 63 << 64)

def of_ulf(path):
    for line in open(path):
        yield from of_named(line)
        m = re.search(r'-(\d+) +\[.*sys_(enter|exit): NR (\d+) (.*)', line)
        if not m or int(m[3]) not in NAMES:
            continue
        name = NAMES[int(m[3])]
        if m[2] == 'enter':
            args = [int(x, 16) for x in m[4].strip('()').split(', ')]
            yield int(m[1]), name, args[:COUNT[name]], None
        else:
            yield int(m[1]), name, None, int(m[4][2:])

strace, ulf = between_umasks(of_strace(sys.argv[1])), between_umasks(of_ulf(sys.argv[2]))
for thread in sorted(set(strace) | set(ulf)):
    a, b = strace.get(thread, []), ulf.get(thread, [])
    for i in range(max(len(a), len(b))):
        if a[i:i + 1] != b[i:i + 1]:
            sys.exit('thread %d, %d: strace %s, ulf %s' % (thread, i, a[i:i + 3], b[i:i + 3]))
print(sum(map(len, ulf.values())), 'records in', len(ulf), 'threads are those of strace')
if len(ulf) < 3 or sum(map(len, ulf.values())) < 45:
    sys.exit('too few')
END
python3 "$TMPDIR/compare" "$TMPDIR/strace" "$TMPDIR/trace" || fail "the calls differ"
python3 "$TMPDIR/compare" "$TMPDIR/strace" "$TMPDIR/named" || fail "the calls differ: syscalls:*"

# ---- signals, cancellation, vfork(), exit() ----

"$program" special >"$TMPDIR/plain"
expect "status" 5 $?
for word in EINTR returned 'cancelled: 1, cleaned: 1' spawned; do
	contains "$(cat "$TMPDIR/plain")" "$word"
done
ulf run -o "$TMPDIR/trace" --syscalls -e 'raw_syscalls:*' -- "$program" special \
	>"$TMPDIR/traced" 2>"$TMPDIR/err"
expect "status with events: $(cat "$TMPDIR/err")" 5 $?
cmp "$TMPDIR/plain" "$TMPDIR/traced" || fail "other results: $(cat "$TMPDIR/traced")"
# read, recvfrom, pause and poll were interrupted, and execve was called in a child of vfork().
for call in 'exit: NR 0 = -4' 'exit: NR 45 = -4' 'exit: NR 34 = -4' 'exit: NR 7 = -4' \
	'enter: NR 59 '; do
	grep -q "sys_$call" "$TMPDIR/trace" || fail "no sys_$call"
done
ulf rm "$(ulf ls | sed -n 's/^\(cli-syscalls[^ ]*\) .*dead.*/\1/p' | head -n 1)"

# ---- what is not seen ----

# The file has each call of libc: it is counted, or listed with a reason.
libc=$(ldd "$program" | sed -n 's/.*=> \(.*libc\.so[^ ]*\).*/\1/p')
"$ULF_BUILD/tests/build-count_moved" -c "$libc" >"$TMPDIR/calls"

# ---- switched while threads run ----

mkfifo "$TMPDIR/in"
ulf run -o "$TMPDIR/trace" --syscalls -- "$program" threads <"$TMPDIR/in" >"$TMPDIR/out" \
	2>"$TMPDIR/err" &
run=$!
exec 3>"$TMPDIR/in"
has_root() { root=$(ulf ls | sed -n 's/^\(cli-syscalls[^ ]*\) .*alive.*/\1/p'); [ -n "$root" ]; }
until_true has_root
events=$root/events/raw_syscalls
asked=0
# code_is WORD: the program finds the code of libc as WORD says.
has_answered() { [ "$(wc -l <"$TMPDIR/out")" -ge $asked ]; }
code_is() {
	echo >&3
	asked=$((asked + 1))
	until_true has_answered
	expect "code of libc" "$1" "$(tail -n 1 "$TMPDIR/out")"
}
code_is original
ulf cat "$root/untraceable_syscalls" >"$TMPDIR/unseen"
grep -q "^# libc: $(grep -c '[0-9] [0-9]*$' "$TMPDIR/calls") of $(wc -l <"$TMPDIR/calls") calls are seen, and the returns of $(awk 'NF == 4 && $3 > 0' "$TMPDIR/calls" | wc -l)$" \
	"$TMPDIR/unseen" || fail "untraceable_syscalls: $(grep '^#' "$TMPDIR/unseen")"
expect "calls of libc that are listed" \
	"$(awk '!(NF == 4 && $2 ~ /^[-0-9]/ && $3 > 0)' "$TMPDIR/calls" | wc -l)" \
	"$(grep -c '\[libc\]' "$TMPDIR/unseen")"
grep -q '^# ld-linux-x86-64: [1-9][0-9]* of [0-9]* calls are seen' "$TMPDIR/unseen" ||
	fail "the dynamic linker: $(grep '^#' "$TMPDIR/unseen")"
grep -q '^_[eE]xit+0x[0-9a-f]* .*\[libc\].no instruction before it' "$TMPDIR/unseen" ||
	fail "_exit: $(grep _exit "$TMPDIR/unseen")"
for turn in 1 2 3 4 5 6 7 8 9 10; do
	ulf echo 1 "$events/enable"
	[ $turn -gt 2 ] || code_is changed
	has_calls() { ulf cat "$root/trace" | grep -q 'sys_exit: NR 110 = [1-9]'; }
	until_true has_calls
	ulf echo 0 "$events/enable"
	[ $turn -gt 2 ] || code_is original
	ulf echo '' "$root/trace"
done

# ---- filters, lists of threads, histograms, triggers ----

ulf echo 'id == 8' "$events/sys_enter/filter"
ulf echo 'id == 8' "$events/sys_exit/filter"
ulf echo 'hist:keys=id.syscall if ret == -9' "$events/sys_exit/trigger"
ulf echo 1 "$events/enable"
has_filtered() { [ "$(ulf cat "$root/trace" | grep -c 'sys_enter: NR 8 ')" -gt 100 ]; }
until_true has_filtered
ulf echo 0 "$events/enable"
! ulf cat "$root/trace" | grep 'NR ' | grep -vq 'NR 8 ' || fail "the filter lets other calls pass"
ulf cat "$root/trace" | grep 'sys_exit' | grep -vq 'NR 8 = -9$' && fail "lseek: not EBADF"
ulf cat "$events/sys_exit/hist" | grep -q 'sys_lseek *\[ *8\] *} hitcount: *[1-9]' ||
	fail "no lseek: $(ulf cat "$events/sys_exit/hist" | head -n 20)"
ulf echo '!hist:keys=id.syscall if ret == -9' "$events/sys_exit/trigger"
code_is original

# Events of one call: no other call is recorded, and filters, lists of threads and histograms apply.
named=$root/events/syscalls
ulf echo '' "$root/trace"
ulf echo 'fd == 0xffffffff' "$named/sys_enter_lseek/filter"
ulf echo 'hist:keys=ret' "$named/sys_exit_lseek/trigger"
ulf echo 1 "$named/sys_enter_lseek/enable"
code_is changed
has_lseek() { [ "$(ulf cat "$root/trace" | grep -c 'sys_lseek(fd: ffffffff, offset: ')" -gt 100 ]; }
until_true has_lseek
ulf echo 'fd != 0xffffffff' "$named/sys_enter_lseek/filter"
ulf echo 1 "$named/sys_exit_getppid/enable"
has_getppid() { [ "$(ulf cat "$root/trace" | grep -c 'sys_getppid -> 0x[1-9a-f]')" -gt 100 ]; }
until_true has_getppid
ulf echo '' "$root/trace"
until_true has_getppid
! ulf cat "$root/trace" | grep -q 'sys_lseek(' || fail "the filter lets lseek pass"
! ulf cat "$root/trace" | grep 'sys_' | grep -vq 'sys_getppid -> ' ||
	fail "other calls: $(ulf cat "$root/trace" | grep sys_ | grep -v getppid | head -n 3)"
ulf cat "$named/sys_exit_lseek/hist" | grep -q 'ret: *\(-9\|18446744073709551607\) *} hitcount: *[1-9]' ||
	fail "no lseek: $(ulf cat "$named/sys_exit_lseek/hist" | head -n 20)"
ulf echo 1 "$root/set_event_pid"
ulf echo '' "$root/trace"
ulf echo 0 "$named/enable"
ulf echo '' "$root/trace"
ulf echo 1 "$named/sys_exit_getppid/enable"
code_is changed
! ulf cat "$root/trace" | grep -q 'sys_' || fail "a thread that is not in set_event_pid is recorded"
ulf echo '' "$root/set_event_pid"
until_true has_getppid
ulf echo '!hist:keys=ret' "$named/sys_exit_lseek/trigger"
ulf echo 0 "$named/enable"
code_is original
exec 3>&-
wait $run || fail "the program: $(cat "$TMPDIR/err")"
[ -z "$(ulf cat "$root/error_log")" ] || fail "error_log: $(ulf cat "$root/error_log")"
