/* SPDX-License-Identifier: MIT */
/*
 * BTF of files that may be anything: functions with random parameters, in one piece or
 * two, then words and bytes of them changed.  Whatever comes of it, no register is said
 * to have two parameters, and none on the stack is said to be in one.
 *
 *	fuzz-fuzz_btf [COUNT [SEED]]
 */
#include <stdio.h>

#include "btf_file.h"

#define FUNCTIONS	8
#define PARAMS		9
#define CHANGES_MAX	8

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void name_of(uint64_t number, char name[4])
{
	snprintf(name, 4, "f%d", (int)(number % FUNCTIONS));
}

static void add_functions(struct btf *btf)
{
	static const char *const names[] = { "a", "b", "c", NULL };
	struct btf_file_param params[PARAMS];
	char name[4];

	for (int i = 0; i < FUNCTIONS; i++) {
		int nr = (int)random_below(PARAMS + 1);

		for (int k = 0; k < nr; k++)
			params[k] = (struct btf_file_param) {
				names[random_below(4)], (int)random_below(T_NR),
			};
		name_of(random_below(FUNCTIONS), name);
		btf_file_function(btf, name, (int)random_below(T_NR), params, nr,
				  random_below(8) ? BTF_FUNC_STATIC : BTF_FUNC_EXTERN);
	}
}

static void make_file(struct btf_file *file)
{
	btf_file_init(file);
	for (uint64_t nr = 1 + random_below(2); nr; nr--) {
		struct btf *btf = btf_file_types();

		if (!btf)
			abort();
		add_functions(btf);
		btf_file_add(file, btf);
		file->bytes += random_below(4);
	}
}

/* Small numbers are types, the next ones names. */
static void change(struct btf_file *file)
{
	uint32_t word = (uint32_t)(random_below(4) ? random_below(2 * T_NR) :
						     random_below(UINT32_MAX));
	uint64_t at = random_below(file->bytes - sizeof(word));

	if (random_below(2))
		memcpy(file->data + (at & ~3ull), &word, sizeof(word));
	else
		file->data[at] = (char)word;
}

static void check(bool is_true, const char *what)
{
	if (is_true)
		return;
	printf("%s\n", what);
	exit(1);
}

static void check_params(const struct elf_params *params)
{
	bool is_taken[ELF_ARG_REGS] = { false };

	for (uint32_t i = 0; i < params->nr; i++) {
		const struct elf_param *param = &params->rows[i];

		check(!param->name || strlen(param->name) < BTF_FILE_MAX, "a name");
		for (int k = 0; k < 2; k++) {
			uint8_t reg = param->regs[k];

			if (reg == ELF_NO_REG)
				continue;
			check(reg < ELF_ARG_REGS && !is_taken[reg], "a register");
			check(!param->is_on_stack, "stack and register");
			is_taken[reg] = true;
		}
	}
}

/* How many functions are found? */
static uint64_t try_file(struct btf_file *file)
{
	static const struct elf_symbols symbols;
	struct elf_deadline deadline = { .cpu_ns = UINT64_MAX };
	uint64_t bytes_left = 1 << 20, nr = 0;
	struct elf_btf *btf = btf_file_open(file, &symbols, &bytes_left,
					    &deadline);
	char name[4];

	for (int i = 0; btf && i < FUNCTIONS; i++) {
		struct elf_params *params;

		name_of((uint64_t)i, name);
		params = elf_btf_find(btf, name, &deadline);
		if (params)
			check_params(params);
		nr += params != NULL;
		free(params);
	}
	elf_btf_close(btf);
	return nr;
}

int main(int argc, char **argv)
{
	const char *torture = getenv("ULF_TORTURE");
	uint64_t count = torture && !strcmp(torture, "long") ? 2000000 : 10000;
	uint64_t seed = 1, found = 0;
	static struct btf_file file;

	if (argc > 1)
		count = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	for (uint64_t i = 0; i < count; i++) {
		random_state = (seed + i) * 0x9e3779b97f4a7c15 | 1;
		make_file(&file);
		for (uint64_t nr = random_below(CHANGES_MAX); nr; nr--)
			change(&file);
		found += try_file(&file);
	}
	check(found > count / 2, "hardly any function was found");
	printf("score: %llu files, %llu functions were found\n",
	       (unsigned long long)count, (unsigned long long)found);
	return 0;
}
