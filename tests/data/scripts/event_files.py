# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes TensorBoard event files as summary writers do, with nothing but Python: `event_files.py FOLDER [--pid-less] [--child] [--damage]`.
Every record goes out in two halves, with time enough between them for a reader to see the first alone."""
import os
import socket
import struct
import sys
import time


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def field(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def scalar(tag, step, value):
    summary = field(1, field(1, tag.encode()) + b"\x15" + struct.pack("<f", value))
    return record(b"\x09" + struct.pack("<d", time.time()) + b"\x10" + bytes([step]) + field(5, summary))


def write(folder, rank):
    os.makedirs(folder, exist_ok=True)
    name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}"
    if "--pid-less" not in sys.argv:
        name += f".{os.getpid()}.0"
    with open(os.path.join(folder, name), "ab", buffering=0) as file:
        file.write(record(b"\x09" + struct.pack("<d", time.time()) + field(3, b"brain.Event:2")))
        for step in range(1, 4):
            data = scalar("Loss/train", step, rank + step / 8) + scalar("Accuracy/test", step, 25 * step)
            middle = len(data) * step // 4
            file.write(data[:middle])
            time.sleep(0.7)
            file.write(data[middle:])
        if "--damage" in sys.argv and rank == 1:
            file.write(b"this is no record, whoever wrote it\n" + scalar("Loss/train", 4, 100))
            time.sleep(0.7)


if __name__ == "__main__":
    rank = int(os.environ["RANK"])
    if "--child" in sys.argv and os.fork() == 0:
        write(sys.argv[1], rank)
        os._exit(0)
    elif "--child" in sys.argv:
        os.wait()
    else:
        write(sys.argv[1], rank)
    print(f"Epoch [1/1], Step [3/3], Loss: {9:.4f}")
