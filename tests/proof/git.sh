#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# timeout: 1200
# git passes its own tests while all functions of git, of the shells and tools that its tests
# start, and of all libraries are traced, and while tracing is switched at random.
. tests/proof/common
need git
need_source git
[ -x "$source/t/helper/test-tool" ] ||
	skip "the helper of git's tests is not built (tools/setup --proof builds it)"
items='t0000-basic'
! is_long || items='t0000-basic t0001-init t0002-gitfile t0003-attributes t0006-date t0008-ignores
	t0040-parse-options t0050-filesystem t1000-read-tree-m-3way t1006-cat-file
	t1300-config t1400-update-ref t1450-fsck t2000-conflict-when-checking-files-out
	t2200-add-update t3200-branch t3400-rebase t3903-stash t4001-diff-rename t4013-diff-various
	t4014-format-patch t4200-rerere t5300-pack-object t5303-pack-corruption-resilience
	t5510-fetch t5601-clone t6012-rev-list-simplify t6030-bisect-porcelain t6400-merge-df
	t7001-mv t7003-filter-branch t7102-reset t7400-submodule-basic t7500-commit-template-squash
	t7700-repack'
items=${PROOF_UNITS:-$items}
mkdir -p "$TMPDIR/bin" "$TMPDIR/trash"
wrap git "$TMPDIR/bin/git"

# run_script NAME: print the results of its tests
run_script() {
	cd "$source/t" || return
	GIT_TEST_INSTALLED=$TMPDIR/bin GIT_TEST_EXEC_PATH=$("$(find_program git)" --exec-path) \
		GIT_TEST_CHAIN_LINT=0 TEST_NO_MALLOC_CHECK=1 GIT_TEST_DEFAULT_HASH=sha1 \
		TEST_OUTPUT_DIRECTORY=$TMPDIR/trash timeout 1000 sh "./$1.sh" --root="$TMPDIR/trash" \
		2>&1 | grep '^ok\|^not ok\|^# \|^1\.\.'
	chmod -R u+w "$TMPDIR/trash"
	rm -rf "$TMPDIR/trash/"*
}
in_phases run_script "$(echo $items)"
echo "score: git $score"
