#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: ticks of the server
# The 1,023 slots of a hostile root all name one process with 32,000 mappings.  Clients of a good
# root next to it are answered, and so is ulf ls.  The server's budget for such a root is 0.1 s;
# without a budget it took 57 s.
. tests/cli/common

cat >"$TMPDIR/hostile.c" <<'EOC'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/control.h"

#define PAGES	32000ul

static void have_mappings(void)
{
	char *pages = mmap(NULL, PAGES * 4096, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (unsigned long i = 0; pages != MAP_FAILED && i < PAGES; i += 2)
		if (mprotect(pages + i * 4096, 4096, PROT_READ))
			perror("mprotect");
}

/* hostile MEMORY [own]: MEMORY is that of a root; own: keep it mapped, as its processes do. */
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR);
	struct abi_control *control = mmap(NULL, ABI_ARENA_OFF, PROT_READ | PROT_WRITE,
					   MAP_SHARED, fd, 0);
	struct abi_process *slots = (void *)((char *)control + ABI_PROCESSES_OFF);

	if (fd < 0 || control == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	have_mappings();
	for (unsigned int i = 1; i < ABI_PROCESSES; i++)
		slots[i].pid = (uint32_t)getpid();
	control->tables_changed++;
	if (argc == 2)
		munmap(control, ABI_ARENA_OFF);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
EOC
cc -I"$ULF_SRC/src" -o "$TMPDIR/hostile" "$TMPDIR/hostile.c" || fail "cc"
is_ready() { grep -q ready "$TMPDIR/out"; }

# soon COMMAND...: COMMAND ends within 10 s, which is long enough on a busy machine.
soon() { timeout 10 "$@" >"$TMPDIR/soon" 2>&1 || fail "$*: status $?, $(cat "$TMPDIR/soon")"; }

for own in "" own; do
	start_hello
	hostile=$root
	start_hello
	"$TMPDIR/hostile" "$ULF_DIR/roots/$hostile/memory" $own >"$TMPDIR/out" &
	pids="$pids $!"
	until_true is_ready
	for round in 1 2 3; do
		soon ulf ls
		soon ulf cat "$root/available_events"
		soon ulf echo "$((round % 2))" "$root/events/enable"
		let_server_run 1
	done
	# A client of the hostile root is answered, too.
	soon ulf echo 1 "$hostile/events/enable"
	soon ulf cat "$hostile/trace"
	# A new server finds the hostile root when it starts.
	kill_server
	soon ulf ls
	grep -q "^$root .* alive " "$TMPDIR/soon" || fail "$(cat "$TMPDIR/soon")"
	soon ulf cat "$root/events/enable"
done
exit 0
