# SPDX-License-Identifier: MIT
# Comments, messages and documents keep to plain English (CONTRIBUTING.md, "How sentences look"):
# patterns that made readers stop are not there again, and lines of documents have at most 100
# columns.  Comments of tests, tools, benchmarks and examples are checked, too.
set -eu
cd "$ULF_SRC"

python3 - <<'EOF'
import glob, os, re, sys

PATTERNS = [
    ('begins with "Who" or "What"', r'^(Who|Whoever|What)\b'),
    ('begins with "the same" or "likewise"', r'^(The same|the same|Likewise|likewise)\b'),
    ('begins with a pronoun', r'^(Those|That of|They|Them|These|He|His)\b'),
    ('"behind" for "after"', r'(?<!@)\bbehind\b'),
    ('"wish" for "setting"', r'\bwish(es|ed)?\b'),
    ('a thread or program is "he"', r'\b(he|him|his|himself)\b'),
    ('begins with a pronoun', r'^(That|It|Its|This one|Nobody|Somebody|Whatever)\b'),
    ('begins with a pronoun', r'^(it|its|they|them|those|these|he)\b'),
    ('"who" as a subject', r'[.;:,] who(ever)? (has|is|was|takes|may|does|can|comes|reads)\b'),
    ('"told" for "notified" or "stored"', r'\b(told|tells)\b'),
    ('"is to be" for "must be"', r'\b(is|are|was|were) to (be|have|go|do|know|take|wait)\b'),
    ('"room" for "space"', r'\b([Nn]o|is|are|has|have|for|much|enough|leaves) room\b'),
    ('"may not" for "must not" or "possibly not"', r'\bmay not\b'),
    ('ends with a question', r'\?$'),
]
TOP_FIELD = re.compile(r'SPDX-|shellcheck |(no-sanitize|timeout|user|alone|waits): ')

def blank(match):
    return re.sub('[^\n]', ' ', match.group(0))

def c_comments(text):
    """Yields line and words of each comment.  Successive // lines are one comment."""
    for match in re.finditer(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|'
                             r'//[^\n]*(?:\n[ \t]*//[^\n]*)*', text, flags=re.S):
        comment = match.group(0)
        if comment[0] == '/':
            comment = comment[2:-2] if comment[1] == '*' else comment[2:]
            yield (text.count('\n', 0, match.start()) + 1,
                   re.sub(r'\s*\n\s*(\*|//)?\s*', ' ', comment).strip())

def script_comments(text):
    """Yields line and words of each comment.  Successive lines are one comment."""
    words = []
    for number, line in enumerate(text.split('\n') + [''], 1):
        match = re.match(r'\s*# +(.*)$', line)
        if match and not TOP_FIELD.match(match[1]):
            words.append(match[1])
            continue
        if words:
            yield number - len(words), ' '.join(words)
            words = []
        match = re.search(r'\S.*\t# (.*)$', line)
        if match:
            yield number, match[1]

def is_script(name):
    """Files of other projects and texts that tests compare are not ours to change."""
    if name.startswith('tests/data/') or name == 'tests/build/english.sh' or os.path.isdir(name):
        return False
    return name.endswith(('.sh', '.tc', 'meson.build')) or '.' not in os.path.basename(name)

def report(name, line, what, words):
    global status
    print(f'{name}:{line}: {what}: {words[:90]}')
    status = 1

def check(name, comments, patterns):
    global nr_comments
    for line, words in comments:
        nr_comments += 1
        for what, pattern in patterns:
            if re.search(pattern, words):
                report(name, line, what, words)

def files(*tops):
    return sorted(name for top in tops for name in glob.glob(top + '/**/*', recursive=True)
                  if '__pycache__' not in name)

status = nr_comments = 0
for name in files('src', 'include'):
    if not name.endswith(('.c', '.h', '.S')):
        continue
    text = open(name).read()
    check(name, c_comments(text), PATTERNS)

    # help texts and messages
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"', re.sub(r'/\*.*?\*/', blank, text, flags=re.S)):
        word = re.search(r'\b(behind|likewise|wish(es|ed)?|himself)\b', match.group(0))
        if word:
            report(name, text.count('\n', 0, match.start()) + 1, word.group(0), match.group(0))

for name in files('tests', 'tools', 'bench', 'examples'):
    if name.endswith(('.c', '.h', '.cpp')):
        check(name, c_comments(open(name).read()), PATTERNS)
    elif is_script(name):
        check(name, script_comments(open(name).read()), PATTERNS)

for name in sorted(glob.glob('*.md') + glob.glob('docs/**/*.md', recursive=True)):
    # CONTRIBUTING.md quotes sentences that were wrong.
    text = open(name).read() if name != 'CONTRIBUTING.md' else ''
    for match in re.finditer(r'\bmay\s+not\b', text):
        report(name, text.count('\n', 0, match.start()) + 1, '"may not"', match.group(0))
    is_code = False
    for number, line in enumerate(open(name), 1):
        if line.startswith('```'):
            is_code = not is_code
        # tables, code and links cannot be wrapped
        if is_code or line.startswith(('|', '    ', '\t')) or len(line.rstrip('\n')) <= 100:
            continue
        if ' ' in line.strip()[:100]:
            report(name, number, f'{len(line) - 1} columns', line)
if nr_comments < 9000:
    print(f'only {nr_comments} comments were found')
    status = 1
print(f'score: {nr_comments} comments')
sys.exit(status)
EOF
