/* SPDX-License-Identifier: MIT */
/*
 * A program without NOPs at its functions, whose first bytes are chosen.  The four bytes after the
 * first one are the distance of a jump.  Those of live_* lead below the program, where nothing is.
 * Where that of taken_several leads is memory of the program, so this function can be switched
 * only while the threads are stopped.  Workers call all functions and check the results.
 *
 *	live WORKERS [fork | PLUGIN]	ends when its input ends; prints `ok' or what was wrong
 *
 * fork: children call the functions, too.  PLUGIN: a library with a function live_plugin(): the
 * line `load' loads it, the line `call' calls the function, any other line unloads the library.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MAX 16
#define STACK 262144

#define FUNCTION(name, code)							\
	__asm__(".pushsection .text,\"ax\",@progbits\n\t.p2align 4\n\t"		\
		".globl " #name "\n\t.type " #name ",@function\n" #name ":\n\t"	\
		".cfi_startproc\n\t" code "\n\t.cfi_endproc\n\t"		\
		".size " #name ",.-" #name "\n\t.popsection");			\
	long name(long x)

/* Each function returns 3 x + 7. */
#define REST	"imulq $3,%rdi,%rax\n\taddq $7,%rax\n\t"

/* 55 48 89 e5 90: four instructions */
FUNCTION(live_several, "pushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbp,-16\n\t"
	 "movq %rsp,%rbp\n\tnop\n\tnop\n\t" REST "popq %rbp\n\t.cfi_def_cfa_offset 8\n\tret");
/* 53 90 90 90 90: instructions of one byte only */
FUNCTION(live_bytes, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbx,-16\n\t"
	 "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tmovq %rdi,%rbx\n\timulq $3,%rbx,%rax\n\t"
	 "addq $7,%rax\n\t"
	 "popq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");
/* b8 .. .. .. 90: one instruction */
FUNCTION(live_one, "movl $0x90000007,%eax\n\tsubl $0x90000000,%eax\n\t"
	 "leaq (%rdi,%rdi,2),%rdx\n\taddq %rdx,%rax\n\tret");
/* 89 f8 90 90 90: live_middle jumps to the third byte */
FUNCTION(live_entered, "movl %edi,%eax\n\t.globl live_inside\nlive_inside:\n\tnop\n\tnop\n\t"
	 "nop\n\tnop\n\t" REST "ret");
FUNCTION(live_middle, "movl $0x90000000,%eax\n\tjmp live_inside");
/* 41 54 49 89 fc 90: memory of the program is where the first four bytes after the 41 lead.  With
 * the second byte as the opcode, the distance is another one. */
FUNCTION(live_prefix, "pushq %r12\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %r12,-16\n\t"
	 "movq %rdi,%r12\n\tnop\n\timulq $3,%r12,%rax\n\taddq $7,%rax\n\t"
	 "popq %r12\n\t.cfi_def_cfa_offset 8\n\tret");
/* 53 89 fb 90 fc */
FUNCTION(taken_several, "pushq %rbx\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbx,-16\n\t"
	 "movl %edi,%ebx\n\tnop\n\tcld\n\t" REST "popq %rbx\n\t.cfi_def_cfa_offset 8\n\tret");

static const struct {
	const char *name;
	long (*function)(long x);
} functions[] = {
	{ "live_several", live_several }, { "live_bytes", live_bytes }, { "live_one", live_one },
	{ "live_entered", live_entered }, { "live_middle", live_middle },
	{ "live_prefix", live_prefix }, { "taken_several", taken_several },
};
#define NR (sizeof(functions) / sizeof(functions[0]))

static atomic_int is_over, nr_wrong;
static atomic_long nr_rounds;

static void call_all(long x)
{
	for (unsigned int i = 0; i < NR; i++)
		if (functions[i].function(x) != 3 * x + 7)
			nr_wrong++;
}

static void *work(void *arg)
{
	long x = (long)arg;

	while (!is_over) {
		call_all(x++ % 1000);
		nr_rounds++;
	}
	return NULL;
}

static void *forks(void *arg)
{
	int status;

	while (!is_over) {
		pid_t pid = fork();

		if (!pid) {
			nr_wrong = 0;
			for (long x = 0; x < 1000; x++)
				call_all(x);
			_exit(nr_wrong != 0);
		}
		if (pid > 0 && (waitpid(pid, &status, 0) != pid || status))
			nr_wrong++;
		usleep(1000);
	}
	return arg;
}

/* Map a page where the jump at the first byte of @function leads. */
static void take(long (*function)(long x))
{
	/* The address of the second byte must not stay on the stack: it looks like that of a thread
	 * which is there. */
	const struct {
		char opcode;
		int distance;
	} __attribute__((packed)) *code = (const void *)function;
	char *at = (char *)(((uintptr_t)code + sizeof(*code) + (uintptr_t)(long)code->distance) &
			    -4096ul);

	if (mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
	    at) {
		puts("no memory");
		exit(1);
	}
}

/* Load the plugin, call its function, and unload it when the next line comes. */
static void use_plugin(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW);
	long (*function)(long x) = plugin ? (long (*)(long))dlsym(plugin, "live_plugin") : NULL;
	char line[16];

	printf(function ? "loaded\n" : "%s\n", dlerror());
	fflush(stdout);
	while (function && fgets(line, sizeof(line), stdin) && !strcmp(line, "call\n"))
		if (function(5) != 22)
			nr_wrong++;
	if (plugin)
		dlclose(plugin);
	puts("unloaded");
	fflush(stdout);
}

/* Start a thread whose stack has nothing next to it.  The stopper reads a stack up to where
 * memory ends, and a library may be mapped above it. */
static void start(pthread_t *thread, void *(*run)(void *arg), long arg)
{
	char *mem = mmap(NULL, STACK + 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;

	mprotect(mem + 4096, STACK, PROT_READ | PROT_WRITE);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, mem + 4096, STACK);
	if (pthread_create(thread, &attr, run, (void *)arg))
		exit(1);
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[WORKERS_MAX + 1];
	int nr_threads = 0;
	char line[16];

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	take(live_prefix);
	take(taken_several);
	for (unsigned int i = 0; i < NR; i++)
		printf("%s %p\n", functions[i].name, (void *)functions[i].function);
	while (nr_threads < nr && nr_threads < WORKERS_MAX) {
		start(&threads[nr_threads], work, nr_threads);
		pthread_setname_np(threads[nr_threads++], "worker");
	}
	if (argc > 2 && !strcmp(argv[2], "fork"))
		start(&threads[nr_threads++], forks, 0);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		if (argc > 2 && !strcmp(line, "load\n"))
			use_plugin(argv[2]);
	is_over = 1;
	while (nr_threads--)
		pthread_join(threads[nr_threads], NULL);
	if (nr_wrong)
		printf("%d wrong\n", nr_wrong);
	else
		puts(nr_rounds > 100 ? "ok" : "too few rounds");
	return 0;
}
