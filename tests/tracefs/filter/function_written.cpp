/* SPDX-License-Identifier: MIT */
/* C++ functions of each kind, which hit an event in turn. */
#include <unistd.h>
#include <utility>

#define CREATE_TRACE_POINTS
#include "function_written_trace.h"

#define CALLED	__attribute__((__noipa__))

/* Record the address in the caller to which this function returns. */
CALLED static int hit(const char *name)
{
	trace_written_hit(__builtin_return_address(0), name);
	return 1;
}

/* The addition keeps the compiler from a tail call. */
#define HIT(name) (hit(name) + 1)

namespace db {
struct WriteOptions {};

class DBImpl {
public:
	CALLED DBImpl() { value = HIT("constructor"); }
	CALLED int Write(const WriteOptions &, const char *) { return HIT("write_options"); }
	CALLED int Write(int) const { return HIT("write_int"); }
	CALLED int Put(int) && { return HIT("put"); }
	CALLED bool operator<(const DBImpl &) const { return HIT("less") > 5; }
	template <class T> CALLED int get(T) { return HIT("get"); }
	int value;
};
}

namespace other {
CALLED int Write(int) { return HIT("other_write"); }
}

namespace {
CALLED int hidden(int) { return HIT("hidden"); }
}

/* More functions of one name than a filter accepts. */
template <int N> CALLED int many() { return HIT("many"); }
template <int... N> static int call_many(std::integer_sequence<int, N...>)
{
	return (many<N>() + ...);
}

extern "C" CALLED int plain(int) { return HIT("plain"); }

int main()
{
	for (;;) {
		db::DBImpl impl;
		db::WriteOptions options;

		impl.Write(options, "");
		impl.Write(1);
		db::DBImpl().Put(1);
		impl.value += impl < impl;
		impl.get(1);
		impl.get(1.0);
		other::Write(1);
		hidden(1);
		plain(1);
		call_many(std::make_integer_sequence<int, 33>());
		usleep(1000);
	}
}
