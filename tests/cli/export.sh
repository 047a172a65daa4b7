#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
# ulf export writes calls, events, counters, messages and losses in the formats of other programs.
# Independent readers read them: protoc, and Python's modules for JSON, CSV and XML.
. tests/cli/common

emit=$ULF_BUILD/tests/clients-emit
schema=$ULF_SRC/tests/cli/perfetto.proto
command -v protoc >/dev/null || skip "no protoc; make setup installs it"
cd "$TMPDIR" || fail "cd"

# decode FILE: print the packets of a file for Perfetto.
decode() {
	protoc --proto_path="${schema%/*}" --decode=Trace "$schema" <"$1" >"$1.text" ||
		fail "protoc cannot read $1"
	# A field that the schema lacks is printed as its number.
	grep -nE '^ *[0-9]+[: ]' "$1.text" && fail "$1 has fields that the schema lacks"
	python3 - "$1.text" <<'END'
# Print a line for each event of the text that protoc has written, with names for numbers.
import re, sys
def block(lines):
    found = []
    for line in lines:
        line = line.strip()
        if line == '}':
            return found
        if line.endswith('{'):
            found.append((line[:-2], block(lines)))
        else:
            key, value = line.split(': ', 1)
            found.append((key, value.strip('"')))
    return found
def one(items, key, default=None):
    return next((value for name, value in items if name == key), default)
def every(items, key):
    return [value for name, value in items if name == key]
names, tracks, depth = {}, {}, {}
first, last = True, {}
for packet in every(block(iter(open(sys.argv[1]))), 'packet'):
    assert one(packet, 'sequence_flags') == ('1' if first else '2'), packet
    first = False
    for kind, item in one(packet, 'interned_data', []):
        key = (kind, one(item, 'iid'))
        assert key not in names, key
        names[key] = one(item, 'name')
    track = one(packet, 'track_descriptor')
    if track:
        tracks[one(track, 'uuid')] = track
        print('track', one(one(track, 'process', []), 'process_name') or
              one(one(track, 'thread', []), 'thread_name') or one(track, 'name'))
    event = one(packet, 'track_event')
    if not event:
        continue
    uuid, kind = one(event, 'track_uuid'), one(event, 'type')
    assert uuid in tracks
    time = int(one(packet, 'timestamp'))
    assert time >= last.get(uuid, 0), packet
    last[uuid] = time
    depth[uuid] = depth.get(uuid, 0) + {'TYPE_SLICE_BEGIN': 1, 'TYPE_SLICE_END': -1}.get(kind, 0)
    assert depth[uuid] >= 0
    name = one(event, 'name') or names.get(('event_names', one(event, 'name_iid')))
    notes = ' '.join('%s=%s' % (names[('debug_annotation_names', one(note, 'name_iid'))],
                                note[1][1]) for note in every(event, 'debug_annotations'))
    value = one(event, 'counter_value') or one(event, 'double_counter_value')
    print(kind[5:].lower(), name or one(tracks[uuid], 'name'), value or '', notes)
assert not any(depth.values())
END
}

# ---- calls ----
cat >tree.c <<'END'
#define NOINLINE __attribute__((noinline))
NOINLINE int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
NOINLINE int twice(int x) { return leaf(x) + leaf(x) * 2; }
int main(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += twice(i);
	return !sum;
}
END
cc -O1 -fno-optimize-sibling-calls -fpatchable-function-entry=5 -o tree tree.c || fail "cc"
ULF_TRACE='trace_options=funcgraph-args,funcgraph-retval' \
	ulf record -o tree.dat -p function_graph -F main -F leaf -F twice -- ./tree 2>err ||
	fail "record: $(cat err)"
contains "$(cat err)" "tree.dat: 602 records"
for format in perfetto json csv folded svg; do
	ulf export -t $format tree.dat 2>err || fail "$format: $(cat err)"
	contains "$(cat err)" ": 602 records, 301 calls, 0 lost"
done
decode tree.dat.pftrace >lines || fail "the packets are wrong"
expect "calls for Perfetto" "200 leaf
1 main
100 twice" "$(sed -n 's/^slice_begin \([a-z]*\) .*/\1/p' lines | sort | uniq -c | sed 's/^ *//')"
expect "ends" 301 "$(grep -c '^slice_end .* ret=' lines)"
expect "tracks" "tree tree" "$(sed -n 's/^track //p' lines | xargs)"
expect "arguments" "7 8" "$(sed -n 's/^slice_begin leaf .* arg1=\([0-9]*\) .*/\1/p' lines |
	sed -n '15p;17p' | xargs)"

total=$(ulf graph tree.dat | awk '$NF == "main" { print $3 * 1000 }')
python3 - "$total" <<'END' || fail "JSON, CSV, stacks or the picture"
import collections, csv, json, sys, xml.etree.ElementTree as xml
total = int(float(sys.argv[1]))
wanted = {'leaf': 200, 'main': 1, 'twice': 100}
events = json.load(open('tree.dat.json'))['traceEvents']
calls = [event for event in events if event['ph'] == 'X']
assert collections.Counter(call['name'] for call in calls) == wanted
main = next(call for call in calls if call['name'] == 'main')
assert round(main['dur'] * 1000) == total
for call in calls:
    assert call['ts'] >= main['ts'] and call['ts'] + call['dur'] <= main['ts'] + main['dur'] + 1e-3
    assert 'ret' in call['args'] and 'arg1' in call['args'], call
assert {event['args']['name'] for event in events if event['ph'] == 'M'} == {'tree'}
rows = list(csv.DictReader(open('tree.dat.csv', newline='')))
assert collections.Counter(row['event'] for row in rows) == wanted
assert sum(int(row['duration']) for row in rows if row['depth'] == '0') == total
stacks = dict(line.rsplit(' ', 1) for line in open('tree.dat.folded'))
assert set(stacks) <= {'main', 'main;twice', 'main;twice;leaf'} and len(stacks) >= 2, stacks
assert sum(int(value) for value in stacks.values()) == total, (stacks, total)
svg = xml.parse('tree.dat.svg').getroot()
space = '{http://www.w3.org/2000/svg}'
boxes = {box.find(space + 'title').text.split(':')[0]: box.find(space + 'rect')
         for box in svg.iter(space + 'g') if box.find(space + 'title') is not None}
assert set(boxes) >= {'all', 'main', 'twice'}, boxes
assert abs(float(boxes['main'].get('width')) - 1200) < 1
assert float(boxes['twice'].get('y')) < float(boxes['main'].get('y')) < float(boxes['all'].get('y'))
END

# ---- events, counters ----
echo 1000 | ulf record -o emit.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
ulf export --counter emit_number.number emit.dat 2>err || fail "$(cat err)"
decode emit.dat.pftrace >lines || fail "the packets are wrong"
expect "instants" 1000 "$(grep -c '^instant emit_number .*cpu=[0-9]* thread=[01] number=' lines)"
expect "values of the counter" "$(seq 0 999)" \
	"$(sed -n 's/^counter emit_number.number \([0-9]*\).*/\1/p' lines | sort -n)"
ulf export -o emit.json -c emit:emit_number.thread emit.dat 2>err || fail "$(cat err)"
ulf export -o emit.csv -e emit_number emit.dat 2>err || fail "$(cat err)"
ulf export -o - -t csv emit.dat >all.csv 2>err || fail "$(cat err)"
expect "stderr with stdout as the output" "" "$(cat err)"
python3 - <<'END' || fail "events"
import csv, json
words = ['', 'one', 'two parts', '%d %s\\n']
events = json.load(open('emit.json'))['traceEvents']
instants = [event['args'] for event in events if event['ph'] == 'i']
assert sorted(args['number'] for args in instants) == list(range(1000))
assert all(args['word'] == words[args['number'] % 4] for args in instants)
assert sum(event['ph'] == 'C' for event in events) == 1000
rows = list(csv.DictReader(open('emit.csv', newline='')))
assert sorted(int(row['number']) for row in rows) == list(range(1000))
assert all(row['word'] == words[int(row['number']) % 4] for row in rows)
rows = list(csv.DictReader(open('all.csv', newline='')))
assert all(row['fields'].startswith('thread=') for row in rows) and len(rows) == 1000
END
ulf export -o few.csv -f 'number < 5' emit.dat 2>err || fail "$(cat err)"
contains "$(cat err)" "few.csv: 5 records, 0 calls"
time=$(sed -n 501p emit.csv | cut -d, -f1)
ulf export -o late.csv --since "$(echo "$time" | sed 's/\(.*\)\(.\{9\}\)$/\1.\2/')" emit.dat 2>err
grep -q "^late.csv: [45][0-9]* records" err || fail "--since: $(cat err)"

# ---- messages, losses, several files ----
start_hello
ulf echo '"a", <b>' "$root/trace_marker"
ulf archive -o marker.dat "$root" 2>err || fail "$(cat err)"
ulf export -o marker.json marker.dat emit.dat 2>err || fail "$(cat err)"
python3 - <<'END' || fail "a message"
import json
events = json.load(open('marker.json'))['traceEvents']
messages = [event['args']['message'] for event in events if event.get('name') == 'print']
assert messages == ['"a", <b>'], messages
times = [event['ts'] for event in events if event['ph'] == 'i']
assert len(times) >= 1001 and times == sorted(times)
END
echo 100000 | ulf record -b 16K -o lost.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
reported=$(ulf report lost.dat | sed -n 's/.*\[LOST \([0-9]*\) EVENTS\]/\1/p' |
	awk '{ n += $1 } END { print n + 0 }')
ulf export -o lost.pftrace lost.dat 2>err || fail "$(cat err)"
contains "$(cat err)" ", $reported lost"
decode lost.pftrace >lines || fail "the packets are wrong"
expect "lost records" "$reported" "$(sed -n 's/^instant records were lost .*number=//p' lines |
	awk '{ n += $1 } END { print n + 0 }')"

# ---- errors ----
refuse() {
	what=$1
	shift
	text=$(ulf export "$@" 2>&1) && fail "no error: $what"
	contains "$text" "$what"
}
refuse "there is no format \`nosuch\`; the formats are: perfetto json csv" -t nosuch emit.dat
refuse "the name does not select a format" -o file.xyz emit.dat
refuse "ulf record -p function_graph" -o none.svg emit.dat
refuse "no event of the files has the numeric field \`emit_number.word\`" \
	-c emit_number.word -o none.json emit.dat
refuse "is not [SYSTEM:]EVENT.FIELD" -c number -o none.json emit.dat
refuse "the format csv has no counters" -c emit_number.number -o none.csv emit.dat
refuse "Field not found" -f 'nosuch > 1' -o none.csv emit.dat
refuse "No such file or directory" -o none.csv nosuch.dat
refuse "nosuch/x.csv" -o nosuch/x.csv emit.dat
expect "files after errors" "" "$(find . -name 'none*' -o -name '*.part')"
bytes=$(wc -c <lost.dat)
head -c $((bytes / 2)) lost.dat >short.dat
ulf export -o short.csv short.dat 2>err && fail "a file that is cut short"
ulf export -o /dev/full -t csv emit.dat 2>err && fail "a full disk"
contains "$(cat err)" "No space left on device"
exit 0
