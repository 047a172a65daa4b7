# SPDX-License-Identifier: MIT
# ulf hist: the histograms of a program, while it runs and after its death; which of several;
# instances; errors that say what to do.
. tests/cli/common

start_hello
event=events/hello/hello_request
text=$(ulf hist hello hello_request 2>&1) && fail "there is no histogram yet"
contains "$text" "has no histogram; a trigger \`hist:keys=FIELD\` makes one"

ulf echo 'hist:keys=who:vals=count:sort=who' "$root/$event/trigger" || fail "set who"
ulf echo -a 'hist:keys=count.buckets=1000000' "$root/$event/trigger" || fail "set count"
let_run 20
ulf echo -a 'hist:keys=who:vals=count:sort=who:pause' "$root/$event/trigger" || fail "pause"
ulf echo -a 'hist:keys=count.buckets=1000000:pause' "$root/$event/trigger" || fail "pause"

wanted=$(ulf cat "$root/$event/hist")
expect "all" "$wanted" "$(ulf hist hello hello_request)"
expect "with the system" "$wanted" "$(ulf hist hello hello:hello_request)"
expect "with the system and /" "$wanted" "$(ulf hist "$pid" hello/hello_request)"
contains "$wanted" '{ who: alice '
one=$(ulf hist hello hello_request keys=who)
expect "histograms" 1 "$(echo "$one" | grep -c '^# event histogram')"
contains "$one" "keys=who:"
contains "$(ulf hist hello hello_request hist:keys=count)" "keys=count.buckets=1000000:"
text=$(ulf hist hello hello_request keys=nosuch 2>&1) && fail "keys=nosuch"
contains "$text" "hello_request: no trigger begins with \`keys=nosuch\`"

# check_exports: both agree with the text
check_exports() {
	ulf hist --json hello hello_request >"$TMPDIR/json" || fail "--json"
	ulf hist --prometheus hello hello_request >"$TMPDIR/metrics" || fail "--prometheus"
	ulf hist hello hello_request >"$TMPDIR/text" || fail "text"
	python3 - "$root" "$TMPDIR/json" "$TMPDIR/metrics" "$TMPDIR/text" <<'END'
import json, re, sys
root, all, metrics = sys.argv[1], json.load(open(sys.argv[2])), open(sys.argv[3]).read()
text = open(sys.argv[4]).read()
assert all["root"] == root and all["event"] == "hello:hello_request", all
who, count = sorted(all["histograms"], key=lambda one: one["keys"], reverse=True)
rows = {m[1]: (int(m[2]), int(m[3]))
        for m in re.finditer(r"\{ who: (\w+) +\} hitcount: +(\d+)  count: +(\d+)", text)}
assert len(rows) == 3, text
for entry in who["entries"]:
    hits, total = rows[entry["key"]["who"]]
    assert entry["values"] == {"hitcount": hits, "count": total}, entry
    labels = '{root="%s",hist="keys=who",who="%s"} ' % (root, entry["key"]["who"])
    assert "\nulf_hello_hello_request_hits_total%s%d\n" % (labels, hits) in metrics, metrics
    assert "\nulf_hello_hello_request_count_total%s%d\n" % (labels, total) in metrics, metrics
assert who["state"] == "paused" and who["hits"] == sum(hits for hits, _ in rows.values())
assert count["entries"][0]["key"] == {"count.buckets=1000000": {"low": 0, "high": 999999}}
labels = '{root="%s",hist="keys=count.buckets=1000000"' % root
for le, n in ("999999", count["hits"]), ("+Inf", count["hits"]):
    line = '\nulf_hello_hello_request_count_bucket%s,le="%s"} %d\n' % (labels, le, n)
    assert line in metrics, metrics
assert "\nulf_hello_hello_request_count_count%s} %d\n" % (labels, count["hits"]) in metrics
assert metrics.count("# TYPE ulf_hello_hello_request_count histogram\n") == 1, metrics
END
}
check_exports || fail "the exports differ from the text"

# Errors
text=$(ulf hist hello nosuch 2>&1) && fail "event nosuch"
contains "$text" "$root has no event nosuch; \`ulf cat $root/available_events\` lists them"
text=$(ulf hist hello hello:nosuch 2>&1) && fail "event hello:nosuch"
contains "$text" "$root has no event hello:nosuch"
text=$(ulf hist nosuch hello_request 2>&1) && fail "root nosuch"
contains "$text" "no root is called \`nosuch\`"

# Death
die "$pid"
expect "after the death" "$wanted" "$(ulf hist hello hello_request)"
check_exports || fail "the exports differ after the death"

# Instances
export ULF_TRACE=trace_instance=one
start_hello
ulf echo 'hist:keys=who:sort=who.descending' "$root/instances/one/$event/trigger" ||
	fail "trigger of an instance"
contains "$(ulf hist "$root/instances/one" hello_request)" "sort=who.descending:"
ulf hist "$root" hello_request 2>/dev/null && fail "the top instance has no histogram"
exit 0
