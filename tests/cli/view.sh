#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
# ulf view writes one file with all records, whatever names they have.  Its items have what
# `ulf export -t json` has.  tests/cli/view_browser.sh opens such files.
. tests/cli/common
. tests/cli/view_common

record_view_files
for name in tree emit marker; do
	ulf view $name.dat 2>err || fail "$name: $(cat err)"
	ulf export -t json $name.dat 2>>err || fail "$name: $(cat err)"
	expect "what the commands report" "$(sed -n '2s/.*json: //p' err)" \
		"$(sed -n '1s/.*html: //p' err)"
	python3 - $name.dat <<'END' || fail "the items of $name.dat"
import base64, collections, json, re, struct, sys

text = open(sys.argv[1] + '.html', encoding='utf-8').read()
# Nothing but the page's own scripts is a script, and nothing is loaded.
assert text.count('<script') == 2 and text.count('</script') == 2
assert not re.search(r'https?:|<b>|onerror|src=|href=|@import|url\(', text)
data = base64.b64decode(re.search(r'<script id="records"[^>]*>(.*?)</script>', text, re.S)[1])
at = 0

def number():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value

def string():
    global at
    length = number()
    at += length
    return data[at - length:at].decode('utf-8', 'replace')

def value():
    global at
    kind = data[at]
    at += 1
    if kind == 1:
        found = number()
        return found - (1 << 64) if found >> 63 else found
    if kind == 2:
        return number()
    if kind == 3:
        at += 8
        return struct.unpack('<d', data[at - 8:at])[0]
    assert kind == 4, kind
    return string()

names, kinds, threads, calls, events = [None], [None], [], [], []
time = thread = cpu = 0
while True:
    item = data[at]
    at += 1
    if item & 3 == 0:
        other = number()
        if other == 0:
            records, lost = number(), number()
            break
        if other == 1:
            threads.append(dict(tid=number(), pid=number(), comm=string(), process=string(),
                                instance=string(), stack=[]))
        elif other == 2:
            number(), number(), number()
        else:
            assert other in (3, 4)
            string()
        continue
    thread = number() if item & 4 else thread
    cpu = number() if item & 8 else cpu
    step = number()
    time += -step if item & 16 else step
    stack = threads[thread]['stack']
    if item & 3 == 1:
        depth = number() if item & 128 else stack[-1]['depth'] + 1 if stack else 0
        name = number()
        if name == len(names):
            names.append(string())
        stack.append(dict(name=names[name] or hex(number()), start=time, depth=depth, cpu=cpu,
                          tid=threads[thread]['tid'], args={}))
        if item & 32:
            stack[-1]['args'] = {'arg%d' % (i + 1): hex(number()) for i in range(number())}
    elif item & 3 == 2:
        call = stack.pop()
        call['end'] = time
        if item & 32:
            call['args']['ret'] = hex(number())
        if not item & 64:
            call['args']['returned'] = False
        calls.append(call)
    else:
        kind = number()
        if kind == len(kinds):
            kinds.append([string(), string(), [(string(), string()) for _ in range(number())]])
        system, name, fields = kinds[kind]
        args = {field: value() for field, _ in fields}
        events.append((time, name, system, threads[thread]['tid'], cpu, args))
assert at == len(data)

def usec(ns):
    return round(ns / 1000, 3)

wanted = json.load(open(sys.argv[1] + '.json'))['traceEvents']
got = [(usec(c['start']), usec(c['end'] - c['start']), c['name'], c['tid'],
        dict(c['args'], cpu=c['cpu'])) for c in calls]
spans = [(e['ts'], e['dur'], e['name'], e['tid'], e['args']) for e in wanted if e['ph'] == 'X']
for one, other in zip(got, spans):
    other[4].update({k: hex(int(v, 0)) for k, v in other[4].items() if isinstance(v, str)})
    assert one == other, (one, other)
assert len(got) == len(spans)
marks = [(e['ts'], e['name'], e['cat'], e['tid'], e['args'].pop('cpu'), e['args'])
         for e in wanted if e['ph'] == 'i']
assert [(usec(e[0]), *e[1:]) for e in events] == marks
assert records == sum(not c['args'].get('returned', True) or 2 for c in calls) + len(events)
assert len(calls) + len(events) > 0
names = {(e['tid'], e['args']['name']) for e in wanted if e['name'] == 'thread_name'}
assert {(t['tid'], t['comm']) for t in threads} == names
END
done
contains "$(ulf export -o - -t csv tree.dat)" 'leaf</script><b>&amp;'

# ---- selections and limits ----
ulf view -e emit_number -f 'number < 7' -o few.html emit.dat 2>err || fail "$(cat err)"
contains "$(cat err)" "few.html: 7 records, 0 calls"
ulf view -o - emit.dat >stdout.html 2>err || fail "$(cat err)"
cmp -s stdout.html emit.dat.html || fail "stdout differs from the file"
ulf view -n 1000 -o all.html emit.dat 2>err || fail "a page with as many records as allowed"
refuse() {
	what=$1
	shift
	text=$(ulf view "$@" 2>&1) && fail "no error: $what"
	contains "$text" "$what"
}
refuse "there are more than 999 records, the limit of a page" -n 999 -o none.html emit.dat
until=$(echo "$text" | sed -n 's/.*the records before \([0-9.]*\)\.  .*/\1/p')
nr=$(ulf view --until "$until" -o most.html emit.dat 2>&1 | sed -n 's/^most.html: \([0-9]*\) .*/\1/p')
[ "$nr" -ge 900 ] || fail "--until $until selects $nr records"
refuse "No such file or directory" -o none.html nosuch.dat
refuse "Field not found" -f 'nosuch > 1' -o none.html emit.dat
expect "files after errors" "" "$(find . -name 'none*' -o -name '*.part')"
exit 0
