# SPDX-License-Identifier: MIT
# no-sanitize: address instrumented objects refer to each other in other ways
# no-sanitize: thread instrumented objects refer to each other in other ways
# The rooms of src/ hold at link level: an object file refers to symbols of its own room and
# of rooms before it, and no cycle of files is large.
#
# tests/build/source.sh checks the same for #include lines; this test also finds a function
# that is declared in one room and defined in another.
set -eu

python3 - "$ULF_BUILD" "$ULF_SRC" <<'EOF'
import collections, json, os, subprocess, sys

build, top = sys.argv[1], os.path.realpath(sys.argv[2]) + '/'
# A room may use the rooms before it.  The three programs (server, CLI, runtime) do not use each
# other, except that the CLI links the server.
ORDERS = [
    ['base', 'arch/x86_64', 'cfi', 'ring', 'event', 'filter', 'hist', 'datfile', 'export', 'symbols',
     'mover', 'ptrace',
     'server/core', 'server/names', 'server/rings', 'server/rules', 'server/dynamic', 'server/hist',
     'server/print',
     'server/functions', 'server/usdt', 'tracefs', 'tracefs/fuse', 'daemon', 'cli'],
    # Only the program calls functions of runtime/libc, which have the names of libc's functions.
    ['base', 'arch/x86_64', 'cfi', 'ring', 'event', 'filter', 'hist', 'runtime/base',
     'runtime/buffer', 'runtime/unwind', 'runtime/event', 'runtime/function', 'runtime/usdt',
     'runtime/sched', 'runtime', 'runtime/libc'],
]
# The trampolines of src/arch call functions of the runtime and read its variables.
HOOKS = {
    'runtime/base': ['ulf_this_thread'],
    'runtime/event': ['event_commit_slowly'],
    'runtime/function': ['ftrace_entry_of', 'ftrace_graph_landed', 'ftrace_graph_left',
                         'ftrace_graph_lost', 'ftrace_graph_room', 'ftrace_hit',
                         'ftrace_personality', 'ftrace_state', 'ftrace_this',
                         'ftrace_word_of', 'shadow_entries', 'shadow_keys'],
    'runtime/usdt': ['usdt_hit'],
    'runtime/libc': ['vfork_begin', 'vfork_end', 'vfork_next'],
}
# Three uses are allowed against the order: the assembly of the ring reads the empty ring, the
# wrappers of pthread_create() and execvp() have the names of libc's functions, and the table of a parser's jobs
# names the analysis of the room that reads ELF files with the parser's code.
LIBC_NAMES = {('runtime/event', 'runtime/libc', 'pthread_create'),
              ('runtime', 'runtime/libc', 'pthread_create'),
              ('base', 'runtime/libc', 'execvp')}
ALLOWED = LIBC_NAMES | {('arch/x86_64', 'ring', 'ring_none'),
                        ('symbols', 'mover', 'mover_analyse'),
                        ('symbols', 'mover', 'mover_analyse_places'),
                        ('symbols', 'mover', 'mover_build'),
                        ('symbols', 'mover', 'mover_unsafe_name')}
ALLOWED |= {('arch/x86_64', room, symbol) for room in HOOKS for symbol in HOOKS[room]}
CYCLE_MAX = 8			# files in a cycle
CYCLE_MAX_RUNTIME = 10		# limit if files of the runtime are in the cycle

defined = collections.defaultdict(set)
used = collections.defaultdict(set)
names = {}			# source file below src/ of each object file
for command in json.load(open(os.path.join(build, 'compile_commands.json'))):
    source = os.path.normpath(os.path.join(command['directory'], command['file']))
    if source.startswith(top):
        source = source[len(top):]
    # Tests compile copies of some files with other flags; these objects have the same names.
    if not source.startswith('src/') or command['output'].startswith('tests/'):
        continue
    obj = os.path.join(build, command['output'])
    if os.path.exists(obj):
        names[obj] = source[len('src/'):]

# One nm(1) reads all objects: one process per object would take most of the test's time.
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

def cycles():
    index, low, stack, found = {}, {}, [], []
    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted({other for other, symbol in refers.get(v, ())
                         if (room(v), room(other), symbol) not in LIBC_NAMES}):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            found.append(stack[at:])
            del stack[at:]
    for v in sorted(used):
        if v not in index:
            visit(v)
    return found

sys.setrecursionlimit(10000)
largest = 0
for cycle in cycles():
    largest = max(largest, len(cycle))
    is_runtime = any(name.startswith('runtime/') for name in cycle)
    if len(cycle) > (CYCLE_MAX_RUNTIME if is_runtime else CYCLE_MAX):
        print(f'a cycle of {len(cycle)} files: {" ".join(sorted(cycle))}')
        status = 1
if len(used) < 200:
    print(f'only {len(used)} object files were found in {build}')
    status = 1
print(f'score: {len(used)} files, the largest cycle has {largest}')
sys.exit(status)
EOF
