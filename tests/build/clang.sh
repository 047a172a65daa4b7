# SPDX-License-Identifier: MIT
# timeout: 1200
# clang compiles every file without a warning, and tests that depend on the compiler pass: the
# unit tests, the tests of the runtime and of the language.  Tests of the language that choose
# their compilers themselves are left out.
#
# Files that none of these tests needs are checked with -fsyntax-only, because clang's front end
# reports its warnings.  A file without TESTPOINT() is the same with -DULF_TESTPOINTS.
set -u

if grep -q '"clang"' "$ULF_BUILD/meson-info/intro-targets.json"; then
	echo "this is a build with clang already"
	exit 77
fi
build=$TMPDIR/build
CC=clang CXX=clang++ meson setup "$build" "$ULF_SRC" -Dwerror=true -Ddebug=false \
	>"$TMPDIR/log" 2>&1 && ninja -k 0 -C "$build" compiler-tests >>"$TMPDIR/log" 2>&1 || {
	grep -E "error:|ERROR|undefined" "$TMPDIR/log" || tail "$TMPDIR/log"
	exit 1
}

python3 - "$build" <<'EOF' || exit 1
import json, os, shlex, subprocess, sys
from concurrent import futures

build = sys.argv[1]

def fails(command):
    arguments = shlex.split(command['command']) + ['-fsyntax-only']
    return subprocess.run(arguments, cwd=build).returncode != 0

def is_known(command):
    if os.path.exists(os.path.join(build, command['output'])):
        return True
    if ' -DULF_TESTPOINTS ' not in command['command']:
        return False
    with open(os.path.join(build, command['file'])) as source:
        return 'TESTPOINT' not in source.read()

with open(build + '/compile_commands.json') as file:
    rest = [command for command in json.load(file) if not is_known(command)]
with futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
    nr_failed = sum(pool.map(fails, rest))
print(f'{len(rest)} files are checked by -fsyntax-only, {nr_failed} fail')
sys.exit(nr_failed != 0 or len(rest) < 100)
EOF
exec "$ULF_SRC/tests/run" -b "$build" '^(unit/|runtime/|lang/[^.]*$)'
