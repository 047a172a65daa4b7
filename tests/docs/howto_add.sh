#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address it builds its own copy, without the sanitizer
# no-sanitize: thread it builds its own copy, without the sanitizer
# timeout: 600
# Do what docs/HOWTO-ADD.md says: make its changes to a copy of the tree, build the copy, and
# compare the output of its sessions.  The test fails if the old text of a change is not in
# the tree, or is there twice.
. tests/docs/common
. tests/build/known_compiler

# change_file NUMBER LINE FILE: replace the lines that begin with a blank or - by the lines
# that begin with a blank or +.
change_file() {
	python3 - "$blocks/$1" "$tree/$3" <<-'END' || fail "$document:$2: $3 has not this place once"
	import sys
	old, new = [], []
	for line in open(sys.argv[1]):
	    if line[0] not in ' +-':
	        sys.exit(f'a line without mark: {line}')
	    if line[0] != '+':
	        old.append(line[1:])
	    if line[0] != '-':
	        new.append(line[1:])
	text = open(sys.argv[2]).read()
	old, new = ''.join(old), ''.join(new)
	if text.count('\n' + old) != 1:
	    sys.exit(f'{text.count(old)} times:\n{old}')
	open(sys.argv[2], 'w').write(text.replace('\n' + old, '\n' + new))
	END
}

# Build only the server and the library, without optimisation, and compile only what has changed,
# to save time.
build_tree() {
	CC=$TMPDIR/known/cc meson setup --buildtype=plain -Dtests=false -Dexamples=false -Dbench=false \
		-Dharden=false -Dwerror=true "$tree/build" "$tree" >"$TMPDIR/log" 2>&1 &&
		ninja -C "$tree/build" ulf libulf.so.0.1.0 >>"$TMPDIR/log" 2>&1 || {
		tail -n 40 "$TMPDIR/log"
		fail "$document: the copy with its changes does not build"
	}
}

# Use the sample program of the tests' build with the library of the copy.
make_minikernel() {
	mkdir "$TMPDIR/bin" || exit 1
	printf '#!/bin/sh\nLD_PRELOAD=%s exec %s "$@"\n' "$tree/build/libulf.so.0.1.0" \
		"$ULF_BUILD/examples/minikernel" >"$TMPDIR/bin/minikernel"
	chmod +x "$TMPDIR/bin/minikernel"
	PATH=$tree/build:$TMPDIR/bin:$PATH
}

finish() { ulf stop >/dev/null; }
trap finish EXIT
tree=$TMPDIR/tree nr_changes=0 changed=
read_blocks docs/HOWTO-ADD.md
mkdir "$tree" && cp -r "$ULF_SRC"/meson* "$ULF_SRC/src" "$ULF_SRC/include" \
	"$ULF_SRC/docs" "$ULF_SRC/tools" "$tree" || fail "copy"
while read -r number line language file <&3; do
	case $language:$file in
	diff:?*)
		change_file "$number" "$line" "$file"
		changed="$changed $file" ;;
	c:?*)	[ ! -e "$tree/$file" ] || fail "$document:$line: $file exists"
		cp "$blocks/$number" "$tree/$file" || exit 1 ;;
	console:) continue ;;
	*)	fail "$document:$line: a block that is not tried: $language $file" ;;
	esac
	nr_changes=$((nr_changes + 1))
done 3<"$blocks/list"
make_known_compiler "$TMPDIR/known" $changed
build_tree
make_minikernel
while read -r number line language file <&3; do
	[ "$language" != console ] || run_session "$number"
done 3<"$blocks/list"
echo "score: $nr_changes changes, $nr_commands commands"
