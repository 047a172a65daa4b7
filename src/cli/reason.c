/* SPDX-License-Identifier: MIT */
/* Explain errors to users, in words; see reason.h. */
#include "cli/reason.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "abi/socket.h"
#include "arch/arch.h"
#include "cli/run_impl.h"

struct reason {
	int error;
	const char *text;
};

#define FULL	"the file system is full (see df -h, df -i): `ulf rm --dead` removes what " \
		"dead programs have recorded, or set ULF_DIR to another place"

static const char *find_reason_text(const struct reason *reason, int error)
{
	for (; reason->error; reason++)
		if (reason->error == -error)
			return reason->text;
	return strerror(-error);
}

const char *reason_server(int error)
{
	static const struct reason reasons[] = {
		{ ENOSPC, FULL },
		{ EDQUOT, FULL },
		{ EMFILE, "it cannot open as many files as it needs; `ulf stop`, raise `ulimit "
			  "-n` (32 for the server, and two for each program), and try again" },
		{ ENFILE, "too many files are open on this machine" },
		{ EROFS, "the file system is read-only; set ULF_DIR to another place" },
		{ 0, NULL },
	};

	return find_reason_text(reasons, error);
}

const char *reason_no_root(int error)
{
	static const struct reason reasons[] = {
		{ ENOSPC, FULL },
		{ EDQUOT, FULL },
		{ EMFILE, "the program has as many files open as `ulimit -n` allows" },
		{ ENFILE, "too many files are open on this machine" },
		{ EFBIG, "a file of 38 MB is needed, of which only what is used becomes "
			 "memory, and `ulimit -f` allows less" },
		{ ENOMEM, "an eighth of the program's address space must be 64 MB at least; "
			  "`ulimit -v` must be 524288 or more" },
		{ ENOENT, "the directory does not exist" },
		{ EACCES, "the program has no permission to write there" },
		{ EPERM, "it is not a directory of the program's user that nobody else can "
			 "enter" },
		{ EROFS, "the file system is read-only" },
		{ 0, NULL },
	};

	return find_reason_text(reasons, error);
}

const char *reason_unfollowed(uint32_t reason)
{
	static const char *const reasons[ABI_UNFOLLOWED_END - ABI_UNFOLLOWED] = {
		[ABI_UNFOLLOWED_STATIC - ABI_UNFOLLOWED] = "it is linked statically",
		[ABI_UNFOLLOWED_LIBC - ABI_UNFOLLOWED] =
			"it has another dynamic linker than the program that started it: another C "
			"library such as musl, or another root directory",
		[ABI_UNFOLLOWED_MACHINE - ABI_UNFOLLOWED] =
			"it is not a program for " ARCH_ELF_MACHINE_NAME ", as libulf is",
		[ABI_UNFOLLOWED_SECURE - ABI_UNFOLLOWED] =
			"it gets other rights when it is started (set-uid, set-gid or capabilities "
			"of its file)",
		[ABI_UNFOLLOWED_ASAN - ABI_UNFOLLOWED] =
			"it has AddressSanitizer, before which nothing can be loaded",
		[ABI_UNFOLLOWED_LIBULF - ABI_UNFOLLOWED] =
			"it contains libulf.a: it is traced itself, and what it starts is not",
		[ABI_UNFOLLOWED_UNREADABLE - ABI_UNFOLLOWED] = "its file cannot be read",
		[ABI_UNFOLLOWED_PATH - ABI_UNFOLLOWED] =
			RUN_LIBULF " is not there in its root directory, or cannot be read",
		[ABI_UNFOLLOWED_ENV - ABI_UNFOLLOWED] = "its environment is too large",
	};
	uint32_t i = reason - ABI_UNFOLLOWED;

	return i < ABI_UNFOLLOWED_END - ABI_UNFOLLOWED && reasons[i] ? reasons[i] :
								       "for an unknown reason";
}
