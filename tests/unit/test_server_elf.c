/* SPDX-License-Identifier: MIT */
/* Names of functions, from files that may be hostile. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "base/fusemount.h"
#include "base/text.h"
#include "symbols/elf.h"
#include "server/core/root.h"
#include "server/core/server_roots.h"
#include "server/names/symbols.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define S	1000000000ull
#define PLENTY	(1ull << 30)

/* The name and size of this function are in the symbol table only. */
__attribute__((noinline)) static int a_function_to_find(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

static int find_self(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(struct dl_phdr_info *)arg = *info;
	return 1;			/* the program comes first */
}

/* Read the build id note of this program. */
static uint32_t own_build_id(uint8_t *id)
{
	struct dl_phdr_info self;

	dl_iterate_phdr(find_self, &self);
	for (int i = 0; i < self.dlpi_phnum; i++) {
		const ElfW(Phdr) *program = &self.dlpi_phdr[i];
		const char *at = (const char *)self.dlpi_addr + program->p_vaddr;
		const char *end = at + program->p_memsz;

		while (program->p_type == PT_NOTE && at < end) {
			const ElfW(Nhdr) *note = (const void *)at;

			at += sizeof(*note) + ((note->n_namesz + 3) & ~3u);
			if (note->n_type == NT_GNU_BUILD_ID) {
				memcpy(id, at, note->n_descsz);
				return note->n_descsz;
			}
			at += (note->n_descsz + 3) & ~3u;
		}
	}
	return 0;
}

static int read_symbols(const char *path, const uint8_t *id, uint32_t id_bytes,
			struct elf_symbols *symbols)
{
	uint64_t bytes_left = PLENTY;

	return elf_symbols_read(path, id, id_bytes, &bytes_left, symbols);
}

static void functions_are_found(void **state)
{
	struct dl_phdr_info self;
	const struct elf_symbol *symbol;
	struct elf_symbols symbols;
	uint64_t addr;

	(void)state;
	dl_iterate_phdr(find_self, &self);
	addr = (uint64_t)a_function_to_find - self.dlpi_addr;
	assert_int_equal(read_symbols("/proc/self/exe", NULL, 0, &symbols), 0);
	assert_in_range(addr, symbols.first, symbols.end - 1);
	symbol = elf_symbols_find(&symbols, addr);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "a_function_to_find");
	assert_int_equal(symbol->addr, addr);
	assert_ptr_equal(elf_symbols_find(&symbols, addr + symbol->size - 1), symbol);
	assert_ptr_not_equal(elf_symbols_find(&symbols, addr + symbol->size), symbol);
	assert_null(elf_symbols_find(&symbols, 0));
	elf_symbols_done(&symbols);
}

static uint64_t addr_of(const struct elf_symbols *symbols, const char *name)
{
	for (uint32_t i = 0; i < symbols->nr; i++)
		if (!strcmp(symbols->rows[i].name, name))
			return symbols->rows[i].addr;
	fail_msg("no %s", name);
	return 0;
}

/* The code at an address of the PLT does what its name says. */
static void plt_entries_are_found(void **state)
{
	struct elf_symbols symbols;
	struct dl_phdr_info self;
	pid_t (*entry)(void);
	uint64_t addr;

	(void)state;
	dl_iterate_phdr(find_self, &self);
	assert_int_equal(read_symbols("/proc/self/exe", NULL, 0, &symbols), 0);
	addr = addr_of(&symbols, "getppid@plt");
	assert_string_equal(elf_symbols_find(&symbols, addr + 5)->name, "getppid@plt");
	*(uint64_t *)&entry = self.dlpi_addr + addr;
	assert_int_equal(entry(), getppid());
	assert_ptr_not_equal(entry, getppid);
	elf_symbols_done(&symbols);
}

/* Of several names at an address the simplest is shown, without its version. */
static void names_are_plain(void **state)
{
	struct elf_symbols symbols;
	struct dl_phdr_info self;
	Dl_info info;
	uint64_t addr;

	(void)state;
	dl_iterate_phdr(find_self, &self);
	assert_true(dladdr((void *)getppid, &info) != 0);
	assert_int_equal(read_symbols(info.dli_fname, NULL, 0, &symbols), 0);
	addr = addr_of(&symbols, "strtol");
	assert_string_equal(elf_symbols_find(&symbols, addr)->name, "strtol");
	for (uint32_t i = 0; i < symbols.nr; i++) {
		const char *at = strchr(symbols.rows[i].name, '@');

		assert_true(!at || !strcmp(at, "@plt"));
	}
	elf_symbols_done(&symbols);
}

static const char a_string_to_find[] = "a constant string";
static char a_variable[] = "not constant";

static void another_build_is_refused(void **state)
{
	struct elf_symbols symbols;
	uint8_t id[64];
	uint32_t bytes = own_build_id(id);

	(void)state;
	if (!bytes)
		skip();			/* this linker writes no build id */
	assert_int_equal(read_symbols("/proc/self/exe", id, bytes, &symbols), 0);
	elf_symbols_done(&symbols);
	id[0] ^= 1;
	assert_int_equal(read_symbols("/proc/self/exe", id, bytes, &symbols),
			 -ESTALE);
}

static void other_files_are_refused(void **state)
{
	struct elf_symbols symbols;

	(void)state;
	assert_int_equal(read_symbols("/nosuch", NULL, 0, &symbols), -ENOENT);
	assert_int_equal(read_symbols("/proc/self/status", NULL, 0, &symbols),
			 -ENOEXEC);
	assert_int_equal(read_symbols("/dev/zero", NULL, 0, &symbols), -ENOEXEC);
	assert_int_equal(read_symbols("/tmp", NULL, 0, &symbols), -ENOEXEC);
}

/* No server answers requests of this mount, as if its server were busy with this file.  Runs in
 * a child, because the alarm ends a reader that waits. */
static void read_in_fuse(const char *dir)
{
	char mount_dir[160], path[200], link[160];
	struct elf_symbols symbols;
	enum fusemount_step step;
	int fd;

	snprintf(mount_dir, sizeof(mount_dir), "%s/mnt", dir);
	snprintf(path, sizeof(path), "%s/elf", mount_dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	if (unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mkdir(mount_dir, 0700) || symlink("mnt/../mnt/elf", link) ||
	    fusemount_open_as("nobody", mount_dir, &fd, &step))
		_exit(77);
	alarm(20);
	if (read_symbols(mount_dir, NULL, 0, &symbols) != -EREMOTE)
		_exit(1);
	if (read_symbols(path, NULL, 0, &symbols) != -EREMOTE)
		_exit(2);
	if (read_symbols(link, NULL, 0, &symbols) != -EREMOTE)
		_exit(3);
	fd = open(mount_dir, O_PATH);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	_exit(fd >= 0 && read_symbols(path, NULL, 0, &symbols) == -EREMOTE ? 0 : 4);
}

static void fuse_is_not_waited_for(void **state)
{
	int status = fake_dir_run(read_in_fuse);

	(void)state;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("no FUSE in a mount namespace here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void links_are_followed(void **state)
{
	struct elf_symbols symbols;
	char dir[128], path[160];

	(void)state;
	fake_dir_make(dir);
	snprintf(path, sizeof(path), "%s/link", dir);
	assert_int_equal(symlink("../../../../../../../proc/self/exe", path), 0);
	assert_int_equal(read_symbols(path, NULL, 0, &symbols), 0);
	elf_symbols_done(&symbols);
	unlink(path);
	assert_int_equal(symlink("link", path), 0);
	assert_int_equal(read_symbols(path, NULL, 0, &symbols), -ELOOP);
	assert_int_equal(read_symbols("proc/self/exe", NULL, 0, &symbols), -ENOENT);
	fake_dir_remove(dir);
}

/* An open file is found by its link in /proc, also if no path leads to it. */
static void links_of_proc_are_followed(void **state)
{
	char dir[128], path[160], command[512];
	struct elf_symbols symbols;
	int fd, pipes[2];

	(void)state;
	fake_dir_make(dir);
	snprintf(path, sizeof(path), "%s/copy", dir);
	snprintf(command, sizeof(command), "cp /proc/%d/exe '%s'", getpid(), path);
	assert_int_equal(system(command), 0);
	fd = open(path, O_RDONLY);
	fake_dir_remove(dir);
	assert_true(fd >= 0);
	assert_int_equal(read_symbols(path, NULL, 0, &symbols), -ENOENT);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	assert_int_equal(read_symbols(path, NULL, 0, &symbols), 0);
	elf_symbols_done(&symbols);
	close(fd);
	assert_int_equal(pipe(pipes), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pipes[0]);
	assert_int_equal(read_symbols(path, NULL, 0, &symbols), -EREMOTE);
	close(pipes[0]);
	close(pipes[1]);
}

/* Bytes that were read are counted, and a file that exceeds the limit is not read. */
static void no_more_is_read_than_allowed(void **state)
{
	uint64_t bytes_left = PLENTY, used;
	struct elf_symbols symbols;

	(void)state;
	assert_int_equal(elf_symbols_read("/proc/self/exe", NULL, 0, &bytes_left,
					  &symbols), 0);
	used = PLENTY - bytes_left;
	assert_true(used >= symbols.nr * sizeof(*symbols.rows));
	elf_symbols_done(&symbols);
	bytes_left = used;
	assert_int_equal(elf_symbols_read("/proc/self/exe", NULL, 0, &bytes_left,
					  &symbols), 0);
	elf_symbols_done(&symbols);
	assert_int_equal(bytes_left, 0);
	bytes_left = used - 1;
	assert_int_equal(elf_symbols_read("/proc/self/exe", NULL, 0, &bytes_left,
					  &symbols), -ENOEXEC);
}

/* A small ELF file, with two functions. */
struct small_elf {
	Elf64_Ehdr head;
	Elf64_Phdr programs[2];
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[4];
	char strings[32];
	Elf64_Nhdr note;
	char note_text[8];
};

static const struct small_elf good = {
	.head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		.e_phoff = offsetof(struct small_elf, programs),
		.e_shoff = offsetof(struct small_elf, sections),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
	},
	.programs = {
		{ .p_type = PT_LOAD, .p_filesz = sizeof(struct small_elf),
	  .p_memsz = 0x1000 },
		{ .p_type = PT_NOTE, .p_offset = offsetof(struct small_elf, note),
		  .p_filesz = 20 },
	},
	.sections = {
		{ .sh_type = SHT_NULL },
		{ .sh_type = SHT_SYMTAB, .sh_link = 2,
		  .sh_offset = offsetof(struct small_elf, symbols),
		  .sh_size = 4 * sizeof(Elf64_Sym) },
		{ .sh_type = SHT_STRTAB,
		  .sh_offset = offsetof(struct small_elf, strings), .sh_size = 32 },
	},
	.symbols = {
		{ 0 },
		{ .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1,
		  .st_value = 0x100, .st_size = 16 },
		{ .st_name = 5, .st_info = STT_FUNC, .st_shndx = 1,
		  .st_value = 0x200, .st_size = 16 },
		{ .st_name = 9, .st_info = STT_OBJECT, .st_shndx = 1,
		  .st_value = 0x300, .st_size = 16 },
	},
	.strings = "\0one\0two\0data",
	.note = { 4, 4, NT_GNU_BUILD_ID },
	.note_text = "GNU\0abcd",
};

/* Make each offset and count wrong in turn. */
static void broken_files_are_survived(void **state)
{
	static const uint64_t values[] = {
		0, 1, 3, 0xff, 0xffff, 0xffffffff, 1ull << 40, ~0ull, 64, 4096,
	};
	struct small_elf file;
	char dir[128], path[160];
	struct elf_symbols symbols;

	(void)state;
	fake_dir_make(dir);
	snprintf(path, sizeof(path), "%s/elf", dir);
	for (size_t at = 0; at < sizeof(good); at += 2) {
		for (size_t i = 0; i < 2 * sizeof(values) / sizeof(values[0]); i++) {
			size_t size = i % 2 ? 8 : 2;
			int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

			file = good;
			if (at + size <= sizeof(file) && (at || i))
				memcpy((char *)&file + at, &values[i / 2], size);
			assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
			close(fd);
			if (read_symbols(path, (const uint8_t *)"abcd", 4, &symbols))
				continue;
			for (uint64_t addr = 0; addr < 0x400; addr += 8) {
				const struct elf_symbol *symbol =
					elf_symbols_find(&symbols, addr);

				assert_true(!symbol || strlen(symbol->name) < 32);
			}
			elf_symbols_done(&symbols);
		}
	}
	/* the right file is still read */
	int fd = open(path, O_RDWR | O_TRUNC, 0600);

	assert_int_equal(write(fd, &good, sizeof(good)), sizeof(good));
	close(fd);
	assert_int_equal(read_symbols(path, (const uint8_t *)"abcd", 4, &symbols), 0);
	assert_int_equal(symbols.nr, 2);
	assert_string_equal(elf_symbols_find(&symbols, 0x20f)->name, "two");
	assert_null(elf_symbols_find(&symbols, 0x210));
	elf_symbols_done(&symbols);
	fake_dir_remove(dir);
}

static struct abi_module *put_module(struct fake_root *root, uint32_t row,
				     const char *path, uint64_t base)
{
	struct abi_module *modules = (void *)(root->mem + root->control->modules_off);
	uint64_t off = root->control->heap_off + root->control->heap_used;

	strcpy(root->mem + off, path);
	root->control->heap_used += (strlen(path) + 8) & ~7u;
	modules[row] = (struct abi_module){
		.base = base, .path = off, .path_bytes = (uint32_t)strlen(path) + 1,
	};
	root->control->nr_modules = row + 1;
	return &modules[row];
}


/* %ps, %pS and %pB of a record, and a constant string, in `trace`. */
static void trace_has_names(void **state)
{
	static const struct fake_field fields[] = {
		{ "void *", "f", 8, 8, 0 }, { "const char *", "s", 16, 8, 0 },
		{ "const char *", "v", 24, 8, 0 },
	};
	struct fake_root root;
	struct server *server;
	struct dl_phdr_info self;
	char dir[128], line[256];
	uint32_t id;
	struct {
		uint64_t headroom;
		uint16_t type;
		uint8_t flags, preempt;
		uint32_t pid;
		uint64_t f, s, v;
	} record = { .pid = 1, .f = (uint64_t)a_function_to_find + 1,
		     .s = (uint64_t)a_string_to_find, .v = (uint64_t)a_variable };

	(void)state;
	dl_iterate_phdr(find_self, &self);
	fake_dir_make(dir);
	fake_root_make(&root, dir, "fake.1");
	id = fake_event(&root, 0, "sched", "call",
			"\"%s %s %ps %pS %pB\", REC->s, REC->v, REC->f, REC->f, REC->f",
			fields, 3);
	put_module(&root, 0, "/proc/self/exe", self.dlpi_addr ? self.dlpi_addr :
		   self.dlpi_phdr[0].p_vaddr & ~4095ull);
	fake_root_show(&root, "fake.1");
	assert_int_equal(server_new(dir, &server), 0);
	assert_int_equal(tree_echo(server, "fake.1/events/enable", "1"), 0);
	record.type = (uint16_t)id;
	assert_int_equal(ring_write_locked(fake_ring(&root, 0, ABI_RING_SLOW),
		&record.type, 32, S, (uint32_t)getpid()), 0);
	snprintf(line, sizeof(line), "call: a constant string (0x%016lx)[UNSAFE-MEMORY] "
		 "a_function_to_find a_function_to_find+0x1/0x", record.v);
	assert_non_null(strstr(tree_cat(server, "fake.1/trace"), line));
	assert_int_equal(a_function_to_find(1), 3);
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

/* Write DIR/NAME: a small file with functions of these names, made longer. */
static const char *put_elf(const char *dir, const char *name, const char *strings,
			   uint64_t strings_bytes)
{
	static char path[160];
	struct small_elf file = good;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	memcpy(file.strings + 1, strings, strlen(strings));
	if (strings_bytes)
		file.sections[2].sh_size = strings_bytes;
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	assert_int_equal(ftruncate(fd, (off_t)(sizeof(file) + strings_bytes)), 0);
	close(fd);
	return path;
}

/* Returns the line of a record of event @id with an address and a string. */
static const char *line_of(struct server *server, struct fake_root *root,
			   uint32_t id, uint64_t f, uint64_t s)
{
	struct {
		uint64_t headroom;
		uint16_t type;
		uint8_t flags, preempt;
		uint32_t pid;
		uint64_t f, s;
	} record = { .type = (uint16_t)id, .pid = 1, .f = f, .s = s };
	const char *line;

	assert_int_equal(tree_echo(server, "fake.1/trace", ""), 0);
	assert_int_equal(ring_write_locked(fake_ring(root, 0, ABI_RING_SLOW),
		&record.type, 24, S, (uint32_t)getpid()), 0);
	line = strstr(tree_cat(server, "fake.1/trace"), "call: ");
	assert_non_null(line);
	return line;
}

static const struct fake_field call_fields[] = {
	{ "void *", "f", 8, 8, 0 }, { "const char *", "s", 16, 8, 0 },
};

#define BASE		0x7f0000000000ull
#define FUNCTION	(BASE + 0x100)
#define STRING		(BASE + offsetof(struct small_elf, strings) + 1)

static uint32_t put_call(struct fake_root *root, uint32_t module, const char *system)
{
	return fake_event(root, module, system, "call", "\"%ps %s\", REC->f, REC->s",
			  call_fields, 2);
}

static void change_modules(struct fake_root *root, uint64_t loaded)
{
	root->processes[0].modules[0] = loaded;
	__atomic_add_fetch(&root->control->tables_changed, 1, __ATOMIC_RELEASE);
}

/* Check the list of symbols: of two at one address it has only one. */
static void check_list(struct server *server, const char *has, const char *has_not)
{
	struct text text;

	text_init(&text, 1 << 20);
	symbols_list(server_find_root(server, "fake.1"), &text);
	text_putc(&text, '\0');
	assert_non_null(strstr(text.data, has));
	assert_null(strstr(text.data, has_not));
	text_done(&text);
}

/* Two objects are loaded at one address one after the other, and a third has only events. */
static void names_are_of_the_right_module(void **state)
{
	uint32_t call_a, call_b, call_c;
	struct abi_module *module_a;
	struct fake_root root;
	struct server *server;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	fake_root_make(&root, dir, "fake.1");
	module_a = put_module(&root, 0, put_elf(dir, "a", "aaa", 0), BASE);
	put_module(&root, 1, put_elf(dir, "b", "bbb", 0), BASE);
	put_module(&root, 2, "/nosuch", 4096);
	call_a = put_call(&root, 0, "a");
	call_b = put_call(&root, 1, "b");
	call_c = put_call(&root, 2, "c");
	change_modules(&root, 7);
	fake_root_show(&root, "fake.1");
	assert_int_equal(server_new(dir, &server), 0);
	assert_int_equal(tree_echo(server, "fake.1/events/enable", "1"), 0);

#define IS_LINE(id, addr, string, text)					\
	assert_string_equal(line_of(server, &root, id, addr, string),	\
			    "call: " text "\n")
	/* the record's own module counts, whatever is loaded now */
	IS_LINE(call_a, FUNCTION, STRING, "aaa aaa");
	IS_LINE(call_b, FUNCTION, STRING, "bbb bbb");
	/* for other modules the newest one that is loaded counts */
	IS_LINE(call_c, FUNCTION, STRING, "bbb bbb");
	check_list(server, "bbb", "aaa");
	change_modules(&root, 5);
	IS_LINE(call_c, FUNCTION, STRING, "aaa aaa");
	check_list(server, "aaa", "bbb");
	IS_LINE(call_b, FUNCTION, STRING, "bbb bbb");
	/* a module that is loaded again at another address */
	module_a->base = BASE + 0x10000;
	change_modules(&root, 5);
	IS_LINE(call_c, FUNCTION + 0x10000, STRING + 0x10000, "aaa aaa");
	IS_LINE(call_a, FUNCTION, STRING, "bbb bbb");
#undef IS_LINE
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

static void put_object(struct fake_root *root, uint32_t nr, const char *path)
{
	struct abi_object *rows = (void *)(root->mem + root->control->objects_off);

	rows[nr] = (struct abi_object){
		.is_there = 1, .start = BASE, .end = BASE + 0x1000,
	};
	strcpy(rows[nr].path, path);
	root->control->nr_objects = nr + 1;
}

#define LATER	(UINT64_MAX - 1)	/* later than the record */

/* Objects that were at one address one after the other. */
static void names_are_of_their_time(void **state)
{
	static const struct {
		uint64_t since[3];	/* a, b, and a again */
		const char *line;
	} cases[] = {
		{ { 0, LATER, LATER }, "call: aaa " },
		{ { 0, 1, LATER }, "call: bbb " },
		{ { 0, 1, 2 }, "call: aaa " },
		{ { LATER, 1, LATER }, "call: bbb " },
		/* no object was loaded at that time: the newest one counts */
		{ { LATER, LATER, LATER }, "call: aaa " },
	};
	struct abi_object *rows;
	struct fake_root root;
	struct server *server;
	uint32_t call;
	char dir[128];

	(void)state;
	fake_dir_make(dir);
	fake_root_make(&root, dir, "fake.1");
	root.control->clock = (struct abi_clock){ .mult = 1ull << 31 };
	put_object(&root, 0, put_elf(dir, "a", "aaa", 0));
	put_object(&root, 1, put_elf(dir, "b", "bbb", 0));
	put_object(&root, 2, put_elf(dir, "a", "aaa", 0));
	put_module(&root, 0, "/nosuch", 4096);
	call = put_call(&root, 0, "c");
	change_modules(&root, 1);
	fake_root_show(&root, "fake.1");
	assert_int_equal(server_new(dir, &server), 0);
	assert_int_equal(tree_echo(server, "fake.1/events/enable", "1"), 0);
	rows = (void *)(root.mem + root.control->objects_off);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int row = 0; row < 3; row++)
			rows[row].since = cases[i].since[row];
		assert_memory_equal(line_of(server, &root, call, FUNCTION, 0),
				    cases[i].line, strlen(cases[i].line));
	}
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

/* Files of 40 MiB: only one of them is read, and only once, wherever it is loaded. */
static void a_root_has_a_budget(void **state)
{
	uint64_t bytes = 40u << 20;
	char dir[128], unnamed[64];
	struct fake_root root;
	struct server *server;
	uint32_t call;

	(void)state;
	fake_dir_make(dir);
	fake_root_make(&root, dir, "fake.1");
	put_module(&root, 0, put_elf(dir, "a", "aaa", bytes), BASE);
	put_module(&root, 1, put_elf(dir, "b", "bbb", bytes), BASE + 0x10000);
	put_module(&root, 2, put_elf(dir, "b", "bbb", bytes), BASE + 0x20000);
	call = put_call(&root, 2, "c");
	change_modules(&root, 7);
	fake_root_show(&root, "fake.1");
	assert_int_equal(server_new(dir, &server), 0);
	assert_int_equal(tree_echo(server, "fake.1/events/enable", "1"), 0);
	assert_memory_equal(line_of(server, &root, call, FUNCTION + 0x20000, 0),
			    "call: bbb ", 10);
	assert_memory_equal(line_of(server, &root, call, FUNCTION + 0x10000, 0),
			    "call: bbb ", 10);
	snprintf(unnamed, sizeof(unnamed), "call: 0x%llx ", FUNCTION);
	assert_memory_equal(line_of(server, &root, call, FUNCTION, 0), unnamed,
			    strlen(unnamed));
	server_free(server);
	fake_root_done(&root);
	fake_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(plt_entries_are_found),
		cmocka_unit_test(names_are_plain),
		cmocka_unit_test(another_build_is_refused),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(fuse_is_not_waited_for),
		cmocka_unit_test(links_are_followed),
		cmocka_unit_test(links_of_proc_are_followed),
		cmocka_unit_test(no_more_is_read_than_allowed),
		cmocka_unit_test(broken_files_are_survived),
		cmocka_unit_test(trace_has_names),
		cmocka_unit_test(names_are_of_the_right_module),
		cmocka_unit_test(names_are_of_their_time),
		cmocka_unit_test(a_root_has_a_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
