# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rank of a real RAS network of NCCL without a GPU: ras_rank.py RAS_PROCESS LAYOUT KIND RANK, for tests of the watcher.

RAS_PROCESS runs NCCL's own RAS threads (tests/remote/support/ras_process.cpp); LAYOUT holds what ras_layout prints. The ranks step
together over TCP, and count an AllReduce each step. On several nodes RAS uses the addresses that these connections have. Once /tmp/hang-now exists, rank RANK does KIND. With FLIGHT_DUMPS set it also
answers the pipe of PyTorch's Flight Recorder, with the dumps FLIGHT_DUMPS-<rank>.pickle."""
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

RANK = int(os.environ["RANK"])
WORLD = int(os.environ["WORLD_SIZE"])
PROGRAM, LAYOUT, KIND, CULPRIT = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
BROADCAST, ALL_REDUCE = 0, 4


def record_flights():
    """As PyTorch does: a byte in the pipe asks for the dump file."""
    pipe = os.environ["TORCH_NCCL_DEBUG_INFO_PIPE_FILE"] + f"{RANK}.pipe"
    dump = os.environ["TORCH_FR_DUMP_TEMP_FILE"] + str(RANK)
    if os.path.exists(pipe):
        os.unlink(pipe)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    while True:
        if os.read(reader, 128):
            shutil.copyfile(f"{os.environ['FLIGHT_DUMPS']}-{RANK}.pickle", dump)
        time.sleep(0.2)


class Hub:
    """Every rank sends a line, and gets those of all."""

    def __init__(self):
        address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
        self.files = []
        self.local = ""
        if RANK == 0:
            listener = socket.create_server(address, reuse_port=False)
            for _ in range(WORLD - 1):
                self.files.append(listener.accept()[0].makefile("rw", encoding="ascii"))
            return
        while True:
            try:
                connection = socket.create_connection(address)
                self.local = connection.getsockname()[0]
                self.files.append(connection.makefile("rw", encoding="ascii"))
                return
            except ConnectionRefusedError:
                time.sleep(0.05)

    def own_address(self) -> str:
        """Numeric, as the processes of the other nodes reach it."""
        if WORLD == int(os.environ["LOCAL_WORLD_SIZE"]):
            return "127.0.0.1"
        return socket.gethostbyname(os.environ["MASTER_ADDR"]) if RANK == 0 else self.local

    def exchange(self, line: str) -> list:
        if RANK == 0:
            lines = sorted([f"{RANK} {line}"] + [file.readline().strip() for file in self.files], key=lambda entry: int(entry.split()[0]))
            for file in self.files:
                file.write(";".join(lines) + "\n")
                file.flush()
        else:
            self.files[0].write(f"{RANK} {line}\n")
            self.files[0].flush()
            lines = self.files[0].readline().strip().split(";")
        return [entry.split(maxsplit=1)[1] for entry in lines]


def main():
    with open(LAYOUT, encoding="utf-8") as file:
        library, entries = file.read().splitlines()
    hub = Hub()
    process = subprocess.Popen([PROGRAM, library, entries, hub.own_address(), str(RANK), str(WORLD)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(line: str):
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            time.sleep(100000)  # it was killed: what is left of the rank does nothing
        process.stdout.readline()

    tell("ranks " + " ".join(hub.exchange(process.stdout.readline().strip())))
    if "FLIGHT_DUMPS" in os.environ:
        threading.Thread(target=record_flights, daemon=True).start()
    for step in range(1, 1000000):
        time.sleep(0.1)
        faulty = RANK == CULPRIT and os.path.exists("/tmp/hang-now")
        if faulty and KIND == "sleep":
            time.sleep(100000)
        if faulty and KIND == "other":
            tell(f"count 0 {BROADCAST} 1")
            hub.files[0].readline()  # it waits, as the others do
        if faulty and KIND == "wait":
            hub.files[0].readline()
        if faulty and KIND == "long":
            time.sleep(14)
        tell(f"count 0 {ALL_REDUCE} {step}")
        hub.exchange("step")
        print(f"Epoch [1/1], Step [{step}/100000], Loss: {1 / step:.4f}", flush=True)


if __name__ == "__main__":
    main()
