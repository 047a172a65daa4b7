/* SPDX-License-Identifier: MIT */
/*
 * C++ functions of each kind, called in turn; only once if there is no argument.  SIGUSR1:
 * load the library that the argument names, and call its functions, too.
 */
#include <csignal>
#include <cstddef>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

#define CALLED	__attribute__((__noipa__))

static int keep(int x)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return x;
}

namespace db {
struct WriteOptions {};

class DBImpl {
public:
	CALLED int Write(const WriteOptions &, int x) { return keep(x); }
	CALLED int Write(int x) const { return keep(x); }
	CALLED int Put(const WriteOptions &, const char *key) { return keep(*key); }
	CALLED bool operator<(const DBImpl &) const { return keep(0); }
	CALLED int operator()(int x) { return keep(x); }
	CALLED int operator[](int x) { return keep(x); }
	CALLED operator unsigned int() const { return (unsigned int)keep(1); }
	CALLED void *operator new(size_t bytes) { return ::operator new(bytes); }
	template <class T> CALLED T get(T x) { return keep(0), x; }
};

template <class K, class V> struct Map {
	CALLED int put(K key, V value) { return keep((int)(key + value)); }
};
}

namespace {
CALLED int hidden(int x) { return keep(x); }
}

CALLED int area(unsigned int a, unsigned int b) { return keep((int)(a * b)); }
CALLED int text(const char *s) { return keep(*s); }
CALLED int text(const char *s, int x) { return keep(*s + x); }
CALLED std::string join(const std::string &s) { return s; }
extern "C" CALLED int plain(int x) { return keep(x); }

static volatile sig_atomic_t must_load;

static void on_signal(int)
{
	must_load = 1;
}

int main(int, char **argv)
{
	auto lambda = [](int x) CALLED { return keep(x); };
	db::DBImpl *db = new db::DBImpl;
	int (*late)(int) = NULL;
	db::Map<int, long> map;

	signal(SIGUSR1, on_signal);
	do {
		usleep(1000);
		db->Write(db::WriteOptions(), 1);
		db->Write(2);
		db->Put(db::WriteOptions(), "key");
		keep(*db < *db);
		(*db)(1);
		(*db)[1];
		keep((int)(unsigned int)*db);
		db->get(1);
		db->get(2.0);
		map.put(1, 2);
		hidden(1);
		area(1, 2);
		text("a");
		text("b", 1);
		join("c");
		plain(1);
		lambda(1);
		if (must_load && !late)
			late = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "late");
		if (late)
			late(1);
	} while (argv[1]);
	delete db;
	return 0;
}
