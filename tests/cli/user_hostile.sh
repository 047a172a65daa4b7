#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: 15 seconds until a command is killed
# user: root it is several users
# no-sanitize: address a process that cannot be traced cannot look for leaks
# A user attacks the administrator who looks at the user's roots: with links, fifos, directories
# that change at that moment, and a server that hangs, lies or sends escape sequences. root's
# files do not change, root does not wait for ever, and the roots of other users are listed
# nevertheless.
. tests/cli/common
. tests/cli/users
eve=$user_a bob=$user_b shm=/dev/shm
u="timeout 60 ulf --user $eve"
finish() {
	kill_started
	end_users
}

# A file of root's that a hostile directory could lead to
secret=$TMPDIR/secret
mkdir -m 700 "$secret" "$secret/roots" "$secret/roots/secret.1"
head -c 100000 /dev/zero >"$secret/roots/secret.1/memory"
print_secret() { (cd "$secret" && find . -printf '%p %u %m %s %T@ %C@\n' | sort); }
before=$(print_secret)
is_untouched() {
	expect "$1: root's files" "$before" "$(print_secret)"
	ulf ls --all 2>/dev/null | grep -q "^$bob *$of_bob " || fail "$1: bob: $(ulf ls --all 2>&1)"
}

start_as $bob "$hello"
pids="$pids $!" of_bob=hello.$!
knows_bob() { ulf ls --all | grep -q "^$bob *$of_bob .* alive *0/1"; }
until_true knows_bob

end_eve() {
	for process in $(pgrep -u $eve); do kill -9 "$process" 2>/dev/null; done
	until_true is_without_eve
}
is_without_eve() { ! pgrep -u $eve >/dev/null; }

# fresh: make eve's directory again, as if eve had a root.
fresh() {
	rm -rf $shm/ulf-$eve*
	as $eve mkdir -m 700 $shm/ulf-$eve $shm/ulf-$eve/roots $shm/ulf-$eve/roots/evil.1
}

# The directory is a link.  eve's own ulf skips it, because the link's target does not belong to
# eve.
rm -rf $shm/ulf-$eve
as $eve ln -s "$secret" $shm/ulf-$eve
is_untouched "a link"
$u ls >"$TMPDIR/out" 2>&1
grep -q secret "$TMPDIR/out" && fail "a link was followed: $(cat "$TMPDIR/out")"
$u stop >/dev/null 2>&1
is_untouched "a link, --user"
# The directory belongs to another owner.
rm -rf $shm/ulf-$eve*
as $bob mkdir -m 777 $shm/ulf-$eve
$u ls >/dev/null 2>&1
is_untouched "bob's directory"
expect "made in bob's directory" "" "$(ls -A $shm/ulf-$eve)"
$u stop >/dev/null 2>&1

# Links and fifos in the directory
for what in roots roots/evil.1 roots/evil.1/memory server.sock server.lock server.log \
	    server.beat server.receipts; do
	for kind in "ln -s $secret" "ln -s $secret/roots/secret.1/memory" "ln -s /dev/tty" mkfifo; do
		fresh
		rm -rf "$shm/ulf-$eve/$what"
		as $eve $kind "$shm/ulf-$eve/$what" || fail "$kind $what"
		ulf ls --all >"$TMPDIR/out" 2>"$TMPDIR/err"
		$u dump evil.1 >>"$TMPDIR/out" 2>&1
		grep -q secret.1 "$TMPDIR/out" && fail "$kind $what: $(cat "$TMPDIR/out")"
		is_untouched "$kind $what"
	done
done
# Links for commands that need a server.  A fifo as its log would make the server wait.
for what in roots roots/evil.1 roots/evil.1/memory server.sock server.lock server.log; do
	fresh
	rm -rf "$shm/ulf-$eve/$what"
	as $eve ln -s "$secret" "$shm/ulf-$eve/$what"
	$u ls >"$TMPDIR/out" 2>&1
	$u cat secret.1/trace evil.1/trace >>"$TMPDIR/out" 2>&1
	grep -q '^secret.1 ' "$TMPDIR/out" && fail "$what: $(cat "$TMPDIR/out")"
	is_untouched "--user, a link $what"
	timeout 20 setpriv --reuid=$eve --clear-groups ulf stop >/dev/null 2>&1
done

# The directory is replaced by a link and back while root reads it.
fresh
as $eve sh -c "cd $shm && while :; do
	mv ulf-$eve ulf-$eve.x && ln -s '$secret' ulf-$eve && rm ulf-$eve && mv ulf-$eve.x ulf-$eve
done" 2>/dev/null &
swapper=$!
i=0
while [ $i -lt 60 ]; do
	ulf ls --all >"$TMPDIR/out" 2>/dev/null
	grep -q "secret" "$TMPDIR/out" && fail "a swapped directory: $(cat "$TMPDIR/out")"
	i=$((i + 1))
done
for process in $(pgrep -u $eve); do kill -9 "$process" 2>/dev/null; done
wait $swapper 2>/dev/null
is_untouched "a swapped directory"

# Names of roots
rm -rf $shm/ulf-$eve*
fresh
as $eve mkdir "$shm/ulf-$eve/roots/$(printf 'a\nroot     faked.1 1 alive\033]0;x\007')"
ulf ls --all >"$TMPDIR/out" 2>&1
grep -q '^root  *faked' "$TMPDIR/out" && fail "a line was made up: $(cat "$TMPDIR/out")"
grep -q "$(printf '\033')" "$TMPDIR/out" && fail "an escape sequence"
# eve cannot pretend to be another user: the kernel knows the owner of a directory.
as $eve mkdir -m 700 $shm/ulf-0 $shm/ulf-0/roots $shm/ulf-0/roots/faked.1
ulf ls --all 2>&1 | grep -q '^root .*faked' && fail "eve made a root of root's: $(ulf ls --all)"
rm -rf $shm/ulf-0

# Many files in /dev/shm do not hide the roots of other users.  If a list is not complete, ulf
# says so.
(cd $shm && seq -f 'file.%.0f' 100001 | as $eve xargs touch) || fail "files"
text=$(ulf ls --all 2>&1) || fail "many files: status $?: $text"
contains "$text" "$of_bob"
find $shm -maxdepth 1 -name 'file.*' -delete
(cd $shm && seq -f "ulf-$eve.%.0f" 100001 | as $eve xargs touch) || fail "files"
text=$(ulf ls --all 2>&1)
expect "status with too many names" 1 $?
contains "$text" "not all users are listed"
find $shm -maxdepth 1 -name "ulf-$eve.*" -type f -delete

# eve runs a server of her own.
cat >"$TMPDIR/evil.c" <<'EOF'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "abi/beat.h"
#include "abi/socket.h"

static const char *how;

static int is(const char *word) { return !strcmp(how, word); }

static void answer(int fd, int32_t result, const void *data, uint32_t bytes)
{
	struct abi_answer head = { .result = result, .bytes = bytes };

	send(fd, &head, sizeof(head), MSG_NOSIGNAL);
	send(fd, data, bytes, MSG_NOSIGNAL);
}

static void serve(int fd, const struct abi_request *request)
{
	static const char name[] = "x\033[31mevil.1";
	struct abi_root_row row = { .state = ABI_ROOT_ALIVE };

	memcpy(row.name, name, sizeof(name));
	switch (request->op) {
	case ABI_SOCKET_HELLO:
		answer(fd, getpid(), NULL, 0);
		break;
	case ABI_SOCKET_LIST:
		memcpy(row.name, is("escape") ? name : "evil.1", 13);
		if (!is("list"))
			answer(fd, 0, &row, sizeof(row));
		break;
	case ABI_SOCKET_OPEN:
		answer(fd, 3, NULL, 0);
		break;
	case ABI_SOCKET_READ:
		usleep(10000);
		answer(fd, 9, is("bytes") ? "\033]0;x\007\033c" : "abcdefghi", 9);
		break;
	case ABI_SOCKET_WRITE:
		if (is("hangup"))
			shutdown(fd, SHUT_RDWR);
		answer(fd, is("write") ? 1 << 20 : (int)request->bytes, NULL, 0);
		break;
	case ABI_SOCKET_READDIR:
		answer(fd, 0, "-no end", 7);
		break;
	default:
		answer(fd, 0, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct abi_beat beat = { .beats = 1 };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), beats, fd;
	struct abi_request request;
	char text[65536];

	(void)argc;
	how = argv[2];
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/server.sock", argv[1]);
	snprintf(text, sizeof(text), "%s/server.beat", argv[1]);
	unlink(addr.sun_path);
	beats = open(text, O_RDWR | O_CREAT, 0600);
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 5))
		return 1;
	if (!fork()) {
		for (;; usleep(100000), beat.beats++)
			if (pwrite(beats, &beat, sizeof(beat), 0) < 0)
				return 1;
	}
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		while (recv(fd, &request, sizeof(request), MSG_WAITALL) == sizeof(request)) {
			size_t got = 0;

			while (got < request.bytes) {
				ssize_t n = recv(fd, text, sizeof(text), 0);

				if (n <= 0)
					break;
				got += (size_t)n;
			}
			serve(fd, &request);
		}
		close(fd);
	}
	return 0;
}
EOF
cc -I "$ULF_SRC/src" -o "$bin/evil" "$TMPDIR/evil.c" || fail "cc"
# evil HOW: run eve's server with this behaviour from now on.
evil() {
	for process in $(pgrep -u $eve); do kill -9 "$process" 2>/dev/null; done
	fresh
	start_as $eve "$bin/evil" $shm/ulf-$eve "$1"
	pids="$pids $!"
	until_true test -S $shm/ulf-$eve/server.sock
}
evil list
text=$($u ls 2>&1) && fail "a server that never answers: $text"
contains "$text" "the command for user $eve was killed: nothing has come for 15 s"
is_untouched "a server that hangs"
evil write
text=$($u echo 1 evil.1/trace 2>&1) && fail "a count larger than the write is accepted: $text"
contains "$text" "Protocol error"
evil hangup
text=$($u echo 1 evil.1/trace 2>&1) && fail "the write succeeds without an answer: $text"
contains "$text" "evil.1/trace: Broken pipe: the server has ended"
evil write
$u ls evil.1 >"$TMPDIR/out" 2>&1
expect "a list without an end" "no end" "$(cat "$TMPDIR/out")"
if ! command -v script >/dev/null; then
	echo "no script(1): escape sequences on a terminal are not tested"
else
	evil escape
	script -qec "ulf --user $eve ls" "$TMPDIR/typescript" >/dev/null 2>&1
	grep -q "evil.1" "$TMPDIR/typescript" || fail "$(cat "$TMPDIR/typescript")"
	grep -q "$(printf '\033')" "$TMPDIR/typescript" && fail "an escape sequence in a name"
	evil bytes
	script -qec "ulf --user $eve cat evil/trace" "$TMPDIR/typescript" >/dev/null 2>&1 &
	pids="$pids $!"
	until_true grep -q '\\x1b]0;x' "$TMPDIR/typescript"
	for process in $(pgrep -u $eve); do kill -9 "$process" 2>/dev/null; done
	grep -q "$(printf '\033')" "$TMPDIR/typescript" && fail "an escape sequence in a file"
fi
# The server of another user is refused: eve's directory has a link to bob's socket, and bob lets
# everybody in.
for process in $(pgrep -u $eve); do kill -9 "$process" 2>/dev/null; done
fresh
as $bob ulf ls >/dev/null
chmod 755 $shm/ulf-$bob
chmod 666 $shm/ulf-$bob/server.sock
as $eve ln -s $shm/ulf-$bob/server.sock $shm/ulf-$eve/server.sock
text=$($u ls 2>&1) && fail "bob's server answered: $text"
contains "$text" "server.sock belongs to a server of another user; refusing to use it"
chmod 700 $shm/ulf-$bob

# eve mounts a FUSE file system that takes requests and never answers.  A process that waits for
# it cannot even be killed.
cat >"$TMPDIR/hang_fs.c" <<'EOF'
#define FUSE_USE_VERSION 31
#include <fuse.h>
#include <stdio.h>
#include <unistd.h>

static int hang_getattr(const char *path, struct stat *st, struct fuse_file_info *info)
{
	(void)path;
	(void)st;
	(void)info;
	puts("hangs");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	static const struct fuse_operations operations = { .getattr = hang_getattr };

	return fuse_main(argc, argv, &operations, NULL);
}
EOF
if ! cc -o "$bin/hang_fs" "$TMPDIR/hang_fs.c" $(pkg-config --cflags --libs fuse3); then
	echo "libfuse3 is missing: a file system of the user's is not tested"
elif ! as $eve test -w /dev/fuse || ! command -v fusermount3 >/dev/null; then
	echo "no /dev/fuse for users, or no fusermount3: a file system of the user's is not tested"
else
	# hang_at DIRECTORY OPTION...: mount it on DIRECTORY.
	hang_at() {
		start_as $eve "$bin/hang_fs" -f -s "$@" >"$TMPDIR/hangs"
		pids="$pids $!"
		until_true grep -q " $1 fuse" /proc/self/mounts
	}
	# fusermount3 needs a user that has a name.
	{ cat /etc/passwd; echo "eve:x:$eve:$eve::/:/bin/sh"; } >"$TMPDIR/passwd"
	chmod 644 "$TMPDIR/passwd"
	mount --bind "$TMPDIR/passwd" /etc/passwd || fail "/etc/passwd"
	end_eve
	fresh
	hang_at $shm/ulf-$eve/roots
	timeout 60 ulf ls --all >"$TMPDIR/out" 2>"$TMPDIR/err"
	[ $? != 124 ] || fail "ls --all hangs"
	grep -q "^$bob *$of_bob " "$TMPDIR/out" || fail "bob is not listed: $(cat "$TMPDIR/out")"
	contains "$(cat "$TMPDIR/err")" "the roots of eve could not be read"
	$u ls >/dev/null 2>&1
	expect "--user" 1 $?
	# If root has mistyped a name, the search ends after a second or two.
	text=$(timeout 8 ulf cat nosuch/trace 2>&1)
	expect "status with a mistyped name" "1 ulf: no root is called \`nosuch\`; \`ulf ls\` lists them" \
		"$? $text"
	ulf stop
	rm -rf $shm/ulf-0
	grep -q hangs "$TMPDIR/hangs" || fail "the file system got no request"
	end_eve
	umount -l $shm/ulf-$eve/roots
	# The file system is mounted on root's name: root uses the next name.
	as $eve mkdir $shm/ulf-0 || fail "root has that already"
	hang_at $shm/ulf-0
	text=$(timeout 30 ulf ls 2>&1) || fail "root's own ls: $text"
	[ -d $shm/ulf-0.1/roots ] || fail "root has no directory: $(ls $shm)"
	ulf stop
	# With allow_other root can enter the file system, which reports the owner and mode that
	# eve chose: 0, 0700.
	end_eve
	umount -l $shm/ulf-0
	rm -rf $shm/ulf-0*
	echo user_allow_other >"$TMPDIR/fuse.conf"
	chmod 644 "$TMPDIR/fuse.conf"
	mount --bind "$TMPDIR/fuse.conf" /etc/fuse.conf || fail "/etc/fuse.conf"
	as $eve mkdir $shm/ulf-0
	hang_at $shm/ulf-0 -o allow_other
	grep " $shm/ulf-0 fuse.*allow_other" /proc/self/mounts || fail "no allow_other"
	text=$(timeout 30 ulf ls 2>&1) || fail "root's own ls: status $?: $text"
	[ -d $shm/ulf-0.1/roots ] || fail "root uses eve's file system: $(ls $shm)"
	text=$(timeout 60 ulf ls --all 2>&1) || fail "ls --all: status $?: $text"
	ulf stop
fi
exit 0
