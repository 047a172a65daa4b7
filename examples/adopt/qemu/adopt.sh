#!/bin/sh
# SPDX-License-Identifier: MIT
# Add to QEMU's tracetool a backend that makes its trace events events of ulf.
#
#   adopt.sh QEMU
#
#   QEMU     an unpacked source tree of QEMU (7.2 was tested), changed in place
#
# Then, in QEMU, configure and build as usual with ulf's flags:
#
#   ./configure --enable-trace-backends=ulf,log \
#       --extra-cflags="$(pkg-config --cflags ulf)" \
#       --extra-ldflags="$(pkg-config --libs ulf)"
set -eu

[ $# = 1 ] || { sed -n 's,^#   \(adopt.sh\),usage: \1,p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
tree=$1
cd "$tree"
fail() { echo "$tree: $*" >&2; exit 1; }
for file in scripts/tracetool/backend/__init__.py trace/meson.build meson_options.txt; do
	[ -e $file ] || fail "there is no $file; is it the source of QEMU?"
done

cp "$here/backend/ulf.py" scripts/tracetool/backend/
cp "$here/format/ulf_events_h.py" scripts/tracetool/format/

# --enable-trace-backends=ulf
grep -q "'syslog', 'ulf', 'ust'" meson_options.txt ||
	sed -i "/choices: \['dtrace', .*'syslog', 'ust'\]/ s/'syslog', 'ust'/'syslog', 'ulf', 'ust'/" \
		meson_options.txt
grep -q "'syslog', 'ulf', 'ust'" meson_options.txt ||
	fail "meson_options.txt has no choices [..., 'syslog', 'ust']: add 'ulf' to trace_backends"

# A header trace-ulf-GROUP.h for each trace-events file, before the first file is compiled.
grep -q trace_ulf_h trace/meson.build ||
	sed -i "/^  trace_ss.add(trace_h, trace_c)\$/ a\\
  if 'ulf' in get_option('trace_backends')\\
    trace_ulf_h = custom_target(fmt.format('trace-ulf', 'h'),\\
                                output: fmt.format('trace-ulf', 'h'),\\
                                input: trace_events_file,\\
                                command: [ tracetool, group, '--format=ulf-events-h', '@INPUT@', '@OUTPUT@' ],\\
                                depend_files: tracetool_depends)\\
    trace_ss.add(trace_ulf_h)\\
    genh += trace_ulf_h\\
  endif" trace/meson.build
grep -q trace_ulf_h trace/meson.build ||
	fail "trace/meson.build has no line 'trace_ss.add(trace_h, trace_c)': add trace-ulf-GROUP.h"
