/* SPDX-License-Identifier: MIT */
/* The parser: what its sandbox forbids, how it ends, and wrong results. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/text.h"
#include "symbols/demangle.h"
#include "symbols/elf.h"
#include "symbols/elf_sites.h"
#include "symbols/localfile.h"
#include "symbols/parse.h"
#include "symbols/parse_impl.h"
#include "symbols/parse_result.h"

#define PLENTY	(1ull << 30)
#define MB	(1ull << 20)

/* ---- the sandbox ---- */

/* An attacker who controls a parser might try these calls.  Each returns an exit status if
 * the sandbox lets the parser live. */
static int opens(void)
{
	return open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES ? 1 : 0;
}

static int connects(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) >= 0;
}

static int executes(void)
{
	execl("/bin/true", "true", NULL);
	return 0;
}

static int forks(void)
{
	return (int)syscall(SYS_fork) >= 0;
}

static int kills(void)
{
	return kill(getppid(), 0);
}

static int ignores_alarm(void)
{
	signal(SIGALRM, SIG_IGN);
	return 0;
}

static int makes_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static int allocates(void)
{
	return mmap(NULL, 128 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0) == MAP_FAILED && errno == ENOMEM ? 1 : 0;
}

static int spins(void)
{
	for (volatile int goes_on = 1; goes_on; )
		;
	return 0;
}

static int sleeps(void)
{
	uint32_t word = 0;

	while (syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0))
		;
	return 0;
}

static int writes_much(void)
{
	static char page[65536];
	int fd = PARSE_FD_RESULT;

	for (;;)
		if (write(fd, page, sizeof(page)) <= 0)
			return 0;
}

static int computes(void)
{
	char *data = malloc(1 << 20);

	memset(data, 1, 1 << 20);
	free(data);
	return 1;
}

/* Returns how try() ends.  @wall_seconds: 0: no limit, for a try that must end in another way
 * on a machine that may be busy. */
static int end_of(int (*try)(void), uint32_t wall_seconds)
{
	const struct parse_limits limits = {
		.memory_bytes = 64 * MB, .file_bytes = MB, .cpu_seconds = 1,
		.wall_seconds = wall_seconds,
	};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = memfd_create("test", 0);

		dup2(fd, PARSE_FD_RESULT);
		_exit(parse_sandbox_enter(&limits) ? 99 : try());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void the_sandbox_is_closed(void **state)
{
	static const struct {
		int (*try)(void);
		int signo;		/* 0: it exits with 1, so the call fails or is allowed */
	} cases[] = {
		{ computes, 0 }, { opens, 0 }, { allocates, 0 },
		{ connects, SIGSYS }, { executes, SIGSYS }, { forks, SIGSYS },
		{ kills, SIGSYS }, { ignores_alarm, SIGSYS }, { makes_code, SIGSYS },
		{ spins, SIGXCPU }, { sleeps, SIGALRM }, { writes_much, SIGXFSZ },
	};

	(void)state;
	if (!parse_sandbox_is_whole())
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int status = end_of(cases[i].try, cases[i].try == sleeps);

		if (cases[i].signo) {
			assert_true(WIFSIGNALED(status));
			assert_int_equal(WTERMSIG(status), cases[i].signo);
		} else {
			assert_true(WIFEXITED(status));
			assert_int_equal(WEXITSTATUS(status), 1);
		}
	}
}

/* ---- names ---- */

/* Make a name of 260 bytes whose parts are each twice as long as the one before: a
 * gigabyte. */
static void make_bomb(char *name)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	name = stpcpy(name, "_Z1f1AIiiE");
	for (int i = 0; i < 25; i++)
		name += sprintf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
}

static int demangles(void)
{
	char bomb[512];
	struct text out;

	text_init(&out, MB);
	make_bomb(bomb);
	if (demangle_name(bomb, &out) || out.len)
		return 2;
	/* the next name can be demangled */
	if (!demangle_name("_ZN4shop3addEiPKc@plt", &out))
		return 3;
	if (strcmp(text_str(&out), "shop::add(int, char const*)@plt"))
		return 4;
	return demangle_name("main", &out) ? 5 : 1;
}

static void names_are_bounded(void **state)
{
	const struct parse_limits limits = {
		.memory_bytes = 256 * MB, .file_bytes = MB, .cpu_seconds = 5,
	};
	struct rusage usage;
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		demangle_prepare();
		_exit(parse_sandbox_enter(&limits) ? 99 : demangles());
	}
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	if (parse_sandbox_is_whole())
		assert_true(usage.ru_maxrss < 300 << 10);
	assert_true(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec < 3);
}

/* ---- jobs ---- */

__attribute__((noinline, patchable_function_entry(5))) static void a_site(void)
{
	__asm__ volatile("");
}

static struct parse_job *parse_self(enum parse_job_id id, uint64_t bytes_left)
{
	struct parse_want want = {
		.request = { .job = id, .bytes_left = bytes_left },
		.path = "/proc/self/exe",
	};
	struct parse_job *job;

	assert_int_equal(localfile_open("/proc/self/exe", &want.fd), 0);
	assert_int_equal(parse_start(&want, &job), 0);
	return job;
}

/* A parser finds what the same code finds in this process. */
static void results_are_right(void **state)
{
	uint64_t bytes_left = PLENTY;
	struct elf_symbols here, there;
	struct elf_sites sites;
	const char **names;
	uint32_t next_kind;
	const struct parsed_more more = {
		.sites = &sites, .names = &names, .next_kind = &next_kind,
	};
	struct parse_job *job = parse_self(PARSE_SITES, PLENTY);

	(void)state;
	a_site();
	assert_int_equal(elf_symbols_read("/proc/self/exe", NULL, 0, &bytes_left, &here), 0);
	assert_int_equal(parse_poll(job), 0);
	assert_null(parse_why(job));
	assert_int_equal(parsed_check(parse_map_result(job), &there, &more), 0);
	assert_int_equal(there.nr, here.nr);
	assert_int_equal(there.first, here.first);
	assert_int_equal(there.end, here.end);
	for (uint32_t i = 0; i < here.nr; i++) {
		assert_int_equal(there.rows[i].addr, here.rows[i].addr);
		assert_int_equal(there.rows[i].size, here.rows[i].size);
		assert_string_equal(there.rows[i].name, here.rows[i].name);
	}
	assert_int_equal(sites.nr, 1);
	assert_string_equal(names[0], "a_site");
	assert_int_equal(next_kind, FSITE_MOVED);
	elf_sites_done(&sites);
	free(names);
	elf_symbols_done(&here);
	elf_symbols_done(&there);
	parse_free(job);
	/* a limit that is too low to read it is an error of the file, not of the parser */
	job = parse_self(PARSE_SYMBOLS, 1000);
	assert_int_equal(parse_poll(job), -ENOEXEC);
	assert_null(parse_why(job));
	assert_null(parse_map_result(job));
	parse_free(job);
}

/* Returns the pid of the child of this process that is called @name, or 0. */
static pid_t child_called(const char *name)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while ((entry = readdir(proc)) && !found) {
		char path[300], comm[32] = "";
		int parent = 0;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		stat = atoi(entry->d_name) ? fopen(path, "re") : NULL;
		if (stat && fscanf(stat, "%*d (%31[^)]) %*c %d", comm, &parent) == 2 &&
		    parent == getpid() && !strcmp(comm, name))
			found = atoi(entry->d_name);
		if (stat)
			fclose(stat);
	}
	closedir(proc);
	return found;
}

/* The zygote is killed: there is a new one. */
static void the_zygote_is_replaced(void **state)
{
	struct parse_job *job = parse_self(PARSE_SYMBOLS, PLENTY);
	pid_t zygote;

	(void)state;
	parse_free(job);
	zygote = child_called("ulf-zygote");
	assert_true(zygote > 0);
	kill(zygote, SIGKILL);
	assert_int_equal(waitpid(zygote, NULL, 0), zygote);
	job = parse_self(PARSE_SYMBOLS, PLENTY);
	assert_int_equal(parse_poll(job), 0);
	parse_free(job);
	assert_true(child_called("ulf-zygote") > 0);
}

/* ---- wrong requests and results ---- */

/* The server opens no files except those with debug information. */
static void lies_about_files_are_found(void **state)
{
	static const struct {
		struct elf_ask ask;
		int result;
	} cases[] = {
		{ { ELF_ASK_BESIDE, 4, "true" }, 0 },	/* found as /bin/true */
		{ { ELF_ASK_BESIDE, 8, "../bin/sh" }, -EINVAL },
		{ { ELF_ASK_BESIDE, 9, "../bin/sh" }, -EINVAL },
		{ { ELF_ASK_BELOW, 7, "/bin/sh" }, -EINVAL },
		{ { ELF_ASK_GLOBAL, 0, "" }, -EINVAL },
		{ { ELF_ASK_BESIDE, 5, "true" }, -EINVAL },
		{ { ELF_ASK_BESIDE, UINT32_MAX, "true" }, -EINVAL },
		{ { ELF_ASK_ID, 1, "x" }, -EINVAL },
		{ { ELF_ASK_ID, 33, "x" }, -EINVAL },
		{ { ELF_ASK_ID, 20, "not there" }, -ENOENT },
		{ { ELF_ASKS, 4, "true" }, -EINVAL },
	};
	struct elf_ask endless = { .kind = ELF_ASK_BESIDE, .bytes = sizeof(endless.name) };
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(elf_ask_open("/bin/sh", &cases[i].ask, &fd),
				 cases[i].result);
		if (!cases[i].result)
			close(fd);
	}
	memset(endless.name, 'x', sizeof(endless.name));
	assert_int_equal(elf_ask_open("/bin/sh", &endless, &fd), -EINVAL);
	/* a descriptor of the server has no directory */
	assert_int_equal(elf_ask_open(NULL, &cases[0].ask, &fd), -ENOENT);
	assert_int_equal(elf_ask_open("true", &cases[0].ask, &fd), -ENOENT);
}

/* Returns a copy of a result, in memory as parse_map_result() returns it. */
static struct parsed *copy_result(const void *from, uint64_t bytes)
{
	struct parsed *parsed = calloc(1, sizeof(*parsed));
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	memcpy(map, from, bytes);
	parsed->release = parsed_free;
	parsed->map = map;
	parsed->bytes = bytes;
	return parsed;
}

/* A result with two symbols, and three rows of which two are sites. */
struct result {
	struct parse_head head;
	struct parse_symbol symbols[2];
	uint64_t addrs[2];
	uint32_t rows[2], names[2];
	char strings[8];
};

static const struct result good = {
	.head = {
		.magic = PARSE_MAGIC, .nr_symbols = 2, .first = 0x100, .end = 0x300,
		.strings_bytes = sizeof(good.strings), .nr_segments = 1,
		.kind = 0, .next_kind = FSITE_KINDS, .nr_rows = 3, .nr_sites = 2,
		.build_id_bytes = 4, .text = 0x100, .text_end = 0x200,
	},
	.symbols = { { 0x100, 16, 0 }, { 0x120, 16, 4 } },
	.addrs = { 0x100, 0x120 }, .rows = { 0, 2 }, .names = { 1, 2 },
	.strings = "one\0two",
};

static int check(const void *result, uint64_t bytes)
{
	struct parse_segment segments[PARSE_SEGMENTS_MAX];
	struct elf_symbols symbols;
	struct elf_sites sites = { 0 };
	const char **names = NULL;
	uint32_t next_kind, nr_segments;
	const struct parsed_more more = {
		.segments = segments, .nr_segments = &nr_segments,
		.sites = &sites, .names = &names, .next_kind = &next_kind,
	};
	int r = parsed_check(copy_result(result, bytes), &symbols, &more);

	if (r)
		return r;
	/* a result that is accepted can be used */
	for (uint32_t i = 0; i < symbols.nr; i++)
		assert_true(strlen(symbols.rows[i].name) < ELF_NAME_MAX);
	for (uint32_t i = 0; i < sites.nr; i++) {
		assert_true(sites.rows[i] < sites.nr_rows);
		assert_true(!names[i] || strlen(names[i]) < ELF_NAME_MAX);
	}
	assert_in_range(nr_segments, 0, PARSE_SEGMENTS_MAX);
	assert_in_range(sites.build_id_bytes, 0, sizeof(sites.build_id));
	assert_in_range(next_kind, 1, FSITE_KINDS);
	elf_sites_done(&sites);
	free(names);
	elf_symbols_done(&symbols);
	return 0;
}

static void lies_are_found(void **state)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 4, 7, 8, 0xff, 0xffff, 0x10000000, 0x7fffffff, 0xffffffff,
		1ull << 32, 1ull << 40, 1ull << 63, ~0ull,
	};
	struct result bad;
	uint32_t nr_bad = 0;

	(void)state;
	assert_int_equal(check(&good, sizeof(good)), 0);
	for (size_t at = 0; at < sizeof(good); at += 4) {
		for (size_t i = 0; i < 2 * sizeof(values) / sizeof(values[0]); i++) {
			size_t size = i % 2 && at + 8 <= sizeof(good) ? 8 : 4;

			bad = good;
			memcpy((char *)&bad + at, &values[i / 2], size);
			nr_bad += check(&bad, sizeof(bad)) != 0;
		}
	}
	assert_true(nr_bad > 200);
	for (size_t bytes = 1; bytes < sizeof(good); bytes++)
		assert_int_equal(check(&good, bytes), -EBADMSG);
	bad = good;
	bad.strings[7] = 'x';
	assert_int_equal(check(&bad, sizeof(bad)), -EBADMSG);
	bad = good;
	bad.rows[1] = 3;
	assert_int_equal(check(&bad, sizeof(bad)), -EBADMSG);
	bad = good;
	bad.names[0] = 3;
	assert_int_equal(check(&bad, sizeof(bad)), -EBADMSG);
}

static void lies_about_names_are_found(void **state)
{
	struct plain {
		struct parse_plain_head head;
		uint32_t names[2];
		char strings[8];
	} plain = {
		{ PARSE_MAGIC, 2, sizeof(plain.strings) }, { 1, 5 }, "1()\0""2()",
	}, bad;
	static const uint32_t values[] = { 0, 1, 3, 8, 9, 0xffff, 0x7fffffff, 0xffffffff };
	const struct parsed_more none = { 0 };
	struct elf_symbols symbols;

	(void)state;
	assert_int_equal(parsed_check(copy_result(&good, sizeof(good)), &symbols, &none), 0);
	assert_null(parsed_plain(&symbols, &symbols.rows[1]));
	assert_int_equal(parsed_check_plain(copy_result(&plain, sizeof(plain)), &symbols), 0);
	assert_string_equal(parsed_plain(&symbols, &symbols.rows[0]), "1()");
	assert_string_equal(parsed_plain(&symbols, &symbols.rows[1]), "2()");
	for (size_t at = 0; at < sizeof(plain); at += 4) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			bad = plain;
			memcpy((char *)&bad + at, &values[i], sizeof(values[i]));
			if (parsed_check_plain(copy_result(&bad, sizeof(bad)), &symbols))
				continue;
			for (uint32_t row = 0; row < symbols.nr; row++) {
				const char *name =
					parsed_plain(&symbols, &symbols.rows[row]);

				assert_true(!name || strlen(name) < ELF_NAME_MAX);
			}
		}
	}
	elf_symbols_done(&symbols);
}

static void lies_about_parameters_are_found(void **state)
{
	char room[PARSE_ANSWER_MAX] __attribute__((aligned(8)));
	struct parse_answer *answer = (void *)room;
	struct elf_params *params;

	(void)state;
	memset(room, 'x', sizeof(room));
	*answer = (struct parse_answer){
		.type = PARSE_ANSWER, .nr = PARSE_PARAMS_MAX, .addr = 16, .is_known = 1,
	};
	params = parsed_params(answer, sizeof(room), 16);
	assert_non_null(params);
	assert_int_equal(params->nr, PARSE_PARAMS_MAX);
	assert_int_equal(strlen(params->rows[63].name), PARSE_PARAM_NAME - 1);
	free(params);
	assert_null(parsed_params(answer, sizeof(room), 17));
	assert_null(parsed_params(answer, sizeof(room) - 1, 16));
	assert_null(parsed_params(answer, sizeof(*answer) - 1, 16));
	answer->nr++;
	assert_null(parsed_params(answer, sizeof(room), 16));
	answer->nr = UINT32_MAX;
	assert_null(parsed_params(answer, sizeof(room), 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sandbox_is_closed),
		cmocka_unit_test(names_are_bounded),
		cmocka_unit_test(results_are_right),
		cmocka_unit_test(the_zygote_is_replaced),
		cmocka_unit_test(lies_about_files_are_found),
		cmocka_unit_test(lies_are_found),
		cmocka_unit_test(lies_about_names_are_found),
		cmocka_unit_test(lies_about_parameters_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
