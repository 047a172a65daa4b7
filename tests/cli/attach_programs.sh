#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 600
# Programs as Debian ships them are attached to while they work, and detached from.  All their
# answers stay right.  redis-server and nginx are used if they are installed.
. tests/cli/common
trap 'kill -KILL $pids 2>/dev/null' EXIT

done=
rounds=$([ -n "${ULF_TORTURE-}" ] && echo 100 || echo 3)
attach_and_detach() { # attach to $pid, and detach
	ulf attach "$pid" >/dev/null 2>"$TMPDIR/err" || fail "$1: $(cat "$TMPDIR/err")"
	ulf detach "$pid" >/dev/null 2>"$TMPDIR/err" || fail "$1: $(cat "$TMPDIR/err")"
}
is_ready() { grep -q ready "$TMPDIR/ready"; }

# bash: a loop that forks and adds up.
if command -v bash >/dev/null; then
	for i in $(seq "$rounds"); do
		: >"$TMPDIR/ready"
		bash -c 'echo ready >"$1"; n=0
			while [ ! -e "$2" ]; do
				n=$((n + $(echo 1))) m=$((m + 1))
			done
			[ $n = $m ] || exit 3
			exit 5' bash "$TMPDIR/ready" "$TMPDIR/stop" &
		pid=$!
		pids="$pids $pid"
		until_true is_ready
		attach_and_detach bash
		touch "$TMPDIR/stop"
		wait "$pid"
		expect "bash" 5 $?
		rm "$TMPDIR/stop"
	done
	done="$done bash"
fi

# python: a web server with a thread for each request, and clients that compare what they get.
if [ -x /usr/bin/python3 ]; then
	mkdir "$TMPDIR/www"
	head -c 300000 /dev/urandom >"$TMPDIR/www/file"
	cat >"$TMPDIR/clients.py" <<'END'
import sys, threading, urllib.request

port, path, stop = sys.argv[1:]
wanted = open(path, "rb").read()
counts = []

def ask():
	import os
	n = 0
	while n < 5 or not os.path.exists(stop):
		if urllib.request.urlopen(f"http://127.0.0.1:{port}/file", timeout=60).read() != wanted:
			print("wrong answer")
			os._exit(3)
		n += 1
	counts.append(n)

threads = [threading.Thread(target=ask) for _ in range(4)]
for one in threads:
	one.start()
for one in threads:
	one.join()
print(sum(counts))
END
	for i in $(seq "$rounds"); do
		: >"$TMPDIR/log"
		/usr/bin/python3 -u -m http.server -b 127.0.0.1 -d "$TMPDIR/www" 0 \
			>"$TMPDIR/log" 2>/dev/null &
		pid=$!
		pids="$pids $pid"
		is_serving() { grep -q 'port [0-9]' "$TMPDIR/log"; }
		until_true is_serving
		port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$TMPDIR/log")
		/usr/bin/python3 "$TMPDIR/clients.py" "$port" "$TMPDIR/www/file" "$TMPDIR/stop" \
			>"$TMPDIR/clients" 2>&1 &
		clients=$!
		pids="$pids $clients"
		attach_and_detach python
		touch "$TMPDIR/stop"
		wait "$clients" || fail "python: $(cat "$TMPDIR/clients")"
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
		rm "$TMPDIR/stop"
	done
	done="$done python"
fi

# redis-server: all values that were written can be read.
if command -v redis-server >/dev/null && command -v redis-cli >/dev/null; then
	for i in $(seq "$rounds"); do
		redis-server --port 0 --unixsocket "$TMPDIR/redis" --save '' --appendonly no \
			--dir "$TMPDIR" >"$TMPDIR/log" 2>&1 &
		pid=$!
		pids="$pids $pid"
		cli() { redis-cli -s "$TMPDIR/redis" "$@"; }
		is_up() { cli ping 2>/dev/null | grep -q PONG; }
		until_true is_up
		seq 20000 | sed 's/.*/SET key& value&/' | cli >"$TMPDIR/set" &
		load=$!
		attach_and_detach redis
		wait $load
		expect "redis: writes" 20000 "$(grep -c OK "$TMPDIR/set")"
		expect "redis: reads" "$(seq 20000 | sed 's/^/value/' | cksum)" \
			"$(seq 20000 | sed 's/^/GET key/' | cli | cksum)"
		kill "$pid"
		wait "$pid"
		expect "redis: status" 0 $?
	done
	done="$done redis"
fi

# nginx: a worker that waits in epoll_wait() for ever, until a signal comes.
if command -v nginx >/dev/null && [ -x /usr/bin/python3 ]; then
	mkdir -p "$TMPDIR/www" "$TMPDIR/nginx"
	[ -e "$TMPDIR/www/file" ] || head -c 300000 /dev/urandom >"$TMPDIR/www/file"
	port=$((20000 + $$ % 20000))
	cat >"$TMPDIR/nginx.conf" <<-END
	daemon off; master_process off; pid $TMPDIR/nginx.pid; error_log $TMPDIR/nginx.log;
	events { }
	http {
		access_log off; client_body_temp_path $TMPDIR/nginx; proxy_temp_path $TMPDIR/nginx;
		fastcgi_temp_path $TMPDIR/nginx; uwsgi_temp_path $TMPDIR/nginx;
		scgi_temp_path $TMPDIR/nginx;
		server { listen 127.0.0.1:$port; root $TMPDIR/www; }
	}
	END
	for i in $(seq "$rounds"); do
		nginx -c "$TMPDIR/nginx.conf" -e "$TMPDIR/nginx.log" &
		pid=$!
		pids="$pids $pid"
		has_pid() { [ -s "$TMPDIR/nginx.pid" ]; }
		until_true has_pid
		/usr/bin/python3 "$TMPDIR/clients.py" "$port" "$TMPDIR/www/file" "$TMPDIR/stop" \
			>"$TMPDIR/clients" 2>&1 &
		clients=$!
		pids="$pids $clients"
		attach_and_detach nginx
		touch "$TMPDIR/stop"
		wait "$clients" || fail "nginx: $(cat "$TMPDIR/clients")"
		grep -qi 'epoll_wait() failed\|alert\|emerg' "$TMPDIR/nginx.log" &&
			fail "nginx: $(cat "$TMPDIR/nginx.log")"
		kill -QUIT "$pid"
		wait "$pid"
		expect "nginx: status" 0 $?
		rm -f "$TMPDIR/stop" "$TMPDIR/nginx.pid"
	done
	done="$done nginx"
fi
[ -n "$done" ] || skip "none of bash, python3, redis-server and nginx is installed"
echo "score: $rounds times each:$done"
exit 0
