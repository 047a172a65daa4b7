/* SPDX-License-Identifier: MIT */
/*
 * The server's code for parsers.  Each job has its own parser process (parse_zygote.c), a
 * channel to this process, a memfd for the result, and a deadline.  The memfd is sealed
 * before the server reads a byte of the result.  So even a parser that is still alive cannot
 * change the result then.
 */
#include "symbols/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/posix_clock.h"
#include "symbols/parse_impl.h"
#include "symbols/parse_result.h"

#define OWNER_MAX	2u		/* maximum number of running jobs of one owner; jobs
					 * that answer queries (sessions) do not count */
#define JOBS_MAX	64u		/* maximum number of running jobs of all owners; jobs
					 * that answer queries (sessions) do not count */
#define SESSIONS_MAX	128u		/* maximum number of sessions (jobs that answer queries)
					 * of all owners */
#define IDLE_NS		60000000000ull	/* longest time without queries, after which a session
					 * ends, ns */
#define ASKS_MAX	16u		/* maximum number of separate debug files for which a
					 * job may ask */
#define GRACE_NS	2000000000ull	/* time from a parser's own time limit until the server
					 * kills the parser, ns */
#define QUERY_NS	5000000000ull	/* maximum time that a session may take to answer a
					 * query, ns */
#define NS_PER_S	1000000000ull
#define NS_PER_MS	1000000ull

enum state {
	RUNNING,
	OPEN,				/* the job is a session and waits for queries */
	ENDED,				/* the job has ended; @result says whether the
					 * job failed */
};

struct parse_job {
	LIST_ENTRY(parse_job) link;	/* list element: in the list parser.jobs while @channel
					 * is open; later in the list parser.ended while
					 * @is_news is true */
	bool is_news;			/* true: parse_next_ended() has not returned
					 * this job yet */
	void *owner;
	struct parse_request request;
	char *path;			/* path of the file to parse (see struct parse_want);
					 * NULL: the path is unknown */
	int channel, memfd, pidfd;	/* descriptors: channel to the parser, memfd of the
					 * result, pidfd of the parser; -1 if closed, or not
					 * received yet */
	enum state state;
	int result;			/* result of a job in state ENDED: 0 or -errno */
	const char *why;		/* text for error_log that says why the parser failed;
					 * NULL if the parser did not fail */
	uint64_t bytes_left;		/* number of bytes of the file that may still be read,
					 * as the parser has reported */
	uint64_t deadline_ns;		/* time at which the server kills the parser, ns
					 * of CLOCK_MONOTONIC; UINT64_MAX: never */
	uint32_t nr_asks;		/* number of separate debug files for which the parser
					 * has asked */
	bool is_asked;			/* true: this session has not answered the last
					 * query yet */
	struct parse_answer *answer;	/* buffer of PARSE_ANSWER_MAX bytes for the
					 * answer of a session; NULL if it is not
					 * allocated yet */
	uint32_t answer_bytes;		/* length of the answer in @answer; 0 if there is
					 * no answer */
};

/* The state of the server that all jobs share.  Only the main thread uses it. */
static struct {
	int zygote;			/* socket of the zygote; -1 if there is no zygote */
	int epoll;			/* epoll descriptor; -1 if the process has no
					 * event loop: then parse_start() waits for the
					 * result */
	uint64_t serial;		/* number that parse_serial() returns; it rises
					 * whenever a job makes progress */
	LIST_HEAD(, parse_job) jobs;	/* list of the jobs whose channel to the parser is
					 * open */
	LIST_HEAD(, parse_job) ended;	/* list of the jobs that parse_next_ended() has not
					 * returned yet */
} parser = { .zygote = -1, .epoll = -1 };

static const struct parse_job_type *job_type_of(const struct parse_job *job)
{
	return &parse_job_types[job->request.job];
}

/* ---- end a job ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* End @job: kill its parser if it still runs, and close everything except the result. */
static void end_job(struct parse_job *job)
{
	if (job->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, job->pidfd, SIGKILL, NULL, 0);
	if (job->channel >= 0) {
		if (parser.epoll >= 0)
			epoll_ctl(parser.epoll, EPOLL_CTL_DEL, job->channel, NULL);
		LIST_REMOVE(job, link);
		LIST_INSERT_HEAD(&parser.ended, job, link);
		job->is_news = true;
	}
	close_fd(&job->channel);
	close_fd(&job->pidfd);
	job->state = ENDED;
}

static void fail_job(struct parse_job *job, int result, const char *why)
{
	job->result = result;
	job->why = why;
	close_fd(&job->memfd);
	end_job(job);
}

/* Return a text for error_log that says why a parser ended.  @status: the parser's
 * status from waitpid(). */
static const char *why_parser_ended(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == PARSE_NO_SANDBOX ?
		       "The parser has no sandbox" :
		       WEXITSTATUS(status) == PARSE_NO_PROCESS ?
		       "No process could be started for the parser" :
		       "The parser gave no result";
	switch (WTERMSIG(status)) {
	case SIGXCPU:
	case SIGKILL:
		return "The parser needed too much CPU time or memory";
	case SIGALRM:
		return "The parser took too long";
	case SIGSYS:
		return "The parser made a forbidden system call";
	case SIGXFSZ:
		return "The parser's result is too large";
	default:
		return "The parser crashed";
	}
}

/* Seal the memfd @fd, so that no process can change the result any more. */
static bool seal_result(int fd)
{
	return !fcntl(fd, F_ADD_SEALS,
		      F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

/*
 * Handle the message that the parser has finished its job.  If the parser reports that
 * the file is malformed, the parser itself has not failed.
 */
static void finish_job(struct parse_job *job, const struct parse_message *message)
{
	job->bytes_left = min_u64(message->bytes_left, job->request.bytes_left);
	if (message->value == -ENOMEM)
		fail_job(job, -ENOMEM, "The parser ran out of memory");
	else if (message->value == -EFBIG)
		fail_job(job, -EFBIG, "The parser's result is too large");
	else if (message->value)
		fail_job(job, -ENOEXEC, NULL);
	else if (job_type_of(job)->serve) {
		close_fd(&job->memfd);
		job->state = OPEN;
		job->deadline_ns = clock_monotonic_ns() + IDLE_NS;
	} else if (!seal_result(job->memfd)) {
		fail_job(job, -EBADMSG, "The parser gave a wrong result");
	} else {
		end_job(job);
	}
}

/* ---- messages ---- */

/*
 * Store the answer of a session.  @bytes is at most PARSE_ANSWER_MAX, the size of the
 * buffer in receive_message().
 */
static void store_answer(struct parse_job *job, const void *data, ssize_t bytes)
{
	if (job->state != OPEN || !job->is_asked ||
	    bytes < (ssize_t)sizeof(struct parse_answer)) {
		fail_job(job, -EBADMSG, "The parser gave a wrong result");
		return;
	}
	memcpy(job->answer, data, (size_t)bytes);
	job->answer_bytes = (uint32_t)bytes;
	job->is_asked = false;
	job->deadline_ns = clock_monotonic_ns() + IDLE_NS;
}

/*
 * Open the file that the parser asks for, and send its descriptor.  Sending cannot
 * block: the socket has space for the answer.
 */
static void send_asked_file(struct parse_job *job, const struct elf_ask *ask)
{
	struct parse_message answer = { .type = PARSE_ASK };
	int fd = -1;

	if (job->nr_asks++ == ASKS_MAX) {
		fail_job(job, -EBADMSG, "The parser asked for too many files");
		return;
	}
	answer.value = elf_ask_open(job->path, ask, &fd);
	parse_send(job->channel, &answer, sizeof(answer), &fd, !answer.value);
	close_fd(&fd);
}

static void handle_message(struct parse_job *job, const void *data, ssize_t bytes)
{
	struct parse_message message;

	if (bytes >= (ssize_t)sizeof(uint32_t) &&
	    *(const uint32_t *)data == PARSE_ANSWER) {
		store_answer(job, data, bytes);
		return;
	}
	if (bytes != sizeof(message)) {
		fail_job(job, -EBADMSG, "The parser gave a wrong result");
		return;
	}
	memcpy(&message, data, sizeof(message));
	if (message.type == PARSE_ASK && job->state == RUNNING)
		send_asked_file(job, &message.ask);
	else if (message.type == PARSE_DONE && job->state == RUNNING)
		finish_job(job, &message);
	else if (message.type == PARSE_EXITED)
		fail_job(job, -EIO, why_parser_ended(message.value));
	else
		fail_job(job, -EBADMSG, "The parser gave a wrong result");
}

/*
 * Receive one message of a parser.  Returns false if there is no message.  Each message
 * ends the job, answers a query, or is counted against a limit.  So a parser cannot
 * keep the server busy with messages without end.
 */
static bool receive_message(struct parse_job *job)
{
	union {
		uint32_t type;
		char bytes[PARSE_ANSWER_MAX];
	} data;
	int fd = -1, nr = 0;
	ssize_t len;

	if (job->channel < 0)
		return false;
	len = parse_receive(job->channel, &data, sizeof(data), &fd, 1, &nr);
	if (len == -EAGAIN)
		return false;
	if (len <= 0) {
		fail_job(job, -EIO, "The parser crashed");
		return true;
	}
	/* The zygote sends PARSE_STARTED once for each parser.  handle_message() treats a
	 * second message of this type as an error. */
	if (nr && job->pidfd < 0 && data.type == PARSE_STARTED) {
		job->pidfd = fd;
		return true;
	}
	if (nr)
		close(fd);
	handle_message(job, &data, len);
	return true;
}

static bool is_session_idle(const struct parse_job *job)
{
	return job->state == OPEN && !job->is_asked;
}

static void check_job_deadline(struct parse_job *job)
{
	if (job->channel < 0 || clock_monotonic_ns() <= job->deadline_ns)
		return;
	if (is_session_idle(job))
		fail_job(job, -ECANCELED, NULL);
	else
		fail_job(job, -ETIME, "The parser took too long");
}

/* Wait until the job has ended, or the session has answered.  Waits at most until @until_ns
 * (CLOCK_MONOTONIC). */
static void wait_for_job(struct parse_job *job, uint64_t until_ns)
{
	while (job->state == RUNNING || job->is_asked) {
		struct pollfd fd = { .fd = job->channel, .events = POLLIN };
		uint64_t now = clock_monotonic_ns();

		if (job->channel < 0 || now >= until_ns)
			break;
		poll(&fd, 1, (int)min_u64((until_ns - now) / NS_PER_MS + 1, 1000));
		while (receive_message(job))
			;
		check_job_deadline(job);
	}
}

void parse_wait(struct parse_job *job, uint32_t ms)
{
	wait_for_job(job, clock_monotonic_ns() + ms * NS_PER_MS);
}

/* ---- start a job ---- */

int parse_init(bool is_async)
{
	int r = 0;

	/* Create the epoll descriptor first: with it, parse_start() does not wait for
	 * results, even if the zygote cannot be started. */
	if (is_async && parser.epoll < 0) {
		parser.epoll = epoll_create1(EPOLL_CLOEXEC);
		r = parser.epoll < 0 ? -errno : 0;
	}
	if (!r && parser.zygote < 0)
		r = parse_zygote_start(&parser.zygote);
	if (!r)
		fcntl(parser.zygote, F_SETFL, O_NONBLOCK);
	return r;
}

int parse_poll_fd(void)
{
	return parser.epoll;
}

bool parse_has_room(const void *owner)
{
	uint32_t nr = 0, nr_owner = 0;
	const struct parse_job *job;

	LIST_FOREACH(job, &parser.jobs, link) {
		if (job->state != RUNNING)
			continue;
		nr++;
		nr_owner += job->owner == owner;
	}
	return nr < JOBS_MAX && nr_owner < OWNER_MAX;
}

/* If there are too many sessions, end the session that has been idle for the longest time. */
static void end_oldest_session(void)
{
	struct parse_job *oldest = NULL, *job;
	uint32_t nr = 0;

	LIST_FOREACH(job, &parser.jobs, link) {
		nr += job->state == OPEN;
		if (is_session_idle(job) && (!oldest || job->deadline_ns < oldest->deadline_ns))
			oldest = job;
	}
	if (nr >= SESSIONS_MAX && oldest)
		fail_job(oldest, -ECANCELED, NULL);
}

/* Send the request of @job to the zygote.  If the zygote is dead, start another one. */
static int send_job_request(const struct parse_job *job, const int fds[PARSE_FDS])
{
	int r = parse_init(false);

	if (!r)
		r = parse_send(parser.zygote, &job->request, sizeof(job->request), fds,
			       PARSE_FDS);
	if (r != -EPIPE && r != -ECONNRESET)
		return r;
	close_fd(&parser.zygote);
	r = parse_init(false);
	return r ? r : parse_send(parser.zygote, &job->request, sizeof(job->request), fds,
				  PARSE_FDS);
}

/* Fill @fds with the descriptors of a request.  A missing descriptor is replaced by the
 * input, because a message has a fixed number of descriptors. */
static void list_fds(const struct parse_want *want, int channel, int memfd, int fds[PARSE_FDS])
{
	uint32_t cache = want->request.cache;

	fds[PARSE_FD_CHANNEL - PARSE_FD_CHANNEL] = channel;
	fds[PARSE_FD_RESULT - PARSE_FD_CHANNEL] = memfd;
	fds[PARSE_FD_INPUT - PARSE_FD_CHANNEL] = want->fd;
	fds[PARSE_FD_OLD - PARSE_FD_CHANNEL] =
		cache & PARSE_CACHE_OLD ? want->cache.old_fd : want->fd;
	fds[PARSE_FD_NEW - PARSE_FD_CHANNEL] =
		cache & PARSE_CACHE_NEW ? want->cache.new_fd : want->fd;
}

static int launch_job(struct parse_job *job, const struct parse_want *want)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = job };
	int sockets[2], fds[PARSE_FDS];
	int r;

	job->memfd = memfd_create("ulf: parsed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (job->memfd < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	fcntl(sockets[0], F_SETFL, O_NONBLOCK);
	list_fds(want, sockets[1], job->memfd, fds);
	r = send_job_request(job, fds);
	close(sockets[1]);
	if (r == -EAGAIN)
		r = -EBUSY;
	if (!r && parser.epoll >= 0 &&
	    epoll_ctl(parser.epoll, EPOLL_CTL_ADD, sockets[0], &event))
		r = -errno;
	if (r) {
		close(sockets[0]);
		return r;
	}
	job->channel = sockets[0];
	LIST_INSERT_HEAD(&parser.jobs, job, link);
	return 0;
}

static int start_job(const struct parse_want *want, struct parse_job **ret_job)
{
	uint32_t wall_s = parse_job_types[want->request.job].limits.wall_seconds;
	struct parse_job *job;
	int r;

	if (parser.epoll >= 0 && !parse_has_room(want->owner))
		return -EBUSY;
	end_oldest_session();
	job = calloc(1, sizeof(*job));
	if (!job)
		return -ENOMEM;
	*job = (struct parse_job){
		.owner = want->owner, .request = want->request,
		.path = want->path ? strdup(want->path) : NULL,
		.channel = -1, .memfd = -1, .pidfd = -1,
		.bytes_left = want->request.bytes_left,
		.deadline_ns = clock_monotonic_ns() + GRACE_NS + (wall_s ? wall_s : 15) * NS_PER_S,
	};
	r = launch_job(job, want);
	if (r) {
		parse_free(job);
		return r;
	}
	if (parser.epoll < 0)
		wait_for_job(job, UINT64_MAX);
	*ret_job = job;
	return 0;
}

int parse_start(const struct parse_want *want, struct parse_job **ret_job)
{
	int r = start_job(want, ret_job);

	close(want->fd);
	if (want->request.cache & PARSE_CACHE_OLD)
		close(want->cache.old_fd);
	if (want->request.cache & PARSE_CACHE_NEW)
		close(want->cache.new_fd);
	return r;
}

void parse_free(struct parse_job *job)
{
	if (!job)
		return;
	end_job(job);
	if (job->is_news)
		LIST_REMOVE(job, link);
	close_fd(&job->memfd);
	free(job->answer);
	free(job->path);
	free(job);
}

/* ---- results ---- */

int parse_poll(const struct parse_job *job)
{
	if (job->state == RUNNING)
		return -EINPROGRESS;
	return job->state == OPEN ? 0 : job->result;
}

const char *parse_why(const struct parse_job *job)
{
	return job->state == ENDED ? job->why : NULL;
}

uint64_t parse_bytes_read(const struct parse_job *job)
{
	return job->request.bytes_left - job->bytes_left;
}

struct parsed *parse_map_result(struct parse_job *job)
{
	struct parsed *parsed = NULL;
	struct stat st;
	void *map;

	if (job->state != ENDED || job->result || job->memfd < 0 ||
	    fstat(job->memfd, &st) || !st.st_size)
		return NULL;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, job->memfd, 0);
	close_fd(&job->memfd);
	if (map == MAP_FAILED)
		return NULL;
	parsed = calloc(1, sizeof(*parsed));
	if (!parsed) {
		munmap(map, (size_t)st.st_size);
		return NULL;
	}
	parsed->release = parsed_free;
	parsed->map = map;
	parsed->bytes = (uint64_t)st.st_size;
	return parsed;
}

int parse_query(struct parse_job *job, uint64_t addr)
{
	struct parse_message query = { .type = PARSE_QUERY, .addr = addr };

	if (job->state != OPEN)
		return -EPIPE;
	if (job->is_asked)
		return -EBUSY;
	if (!job->answer)
		job->answer = malloc(PARSE_ANSWER_MAX);
	if (!job->answer || parse_send(job->channel, &query, sizeof(query), NULL, 0)) {
		fail_job(job, -EIO, "The parser crashed");
		return -EPIPE;
	}
	job->is_asked = true;
	job->answer_bytes = 0;
	job->deadline_ns = clock_monotonic_ns() + QUERY_NS;
	if (parser.epoll < 0)
		wait_for_job(job, UINT64_MAX);
	return 0;
}

const struct parse_answer *parse_answer(struct parse_job *job, uint32_t *ret_bytes)
{
	*ret_bytes = job->answer_bytes;
	job->answer_bytes = 0;
	return *ret_bytes ? job->answer : NULL;
}

bool parse_dispatch(void)
{
	struct epoll_event events[32];
	struct parse_job *job, *next;
	bool is_further = false;
	int nr = parser.epoll < 0 ? 0 : epoll_wait(parser.epoll, events, 32, 0);

	for (int i = 0; i < nr; i++)
		while (receive_message(events[i].data.ptr))
			is_further = true;
	for (job = LIST_FIRST(&parser.jobs); job; job = next) {
		next = LIST_NEXT(job, link);
		check_job_deadline(job);
		is_further |= job->state == ENDED;
	}
	parser.serial += is_further;
	return is_further || !LIST_EMPTY(&parser.ended);
}

bool parse_is_running(void)
{
	const struct parse_job *job;

	LIST_FOREACH(job, &parser.jobs, link)
		if (job->state == RUNNING)
			return true;
	return false;
}

void *parse_next_ended(void)
{
	struct parse_job *job = LIST_FIRST(&parser.ended);

	if (!job)
		return NULL;
	LIST_REMOVE(job, link);
	job->is_news = false;
	return job->owner;
}

uint64_t parse_serial(void)
{
	return parser.serial;
}
