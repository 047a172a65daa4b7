# SPDX-License-Identifier: MIT
# no-sanitize: address programs that are built here would need it, too
# no-sanitize: thread programs that are built here would need it, too
# timeout: 600
# A project that is built by CMake uses an installed ulf: shared and static, from C and C++, with
# functions that are prepared for tracing, and wherever the installed files have been moved to.
set -eux

command -v cmake >/dev/null || { echo "there is no cmake"; exit 77; }
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD PREFIX DESTDIR CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS \
	LD_LIBRARY_PATH CMAKE_PREFIX_PATH ULF_TRACE ULF_DISABLE
export CCACHE_DISABLE=1
top=$(realpath "$TMPDIR")
fail() { echo "FAIL: $*"; exit 1; }

. tests/build/known_compiler
make_known_compiler "$top/known"
make -C "$ULF_SRC" BUILD="$top/build" DESTDIR="$top/root" CC="$top/known/cc" \
	MESON_FLAGS="-Dwerror=true -Dtests=false" install
mkdir "$top/moved here"
mv "$top/root/usr/local" "$top/moved here/ulf"
export CMAKE_PREFIX_PATH="$top/moved here/ulf"

# configure NAME: configure the project $top/NAME.
configure() { cmake -S "$top/$1" -B "$top/$1/build" >"$top/$1.log" 2>&1; }
# build NAME: configure and build the project $top/NAME.
build() {
	if ! configure "$1" || ! cmake --build "$top/$1/build" -v >>"$top/$1.log" 2>&1; then
		cat "$top/$1.log"
		fail "$1"
	fi
}

# the sample with its project file, with an end after three requests
cp -r "$ULF_SRC/examples/hello" "$top/hello"
sed -i 's/count = 0;; count/count = 0; count < 3; count/' "$top/hello/hello.c"
grep 'count < 3' "$top/hello/hello.c"
build hello
ulf run -e hello -- "$top/hello/build/hello" >"$top/trace" 2>&1 ||
	{ cat "$top/trace"; fail "the sample does not run"; }
grep 'hello_request: count=2 who=carol' "$top/trace" || { cat "$top/trace"; fail "the sample is not traced"; }

# All warnings are errors here, so ulf's headers must be system headers.
mkdir "$top/all"
cat >"$top/all/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(all C CXX)
find_package(ulf 0.1 REQUIRED)
add_compile_options(-Wall -Wextra -Wpedantic -Werror)
add_link_options(-Wl,--as-needed)
include_directories(.)
foreach(name shared static)
	add_executable(${name} main.c)
endforeach()
target_link_libraries(shared ulf::ulf)
target_link_libraries(static ulf::static)
add_executable(cxx main.cpp)
target_link_libraries(cxx ulf::ulf ulf::ftrace)
add_executable(plain plain.c)
target_link_libraries(plain ulf::ulf ulf::ftrace)
END
cp "$ULF_SRC/examples/hello/hello_trace.h" "$top/all"
cat >"$top/all/main.c" <<'END'
#define CREATE_TRACE_POINTS
#include "hello_trace.h"

int main(void)
{
	trace_hello_request(1, "cmake");
	return trace_hello_request_enabled();
}
END
cp "$top/all/main.c" "$top/all/main.cpp"
echo 'int main(void) { return 0; }' >"$top/all/plain.c"
build all
for name in shared static cxx plain; do
	"$top/all/build/$name" || fail "$name: exit status $?"
done
if readelf -d "$top/all/build/static" | grep libulf; then fail "static needs libulf.so"; fi
for name in shared cxx plain; do
	readelf -d "$top/all/build/$name" | grep 'NEEDED.*libulf\.so\.0' || fail "$name: no libulf"
done
for name in cxx plain; do
	readelf -SW "$top/all/build/$name" | grep patchable || fail "$name: nothing is prepared"
done

# A version that is not there, and one of another kind, are refused.
for version in 0.2 1.0; do
	mkdir "$top/v$version"
	printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(v C)' \
		"find_package(ulf $version REQUIRED)" >"$top/v$version/CMakeLists.txt"
	if configure "v$version"; then fail "version $version was found"; fi
	grep 'ulfConfig.cmake, version: 0.1' "$top/v$version.log" ||
		{ cat "$top/v$version.log"; fail "version $version"; }
done
