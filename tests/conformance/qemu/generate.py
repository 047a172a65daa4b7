#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
generate.py QEMU DIRECTORY

Run QEMU's tracetool with the backend ulf on all trace-events files of the source tree QEMU.
DIRECTORY/trace gets the files that QEMU's build would make.  DIRECTORY/call-GROUP.c has a
function that hits every event of the group, and prints with C's printf what the trace must
show.  Prints the names of the groups, and the number of their events.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
tree, directory = sys.argv[1:]
sys.path.insert(0, os.path.join(tree, 'scripts'))
import tracetool  # noqa: E402
from tracetool.format.ulf_events_h import conversions, is_string  # noqa: E402


def group_of(path):
    name = os.path.dirname(os.path.relpath(path, tree))
    return re.sub(r'\W', '_', name) or 'root'


def value(type_, letter, number):
    """A value with each byte different and the top bits set, where the type has them."""
    if is_string(type_, letter):
        return '"string %d"' % number
    if letter == '*':
        return '6'
    if letter == 'c':
        return "'%c'" % (ord('A') + number)
    bits = '0x%xul' % (0x8182838485868788 + number)
    return '(%s)%s' % (type_, bits if number % 3 else str(number))


def printf(event, letters, values):
    """A call of printf().  The kernel prints the 16 digits of a pointer."""
    fmt = re.sub('%p', '%016lx', event.fmt or '""')
    args = ['(unsigned long)' + v if letter == 'p' else v
            for letter, v in zip(letters, values)]
    return 'printf("%s: " %s "\\n"%s);' % (event.name, fmt, ''.join(', ' + a for a in args))


def write_calls(events, group):
    with open('%s/call-%s.c' % (directory, group), 'w') as f:
        print('#include "trace/trace-%s.h"\nvoid call_%s(void);\nvoid call_%s(void)\n{'
              % (group, group, group), file=f)
        for event in events:
            letters = conversions(event.fmt)
            letters += [''] * (len(event.args) - len(letters))
            values = [value(type_, letter, number) for number, ((type_, _), letter)
                      in enumerate(zip(event.args, letters), 1)]
            print('\ttrace_%s(%s);\n\t%s' % (event.name, ', '.join(values),
                                            printf(event, letters, values)), file=f)
        print('}', file=f)


def main():
    os.makedirs(directory + '/trace')
    for top, _, files in sorted(os.walk(tree)):
        if 'trace-events' not in files:
            continue
        path = os.path.join(top, 'trace-events')
        group = group_of(path)
        with open(path) as f:
            events = tracetool.read_events(f, path)
        for format_, name in (('ulf-events-h', 'trace-ulf-%s.h'), ('h', 'trace-%s.h'),
                              ('c', 'trace-%s.c')):
            tracetool.out_lineno = 1
            tracetool.out_open('%s/trace/%s' % (directory, name % group))
            tracetool.generate(events, group, format_, ['ulf'])
            tracetool.out_fobj.close()
        enabled = [e for e in events if 'disable' not in e.properties]
        write_calls(enabled, group)
        print(group, len(enabled))


main()
