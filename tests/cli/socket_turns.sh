#!/bin/sh
# SPDX-License-Identifier: MIT
# A client that sends its requests without a pause does not keep the server from others: between
# two of its requests the server accepts new clients and handles what they have sent.  So a
# program's report is known to a `ulf run` that asks for it after the program has ended.
. tests/cli/common

ulf server --background
python3 - "$ULF_DIR" <<'END' || fail "the server answered one client only"
import os, signal, socket, struct, sys

MOUNTS, NO_ROOT, NO_ROOTS = 10, 14, 15  # enum abi_socket_op
RUN, REASON, NAME = 12345, (1 << 16) + 1, b'late'
NR_REQUESTS = 20                # requests of the quick client before it asks for reports
ROW = 24                        # struct abi_no_root


def dial():
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(sys.argv[1] + '/server.sock')
    return sock


def request(op, data=b'', value=0, offset=0):
    return struct.pack('<IIIIQ', len(data), op, 0, value, offset) + data


def receive(sock):
    size, result = struct.unpack('<Ii', sock.recv(8, socket.MSG_WAITALL))
    data = sock.recv(size, socket.MSG_WAITALL) if size else b''
    assert result >= 0, result
    return data


def state(pid):
    with open(f'/proc/{pid}/stat') as file:
        return file.read().rpartition(')')[2].split()[0]


quick = dial()
quick.sendall(request(MOUNTS))
receive(quick)
pid = int(open(sys.argv[1] + '/server.lock').read())
os.kill(pid, signal.SIGSTOP)
while state(pid) != 'T':
    os.sched_yield()
# When the server continues, both clients have requests for it.  libulf does not wait for an answer.
program = dial()
program.sendall(request(NO_ROOT, NAME, REASON, RUN))
program.close()
quick.sendall(request(MOUNTS) * NR_REQUESTS + request(NO_ROOTS, offset=RUN))
os.kill(pid, signal.SIGCONT)
for _ in range(NR_REQUESTS):
    receive(quick)
rows = receive(quick)
print('reports:', rows)
sys.exit(len(rows) != ROW or NAME not in rows)
END
