# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A linear layer over random vectors, printing sizes only: the form of the founding tutorial's single_node.py, on the CPU."""
import torch
import torch.distributed
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class RandomDataset(Dataset):
    def __init__(self, size, length):
        self.len = length
        self.data = torch.randn(length, size)

    def __getitem__(self, index):
        return self.data[index]

    def __len__(self):
        return self.len


class Model(nn.Module):
    def __init__(self, input_size, output_size):
        super().__init__()
        self.fc = nn.Linear(input_size, output_size)

    def forward(self, input):
        output = self.fc(input)
        print("  In Model: input size", input.size(), "output size", output.size())
        return output


def main():
    torch.distributed.init_process_group(backend="gloo")
    dataset = RandomDataset(5, 90)
    loader = DataLoader(dataset=dataset, batch_size=30, sampler=DistributedSampler(dataset))
    model = nn.parallel.DistributedDataParallel(Model(5, 2))
    for data in loader:
        output = model(data)
        print("Outside: input size", data.size(), "output_size", output.size())


if __name__ == "__main__":
    main()
