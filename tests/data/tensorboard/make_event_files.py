#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Made the event files in this folder, with the writers themselves: torch.utils.tensorboard of PyTorch 1.13, tensorboardX 2.6.5 and
TensorBoard 2.21 (the last two from PyPI, in a virtual environment). `make_event_files.py FOLDER`; writers that are not there are left out."""
import shutil
import socket
import sys
import tempfile
from pathlib import Path

WALL = 1700000000


def torch(folder):
    from torch.utils.tensorboard import SummaryWriter
    writer = SummaryWriter(folder)
    for step in range(3):
        writer.add_scalar("train/loss", 1 / (step + 1), step, walltime=WALL + step)
        writer.add_scalar("eval/accuracy", 0.25 * step, step, walltime=WALL + step, new_style=True)
        writer.add_scalar("margin", 0.1 * step, step, walltime=WALL + step, new_style=True, double_precision=True)
    writer.add_text("note", "not a number", 2, walltime=WALL + 3)
    writer.close()


def tensorboardx(folder):
    import numpy
    from tensorboardX import SummaryWriter
    writer = SummaryWriter(folder)
    for step in range(1, 4):
        writer.add_scalar("Loss/train", 1 / step, step, walltime=WALL + step)
        writer.add_scalar("Accuracy/test", 25.0 * step, step, walltime=WALL + step)
    writer.add_text("note", "not a number", 3, walltime=WALL + 4)
    writer.add_histogram("weights", numpy.arange(8.0), 3, bins=4, walltime=WALL + 4)
    writer.close()


def tensors(folder):
    """Every kind of number, as a field of its own and as content."""
    import numpy
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.plugins.scalar import metadata
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    from tensorboard.util import tensor_util
    writer = EventFileWriter(folder)
    for kind in (numpy.float16, numpy.float32, numpy.float64, numpy.int32, numpy.int64):
        for step in (1, 2):
            for content in (False, True):
                tensor = tensor_util.make_tensor_proto(kind(step * 3))
                if content:
                    for field in ("half_val", "float_val", "double_val", "int_val", "int64_val"):
                        tensor.ClearField(field)
                    tensor.tensor_content = kind(step * 3).tobytes()
                value = summary_pb2.Summary.Value(tag=kind.__name__ + "_content" * content, tensor=tensor)
                if step == 1:
                    value.metadata.CopyFrom(metadata.create_summary_metadata("", ""))
                writer.add_event(event_pb2.Event(wall_time=WALL, step=step, summary=summary_pb2.Summary(value=[value])))
    writer.close()


if __name__ == "__main__":
    socket.gethostname = lambda: "golden"
    for make in (torch, tensorboardx, tensors):
        with tempfile.TemporaryDirectory() as folder:
            try:
                make(folder)
            except ImportError as error:
                print(f"{make.__name__}: left out: {error}")
                continue
            file, = Path(folder).iterdir()
            shutil.copy(file, Path(sys.argv[1]) / f"{make.__name__}.tfevents")
