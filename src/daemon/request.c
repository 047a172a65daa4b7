/* SPDX-License-Identifier: MIT */
/*
 * Handle the requests on the CLI's socket.  Each request is a row of a table, with the
 * request's handler and the maximum size of its payload.  A handler answers at once or
 * parks the request.  A parked request is tried again on each tick.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fusemount.h"
#include "base/text.h"
#include "daemon/mounts.h"
#include "daemon/root_row.h"
#include "daemon/socket_impl.h"
#include "server/core/error_log.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/server_roots.h"
#include "server/names/objects.h"
#include "server/names/symbols.h"
#include "tracefs/tracefs.h"

#define PATH_BYTES	4096u

static void answer_result(struct client *client, int result)
{
	client_answer(client, result, NULL, 0);
}

/* Answer the request.  If the request has failed or caused a warning, also send the
 * entries of error_log that it has caused. */
static void answer_errors(struct client *client, int result)
{
	struct text *errors = &client->errors;
	bool is_warning = client->is_warning || error_log_is_warning();
	bool has_some = (result < 0 || is_warning) && errors->len && !errors->error;

	client_answer(client, result, has_some ? errors->data : NULL,
		      has_some ? errors->len : 0);
	text_reset(errors);
}

static void park_request(struct client *client)
{
	if (client->is_parked)
		return;
	client->is_parked = true;
	client->parked = client->request;
}

/* Return the payload of the request as a path.  If the payload contains a NUL, return
 * NULL after answering -EINVAL. */
static const char *path_of(struct client *client)
{
	if (strlen(client->payload) == client->request.bytes)
		return client->payload;
	answer_result(client, -EINVAL);
	return NULL;
}

static struct client_file *file_of(struct client *client, uint32_t number)
{
	if (number < ABI_SOCKET_FILES && client->files[number].file)
		return &client->files[number];
	answer_result(client, -EBADF);
	return NULL;
}

static void say_hello(struct client *client, const struct abi_request *request)
{
	if (request->value != ABI_SOCKET_VERSION)
		answer_result(client, -EPROTONOSUPPORT);
	else if (mounts_is_restoring(client->sockets->mounts) && request->offset != 1)
		park_request(client);
	else
		answer_result(client, (int)getpid());
}

static int open_number(struct client *client, const char *path, int flags)
{
	struct tracefs_node *node;
	uint32_t i;
	int ret;

	for (i = 0; i < ABI_SOCKET_FILES && client->files[i].file; i++)
		;
	if (i == ABI_SOCKET_FILES)
		return -EMFILE;
	ret = tracefs_walk(client->sockets->server, path, &node);
	if (ret < 0)
		return ret;
	ret = tracefs_open(node, flags, &client->files[i].file);
	tracefs_node_put(node);
	if (ret < 0) {
		client->files[i].file = NULL;
		return ret;
	}
	client->files[i].is_nonblocking = flags & O_NONBLOCK;
	return (int)i;
}

static void open_file(struct client *client, const struct abi_request *request)
{
	const int allowed = O_ACCMODE | O_TRUNC | O_APPEND | O_NONBLOCK;
	int terminal = request->offset == 1 ? TRACEFS_TERMINAL : 0;
	const char *path = path_of(client);

	if (!path)
		return;
	if (request->value & ~(uint32_t)allowed)
		answer_result(client, -EINVAL);
	else
		answer_errors(client,
			      open_number(client, path, (int)request->value | terminal));
}

static void read_file(struct client *client, const struct abi_request *request)
{
	struct client_file *file = file_of(client, request->file);
	struct sockets *sockets = client->sockets;
	size_t size = request->value;
	ssize_t ret;

	if (!file)
		return;
	if (size > ABI_SOCKET_READ_MAX)
		size = ABI_SOCKET_READ_MAX;
	if (request->offset > INT64_MAX) {
		answer_result(client, -EINVAL);
		return;
	}
	client->call = (struct tracefs_call){
		.op = TRACEFS_OP_READ,
		.file = file->file,
		.buf = sockets->io,
		.size = size,
		.offset = (off_t)request->offset,
		.is_nonblocking = file->is_nonblocking,
	};
	ret = tracefs_call_try(&client->call);
	if (ret == TRACEFS_PARKED) {
		park_request(client);
	} else if (ret < 0) {
		answer_result(client, (int)ret);
	} else {
		client_answer(client, (int)ret, sockets->io, (size_t)ret);
		client->reading = ret && client->answer ? file->file : NULL;
		if (!client->answer)
			tracefs_deliver(file->file, TRACEFS_REFUSED);
	}
}

static void write_file(struct client *client, const struct abi_request *request)
{
	struct client_file *file = file_of(client, request->file);
	ssize_t ret;

	if (!file)
		return;
	if (!client->is_parked)
		client->call = (struct tracefs_call){
			.op = TRACEFS_OP_WRITE,
			.file = file->file,
			.data = client->payload,
			.size = request->bytes,
			.tid = client->pid,
		};
	ret = tracefs_call_try(&client->call);
	if (ret == TRACEFS_PARKED)
		park_request(client);
	else
		answer_errors(client, (int)ret);
}

static void close_file(struct client *client, const struct abi_request *request)
{
	struct client_file *file = file_of(client, request->file);
	ssize_t ret;

	if (!file)
		return;
	if (!client->is_parked)
		client->call = (struct tracefs_call){
			.op = TRACEFS_OP_FLUSH,
			.file = file->file,
		};
	ret = tracefs_call_try(&client->call);
	if (ret == TRACEFS_PARKED) {
		park_request(client);
		return;
	}
	tracefs_close(file->file);
	file->file = NULL;
	answer_errors(client, (int)ret);
}

static int emit_entry(void *arg, const char *name, const struct stat *st)
{
	struct text *text = arg;

	text_putc(text, S_ISDIR(st->st_mode) ? 'd' : '-');
	text_write(text, name, strlen(name) + 1);
	return text->error;
}

static void answer_text(struct client *client, int result, struct text *text)
{
	if (result == 0)
		result = text->error;
	if (result < 0)
		answer_result(client, result);
	else
		client_answer(client, 0, text->data, text->len);
	text_done(text);
}

static void read_directory(struct client *client, const struct abi_request *request)
{
	const char *path = path_of(client);
	struct tracefs_node *node;
	struct text text;
	struct stat st = { 0 };
	int ret;

	(void)request;
	if (!path)
		return;
	ret = tracefs_walk(client->sockets->server, path, &node);
	if (ret < 0) {
		answer_result(client, ret);
		return;
	}
	text_init(&text, ABI_SOCKET_ANSWER_MAX);
	tracefs_stat(node, &st);
	if (S_ISDIR(st.st_mode))
		ret = tracefs_readdir(node, emit_entry, &text);
	else
		ret = -ENOTDIR;
	tracefs_node_put(node);
	answer_text(client, ret, &text);
}

/* Make or remove the directory whose path is the payload of the request. */
static void change_directory(struct client *client,
			     int (*change)(struct tracefs_node *dir, const char *name))
{
	const char *path = path_of(client), *slash = path ? strrchr(path, '/') : NULL;
	struct tracefs_node *node;
	char *parent;
	int ret;

	if (!path)
		return;
	parent = slash ? strndup(path, (size_t)(slash - path)) : NULL;
	ret = parent ? tracefs_walk(client->sockets->server, parent, &node) :
	      slash ? -ENOMEM : -EPERM;
	free(parent);
	if (ret == 0) {
		ret = change(node, slash + 1);
		tracefs_node_put(node);
	}
	answer_result(client, ret);
}

static void make_directory(struct client *client, const struct abi_request *request)
{
	(void)request;
	change_directory(client, tracefs_mkdir);
}

static void remove_directory(struct client *client, const struct abi_request *request)
{
	(void)request;
	change_directory(client, tracefs_rmdir);
}

static int emit_root(void *arg, const struct server_root_info *info)
{
	struct abi_root_row row;
	struct text *text = arg;

	root_row_fill(info, &row);
	text_write(text, &row, sizeof(row));
	return text->error;
}

static void list_roots(struct client *client, const struct abi_request *request)
{
	struct server *server = client->sockets->server;
	struct text text;
	int ret;

	if (request->value == ABI_LIST_ALL && !server_root_list_prepare(server)) {
		park_request(client);
		return;
	}
	text_init(&text, ABI_SOCKET_ANSWER_MAX);
	if (request->value == ABI_LIST_RUN)
		ret = server_root_list_run(server, (uint32_t)request->offset, emit_root,
					   &text);
	else
		ret = server_root_names(server, emit_root, &text);
	answer_text(client, ret, &text);
}

static void remove_root(struct client *client, const struct abi_request *request)
{
	const char *name = path_of(client);

	(void)request;
	if (name)
		answer_result(client, server_root_remove(client->sockets->server, name));
}

static void add_mount(struct client *client, const struct abi_request *request)
{
	const char *path = path_of(client);
	int ret;

	(void)request;
	if (!path)
		return;
	if ((*path && *path != '/') || client->passed_fd < 0 ||
	    !fusemount_is_device(client->passed_fd)) {
		answer_result(client, -EINVAL);
		return;
	}
	ret = mounts_add(client->sockets->mounts, path, client->passed_fd);
	if (ret >= 0)
		client->passed_fd = -1;
	answer_result(client, ret);
}

static void check_mounts(struct client *client, const struct abi_request *request)
{
	(void)request;
	mounts_check(client->sockets->mounts);
	answer_result(client, 0);
}

static void list_mounts(struct client *client, const struct abi_request *request)
{
	struct text text;

	(void)request;
	text_init(&text, ABI_SOCKET_ANSWER_MAX);
	mounts_list(client->sockets->mounts, &text);
	answer_text(client, 0, &text);
}

/*
 * Send one section of the list of symbols.  The whole list is made again for each
 * request.  This is rarely done twice, because few roots have a list that is longer than
 * one answer.
 */
static void list_symbols(struct client *client, const struct abi_request *request)
{
	const char *name = path_of(client);
	struct root *root;
	struct text text;
	size_t bytes;

	if (!name)
		return;
	root = server_find_root(client->sockets->server, name);
	if (!root || !root_is_usable(root)) {
		answer_result(client, root ? -ENODEV : -ENOENT);
		return;
	}
	if (objects_parse(root)) {
		park_request(client);
		return;
	}
	text_init(&text, ABI_SOCKET_SYMBOLS_MAX);
	symbols_list(root, &text);
	bytes = request->offset < text.len ? text.len - request->offset : 0;
	if (bytes > ABI_SOCKET_ANSWER_MAX)
		bytes = ABI_SOCKET_ANSWER_MAX;
	client_answer(client, text.error, bytes ? text.data + request->offset : NULL,
		      text.error ? 0 : bytes);
	text_done(&text);
}

static void add_no_root(struct client *client, const struct abi_request *request)
{
	const char *name = path_of(client);

	if (!name)
		return;
	no_roots_add(&client->sockets->no_roots, (uint32_t)request->offset,
		     (uint32_t)client->pid, request->value, name);
	answer_result(client, 0);
}

static void list_no_roots(struct client *client, const struct abi_request *request)
{
	struct text text;

	text_init(&text, ABI_SOCKET_ANSWER_MAX);
	no_roots_show(&client->sockets->no_roots, (uint32_t)request->offset,
		      client->sockets->server, &text);
	answer_text(client, 0, &text);
}

static void stop_server(struct client *client, const struct abi_request *request)
{
	(void)request;
	client->sockets->is_stopping = true;
	answer_result(client, 0);
}

static const struct request_op {
	uint32_t bytes_max;
	void (*run)(struct client *client, const struct abi_request *request);
} request_ops[ABI_SOCKET_NR_OPS] = {
	[ABI_SOCKET_HELLO]	= { 0, say_hello },
	[ABI_SOCKET_OPEN]	= { PATH_BYTES, open_file },
	[ABI_SOCKET_READ]	= { 0, read_file },
	[ABI_SOCKET_WRITE]	= { ABI_SOCKET_REQUEST_MAX, write_file },
	[ABI_SOCKET_CLOSE]	= { 0, close_file },
	[ABI_SOCKET_READDIR]	= { PATH_BYTES, read_directory },
	[ABI_SOCKET_LIST]	= { 0, list_roots },
	[ABI_SOCKET_REMOVE]	= { PATH_BYTES, remove_root },
	[ABI_SOCKET_MOUNT]	= { PATH_BYTES, add_mount },
	[ABI_SOCKET_UMOUNT]	= { 0, check_mounts },
	[ABI_SOCKET_MOUNTS]	= { 0, list_mounts },
	[ABI_SOCKET_SYMBOLS]	= { PATH_BYTES, list_symbols },
	[ABI_SOCKET_NO_ROOT]	= { PATH_BYTES, add_no_root },
	[ABI_SOCKET_NO_ROOTS]	= { 0, list_no_roots },
	[ABI_SOCKET_MKDIR]	= { PATH_BYTES, make_directory },
	[ABI_SOCKET_RMDIR]	= { PATH_BYTES, remove_directory },
	[ABI_SOCKET_SHUTDOWN]	= { 0, stop_server },
	[ABI_SOCKET_CANCEL]	= { 0, NULL },
};

bool client_request_is_valid(const struct client *client)
{
	const struct abi_request *request = &client->request;

	if (request->op >= ABI_SOCKET_NR_OPS ||
	    request->bytes > request_ops[request->op].bytes_max)
		return false;
	/* While a request is parked, the only valid request of the client is
	 * ABI_SOCKET_CANCEL. */
	return !client->is_parked || request->op == ABI_SOCKET_CANCEL;
}

/* Cancel the parked request.  If it is a write whose settings are already stored, the
 * write counts as done, and the settings stay. */
static void cancel_request(struct client *client)
{
	if (!client->is_parked)
		return;
	if (client->parked.op == ABI_SOCKET_WRITE)
		answer_result(client, (int)tracefs_call_interrupt(&client->call));
	else
		answer_result(client, -EINTR);
}

static void run_request(struct client *client, const struct abi_request *request)
{
	error_log_capture(&client->errors);
	request_ops[request->op].run(client, request);
	client->is_warning |= error_log_is_warning();
	error_log_capture(NULL);
}

void client_request_run(struct client *client)
{
	const struct abi_request *request = &client->request;

	if (request->op == ABI_SOCKET_CANCEL) {
		cancel_request(client);
		return;
	}
	text_reset(&client->errors);
	client->is_warning = false;
	run_request(client, request);
}

void client_request_retry(struct client *client)
{
	run_request(client, &client->parked);
}

void client_files_close(struct client *client)
{
	uint32_t i;

	for (i = 0; i < ABI_SOCKET_FILES; i++) {
		if (client->files[i].file)
			tracefs_close(client->files[i].file);
		client->files[i].file = NULL;
	}
}
