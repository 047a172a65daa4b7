# SPDX-License-Identifier: MIT

"""
ulf: the kernel's tracepoints and tracefs for programs.

trace_foo() hits the tracepoint qemu___foo, which format/ulf_events_h.py declares.
The format "c" makes the events.
"""

from tracetool import out


PUBLIC = True


def c_name(event):
    """The event's name in C.  QEMU itself has trace_foo()."""
    return 'qemu___' + event.name


def generate_h_begin(events, group):
    out('#include "trace-ulf-%s.h"' % group,
        '')


def generate_h(event, group):
    # A tracepoint has at least one argument.
    out('    trace_%(name)s(%(args)s);',
        name=c_name(event),
        args=', '.join(event.args.names()) or '0')


def generate_h_backend_dstate(event, group):
    out('    trace_%(name)s_enabled() || \\',
        name=c_name(event))


def generate_c_begin(events, group):
    out('#define CREATE_TRACE_POINTS',
        '#include "trace-ulf-%s.h"' % group,
        '#undef CREATE_TRACE_POINTS',
        '')
