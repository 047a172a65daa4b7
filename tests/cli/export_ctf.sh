#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds programs of its own, without the sanitizer
# no-sanitize: thread it builds programs of its own, without the sanitizer
# ulf export -t ctf writes traces that babeltrace2 reads: each event, field, time and loss is that of
# ulf export -t json.  Names that the metadata cannot have as they are do not break it.
. tests/cli/common

command -v babeltrace2 >/dev/null || skip "no babeltrace2; make setup installs it"
emit=$ULF_BUILD/tests/clients-emit
include="-I$PWD/include -I$TMPDIR"
cd "$TMPDIR" || fail "cd"

# Compare what babeltrace2 prints with the JSON of the same file.
cat >compare.py <<'END'
import collections, json, re, sys
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}\[\],=:])|([^\s{}\[\],=":]+)')
ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': '\x1b'}
def unquote(text):
    text = re.sub('[\udc80-\udcff]', '\ufffd', text)     # as JSON shows bytes that are no UTF-8
    return re.sub(r'\\(x[0-9a-fA-F]{2}|.)', lambda m: chr(int(m[1][1:], 16)) if len(m[1]) > 1
                  else ESCAPES.get(m[1], m[1]), text)
class Reader:
    def __init__(self, text):
        self.tokens, self.at = list(TOKEN.finditer(text)), 0
    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]
    def is_at(self, char):
        return self.at < len(self.tokens) and self.tokens[self.at][2] == char
    def group(self, end):
        items = []
        while not self.is_at(end):
            name = ''
            while not self.is_at('='):
                name += self.next()[0]
            self.next()
            items.append((name, self.value()))
            if self.is_at(','):
                self.next()
        self.next()
        return items
    def value(self):
        token = self.next()
        if token[2] == '{':
            return dict(self.group('}'))
        if token[2] == '[':
            return [value for _, value in self.group(']')]
        if token[1] is not None:
            return unquote(token[1])
        word = token[3]
        return int(word, 0) if re.fullmatch(r'-?(0x[0-9A-Fa-f]+|\d+)', word) else float(word)
def read(path):
    for line in open(path, errors='surrogateescape'):
        time, name, rest = re.match(r'\[(\d+)\] \(\+[?\d]+\) (.*?): (\{ cpu_id = .*)', line).groups()
        reader = Reader(rest)
        cpu, thread = reader.value(), (reader.next(), reader.value())[1]
        fields = (reader.next(), reader.value())[1]
        yield int(time), name, cpu['cpu_id'], thread, fields
def shown(value):
    return '{%s}' % ','.join(map(str, value)) if isinstance(value, list) else value
seen = collections.defaultdict(set)
def forgive_empty(one, other):
    """babeltrace2 2.0.4 may print an earlier value of the field for an empty string."""
    for key, value in other[5].items():
        values = seen[one[1], key]
        if value == '' and one[5].get(key) in values:
            one[5][key] = ''
        elif isinstance(value, str):
            values.add(value)
def ns(time):
    return round(time * 1000)
wanted = json.load(open(sys.argv[1]))['traceEvents']
names = {event['tid']: event['args']['name'] for event in wanted
         if event['ph'] == 'M' and event['name'] == 'thread_name'}
events, calls, stacks = [], [], collections.defaultdict(list)
for time, name, cpu, thread, fields in read(sys.argv[2]):
    pid, tid = thread['pid'], thread['tid']
    assert thread['comm'] == names[tid], (thread, names[tid])
    if name == 'ftrace:funcgraph_entry':
        stacks[tid].append((time, cpu, fields))
        assert fields['depth'] == len(stacks[tid]) - 1
    elif name == 'ftrace:funcgraph_exit':
        start, cpu, entry = stacks[tid].pop()
        assert entry['func'] == fields['func'] and fields['calltime'] == start
        calls.append((start, time - start, entry['func'], cpu, pid, tid,
                      entry['args'], fields['retval']))
    else:
        # _Bool and _Complex would be words of TSDL.
        events.append((time, name, cpu, pid, tid, {re.sub('^(Bool|Complex)_2$', r'\1', key):
                       shown(value) for key, value in fields.items()
                       if not key.endswith('_length')}))
key = lambda item: (item[0], item[2], str(item))
json_events = [(ns(event['ts']), event['cat'] + ':' + event['name'], event['args'].pop('cpu'),
                event['pid'], event['tid'], event['args'])
               for event in wanted if event['ph'] == 'i' and event['s'] == 't']
json_calls = [(ns(event['ts']), ns(event['dur']), event['name'], event['args']['cpu'],
               event['pid'], event['tid'],
               [int(event['args'][key], 16) for key in event['args'] if re.fullmatch(r'arg\d+', key)],
               int(event['args']['ret'], 16)) for event in wanted if event['ph'] == 'X']
for what, got, expected in (('event', events, json_events), ('call', calls, json_calls)):
    for one, other in zip(sorted(got, key=key), sorted(expected, key=key)):
        if what == 'event':
            forgive_empty(one, other)
        assert one == other, '%s: babeltrace2 has\n%s\nJSON has\n%s' % (what, one, other)
    assert len(got) == len(expected), (what, len(got), len(expected))
print(len(events), len(calls))
END

# same FILE: export the file, and compare.
same() {
	rm -rf "$1.ctf"
	ulf export -t ctf "$1" 2>err || fail "$1: $(cat err)"
	ulf export -t json "$1" 2>err || fail "$1: $(cat err)"
	babeltrace2 --clock-cycles "$1.ctf" >"$1.text" 2>"$1.err" || fail "babeltrace2: $(cat "$1.err")"
	python3 compare.py "$1.json" "$1.text" || fail "$1"
}
# clean FILE: fail if babeltrace2 has printed a warning for it.
clean() { expect "messages of babeltrace2" "" "$(cat "$1.err")"; }

# ---- every kind of field, and names that are words of TSDL ----
cat >kinds_trace.h <<'END'
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kinds
#if !defined(KINDS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KINDS_TRACE_H
#include <string.h>
#include <linux/tracepoint.h>
TRACE_EVENT(event, TP_PROTO(int n, const char *word), TP_ARGS(n, word),
	TP_STRUCT__entry(
		__field(signed char, integer) __field(unsigned char, string)
		__field(short, stream) __field(unsigned short, trace)
		__field(int, event) __field(unsigned int, align)
		__field(long, Bool) __field(unsigned long, Complex)
		__field(float, floating_point) __field(double, id)
		__field(void *, env) __field(bool, clock)
		__array(char, name, 8) __array(short, numbers, 3) __array(double, reals, 2)
		__string(typealias, word)
		__dynamic_array(long, variant, n % 4) __dynamic_array(float, callsite, n % 3)
		__rel_dynamic_array(unsigned char, list, n % 5)
		__field(int, last)),
	TP_fast_assign(
		__entry->integer = (signed char)-n; __entry->string = (unsigned char)n;
		__entry->stream = (short)(-300 * n); __entry->trace = (unsigned short)(600 * n);
		__entry->event = -n; __entry->align = 4294967295u - (unsigned int)n;
		__entry->Bool = -5000000000L - n; __entry->Complex = ~0ul - (unsigned long)n;
		__entry->floating_point = (float)n / 4; __entry->id = -n / 8.0;
		__entry->env = (void *)(0x7f0000000000 + (long)n); __entry->clock = n & 1;
		memcpy(__entry->name, "12345678" + n % 8, (size_t)(9 - n % 8 - 1));
		if (n % 8) __entry->name[8 - n % 8] = 0;
		for (int i = 0; i < 3; i++) __entry->numbers[i] = (short)(-n * i);
		for (int i = 0; i < 2; i++) __entry->reals[i] = n + i / 2.0;
		__assign_str(typealias);
		for (int i = 0; i < n % 4; i++) ((long *)__get_dynamic_array(variant))[i] = -n - i;
		for (int i = 0; i < n % 3; i++) ((float *)__get_dynamic_array(callsite))[i] = (float)i / 2;
		memset(__get_rel_dynamic_array(list), n & 255, (size_t)(n % 5));
		__entry->last = n;),
	TP_printk("last=%d", __entry->last));
#endif
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kinds_trace
#include <trace/define_trace.h>
END
cat >kinds.c <<'END'
#define CREATE_TRACE_POINTS
#include "kinds_trace.h"
int main(void)
{
	static const char *const words[] = { "", "two parts", "\"quoted\" {a=1, b=[2]}", "\xc3\xa4" };

	for (int i = 0; i < 2000; i++)
		trace_event(i, words[i % 4]);
	return 0;
}
END
# shellcheck disable=SC2086	# several options
gcc -O2 $include -o kinds kinds.c "$ULF_BUILD/libulf.so.0" -Wl,-rpath,"$ULF_BUILD" || fail "gcc"
name='q"{\;	}'
ln kinds "$name"
# On one CPU the records take two chunks, of which one is broken below.
cpu=$(taskset -pc $$ | sed "s/.*: //; s/[^0-9].*//")
ulf record -o kinds.dat -e kinds:event -- taskset -c "$cpu" "./$name" 2>err || fail "record: $(cat err)"
expect "events of all kinds" "2000 0" "$(same kinds.dat)"
clean kinds.dat
grep -q 'comm = "q\\"{' kinds.dat.text || fail "the name of the thread: $(head -1 kinds.dat.text)"

# ---- calls ----
cat >tree.c <<'END'
#define NOINLINE __attribute__((noinline))
NOINLINE int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
NOINLINE int twice(int x) { return leaf(x) + leaf(x) * 2; }
int main(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += twice(i);
	return !sum;
}
END
gcc -O1 -fno-optimize-sibling-calls -fpatchable-function-entry=5 -o tree tree.c || fail "gcc"
ULF_TRACE='trace_options=funcgraph-args,funcgraph-retval' \
	ulf record -o tree.dat -p function_graph -F main -F leaf -F twice -- ./tree 2>err ||
	fail "record: $(cat err)"
expect "calls" "0 3001" "$(same tree.dat)"
clean tree.dat

# ---- threads on several CPUs, messages, losses, several files ----
echo 20000 | ulf record -b 4M -o emit.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
expect "events" "20000 0" "$(same emit.dat)"
clean emit.dat
expect "streams" "$(cut -d'{' -f2 emit.dat.text | sort -u | grep -c cpu_id)" \
	"$(find emit.dat.ctf -name 'cpu*' | wc -l)"
nr=$(cat emit.dat.ctf/cpu* | python3 -c '
import sys
print(sys.stdin.buffer.read().count((0xc1fc1fc1).to_bytes(4, sys.byteorder)))')
[ "$nr" -ge 10 ] || fail "$nr packets"
start_hello
ulf echo '"a", \ <b>' "$root/trace_marker"
ulf archive -o marker.dat "$root" 2>err || fail "$(cat err)"
same marker.dat >out || fail "a message"
grep -q 'ftrace:print: .* { message = "\\"a\\", \\\\ <b>" }' marker.dat.text || fail "no message"
ulf export -o two.ctf emit.dat kinds.dat 2>err || fail "$(cat err)"
babeltrace2 two.ctf >two.text 2>err || fail "$(cat err)"
expect "events of two files" 22000 "$(wc -l <two.text)"
ulf export -o few.ctf -f 'number < 5' emit.dat 2>err || fail "$(cat err)"
expect "events that pass a filter" 5 "$(babeltrace2 few.ctf | wc -l)"
echo 100000 | ulf record -b 16K -o lost.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
lost=$(ulf report lost.dat | sed -n 's/.*\[LOST \([0-9]*\) EVENTS\]/\1/p' |
	awk '{ n += $1 } END { print n + 0 }')
[ "$lost" -gt 0 ] || fail "nothing was lost"
same lost.dat >out
expect "lost records" "$lost" "$(sed -n 's/^.*discarded \([0-9]*\) event.*/\1/p' lost.dat.err |
	awk '{ n += $1 } END { print n + 0 }')"

# ---- hostile names ----
# Without compression the formats are text in the file, in which names of the same length are put.
trace-cmd convert -i kinds.dat -o plain.dat --compression none >out 2>&1 || fail "$(cat out)"
python3 - <<'END' || fail "the names are not in the file"
data = open('plain.dat', 'rb').read()
for old, new in ((b'name: event\n', b'name: e"\\\x01}\n'), (b' last;', b' a\x1b"z;'),
                 (b' numbers[3]', b' variant[3]'), (b' trace;', b' event;')):
    assert len(old) == len(new) and old in data, old
    data = data.replace(old, new)
open('hostile.dat', 'wb').write(data)
END
ulf export -o hostile.ctf hostile.dat 2>err || fail "$(cat err)"
babeltrace2 hostile.ctf >hostile.text 2>err || fail "hostile names: $(cat err)"
contains "$(grep 'name = .*kinds' hostile.ctf/metadata)" 'name = "kinds:e\"\\\001}";'
expect "events with hostile names" 2000 "$(wc -l <hostile.text)"
contains "$(sed -n 8p hostile.text)" " a__z = 7 }"
contains "$(sed -n 8p hostile.text)" " event = 4200, event_2 = -7,"

# ---- errors ----
refuse() {
	what=$1
	shift
	text=$(ulf export "$@" 2>&1) && fail "no error: $what"
	contains "$text" "$what"
}
refuse "File exists" -t ctf emit.dat
refuse "a directory, which stdout cannot be" -t ctf -o - emit.dat
refuse "the format ctf has no counters" -c emit_number.number -o none.ctf emit.dat
refuse "No such file or directory" -o nosuch/x.ctf emit.dat
mkdir way.ctf.part
refuse "way.ctf.part is in the way" -o way.ctf emit.dat
rmdir way.ctf.part || fail "the directory in the way is gone"
cp kinds.dat broken.dat
# Zeroes at the end of the last chunk of records, where zstd stores how the chunk is composed.  Only
# the section of strings is compressed after it.  The size of a chunk is 8 bytes before its start.
chunk=$(LC_ALL=C grep -aboP '\x28\xb5\x2f\xfd' kinds.dat | tail -n 2 | sed 's/:.*//; q')
bytes=$(od -An -tu4 -j $((chunk - 8)) -N 4 kinds.dat)
dd if=/dev/zero of=broken.dat bs=1 seek=$((chunk + bytes - 16)) count=16 conv=notrunc 2>err
ulf export -o broken.ctf broken.dat 2>err && fail "a broken file"
contains "$(cat err)" "broken.ctf has the records before that place"
babeltrace2 broken.ctf >out 2>err || fail "the part of a broken file: $(cat err)"
nr=$(wc -l <out)
[ "$nr" -gt 0 ] && [ "$nr" -lt 2000 ] || fail "$nr events of a broken file"
expect "directories after errors" "" "$(find . -name 'none*' -o -name '*.part')"
exit 0
