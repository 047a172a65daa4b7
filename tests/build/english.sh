# SPDX-License-Identifier: MIT
# Comments and documents keep to plain English (CONTRIBUTING.md, "How sentences look"): patterns
# that made readers stop are not there again, and lines of documents have at most 100 columns.
set -eu
cd "$ULF_SRC"

python3 - <<'EOF'
import glob, re, sys

PATTERNS = [
    ('begins with "Who" or "What"', r'^(Who|Whoever|What)\b'),
    ('begins with "the same" or "likewise"', r'^(The same|the same|Likewise|likewise)\b'),
    ('begins with a pronoun', r'^(Those|That of|They|Them|These|He|His)\b'),
    ('"behind" for "after"', r'(?<!@)\bbehind\b'),
    ('"wish" for "setting"', r'\bwish(es|ed)?\b'),
    ('a thread or program is "he"', r'\b(he|him|his|himself)\b'),
]
status = comments = 0
for name in sorted(glob.glob('src/**/*', recursive=True) + glob.glob('include/**/*', recursive=True)):
    if not name.endswith(('.c', '.h', '.S')):
        continue
    text = open(name).read()
    for match in re.finditer(r'/\*.*?\*/', text, flags=re.S):
        words = re.sub(r'\s*\n\s*\*?\s*', ' ', match.group(0)[2:-2]).strip()
        comments += 1
        for what, pattern in PATTERNS:
            if re.search(pattern, words):
                print(f'{name}:{text.count(chr(10), 0, match.start()) + 1}: {what}: {words[:90]}')
                status = 1

for name in sorted(glob.glob('*.md') + glob.glob('docs/**/*.md', recursive=True)):
    is_code = False
    for number, line in enumerate(open(name), 1):
        if line.startswith('```'):
            is_code = not is_code
        # tables, code and links cannot be wrapped
        if is_code or line.startswith(('|', '    ', '\t')) or len(line.rstrip('\n')) <= 100:
            continue
        if ' ' in line.strip()[:100]:
            print(f'{name}:{number}: {len(line) - 1} columns')
            status = 1
if comments < 3000:
    print(f'only {comments} comments were found')
    status = 1
print(f'score: {comments} comments')
sys.exit(status)
EOF
