/* SPDX-License-Identifier: MIT */
/* Names of functions as users write them: where a token ends, and which names it matches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "symbols/function_name.h"

/* `|` ends a token. */
static void words_end(void **state)
{
	static const char *const cases[] = {
		"f| g",				"f|\ng",
		"f|\tg",			"f:traceoff:3| g",
		"|",				"ns::f| ns::g",
		"f(unsigned int, int)| g",	"f(int) const| g",
		"f(int) const volatile &&| g",	"f(int)|  constant",
		"f(int) const:traceoff| g",	"f(int)| (anonymous namespace)::g",
		"(anonymous namespace)::f| g",	"std::vector<int, A<int> >::f(int)| g",
		"operator new|",		"operator new(unsigned long)| g",
		"A::operator unsigned int|",	"A::operator<| g",
		"A::operator<<| g",		"A::operator()| g",
		"A::operator()(int, int)| g",	"A::operator->| g",
		"f(int) [clone .part.0]| g",	"f()::{lambda(int, int)#1}::operator()| g",
		"f(int,|\nint)",		"operatorx| g",
		"my_operator| g",		"A<&A::operator< >::f| g",
		"A<(1>2), int>::f| g",		"f(int) [clone .part.0] [clone .isra.0]| g",
		"!ns::f(a, b)| g",		"f*[a-z]?| g",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strcspn(cases[i], "|");
		char text[256];

		memcpy(text, cases[i], len);
		strcpy(text + len, cases[i] + len + 1);
		if (function_word_len(text, strlen(text)) != len)
			fail_msg("%s: %zu", cases[i], function_word_len(text, strlen(text)));
	}
	assert_int_equal(function_word_len("f\0g", 3), 1);
	assert_int_equal(function_word_len("f(a b", 5), 5);
}

/* A list is written in parts, which may end anywhere.  The tokens do not depend on the cuts:
 * the last token of a part continues in the next part. */
static void cut_words_go_on(void **state)
{
	static const char list[] =
		"f(int) const\nns::g(a, b) volatile &&\nh() [clone .part.0] [clone .isra.0]\n"
		"f(int) noexcept next(int) \nconst_name\nf(int) g\nA::operator()(int) const &\n";
	static const char *const words[] = {
		"f(int) const", "ns::g(a, b) volatile &&",
		"h() [clone .part.0] [clone .isra.0]", "f(int) noexcept", "next(int)",
		"const_name", "f(int)", "g", "A::operator()(int) const &",
	};

	(void)state;
	for (size_t cut = 0; cut < sizeof(list); cut++) {
		size_t at = 0, nr = 0, bytes = sizeof(list) - 1;

		while (at < bytes) {
			size_t end = at < cut ? cut : bytes, len;

			len = function_word_len(list + at, end - at);
			if (at + len == end && end == cut)
				len = function_word_len(list + at, bytes - at);
			if (nr == ARRAY_SIZE(words) || len != strlen(words[nr]) ||
			    memcmp(list + at, words[nr], len))
				fail_msg("cut at %zu: '%.*s'", cut, (int)len, list + at);
			nr++;
			for (at += len; at < bytes && strchr(" \n", list[at]); at++)
				;
		}
		assert_int_equal(nr, ARRAY_SIZE(words));
	}
	assert_int_equal(function_word_len("f(int) c", 8), 8);
	assert_int_equal(function_word_len("f(int) ", 7), 7);
	assert_int_equal(function_word_len("f(int)\n", 7), 6);
	assert_int_equal(function_word_len("f(int) \n", 8), 6);
	assert_int_equal(function_word_len("f(int) cons\n", 12), 6);
	assert_int_equal(function_word_len("f(int) x", 8), 6);
	assert_int_equal(function_word_len("f ", 2), 1);
}

/* A `#` stands for the colon of a command here. */
static void commands_begin(void **state)
{
	static const char *const cases[] = {
		"f", "ns::f", "f#traceoff:3", "ns::f#traceoff", "ns::f#mod:libx",
		"#mod:x", "f(std::string)#traceoff", "f[abi:cxx11]#traceoff",
		"f[abi:cxx11](int) const#traceoff:3", "operator new#traceoff",
		"A<std::x>::operator std::x#traceoff", "*::f*#traceoff",
		"f#enable_event:sys:event", "(anonymous namespace)::f#dump", "f::", "::f",
		"f#traceoff::", "{lambda(a::b)#1}::f",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *mark = strrchr(cases[i], '#');
		char text[256];
		const char *colon;

		strcpy(text, cases[i]);
		if (mark && mark[1] == '1')
			mark = NULL;
		if (mark)
			text[mark - cases[i]] = ':';
		colon = function_word_colon(text, strlen(text));
		if ((colon ? colon - text : -1) != (mark ? mark - cases[i] : -1))
			fail_msg("%s", cases[i]);
	}
}

static void items_end(void **state)
{
	(void)state;
	assert_int_equal(function_item_len("f,g", 3), 1);
	assert_int_equal(function_item_len("f(a, b),g", 9), 7);
	assert_int_equal(function_item_len("A<a, b>::f,g", 12), 10);
	assert_int_equal(function_item_len("A::operator,,g", 14), 12);
	assert_int_equal(function_item_len("operator new,g", 14), 12);
	assert_int_equal(function_item_len(",g", 2), 0);
	assert_int_equal(function_item_len("", 0), 0);
}

static void names_are_shown(void **state)
{
	static const struct {
		const char *plain, *shown;
	} cases[] = {
		{ "f(int)", "f(int)" },
		{ "int f<int>(int)", "f<int>(int)" },
		{ "std::map<int, char> const& ns::f<int>(int) const",
		  "ns::f<int>(int) const" },
		{ "char const* f<int>()", "f<int>()" },
		{ "A::operator bool() const", "A::operator bool() const" },
		{ "bool operator< <int>(A<int> const&)", "operator< <int>(A<int> const&)" },
		{ "A::operator unsigned int() const", "A::operator unsigned int() const" },
		{ "operator\"\" _x(char const*)", "operator\"\" _x(char const*)" },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f(int)" },
		{ "f(int) [clone .part.0]", "f(int) [clone .part.0]" },
		{ "decltype (a((b))) f<int>(int)", "f<int>(int)" },
		{ "f(void (*)(int))", "f(void (*)(int))" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(function_name_shown(cases[i].plain), cases[i].shown);
}

static const char name[] = "ns::Map<int, char const*>::put<long>(int, ns::A const&) const";
static const char clone[] = "ns::f[abi:cxx11](char const*) [clone .constprop.0]";
static const char hidden[] = "(anonymous namespace)::f(unsigned int, int)";
static const char call[] = "main::{lambda(int)#1}::operator()(int) const";
static const char less[] = "bool ns::operator< <int>(int)";

/* Names of up to FUNCTION_SEARCH_MAX bytes are searched.  No name of 4 KiB is read or written
 * beyond its end. */
static void long_names_are_bounded(void **state)
{
	static struct function_pattern pattern;
	static char plain[ELF_NAME_MAX + 1];

	(void)state;
	assert_true(function_pattern_init(&pattern, "*::f", 4));
	for (size_t len = 8; len <= ELF_NAME_MAX; len++) {
		memset(plain, 'a', len);
		memcpy(plain + len - 6, "::f(x)", 6);
		plain[len] = '\0';
		assert_int_equal(function_pattern_match(&pattern, plain),
				 len <= FUNCTION_SEARCH_MAX ? RUNG_GLOB : RUNG_NONE);
		memset(plain, '(', len);
		function_pattern_match(&pattern, plain);
		memset(plain, '<', len);
		memcpy(plain, "f", 1);
		function_pattern_match(&pattern, plain);
	}
}

static void patterns_match(void **state)
{
	static const struct {
		const char *pattern, *plain;
		enum function_rung rung;
	} cases[] = {
		{ "ns::Map<int, char const*>::put<long>", name, RUNG_NAME },
		{ "ns::Map<int,char const*>::put<long>", name, RUNG_NAME },
		{ "ns::Map::put", name, RUNG_NAME },
		{ "ns::Map::put(int, ns::A const&)", name, RUNG_NAME },
		{ "ns::Map::put(int, ns::A const&) const", name, RUNG_NAME },
		{ "ns::Map::put(int, const ns::A&) const", name, RUNG_NAME },
		{ "ns::Map<int, const char *>::put<long>", name, RUNG_NAME },
		{ "Map::put", name, RUNG_SCOPED },
		{ "put", name, RUNG_SCOPED },
		{ "put<long>", name, RUNG_SCOPED },
		{ "put(int, ns::A const&)", name, RUNG_SCOPED },
		{ "ns::Map::p*", name, RUNG_GLOB },
		{ "*::put", name, RUNG_GLOB },
		{ "ns::*", name, RUNG_GLOB },
		{ "*put(int*", name, RUNG_GLOB },
		{ "Map::p?t", name, RUNG_SCOPED_GLOB },
		{ "pu", name, RUNG_NONE },
		{ "ap::put", name, RUNG_NONE },
		{ "ns::Map", name, RUNG_NONE },
		{ "put(int)", name, RUNG_NONE },
		{ "*A*", name, RUNG_NONE },		/* parameters are not part of the name */
		{ "char*", name, RUNG_NONE },		/* text in < > is not part of the name */
		{ "ns::f(char const*) [clone .constprop.0]", clone, RUNG_NAME },
		{ "ns::f[abi:cxx11](char const*) [clone .constprop.0]", clone, RUNG_NAME },
		{ "ns::f(char const*)", clone, RUNG_NAME },
		{ "ns::f(char const*)", "ns::f(char const*, int)", RUNG_GLOB },
		{ "ns::f", clone, RUNG_NAME },
		{ "f", clone, RUNG_SCOPED },
		{ "(anonymous namespace)::f", hidden, RUNG_NAME },
		{ "(anonymous namespace)::f(unsigned int,int)", hidden, RUNG_NAME },
		{ "f", hidden, RUNG_SCOPED },
		{ "f(unsigned int, int)", hidden, RUNG_SCOPED },
		{ "operator()", call, RUNG_SCOPED },
		{ "main::{lambda(int)#1}::operator()", call, RUNG_NAME },
		{ "ns::operator<", less, RUNG_NAME },
		{ "ns::operator< <int>", less, RUNG_NAME },
		{ "operator<", less, RUNG_SCOPED },
		{ "operator new", "operator new(unsigned long)", RUNG_NAME },
		{ "operator new[]", "operator new(unsigned long)", RUNG_NONE },
		{ "A::operator*", "A::operator*(int)", RUNG_NAME },
		{ "A::operator*", "A::operator/(int)", RUNG_GLOB },
		{ "A::operator[]", "A::operator[](int)", RUNG_NAME },
		{ "A::operator,", "A::operator,(int)", RUNG_NAME },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct function_pattern pattern;
		enum function_rung rung;

		assert_true(function_pattern_init(&pattern, cases[i].pattern,
						  strlen(cases[i].pattern)));
		rung = function_pattern_match(&pattern, cases[i].plain);
		if (rung != cases[i].rung)
			fail_msg("%s of %s: %d", cases[i].pattern, cases[i].plain, rung);
	}
}

static void clones_are_found(void **state)
{
	(void)state;
	assert_true(function_name_is_clone("execute.constprop.0", "execute", 7));
	assert_true(function_name_is_clone("execute.isra.0.part.1", "execute", 7));
	assert_true(function_name_is_clone("execute.llvm.123", "execute:x", 7));
	assert_false(function_name_is_clone("execute", "execute", 7));
	assert_false(function_name_is_clone("execute_all.part.0", "execute", 7));
	assert_false(function_name_is_clone("execute.cold", "execute", 7));
	assert_false(function_name_is_clone("execute.part.0.cold", "execute", 7));
}

/* Names come from files, and patterns from users, so any text must be read without harm. */
static void odd_texts_are_read(void **state)
{
	static const char *const tokens[] = {
		"operator", "<", ">", "(", ")", "{", "}", "[abi:", "[clone ", "]", " ",
		"::", ":", "const", "&", "f", "*", "->", ",", "\"\"", "!", "ns", "\n",
	};
	char text[ELF_NAME_MAX], shown[ELF_NAME_MAX];

	(void)state;
	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct function_pattern pattern;
		const char *colon;
		size_t len;

		text[0] = '\0';
		for (int i = rand() % 30; i >= 0; i--)
			strcat(text, tokens[(size_t)rand() % ARRAY_SIZE(tokens)]);
		len = strlen(text);
		assert_true(function_word_len(text, len) <= len);
		assert_true(function_item_len(text, len) <= len);
		colon = function_word_colon(text, len);
		assert_true(!colon || (*colon == ':' && colon < text + len));
		strcpy(shown, function_name_shown(text));
		if (function_pattern_init(&pattern, shown, strlen(shown)))
			function_pattern_match(&pattern, text);
	}
	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(function_word_len(text, sizeof(text) - 1), sizeof(text) - 1);
	function_name_shown(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_end),
		cmocka_unit_test(cut_words_go_on),
		cmocka_unit_test(commands_begin),
		cmocka_unit_test(items_end),
		cmocka_unit_test(names_are_shown),
		cmocka_unit_test(patterns_match),
		cmocka_unit_test(long_names_are_bounded),
		cmocka_unit_test(clones_are_found),
		cmocka_unit_test(odd_texts_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
