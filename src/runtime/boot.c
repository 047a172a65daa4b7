/* SPDX-License-Identifier: MIT */
/*
 * Boot settings (event/boot.h).  The runtime stores their text where the server finds it,
 * and the program waits until the server has applied the settings.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/config.h"
#include "event/boot.h"
#include "runtime/agent.h"
#include "runtime/base/lock.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/base/server_wait.h"
#include "runtime/boot.h"
#include "runtime/event/boot_events.h"
#include "runtime/event/caller.h"
#include "runtime/event/module.h"
#include "runtime/follow.h"
#include "runtime/function/object.h"
#include "runtime/init.h"
#include "runtime/unwind/image.h"
#include <ulf/event.h>

#define HOLD_SECONDS	5		/* longest wait for settings that the
					 * user has asked for, s */
#define TRACE_VARIABLE	"ULF_TRACE="	/* prefix of the environment variable with the boot
					 * settings */
#define RINGS_SECONDS	2		/* longest wait for rings that trace_printk()
					 * may need, s */

/* True if a server is running, and no wait for its answer has failed so far. */
static bool has_answers;

/* True if no compiler has prepared the program and its libraries: it may be a wrapper
 * (timeout, env, sh), or load modules later.  Then the boot settings stay in the
 * environment, for the programs that this program starts. */
static bool is_plain;
/* True if no compiler has prepared the program (is_plain), and no boot setting is about functions
 * or names events of libulf itself: every program has these.  Then the boot settings wait until
 * the first object with events or traceable functions is loaded. */
static bool is_later;

static const struct runtime_source *source;	/* source of the boot settings; NULL
						 * means the environment and the
						 * configuration file */

/* ---- store the boot settings in the control block of a new root ---- */

void boot_set_source(const struct runtime_source *given)
{
	source = given;
}

/* Store the boot settings that @source contains. */
static void fill_given(struct abi_control *c)
{
	c->run_id = source->run_id;
	if (strlen(source->words) >= sizeof(c->boot)) {
		c->boot_state = ABI_BOOT_TOO_LONG;
		return;
	}
	strcpy(c->boot, source->words);
	if (*c->boot)
		c->boot_state = ABI_BOOT_WANTED;
	boot_name_buffers(c->boot);
	has_answers = c->boot_state && server_is_there();
	c->hold = has_answers;
}

/* Fill in the text of the boot settings: first those of the configuration file, then those
 * of the environment. */
static void fill_words(struct abi_control *c)
{
	const char *words = getenv("ULF_TRACE");
	int r = config_words(c->comm, c->boot, sizeof(c->boot));
	size_t used = strlen(c->boot);

	if (words && strlen(words) >= sizeof(c->boot) - used)
		r = -E2BIG;
	else if (words)
		strcpy(c->boot + used, words);
	if (r == -E2BIG)
		c->boot[0] = '\0';
	if (r)
		c->boot_state = r == -E2BIG ? ABI_BOOT_TOO_LONG : ABI_BOOT_NO_CONFIG;
	else if (*c->boot)
		c->boot_state = ABI_BOOT_WANTED;
	boot_name_buffers(c->boot);
}

/* Returns true if a setting in @words is about functions. */
static bool are_about_functions(const char *words)
{
	static const enum boot_id ids[] = {
		BOOT_TRACER, BOOT_FILTER, BOOT_STACK, BOOT_STACK_FILTER, BOOT_SYSCALLS,
		BOOT_USDT,
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (boot_has(words, ids[i]))
			return true;
	return false;
}

void boot_fill(struct abi_control *c, const char *dir)
{
	const char *run_id;

	server_init(dir);
	if (source) {
		fill_given(c);
		return;
	}
	run_id = getenv("ULF_HOLD");
	fill_words(c);
	if (run_id)
		c->run_id = (uint32_t)strtoul(run_id, NULL, 10);
	is_plain = (run_id || getenv("ULF_TRACE")) && !object_any_new();
	is_later = is_plain && !are_about_functions(c->boot) && !boot_has_own(c->boot);
	if (is_later) {
		if (c->boot_state == ABI_BOOT_WANTED)
			c->boot_state = ABI_BOOT_LATER;
		return;
	}
	has_answers = run_id || (c->boot_state && server_is_there());
	c->hold = has_answers;
}

/*
 * Adapt the settings in a program that no compiler has prepared, and into which `ulf run'
 * has loaded libulf for its functions.  The settings stay in the environment for the
 * programs that this program starts, where a missing function is no error.  The pointer in
 * the environment is replaced, because setenv() must not be called before main(): a program
 * may have a setenv() of its own, as bash has.
 */
static void relax_settings(void)
{
	static char relaxed[ABI_BOOT_BYTES];
	const char *words = getenv("ULF_TRACE");

	if (!words || !getenv("ULF_HOLD") || boot_has(words, BOOT_FOLLOW) ||
	    !are_about_functions(words) ||
	    snprintf(relaxed, sizeof(relaxed), TRACE_VARIABLE "%s follow", words) >=
	    (int)sizeof(relaxed))
		return;
	for (char **variable = environ; *variable; variable++)
		if (!strncmp(*variable, TRACE_VARIABLE, strlen(TRACE_VARIABLE)))
			*variable = relaxed;
}

void boot_root_made(void)
{
	if (is_plain && !source)
		relax_settings();
	if (is_plain || source || follow_is_wanted())
		return;
	unsetenv("ULF_TRACE");
	unsetenv("ULF_HOLD");
}

/* Mark the boot settings as wanted, because objects that can be traced have been
 * loaded.  The server applies these settings when a process asks it next.  Returns
 * false if there is nothing to mark: another thread has already marked the settings,
 * or no boot settings wait for objects. */
static bool take_words(void)
{
	uint32_t later = ABI_BOOT_LATER;

	if (!__atomic_exchange_n(&is_later, false, __ATOMIC_RELAXED))
		return false;
	__atomic_compare_exchange_n(&root_control->boot_state, &later, ABI_BOOT_WANTED, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);	/* [boot.state] */
	has_answers = *root_boot() && server_is_there();
	return true;
}

bool boot_is_later(void)
{
	return __atomic_load_n(&is_later, __ATOMIC_RELAXED);
}

bool boot_objects_coming(void)
{
	return boot_is_later() && object_any_new() && take_words();
}

void boot_report_no_root(const char *dir, int error)
{
	const char *run_id = source ? NULL : getenv("ULF_HOLD");

	if (!run_id)
		return;
	server_init(dir);
	server_report_no_root((uint32_t)strtoul(run_id, NULL, 10), (uint32_t)-error);
}

/* Returns true while the server holds this program, which waits in libulf's
 * constructor. */
static bool is_held(void)
{
	/* acquire: the boot settings; mate: make_ready() of the server [boot.hold] */
	return __atomic_load_n(&root_control->hold, __ATOMIC_ACQUIRE) == 1;
}

void boot_wait(void)
{
	struct server_wait wait = { 0 };

	while (has_answers && is_held())
		has_answers = server_wait(&wait, &root_control->hold, 1, HOLD_SECONDS);
}

static bool is_before(uint32_t number, uint32_t wanted)
{
	return (int32_t)(number - wanted) < 0;
}

/* Wait until the number of the server's last answer is @wanted or higher.  An answer
 * has the number of its question, and these numbers only grow.  Returns false if the
 * wait has failed. */
static bool wait_for_answer(uint32_t wanted, uint32_t seconds)
{
	const uint32_t *answered = &root_control->answered;
	struct server_wait wait = { 0 };
	uint32_t seen;

	/* acquire: the settings; mate: answer_program() of the server [boot.answer] */
	while (is_before(seen = __atomic_load_n(answered, __ATOMIC_ACQUIRE), wanted))
		if (!server_wait(&wait, answered, seen, seconds))
			return false;
	return true;
}

/*
 * Sleep until *@word is not @value, but at most one second.  Returns false if
 * HOLD_SECONDS have passed since the first call with @deadline.  @deadline: is 0 at
 * the first call, which sets it.  All calls of one wait share it, because other
 * processes may change the word again and again.
 */
static bool wait_more(const uint32_t *word, uint32_t value, uint64_t *deadline)
{
	struct timespec now, left = { 1, 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!*deadline)
		*deadline = (uint64_t)now.tv_sec + HOLD_SECONDS;
	if ((uint64_t)now.tv_sec >= *deadline)
		return false;
	arch_syscall4(SYS_futex, word, FUTEX_WAIT, value, &left);
	return true;
}

/*
 * Number of the answer of the server, and number of the generation, for which a wait has failed;
 * 0: there is none.  No thread waits again before this answer has come or this generation is
 * applied, so that a server or an agent that hangs delays a program only once.
 */
static uint32_t missed_answer, missed_generation;
/* Number of failed waits for an answer.  An answer does not reset this number, because any
 * process of the root can store an answer. */
static uint32_t nr_missed;
#define MISSED_MAX	8u

static bool is_late(const uint32_t *word, const uint32_t *missed)
{
	uint32_t wanted = __atomic_load_n(missed, __ATOMIC_RELAXED);

	return wanted && is_before(__atomic_load_n(word, __ATOMIC_RELAXED), wanted);
}

static bool has_agent(void)
{
	return __atomic_load_n(&process_slot->flags, __ATOMIC_RELAXED) &
	       ABI_PROCESS_AGENT;
}

/* Wait until the agent of this process, if there is one, has applied the settings.  Do
 * not wait while the agent waits for functions of the program to return.  That could
 * be a deadlock, because these functions may need libc's lock of dlopen(), which this
 * thread may hold. */
static bool wait_for_agent(void)
{
	uint32_t generation = __atomic_load_n(&root_control->generation,
					      __ATOMIC_ACQUIRE);
	const uint32_t *applied = agent_applied();
	uint64_t deadline = 0;
	uint32_t seen;

	/* acquire: the agent has applied this generation; mate: the agent [agent.applied] */
	while (is_before(seen = __atomic_load_n(applied, __ATOMIC_ACQUIRE), generation) &&
	       has_agent() && !agent_is_calling()) {
		if (wait_more(applied, seen, &deadline))
			continue;
		__atomic_store_n(&missed_generation, generation, __ATOMIC_RELAXED);
		return false;
	}
	return true;
}

/* true: boot_wait_for_init() has got an answer, whose settings the agent must apply. */
static bool is_init_answered;

void boot_wait_functions(void)
{
	if (has_answers && (is_init_answered || root_has_boot(BOOT_TRACER) ||
			    root_has_boot(BOOT_FILTER) || root_has_boot(BOOT_STACK) ||
			    root_has_boot(BOOT_STACK_FILTER) || root_has_boot(BOOT_SYSCALLS) ||
			    root_has_boot(BOOT_USDT)))
		wait_for_agent();
}

/*
 * Ask the server to look at this root, and wait for its answer.  A new time stamp of
 * the root's directory notifies the server.  After a failed wait, this function does
 * not ask again before the awaited answer or generation has come, nor before the server
 * has shown a sign of life.  Returns false if there is no answer.
 */
static bool get_answer(uint32_t seconds)
{
	uint32_t question;

	if (__atomic_load_n(&nr_missed, __ATOMIC_RELAXED) >= MISSED_MAX || is_held() ||
	    is_late(&root_control->answered, &missed_answer) ||
	    is_late(agent_applied(), &missed_generation) || server_is_silent() ||
	    !server_is_there())
		return false;
	question = __atomic_add_fetch(&root_control->asked, 1, __ATOMIC_ACQ_REL); /* [boot.ask] */
	if (arch_syscall4(SYS_utimensat, AT_FDCWD, root_directory(), NULL, 0))
		return false;
	if (wait_for_answer(question, seconds))
		return true;
	__atomic_store_n(&missed_answer, question, __ATOMIC_RELAXED);
	__atomic_add_fetch(&nr_missed, 1, __ATOMIC_RELAXED);
	return false;
}

/* Ask the server as get_answer() does, and wait until the agent has applied the settings. */
static bool ask_server(uint32_t seconds)
{
	return get_answer(seconds) && wait_for_agent();
}

/* Wait until the settings for the events of @module are applied.  The server can add a
 * trigger only to an event that exists.  So the server must be asked again when a
 * module with events has been loaded. */
void boot_wait_for(const struct ulf_module *module)
{
	bool is_first = boot_is_later();

	if (!root_control || !process_slot)
		return;
	take_words();
	if (has_answers && (is_first || boot_has_rules(module)))
		has_answers = ask_server(HOLD_SECONDS);
	else if (boot_needs_rings(module))
		ask_server(RINGS_SECONDS);
}

/* Returns true if the boot settings have a trigger or a filter for an event of a registered
 * module.  The method init() of some parts has registered such modules. */
static bool has_rules(void)
{
	bool found = false;

	runtime_lock();
	for (const struct ulf_module *m = module_first(); m && !found; m = m->next)
		found = boot_has_rules(m);
	runtime_unlock();
	return found;
}

/* The agent starts later, so boot_wait_functions() waits for it. */
void boot_wait_for_init(void)
{
	if (has_answers && (boot_has_own(root_boot()) || has_rules()))
		is_init_answered = has_answers = get_answer(HOLD_SECONDS);
}

/* Wait until the settings for functions of loaded objects are applied.  Do not wait in
 * a probe or in the caller (event/caller.c): there the agent may be waiting for this
 * thread, so both would wait for ever. */
bool boot_wait_for_objects(void)
{
	const struct ulf_thread *thread = ulf_this_thread;
	bool is_in_probe = thread && thread->nesting & ULF_NESTING_MASK;

	return has_agent() && !is_in_probe && !caller_is_this() && ask_server(HOLD_SECONDS);
}

int boot_ask_for_tables(void)
{
	if (!root_control || !process_slot || !server_is_there())
		return -ENOTCONN;
	__atomic_or_fetch(&process_slot->flags, ABI_PROCESS_TABLES, __ATOMIC_RELAXED);
	/* The server cannot read /proc/PID/maps of a process that is not dumpable. */
	if (arch_syscall2(SYS_prctl, PR_GET_DUMPABLE, 0) != 1)
		image_report_all();
	return boot_wait_for_objects() ? 0 : -ETIMEDOUT;
}
