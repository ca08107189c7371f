# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets a script that was written for GPUs and large data sets run unchanged on CPUs with small ones: CUDA means the CPU, NCCL means Gloo,
ResNet-18 is a small network, and torchvision's data sets draw their pictures. For tests; PYTHONPATH names this folder."""
import importlib.util
import sys


def change_torch(torch):
    def place(value):
        cuda = isinstance(value, int) or str(value).startswith("cuda")
        return "cpu" if cuda and not isinstance(value, (bool, torch.dtype)) else value

    def on_cpu(to):
        return lambda self, *places, **named: to(self, *map(place, places), **{name: place(value) for name, value in named.items()})

    for kind in (torch.Tensor, torch.nn.Module):
        kind.to = on_cpu(kind.to)
        kind.cuda = lambda self, *_, **__: self
    torch.cuda.device_count = lambda: 2
    torch.cuda.set_device = lambda *_: None
    import torch.distributed as dist
    begin = dist.init_process_group
    dist.init_process_group = lambda *_, **named: begin("gloo", **{name: value for name, value in named.items() if name != "backend"})
    ddp = torch.nn.parallel.DistributedDataParallel
    make = ddp.__init__
    ddp.__init__ = lambda self, module, *_, **__: make(self, module)
    loader = torch.utils.data.DataLoader
    build = loader.__init__
    loader.__init__ = lambda self, *args, **named: build(self, *args, **{**named, "num_workers": min(1, named.get("num_workers", 0)), "pin_memory": False})
    load = torch.load
    torch.load = lambda file, map_location=None, **named: load(file, map_location="cpu", **named)
    torch.set_num_threads(1)


def change_torchvision(torchvision):
    import torch
    from small_pictures import Digits, Pictures

    datasets, models = torchvision.datasets, torchvision.models
    datasets.CIFAR10 = datasets.ImageFolder = Pictures
    datasets.MNIST = Digits
    models.resnet18 = lambda num_classes=1000, **_: torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, stride=2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(128, num_classes))
    crop = torchvision.transforms.RandomResizedCrop
    torchvision.transforms.RandomResizedCrop = lambda size: crop(min(size, 32))


class Changed:
    """Changes a module as soon as it is imported."""
    changes = {"torch": change_torch, "torchvision": change_torchvision}

    def find_spec(self, name, path=None, target=None):
        change = self.changes.pop(name, None)
        if change is None:
            return None
        spec = importlib.util.find_spec(name)
        run = spec.loader.exec_module

        def run_and_change(module):
            run(module)
            change(module)
        spec.loader.exec_module = run_and_change
        return spec


sys.meta_path.insert(0, Changed())
