# SPDX-License-Identifier: MIT
# The workflow of the forges is valid YAML, and each make target and script in it exists.
set -u
cd "$ULF_SRC" || exit 1
file=.github/workflows/ci.yml
status=0
fail() { echo "$file: $*"; status=1; }

if python3 -c 'import yaml' 2>/dev/null; then
	python3 -c 'import sys, yaml; sys.exit(not yaml.safe_load(open(sys.argv[1]))["jobs"])' \
		"$file" || fail "is not a workflow"
fi
commands=$(sed -n 's/^ *\(- \)\{0,1\}\(run: \)\{0,1\}\(\(make\|tools\/\)[^|]*\)$/\3/p' "$file")
[ "$(echo "$commands" | wc -l)" -ge 8 ] || fail "only these commands were found: $commands"
echo "$commands" >"$TMPDIR/commands"
while read -r command; do
	case $command in
	make*) $command -n >"$TMPDIR/out" 2>&1 || fail "$command: $(cat "$TMPDIR/out")" ;;
	*) [ -x "${command%% *}" ] || fail "there is no ${command%% *}" ;;
	esac
done <"$TMPDIR/commands"
exit $status
