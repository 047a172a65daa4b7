#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# Programs print the same, and end with the same status, while all events of what they ask of the
# kernel and of libc are on: system calls, switches of threads, memory, locks.  In the long form
# these are also switched while the programs run.
. tests/proof/common

# Each item is a function that runs a program.  The comment above it names what must be installed.
items=' ls find sort tar gzip xz grep sed awk python3 perl bash git openssl sqlite3 make curl rsync
	redis nginx bc dc diff xargs cksum '
sizes() { if is_long; then echo "$1"; else echo "$2"; fi; }

# needs_ITEM: programs besides the one that has the name of the item
needs_make=gcc needs_redis='redis-server redis-cli' needs_nginx='nginx curl'

run_ls() { ls -lR --full-time "$data"; ls "$data/missing"; }
run_find() { find "$data" -type f -name '*.md' -size +1k -printf '%p %s\n' -exec wc -l {} \; | sort; }
run_sort() { sort -S 1M --parallel=2 -T . "$data/numbers"; sort -rn -k2 -u "$data/numbers"; }
run_tar() {
	tar cf all.tar --sort=name -C "$data" tree && tar tvf all.tar && mkdir out &&
		tar xf all.tar -C out && diff -r out/tree "$data/tree" && tar xf missing.tar
}
run_gzip() { gzip -9c "$data/text" >z && gunzip -c z | cmp - "$data/text" && cksum <z; gzip -d missing.gz; }
run_xz() { xz -T2 -1 --block-size=100KiB -c "$data/text" >z && xz -dc z | cmp - "$data/text" && xz -l z; }
run_grep() { grep -rn 'system call' "$data/tree"; grep -c e "$data/text"; grep nothing "$data/text"; }
run_sed() { sed -n 's/the \([a-z]*\)/<\1>/gp' "$data/text"; cp "$data/text" t; sed -i.old 2,90d t; cksum t t.old; }
run_awk() {
	awk '{ n[$1]++ } END { for (w in n) print n[w], w | "sort"; close("sort"); exit 3 }' "$data/text"
}
run_python3() {
	python3 - <<-'PYTHON'
	import multiprocessing, os, queue, select, signal, socket, subprocess, sys, threading, time
	jobs, done = queue.Queue(), []
	def work():
	    while (job := jobs.get()) is not None:
	        done.append(job * job)
	threads = [threading.Thread(target=work) for _ in range(8)]
	for t in threads: t.start()
	for i in range(3000): jobs.put(i)
	for t in threads: jobs.put(None)
	for t in threads: t.join()
	print(sum(done), len(done))
	for i in range(5):
	    p = subprocess.run(["sh", "-c", "cat; exit %d" % i], input=b"x" * 70000, stdout=-1)
	    print(p.returncode, len(p.stdout))
	a, b = socket.socketpair()
	hits = []
	signal.signal(signal.SIGALRM, lambda *_: hits.append(1) or (b.send(b"k") if len(hits) == 20 else 0))
	signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
	print(a.recv(1), len(hits) >= 20)
	signal.setitimer(signal.ITIMER_REAL, 0)
	try:
	    subprocess.run(["sleep", "9"], timeout=0.05)
	except subprocess.TimeoutExpired:
	    print("timeout")
	if __name__ == "__main__":
	    with multiprocessing.get_context("fork").Pool(3) as pool:
	        print(sum(pool.map(abs, range(-500, 0))))
	pid = os.fork()
	if not pid: os.kill(os.getpid(), signal.SIGKILL)
	print(os.waitpid(pid, 0)[1])
	sys.exit(7)
	PYTHON
}
run_perl() {
	perl -e '$SIG{CHLD} = sub { $n++ }; for $i (1..5) { $pid = fork; exit $i if !$pid;
		waitpid $pid, 0; print $? >> 8, "\n" } print `echo inner; exit 4`, $? >> 8, "\n";
		local $SIG{ALRM} = sub { die "late\n" }; alarm 1; eval { sleep 20 }; print $@;
		open $f, "<", "/missing" or warn "$!\n"; exit 9'
}
run_bash() {
	bash -c 'trap "echo usr1" USR1; trap "echo bye" EXIT; set -o pipefail
	(sleep 0.2; kill -USR1 $$) & wait $!; echo "wait: $?"; wait
	for i in {1..5}; do echo $i | (read x; exit $x) | cat; echo "$? ${PIPESTATUS[*]}"; done
	coproc cat; echo hello >&${COPROC[1]}; read -u ${COPROC[0]} x; echo $x
	diff <(seq 9) <(seq 2 9); read -t 0.1 x </dev/zero | :; cat <<<here
	(kill -TERM $BASHPID); echo $?; ulimit -c 0; (kill -SEGV $BASHPID); echo $?
	exec 7<missing; echo $?; exit 5'
}
run_git() {
	export GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000' HOME="$PWD" \
		GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	git init -q -b main repo && cd repo && cp -r "$data/tree" . && git add . && git commit -qm one &&
		echo line >>tree/text && git commit -qam two && git log --stat -p && git fsck --strict &&
		git clone -q . ../other && git -C ../other log --oneline && git repack -adq &&
		git checkout nothing
}
run_openssl() {
	openssl dgst -sha256 "$data/text" && openssl enc -aes-256-cbc -K $key -iv $iv -in "$data/text" |
		openssl enc -d -aes-256-cbc -K $key -iv $iv | cksum
	openssl genrsa -out rsa 1024 && openssl dgst -sha256 -sign rsa -out sig "$data/text" &&
		openssl dgst -sha256 -prverify rsa -signature sig "$data/text"
	openssl x509 -in missing 2>&1 | sed 's/^[0-9A-F]*://'
}
key=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
iv=00112233445566778899aabbccddeeff
run_sqlite3() {
	sqlite3 db "pragma journal_mode=wal; create table t(a integer primary key, b text);
		with recursive c(x) as (select 1 union all select x+1 from c where x<20000)
		insert into t select x, hex(x*7919) from c; select count(*), sum(length(b)) from t;"
	sqlite3 db 'select * from t where b like "%37%" order by b limit 50; pragma integrity_check; no'
}
run_make() {
	printf '%s\n' 'int twice(int);' '#include <stdio.h>' \
		'int main(void) { printf("%d\n", twice(21)); return 6; }' >main.c
	echo 'int twice(int x) { return 2 * x; }' >twice.c
	printf '%s\n' 'p: main.o twice.o' '	gcc -o p main.o twice.o' '%.o: %.c' \
		'	gcc -O2 -pipe -c $<' 'bad:' '	./p' >Makefile
	make -j2 -Otarget p | sort && make bad
}
run_curl() { curl -sS "file://$data/text" | cksum; curl -sSI "file://$data/text"; curl -sS http://127.0.0.1:1/; }
run_rsync() { rsync -a --stats --no-i-r "$data/tree" to | grep 'files\|size'; diff -r "$data/tree" to/tree; rsync missing to; }
run_redis() {
	redis-server --port 0 --unixsocket "$PWD/socket" --save '' --daemonize no >log 2>&1 &
	server=$!
	until [ -S socket ] || is_gone $server; do sleep 0.05; done
	redis-cli -s socket set a b
	seq 500 | sed 's/.*/incrby n & /' | redis-cli -s socket | tail -n 2
	(sleep 0.3; redis-cli -s socket lpush list x) >/dev/null &
	redis-cli -s socket blpop list 0
	wait $!
	redis-cli -s socket eval 'return redis.call("get", "n")' 0
	redis-cli -s socket save
	redis-cli -s socket shutdown nosave
	wait $server
}
run_nginx() {
	cat >conf <<-CONF
	daemon off; worker_processes 2; pid $PWD/pid; error_log $PWD/log;
	events { worker_connections 64; }
	http { access_log off; client_body_temp_path $PWD/b; proxy_temp_path $PWD/p;
	fastcgi_temp_path $PWD/f; uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/s;
	server { listen unix:$PWD/socket; root $data; sendfile on; } }
	CONF
	$(find_program nginx) -e "$PWD/log" -c "$PWD/conf" &
	server=$!
	until [ -S socket ] && [ -s pid ] || is_gone $server; do sleep 0.05; done
	for file in text tree/text missing; do
		curl -sS --unix-socket socket -w '%{http_code}\n' "http://x/$file" | cksum
	done
	kill -HUP $server
	curl -sS --unix-socket socket -r 5-900 http://x/text
	kill -QUIT $server
	wait $server
}
run_bc() { echo 'scale=300; 4*a(1); 2^500; 1/0' | BC_LINE_LENGTH=0 bc -l; }
run_dc() { echo '16o 7 120^p 5k 2vp 0/ ' | dc; }
run_diff() { diff -ru "$data/tree" "$data/changed"; }
run_xargs() { seq 30 | xargs -P 3 -n 4 sh -c 'echo $(($# * $1))' x | sort; echo 9 | xargs sh -c 'exit 255'; }
run_cksum() { cksum "$data/text"; b2sum "$data/text"; split -b 7000 "$data/text" s; cat s* | wc; factor 1234567890123; timeout 0.1 sleep 9; }

# ---- running ----

data=$TMPDIR/data
make_data() {
	mkdir -p "$data/tree"
	cp -r docs/design "$data/tree/" && cat docs/*.md >"$data/tree/text"
	for round in $(seq "$(sizes 60 2)"); do cat "$data/tree/text"; done >"$data/text"
	awk -v nr="$(sizes 400000 8000)" \
		'BEGIN { srand(5); for (i = 0; i < nr; i++) print int(rand() * 1e9), i % 997 }' >"$data/numbers"
	cp -r "$data/tree" "$data/changed" && sed -i 5,15d "$data/changed/text"
}
all_events='syscalls trace_event=raw_syscalls:*,syscalls:*,ulf_sched:*,ulf_libc:*'
# run_in_phase PHASE ITEM: store the item's output, messages and status in files.
run_in_phase() {
	mkdir -p "$TMPDIR/item" "$TMPDIR/$1"
	(
		cd "$TMPDIR/item" || exit
		[ "$1" = plain ] || export LD_PRELOAD="$libulf" ULF_TRACE="$all_events"
		"run_$2" </dev/null >"$TMPDIR/$1/$2.out" 2>"$TMPDIR/$1/$2.err"
		echo "status $?" >"$TMPDIR/$1/$2.status"
	)
	rm -rf "$TMPDIR/item"
}
# differs PHASE ITEM: true, with the difference, unless the item did what it does without ulf.
# Messages of shells about jobs have process ids.
differs() {
	for kind in out err status; do
		for dir in plain "$1"; do
			sed 's/\(line [0-9]*:\) *[0-9]* */\1 /; s/[0-9]*#[0-9]*/N/g' \
				"$TMPDIR/$dir/$2.$kind" >"$TMPDIR/$dir.text"
		done
		diff -a "$TMPDIR/plain.text" "$TMPDIR/$1.text" >"$TMPDIR/diff" && continue
		echo "$1, $2: $kind differs:"
		head -n 20 "$TMPDIR/diff"
		return 0
	done
	return 1
}
all_ended() { ! ulf ls | grep -q ' alive '; }
# count_records: set nr_roots, nr_empty, nr_records, and remove the roots.
count_records() {
	until_true all_ended
	python3 tests/proof/collect.py "$TMPDIR" "$TMPDIR/collected" || fail "the collector"
	read -r nr_roots nr_empty nr_records <"$TMPDIR/collected"
}
# switch_events FILE: switch the events of all programs off and on until FILE is there.
switch_events() {
	switches=0
	until [ -e "$1" ]; do
		for root in $(ulf ls | awk '$3 == "alive" { print $1 }'); do
			for file in events/enable events/raw_syscalls/enable events/syscalls/enable \
				events/ulf_libc/enable events/ulf_sched/enable; do
				ulf echo $((switches / 5 % 2)) "$root/$file" && switches=$((switches + 1))
			done
		done
		sleep 0.05
	done 2>/dev/null
	echo $switches >"$1.switches"
}
try_item() {
	for program in ${1:+$(eval "echo \${needs_$1-$1}")}; do
		find_program "$program" /usr/bin /usr/sbin >/dev/null || {
			echo "$1: skipped: no program $program"
			skipped="$skipped $1"
			return
		}
	done
	run_in_phase plain "$1"
	for phase in $phases; do
		[ $phase = on ] || { rm -f "$TMPDIR/stop"; switch_events "$TMPDIR/stop" & switcher=$!; }
		run_in_phase $phase "$1"
		[ $phase = on ] || { touch "$TMPDIR/stop"; wait $switcher; }
		count_records
		echo "$1, $phase: $(cat "$TMPDIR/$phase/$1.status"), $(wc -l <"$TMPDIR/$phase/$1.out")" \
			"lines, $nr_roots programs ($nr_empty without records), $nr_records records"
		total=$((total + nr_records)) programs=$((programs + nr_roots))
		[ $phase != on ] || [ "$nr_records" -gt 100 ] || fail "$1: $nr_records records"
		if differs $phase "$1"; then unusual="$unusual $phase/$1"; else equal=$((equal + 1)); fi
	done
}

make_data
ulf server --background || fail "no server"
phases=on unusual= skipped= equal=0 total=0 programs=0
! is_long || phases='on switched'
for item in ${PROOF_ITEMS-$items}; do try_item "$item"; done
[ -z "$unusual" ] || fail "other results than without ulf:$unusual"
[ $equal -gt 0 ] || fail "nothing was run"
echo "score: $equal runs equal to those without ulf, $programs programs, $total records${skipped:+; skipped:$skipped}"
