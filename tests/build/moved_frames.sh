# SPDX-License-Identifier: MIT
# The frames of moved functions say what readelf(1) reads in the unwind table of the file.
set -u
. tests/cli/common

command -v readelf >/dev/null || skip "there is no readelf"

# compare FILE: its frames, and the rows that readelf prints.
compare() {
	"$ULF_BUILD/tests/build-count_moved" -f "$1" >"$TMPDIR/frames" || fail "$1: no table"
	readelf --wide --debug-dump=frames-interp "$1" >"$TMPDIR/readelf" 2>/dev/null
	python3 - "$1" "$TMPDIR/frames" "$TMPDIR/readelf" <<'EOF'
import bisect, re, sys

REGS = {'rax': 0, 'rdx': 1, 'rcx': 2, 'rbx': 3, 'rsi': 4, 'rdi': 5, 'rbp': 6, 'rsp': 7,
        **{f'r{n}': n for n in range(8, 16)}}
SAVED = {3, 6, 12, 13, 14, 15}

def read_row(columns, words):
    cfa = re.fullmatch(r'(\w+)([+-]\d+)', words[1])
    saved = {REGS[reg]: int(rule[1:]) for reg, rule in zip(columns, words[2:])
             if REGS.get(reg) in SAVED and re.fullmatch(r'c[+-]\d+', rule)}
    return (REGS[cfa[1]], int(cfa[2]), saved) if cfa else None

rows, columns, of_cie = {}, [], {}
for line in open(sys.argv[3]):
    words = line.split()
    if 'CIE' in words:
        columns, fde = [], None
        cie = words[0]
    elif 'FDE' in words:
        cie = re.search('cie=([0-9a-f]+)', line)[1]
        fde = int(re.search('pc=([0-9a-f]+)', line)[1], 16)
        # readelf prints no row if the FDE has no instructions.
        rows[fde] = of_cie.get(cie)
    elif words[:2] == ['LOC', 'CFA']:
        columns = words[2:]
    elif columns and len(words) > 1 and re.fullmatch('[0-9a-f]{16}', words[0]):
        if fde is None:
            of_cie[cie] = read_row(columns, words)
        else:
            rows[int(words[0], 16)] = read_row(columns, words)
places = sorted(rows)
wrong = nr = 0
for line in open(sys.argv[2]):
    at, reg, offset, *saved = line.split()
    frame = int(reg), int(offset), {int(s.split('=')[0]): int(s.split('=')[1]) for s in saved}
    row = rows[places[bisect.bisect_right(places, int(at, 16)) - 1]]
    nr += 1
    wrong += row != frame
    if row != frame and wrong < 10:
        print(f'{at}: {frame}, but readelf says {row}')
print(f'{sys.argv[1]}: {nr} frames, {wrong} wrong')
sys.exit(wrong > 0 or nr < 100)
EOF
}

nr=0
for file in "$ULF_BUILD/ulf" /usr/lib/x86_64-linux-gnu/libc.so.6 \
	/usr/lib/x86_64-linux-gnu/libcrypto.so.3; do
	[ -r "$file" ] || continue
	compare "$file" || fail "$file: see above"
	nr=$((nr + $(wc -l <"$TMPDIR/frames")))
done
echo "score: $nr frames"
