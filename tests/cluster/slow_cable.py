#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""slow_cable.py PORT TAP DELAY_S: carries every frame between a port and a tap device of this network namespace, each later by DELAY_S. What
netem does where the kernel has it. Prints "up" when it carries; ends with the end of its input. Frames must be whole: the far end of the port
computes checksums and segments by itself (ethtool -K eth0 tx off tso off gso off)."""
import collections
import fcntl
import os
import select
import socket
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
ETH_P_ALL, PACKET_OUTGOING, MOST = 3, 4, 65536


def main():
    port, tap, delay = sys.argv[1], sys.argv[2], float(sys.argv[3])
    inside = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(inside, TUNSETIFF, struct.pack("16sH", tap.encode(), IFF_TAP | IFF_NO_PI))
    outside = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    outside.bind((port, 0))
    outside.setblocking(False)
    print("up", flush=True)
    inward, outward = collections.deque(), collections.deque()
    while True:
        dues = [queue[0][0] for queue in (inward, outward) if queue]
        wait = max(0.0, min(dues) - time.monotonic()) if dues else None
        ready, _, _ = select.select([0, inside, outside], [], [], wait)
        if 0 in ready and not os.read(0, 1):
            return
        now = time.monotonic()
        try:
            while True:
                frame, address = outside.recvfrom(MOST)
                if address[2] != PACKET_OUTGOING:
                    inward.append((now + delay, frame))
        except BlockingIOError:
            pass
        try:
            while True:
                outward.append((now + delay, os.read(inside, MOST)))
        except (BlockingIOError, OSError):  # the tap is down until its owner sets it up
            pass
        for queue, send in ((inward, lambda frame: os.write(inside, frame)), (outward, outside.send)):
            while queue and queue[0][0] <= now:
                try:
                    send(queue.popleft()[1])
                except OSError:  # too long, or no room: lost, as on any cable
                    pass


if __name__ == "__main__":
    main()
