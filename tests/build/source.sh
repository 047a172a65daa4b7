# SPDX-License-Identifier: MIT
# Check rules of the source: licence lines, line and file lengths, which directory may include
# which, and memory-order tags in pairs.
set -u
cd "$ULF_SRC" || exit 1
status=0

complain() {
	if [ -n "$2" ]; then
		echo "$1:"
		echo "$2" | sed 's/^/	/'
		status=1
	fi
}

sources=$(find src include examples tests bench tools \
	-name '*.[chS]' -o -name '*.cpp' -o -name '*.sh' -o -name '*.tc')
code=$(echo "$sources" | grep -E '\.([chS]|cpp)$')
[ -n "$code" ] || complain "sources" "none found"

# One awk reads all files: one process per file would take most of the test's time.
# shellcheck disable=SC2086
complain "no licence line at the top" "$(awk '
	function check() { if (file != "" && !found) print file }
	FNR == 1 { check(); file = FILENAME; found = 0 }
	FNR <= 2 && /SPDX-License-Identifier: MIT/ { found = 1 }
	END { check() }' $sources)"
# shellcheck disable=SC2086
complain "longer than 100 columns" "$(awk '
	length > 100 || /\t/ {
		nr = split($0, part, "\t")
		columns = length(part[nr])
		for (i = 1; i < nr; i++)
			tabs += int(length(part[i]) / 8) + 1
		columns += tabs * 8
		tabs = 0
		if (columns > 100) print FILENAME ":" FNR
	}' $code)"
# shellcheck disable=SC2086
complain "longer than 800 lines" "$(awk 'FNR == 801 { print FILENAME }' $code)"

# Files with the same base name belong to one topic: its bytes (abi), its model (ring, event,
# filter), its CPU part (arch), its side in libulf (runtime), in the server (server, daemon) and
# its files (tracefs).  No program has two of them, except the server and its tracefs.
topics=' beat boot buffer comm dynamic events filter format ftrace functions hist latency moved
moved_file options part parts pids printk process profile ring root rules run snapshot socket stack_tracer stop table tracer trigger
unwind usdt verify '
complain "a base name of two topics: rename a file, or add the topic to \$topics" "$(
	find src -name '*.[ch]' | awk -F/ -v "topics=$topics" '
	BEGIN { nr = split(topics, list, /[ \n]+/); for (i = 1; i <= nr; i++) known[list[i]] }
	{
		name = $NF; topic = name; sub(/\..$/, "", topic)
		if (name in seen && !(topic in known)) print seen[name] " and " $0
		if ((name, $2) in side) print side[name, $2] " and " $0
		seen[name] = side[name, $2] = $0
	}')"

# may_not DIRECTORY PATTERN: no file below src/DIRECTORY includes "PATTERN/...".  offsets.c of
# src/arch is excluded, because no object file is made from it: it lists offsets of members of
# structs for assembly.
may_not() {
	complain "src/$1 must not include" "$(grep -rnE \
		"^ *# *include \"($2)/" --exclude=offsets.c "src/$1" 2>/dev/null)"
}
may_not abi '[a-z]+'
may_not base 'arch|cfi|ring|event|filter|hist|datfile|export|symbols|mover|runtime|server|tracefs|daemon|cli'
may_not arch 'cfi|ring|event|filter|hist|datfile|export|symbols|mover|runtime|server|tracefs|daemon|cli'
may_not cfi 'ring|event|filter|hist|datfile|export|symbols|mover|runtime|server|tracefs|daemon|cli'
may_not ring 'event|filter|hist|datfile|export|symbols|mover|runtime|server|tracefs|daemon|cli'
may_not event 'filter|hist|datfile|export|symbols|mover|runtime|server|tracefs|daemon|cli'
may_not filter 'hist|datfile|export|symbols|mover|runtime|server|tracefs|daemon|cli'
may_not hist 'filter|datfile|export|symbols|mover|runtime|server|tracefs|daemon|cli'
may_not datfile 'hist|export|symbols|mover|ptrace|runtime|server|tracefs|daemon|cli'
may_not export 'symbols|mover|ptrace|runtime|server|tracefs|daemon|cli'
may_not symbols 'datfile|export|ring|event|filter|hist|ptrace|runtime|server|tracefs|daemon|cli'
may_not mover 'datfile|export|ring|event|filter|hist|ptrace|runtime|server|tracefs|daemon|cli'
may_not ptrace 'datfile|export|ring|event|filter|hist|symbols|mover|runtime|server|tracefs|daemon|cli'
may_not runtime 'datfile|export|symbols|mover|server|tracefs|daemon|cli'
may_not runtime/base 'runtime/(buffer|unwind|event|function|libc)'
may_not runtime/buffer 'runtime/(unwind|event|function|libc)'
may_not runtime/unwind 'runtime/(event|function|libc)'
may_not runtime/event 'runtime/(function|libc)'
may_not runtime/function 'runtime/(usdt|libc)'
may_not runtime/usdt 'runtime/libc'
may_not server 'export|runtime|tracefs|daemon|cli'
may_not tracefs 'export|runtime|daemon|cli'
may_not daemon 'export|runtime|cli'
may_not cli 'runtime'

# Outside of src/arch and include/ulf/arch no file names a file of one architecture, and no code
# names a CPU, a relocation type, an instruction, an opcode, a register or the size of a memory
# page.  Comments may have examples for one CPU.
complain "outside of src/arch" "$(python3 - <<'EOF'
import pathlib, re

COMMENT = re.compile(r'/\*.*?\*/', re.S)
DOOR = re.compile(r"""
    \bx86(?!-tsc") | X86_64 | _ia32_ | cpuid |  # x86-tsc is the kernel's name of a clock
    __asm__[^"\n]*"[a-z]{2,} |                  # instructions; directives are general
    \b0x(e8|e9|eb|90|cc|c3)\b |                 # opcodes: call, jmp, nop, int3, ret
    \b(r[abcd]x|r[ds]i|r[bis]p)\b | (?i:endbr) | # registers, and an instruction
    (?i:zydis) |                                # the decoder
    [%/&][ ]?~?409[56] | >[ ]-4096 | ALIGN_UP\([^;]*4096 | (?i:page|page_bytes|guard)\s+4096 |
    sizeof\([^;]*[<>]=?[ ]4096\b | \.\w*size[ ]=[ ]4096\b |
    \bR_[A-Z0-9]+_[A-Z0-9]+\b | \bEM_\w+ | \bNT_PRSTATUS\b | \buser_regs_struct\b
    """, re.X)

for top in 'src', 'include':
    for path in sorted(pathlib.Path(top).rglob('*.[chS]')):
        if str(path).startswith(('src/arch/', 'include/ulf/arch/')):
            continue
        text = path.read_text()
        code = COMMENT.sub(lambda m: re.sub('[^\n]', ' ', m.group()), text)
        for nr, (line, stripped) in enumerate(zip(text.split('\n'), code.split('\n')), 1):
            if DOOR.search(stripped) or 'arch/x86_64' in line and path.name != 'arch.h':
                print(f'{path}:{nr}: {line}')
EOF
)"

# A comment's [area.step] names the two ends of an acquire and a release, and a page of docs/design
# says what the pair is for.  Each acquire, release and fence between threads has a tag near it:
# at most 10 lines before it or 5 lines after it.
complain "tags of acquire and release" "$(python3 - <<'EOF'
import collections, pathlib, re

TAG = re.compile(r'\[([a-z]+\.[a-z_]+|shmlock)\]')
ORDER = re.compile(r'__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)|\batomic_thread_fence')
tags = collections.Counter()
for path in sorted(p for top in ('src', 'include') for p in pathlib.Path(top).rglob('*.[chS]')):
    lines = path.read_text().split('\n')
    for nr, line in enumerate(lines):
        # private.stacks[private.last] is an index
        tags.update(tag for tag in TAG.findall(line) if tag != 'private.last')
        # shm.h defines the accesses of the server.
        if (ORDER.search(line) and 'signal_fence' not in line and path.name != 'shm.h' and
                not TAG.search('\n'.join(lines[max(0, nr - 10):nr + 6]))):
            print(f'{path}:{nr + 1}: has no tag: {line.strip()}')
designs = '\n'.join(p.read_text() for p in pathlib.Path('docs/design').glob('*.md'))
described = {tag for tag in TAG.findall(designs) if not tag.endswith('.md')}
for tag in sorted(tags):
    if tags[tag] < 2:
        print(f'[{tag}] stands at one end only')
    if tag not in described:
        print(f'no page of docs/design has [{tag}]')
for tag in sorted(described - set(tags)):
    print(f'docs/design has [{tag}], which is not in the code')
EOF
)"
exit $status
