# SPDX-License-Identifier: MIT
# ulf hist --input: histograms of Linux 6.12 are printed as they are, as JSON, and as metrics of
# Prometheus; a wrong file is refused with its line.
. tests/cli/common

in=$TMPDIR/hist
nr=0
# Each case of show.txt: a trigger, records, and the file.
check_case() {
	ulf hist --input="$in" >"$TMPDIR/text" || fail "$trigger: status $?"
	cmp "$in" "$TMPDIR/text" || fail "$trigger: the text differs"
	ulf hist --json --input="$in" >"$TMPDIR/json" || fail "$trigger: --json"
	python3 - "$in" "$TMPDIR/json" <<'END' || fail "$trigger: --json: $(cat "$TMPDIR/json")"
import json, re, sys
text = open(sys.argv[1]).read()
hist = json.load(open(sys.argv[2]))["histograms"][0]
assert hist["hits"] == int(re.search(r"Hits: (\d+)", text)[1])
assert len(hist["entries"]) == int(re.search(r"Entries: (\d+)", text)[1])
hits = [entry["values"].get("hitcount") for entry in hist["entries"]]
assert hits == [int(n) for n in re.findall(r"hitcount: +(\d+)", text)] or None in hits
END
	ulf hist --prometheus --input="$in" >"$TMPDIR/metrics" || fail "$trigger: --prometheus"
	wrong=$(grep -vE '^(# (HELP|TYPE) |[a-z_]+\{.*\} -?[0-9]+$)' "$TMPDIR/metrics")
	expect "$trigger: lines that are no metrics" "" "$wrong"
	nr=$((nr + 1))
}

trigger=
: >"$in"
while IFS= read -r line; do
	case $line in
	"##### hist:"*)
		[ -z "$trigger" ] || check_case
		trigger=${line#\#* }
		: >"$in"
		;;
	">"*) ;;
	*) printf '%s\n' "$line" >>"$in" ;;
	esac
done <tests/data/hist/show.txt
check_case
expect "cases" 55 $nr

# Keys of all forms, several histograms, what the program wrote.
cat >"$in" <<'END'
# event histogram
#
# trigger info: hist:keys=op,ns.log2:vals=hitcount,ns:sort=hitcount:size=2048 [active]
#

{ op: get                                               , ns: ~ 2^10 } hitcount:          3  ns:       2700
{ op: set"x\                                            , ns: ~ 2^4  } hitcount:          1  ns:         16
{ op: get                                               , ns: ~ 2^2  } hitcount:          5  ns:         17

Totals:
    Hits: 9
    Entries: 3
    Dropped: 2


# event histogram
#
# trigger info: hist:name=n:keys=ip.sym,common_pid.execname,common_stacktrace:vals=hitcount:vvv=aaa:sort=hitcount:size=2048:onmax($vvv).save(ccc,name) if op == 3 [paused]
#

{ ip: [ff01] alloc                                        , common_pid: sh              [        45], common_stacktrace:
         ksys_write+0x68/0xe0
         do_syscall_64+0x43/0xd0
} hitcount:          1
	max:          2  ccc:          3  name: 0123456789abcde                 

Snapshot taken (see tracing/snapshot).  Details:
	triggering value { onmax($vvv) }:          2	triggered by event with key: { ip: [ff01] alloc                                        , common_pid: sh              [        45], common_stacktrace:
         ksys_write+0x68/0xe0
         do_syscall_64+0x43/0xd0
}

Totals:
    Hits: 1
    Entries: 1
    Dropped: 0
END
expect "--prometheus" '# HELP ulf_ns Distribution of ns.
# TYPE ulf_ns histogram
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="1"} 0
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="2"} 0
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="4"} 5
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="8"} 5
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="16"} 5
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="32"} 5
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="64"} 5
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="128"} 5
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="256"} 5
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="512"} 5
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="1024"} 8
ulf_ns_bucket{hist="keys=op,ns.log2",op="get",le="+Inf"} 8
ulf_ns_sum{hist="keys=op,ns.log2",op="get"} 2717
ulf_ns_count{hist="keys=op,ns.log2",op="get"} 8
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="1"} 0
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="2"} 0
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="4"} 0
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="8"} 0
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="16"} 1
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="32"} 1
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="64"} 1
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="128"} 1
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="256"} 1
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="512"} 1
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="1024"} 1
ulf_ns_bucket{hist="keys=op,ns.log2",op="set\"x\\",le="+Inf"} 1
ulf_ns_sum{hist="keys=op,ns.log2",op="set\"x\\"} 16
ulf_ns_count{hist="keys=op,ns.log2",op="set\"x\\"} 1
# HELP ulf_ns_total Sum of ns.
# TYPE ulf_ns_total counter
ulf_ns_total{hist="keys=op,ns.log2",op="get",ns="513-1024"} 2700
ulf_ns_total{hist="keys=op,ns.log2",op="set\"x\\",ns="9-16"} 16
ulf_ns_total{hist="keys=op,ns.log2",op="get",ns="3-4"} 17
# HELP ulf_dropped_total Hits that found no free entry.
# TYPE ulf_dropped_total counter
ulf_dropped_total{hist="keys=op,ns.log2"} 2
ulf_dropped_total{hist="name=n if op == 3"} 0
# HELP ulf_hits_total Hits of each key.
# TYPE ulf_hits_total counter
ulf_hits_total{hist="name=n if op == 3",ip="0xff01",ip_name="alloc",common_pid="45",common_pid_name="sh",common_stacktrace="ksys_write+0x68/0xe0;do_syscall_64+0x43/0xd0"} 1' \
	"$(ulf hist --prometheus -i "$in")"
expect "--json" '{
  "histograms": [{
    "trigger": "hist:name=n:keys=ip.sym,common_pid.execname,common_stacktrace:vals=hitcount:vvv=aaa:sort=hitcount:size=2048:onmax($vvv).save(ccc,name)",
    "filter": "op == 3",
    "state": "paused",
    "keys": ["ip.sym", "common_pid.execname", "common_stacktrace"],
    "values": ["hitcount"],
    "hits": 1, "dropped": 0,
    "entries": [
      { "key": { "ip.sym": { "value": 65281, "name": "alloc" }, "common_pid.execname": { "value": 45, "name": "sh" }, "common_stacktrace": ["ksys_write+0x68/0xe0", "do_syscall_64+0x43/0xd0"] }, "values": { "hitcount": 1 }, "tracked": [{ "handler": "onmax", "value": 2, "saved": { "ccc": 3, "name": "0123456789abcde" } }] }
    ]
  }]
}' "$(ulf hist --json -i "$in" keys=ip)"
expect "the first one" 3 "$(ulf hist -i "$in" hist:keys=op | grep -c '^{')"
text=$(ulf hist -i "$in" keys=nosuch 2>&1) && fail "there is no keys=nosuch"
contains "$text" "no trigger begins with \`keys=nosuch\`"
contains "$text" "  hist:keys=op,ns.log2:"

# Bytes that are no UTF-8
sed 's/set"x\\  /a\xffb\x01    /' "$in" >"$TMPDIR/bytes"
contains "$(ulf hist -p -i "$TMPDIR/bytes" keys=op)" "op=\"a$(printf '\357\277\275')b$(printf '\001')\""
contains "$(ulf hist -j -i "$TMPDIR/bytes" keys=op)" "\"op\": \"a$(printf '\357\277\275')b\\u0001\""

# Wrong files
head -n 11 "$in" >"$TMPDIR/cut"
text=$(ulf hist -i "$TMPDIR/cut" 2>&1) && fail "a cut file was taken"
contains "$text" "cut: line 11 cannot be a line of a file \`hist\`"
text=$(ulf hist -i "$TMPDIR/nosuch" 2>&1) && fail "a missing file was taken"
contains "$text" "nosuch: No such file or directory"
: >"$TMPDIR/empty"
text=$(ulf hist -i "$TMPDIR/empty" 2>&1) && fail "an empty file was taken"
contains "$text" "has no histogram"
for wrong in "" "hello" "hello a b c" "-i $in a b" "-x"; do
	# shellcheck disable=SC2086
	ulf hist $wrong 2>/dev/null
	expect "status of ulf hist $wrong" 2 $?
done
exit 0
