# SPDX-License-Identifier: MIT
# no-sanitize: address instrumented objects refer to each other in other ways
# no-sanitize: thread instrumented objects refer to each other in other ways
# The rooms of src/ hold at link level: an object file refers to symbols of its own room and
# of rooms before it, and no cycle of files within a room is large.
#
# tests/build/source.sh checks the same for #include lines; this test also finds a function
# that is declared in one room and defined in another.
set -eu

python3 - "$ULF_BUILD" <<'EOF'
import collections, json, os, subprocess, sys

build = sys.argv[1]
# A room may use those before it.  The three programs (server, CLI, runtime) do not use each
# other; the CLI links the server.
ORDERS = [
    ['base', 'arch/x86_64', 'ring', 'event', 'filter', 'symbols',
     'server/core', 'server/names', 'server/rings', 'server/rules', 'server/print',
     'server/functions', 'tracefs', 'tracefs/fuse', 'daemon', 'cli'],
    # Only the program calls what is in runtime/libc: functions with names of libc's.
    ['base', 'ring', 'event', 'filter', 'runtime/base', 'runtime/buffer', 'runtime/unwind',
     'runtime/event', 'runtime/function', 'runtime', 'runtime/libc'],
]
# What may stand against the order: the assembly of the ring reads the empty ring, and
# libc's pthread_create() has the name of its wrapper.
ALLOWED = {('arch/x86_64', 'ring', 'ring_none'),
           ('runtime/event', 'runtime/libc', 'pthread_create'),
           ('runtime', 'runtime/libc', 'pthread_create')}
CYCLE_MAX = 8			# files
CYCLE_MAX_OF = {'runtime': 10}

defined = collections.defaultdict(set)
used = collections.defaultdict(set)
names = {}			# object file: source file below src/
for command in json.load(open(os.path.join(build, 'compile_commands.json'))):
    source = os.path.normpath(os.path.join(command['directory'], command['file']))
    at = source.rfind('/src/')
    # the copies that tests compile with other flags have the same names
    if at < 0 or '/tests/' in source[at:] or command['output'].startswith('tests/'):
        continue
    obj = os.path.join(build, command['output'])
    if os.path.exists(obj):
        names[obj] = source[at + 5:]

# One nm(1) reads all objects: a process for each would take most of the test's time.
out = subprocess.run(['nm', '-A', *names], capture_output=True, text=True, check=True).stdout
for line in out.splitlines():
    obj, _, symbol = line.rpartition(':')
    words = symbol.split()
    if len(words) == 3 and words[1] in 'TDBRVWC':
        defined[words[2]].add(names[obj])
    elif len(words) == 2 and words[0] == 'U':
        used[names[obj]].add(words[1])

refers = {name: {(other, symbol) for symbol in symbols for other in defined.get(symbol, ())
                 if other != name} for name, symbols in used.items()}
room = lambda name: os.path.dirname(name)
status = 0
for order in ORDERS:
    place = {one: number for number, one in enumerate(order)}
    for name, others in sorted(refers.items()):
        for other, symbol in sorted(others):
            a, b = room(name), room(other)
            if place.get(b, -1) > place.get(a, len(order)) and (a, b, symbol) not in ALLOWED:
                print(f'src/{name} uses {symbol}() of src/{other}: room {b} comes after {a}')
                status = 1

def cycles(nodes):
    index, low, stack, found = {}, {}, [], []
    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted({other for other, _ in refers.get(v, ())}):
            if w not in nodes:
                continue
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            found.append(stack[at:])
            del stack[at:]
    for v in sorted(nodes):
        if v not in index:
            visit(v)
    return found

sys.setrecursionlimit(10000)
groups = collections.defaultdict(set)
for name in used:
    groups[name.split('/')[0]].add(name)
largest = 0
for group, nodes in sorted(groups.items()):
    for cycle in cycles(nodes):
        largest = max(largest, len(cycle))
        if len(cycle) > CYCLE_MAX_OF.get(group, CYCLE_MAX):
            print(f'src/{group}: a cycle of {len(cycle)} files: {" ".join(sorted(cycle))}')
            status = 1
if len(used) < 200:
    print(f'only {len(used)} object files were found in {build}')
    status = 1
print(f'score: {len(used)} files, the largest cycle has {largest}')
sys.exit(status)
EOF
