#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
# The page of ulf view in headless Chromium: it shows what was recorded, zooms, searches, and shows
# a call and an event; hostile names are text and nothing else.
. tests/cli/common
. tests/cli/view_common

command -v chromium >/dev/null || skip "no chromium; make setup-view installs it"
record_view_files
for name in tree emit marker; do
	ulf view $name.dat 2>err || fail "$name: $(cat err)"
done
PYTHONPATH=$ULF_SRC/tests/cli python3 - <<'END' || fail "the page"
import re
from chromium import Browser

LEAF = 'leaf</script><b>&amp;'

def text(page, selector):
    return page.value('document.querySelector(%r).innerText' % selector)

def open_page(name, **how):
    page = Browser(name, **how)
    page.until('document.documentElement.dataset.state')
    assert page.value('document.documentElement.dataset.state') == 'ready', page.problems()
    page.settle()
    return page

def search(page, what):
    page.press('/')
    page.press('a')                     # replaced by what is inserted
    page.value("document.getElementById('search').select()")
    page.call('Input.insertText', text=what)
    page.press('Enter')

# Return how many colours the timeline has.
def colours(page):
    return page.value("""(() => {
        const canvas = document.querySelector('#timeline canvas');
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(data.buffer)).size;
    })()""")

# ---- calls ----
with open_page('tree.dat.html') as page:
    assert '603 records, 302 calls, 0 events' in text(page, '#about')
    light = colours(page)
    shown = text(page, '#range')
    for _ in range(6):
        page.press('w')
    near = text(page, '#range')
    assert near != shown, near
    page.press('-')
    assert text(page, '#range') != near
    page.wheel(700, 250, -300)
    page.press('0')
    assert text(page, '#range') == shown
    page.drag(500, 90, 700, 90)
    assert text(page, '#range').startswith('range ')
    page.press('Escape')
    assert text(page, '#range') == shown

    search(page, 'SCRIPT')
    assert text(page, '#found') == '1 of 200', text(page, '#found')
    for _ in range(7):
        page.press('n')
    assert text(page, '#found') == '8 of 200'
    page.press('p')
    assert text(page, '#found') == '7 of 200'
    details = text(page, '#details')
    # The calls 7 and 8 are of twice(3).
    for wanted in (LEAF, r'arg1\s+0x3\b', r'returns\s+0x4\b', r'1\s+twice\s+2\s+main',
                   r'thread\s+<b></script> \d+', r'duration\s+[\d.]+ [mun]?s'):
        assert re.search(wanted, details), (wanted, details)
    page.press('u')
    assert text(page, '#details h2') == 'twice'
    assert not re.search('no record', text(page, '#details'))
    page.press(']')
    assert re.search(r'arg1\s+0x4\b', text(page, '#details'))
    page.press('f')
    assert text(page, '#range') != shown
    search(page, 'stop')
    assert '(no record of its end)' in text(page, '#details'), text(page, '#details')
    search(page, 'twice')
    page.press('f')
    # A click on each row: one of them has the call that fills the width.
    page.press('Escape')
    page.press('Escape')
    found = set()
    for y in range(120, 500, 8):
        page.click(700, y)
        if page.value("document.querySelector('#details h2') !== null"):
            found.add(text(page, '#details h2'))
    assert {'main', 'twice'} <= found, found

    page.press('0')
    page.press('2')
    page.mouse('Moved', 600, 35 + 6 + 25)
    page.settle()
    assert text(page, '#tip').startswith('main\n1 calls, '), text(page, '#tip')
    page.press('3')
    lines = [line.split('\t') for line in text(page, '#summary table').splitlines()]
    assert {line[-1].strip(): int(line[0]) for line in lines[1:] if len(line) == 7} == \
        {'main': 1, 'twice': 100, 'stop': 1, LEAF: 200}, lines
    # The thread that called stop() has no later record.
    assert [line[1] for line in lines if line[-1] == 'stop'] == ['0 ns'], lines
    # No name has become an element.
    assert page.value("document.querySelectorAll('b, img').length") == 0
    assert page.value('document.scripts.length') == 1
    assert not page.problems(), page.problems()

with open_page('tree.dat.html', is_dark=True) as page:
    assert page.value('getComputedStyle(document.body).backgroundColor') == 'rgb(27, 28, 30)'
    assert min(light, colours(page)) > 20

# ---- events ----
with open_page('emit.dat.html') as page:
    assert '1000 records, 0 calls, 1000 events' in text(page, '#about')
    search(page, 'number=777')
    assert text(page, '#found') == '1 of 1', text(page, '#found')
    details = text(page, '#details')
    assert 'emit:emit_number' in details and re.search(r'number\s+777\b', details), details
    search(page, 'two parts')
    assert text(page, '#found').endswith(' of 250'), text(page, '#found')
    page.press('0')                     # the summary counts what the timeline shows
    page.press('2')
    page.press('3')
    assert re.search(r'1000\s+emit:emit_number', text(page, '#summary table')), \
        text(page, '#summary table')
    assert not page.problems(), page.problems()

with open_page('marker.dat.html') as page:
    search(page, 'print')
    assert '</script><img src=x onerror="document.title=1">' in text(page, '#details')
    assert page.value('document.title') == 'marker.dat \u2013 ulf view'
    assert page.value("document.querySelectorAll('img').length") == 0
    assert not page.problems(), page.problems()
END
exit 0
