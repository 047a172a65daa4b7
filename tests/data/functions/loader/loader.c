/* SPDX-License-Identifier: MIT */
/*
 * Loads libraries (lib.c) on request.  The program reads lines `WORD FILE`, and answers each
 * with `done`, or with what went wrong.  A function of a library is called right after the
 * library was loaded.
 *
 *	load		and keep it
 *	unload		the library that was kept last
 *	moment		load and unload
 *	fork, vfork	load and unload in a child
 *	threads		load and unload in some threads, again and again; %c in FILE is
 *			another letter in each
 *	hide		from now on other processes cannot read this one
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS	4
#define TIMES	25
#define FILE_BYTES 256

static const char *answer;

static void *load(const char *file)
{
	int (*const *called)(int x);
	void *library;

	errno = 77;
	library = dlopen(file, RTLD_NOW);
	if (errno != 77)
		answer = "errno";
	if (!library) {
		answer = "nothing";
		return NULL;
	}
	called = dlsym(library, "called");
	if (!called || (*called)(3) != 3)
		answer = "a wrong result";
	return library;
}

static void moment(const char *file)
{
	void *library = load(file);

	if (library)
		dlclose(library);
}

static void *moments(void *file)
{
	for (int i = 0; i < TIMES; i++)
		moment(file);
	return NULL;
}

static void in_threads(const char *file)
{
	char files[THREADS][FILE_BYTES];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		snprintf(files[i], sizeof(files[i]), file, 'c' + i);
		if (pthread_create(&threads[i], NULL, moments, files[i]))
			abort();
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void in_child(int pid, const char *file)
{
	int status;

	if (!pid) {
		moment(file);
		_exit(strcmp(answer, "done"));
	}
	if (waitpid(pid, &status, 0) != pid || status)
		answer = "a child that failed";
}

int main(void)
{
	char word[16], file[FILE_BYTES];
	void *library = NULL;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (scanf("%15s %255s", word, file) == 2) {
		answer = "done";
		if (!strcmp(word, "load"))
			library = load(file);
		else if (!strcmp(word, "unload"))
			dlclose(library);
		else if (!strcmp(word, "moment"))
			moment(file);
		else if (!strcmp(word, "fork"))
			in_child(fork(), file);
		else if (!strcmp(word, "vfork"))
			in_child(vfork(), file);
		else if (!strcmp(word, "threads"))
			in_threads(file);
		else if (!strcmp(word, "hide"))
			prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		puts(answer);
	}
}
