# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of the benchmarks and parity checks in PyTorch, with the parameter names of rankscope's models.

Runs with torch 1.13 and every newer one; needs timm or torchvision only for the networks that they build. The ResNets are written here (He et al. 2015, with the
stride in the 3×3 convolution of a bottleneck), named and initialised as torchvision's are.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Linear(nn.Module):
    """The first tutorial's one layer."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.fc = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.fc(x)


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 10)
        self.net2 = nn.Linear(10, 5)

    def forward(self, x):
        return self.net2(F.relu(self.net1(x)))


class Mlp(nn.Module):
    def __init__(self, inputs, classes):
        super().__init__()
        self.fc1 = nn.Linear(inputs, 128)
        self.fc2 = nn.Linear(128, classes)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


class ConvNet(nn.Module):
    """The tutorials' network for MNIST."""

    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 5, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.conv3 = nn.Conv2d(64, 128, 3)
        self.fc1 = nn.Linear(2048, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2, 1)
        x = F.max_pool2d(F.relu(self.conv3(x)), 2)
        return self.fc1(x.flatten(1))


class PaddleCnn(nn.Module):
    """The network of Paddle's tutorial on data parallelism."""

    def __init__(self, shape, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(shape[0], 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.conv3 = nn.Conv2d(64, 64, 3)
        height, width = (((size - 2) // 2 - 2) // 2 - 2 for size in shape[1:])
        self.linear1 = nn.Linear(64 * height * width, 64)
        self.linear2 = nn.Linear(64, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.conv3(x))
        return self.linear2(F.relu(self.linear1(x.flatten(1))))


class CifarBlock(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, outputs, 3), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = conv(outputs, outputs, 3), nn.BatchNorm2d(outputs)

    def forward(self, x):
        x = F.gelu(self.bn1(F.max_pool2d(self.conv1(x), 2)))
        return F.gelu(self.bn2(self.conv2(x)))


class CifarNet(nn.Module):
    """As wide and deep as airbench94."""

    def __init__(self, shape, classes):
        super().__init__()
        self.conv0, self.bn0 = conv(shape[0], 64, 3), nn.BatchNorm2d(64)
        self.block1, self.block2, self.block3 = CifarBlock(64, 64), CifarBlock(64, 256), CifarBlock(256, 256)
        self.fc = nn.Linear(256 * math.prod(size // 8 // 3 for size in shape[1:]), classes)

    def forward(self, x):
        x = self.block3(self.block2(self.block1(F.gelu(self.bn0(self.conv0(x))))))
        return self.fc(F.max_pool2d(x, 3).flatten(1))


def conv(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, groups=groups, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inputs, width, stride, downsample, groups, base_width):
        super().__init__()
        self.conv1 = conv(inputs, width, 3, stride)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv(width, width, 3)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = downsample

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, width, stride, downsample, groups, base_width):
        super().__init__()
        inside = width * base_width // 64 * groups
        self.conv1 = conv(inputs, inside, 1)
        self.bn1 = nn.BatchNorm2d(inside)
        self.conv2 = conv(inside, inside, 3, stride, groups)
        self.bn2 = nn.BatchNorm2d(inside)
        self.conv3 = conv(inside, 4 * width, 1)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class ResNet(nn.Module):
    def __init__(self, block, depths, classes, groups=1, base_width=64):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, padding=1)
        inputs = 64
        for number, depth in enumerate(depths):
            width = 64 << number
            blocks = []
            for i in range(depth):
                stride = 2 if number > 0 and i == 0 else 1
                downsample = None
                # Built before the block, as torchvision does: the order of the random draws depends on it.
                if stride != 1 or inputs != width * block.expansion:
                    downsample = nn.Sequential(conv(inputs, width * block.expansion, 1, stride),
                                               nn.BatchNorm2d(width * block.expansion))
                blocks.append(block(inputs, width, stride, downsample, groups, base_width))
                inputs = width * block.expansion
            setattr(self, f"layer{number + 1}", nn.Sequential(*blocks))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(inputs, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


class RelativePositions(nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.rel_height = nn.Parameter(torch.randn(2 * size - 1, width) * width ** -0.5)
        self.rel_width = nn.Parameter(torch.randn(2 * size - 1, width) * width ** -0.5)

    def forward(self, q):
        """[batch, heads, tokens, width] → what comes to each score."""
        size = (len(self.rel_height) + 1) // 2
        distance = torch.arange(size)[None, :] - torch.arange(size)[:, None] + size - 1  # [query, key]
        q = q.unflatten(2, (size, size))
        by_height = torch.einsum("bnhwd,hid->bnhwi", q, self.rel_height[distance])
        by_width = torch.einsum("bnhwd,wjd->bnhwj", q, self.rel_width[distance])
        return (by_height[..., :, None] + by_width[..., None, :]).flatten(4).flatten(2, 3)


class ImageAttention(nn.Module):
    def __init__(self, channels, size, heads):
        super().__init__()
        self.to_qk = nn.Conv2d(channels, 2 * channels, 1, bias=False)
        self.to_v = nn.Conv2d(channels, channels, 1, bias=False)
        self.pos_emb = RelativePositions(size, channels // heads)
        self.heads = heads

    def forward(self, x):
        def by_head(y):
            return y.unflatten(1, (self.heads, -1)).flatten(3).transpose(2, 3)
        q, k, v = map(by_head, (*self.to_qk(x).chunk(2, 1), self.to_v(x)))
        q = q * q.shape[-1] ** -0.5
        shares = (q @ k.transpose(2, 3) + self.pos_emb(q)).softmax(-1)
        return (shares @ v).transpose(2, 3).reshape(x.shape)


class BotBlock(nn.Module):
    def __init__(self, inputs, size):
        super().__init__()
        self.shortcut = nn.Identity() if inputs == 2048 else nn.Sequential(
            nn.Conv2d(inputs, 2048, 1, bias=False), nn.BatchNorm2d(2048), nn.ReLU())
        self.net = nn.Sequential(
            nn.Conv2d(inputs, 512, 1, bias=False), nn.BatchNorm2d(512), nn.ReLU(), ImageAttention(512, size, 4), nn.Identity(),
            nn.BatchNorm2d(512), nn.ReLU(), nn.Conv2d(512, 2048, 1, bias=False), nn.BatchNorm2d(2048))
        nn.init.zeros_(self.net[-1].weight)

    def forward(self, x):
        return F.relu(self.net(x) + self.shortcut(x))


class BotStack(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.net = nn.Sequential(*(BotBlock(inputs, size) for inputs in (1024, 2048, 2048)))

    def forward(self, x):
        return self.net(x)


def botnet50(side, classes):
    """Srinivas et al. (2021), with Distribuuuu's names and start."""
    backbone = list(ResNet(Bottleneck, (3, 4, 6, 3), 1000).children())
    return nn.Sequential(*backbone[:-3], BotStack(side // 16), nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Linear(2048, classes))


class CausalAttention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.c_attn = nn.Linear(channels, 3 * channels)
        self.c_proj = nn.Linear(channels, channels)
        self.heads = heads

    def forward(self, x):
        batch, tokens, channels = x.shape
        q, k, v = (part.view(batch, tokens, self.heads, -1).transpose(1, 2) for part in self.c_attn(x).split(channels, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(batch, tokens, channels))


class Mlp4(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.c_fc = nn.Linear(channels, 4 * channels)
        self.c_proj = nn.Linear(4 * channels, channels)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x), approximate="tanh"))


class GptBlock(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(channels)
        self.attn = CausalAttention(channels, heads)
        self.ln_2 = nn.LayerNorm(channels)
        self.mlp = Mlp4(channels)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    """Radford et al. (2019), with nanoGPT's names and start. Tokens come as floats, as the engine takes them."""

    def __init__(self, vocabulary, positions, layers, heads, channels):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(vocabulary, channels), "wpe": nn.Embedding(positions, channels),
            "h": nn.ModuleList([GptBlock(channels, heads) for _ in range(layers)]), "ln_f": nn.LayerNorm(channels)})
        self.lm_head = nn.Linear(channels, vocabulary, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self.start)
        for name, parameter in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * layers))

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, x):
        tokens = x.long()
        y = self.transformer.wte(tokens) + self.transformer.wpe.weight[:tokens.shape[1]]
        for block in self.transformer.h:
            y = block(y)
        return self.lm_head(self.transformer.ln_f(y)).flatten(0, 1)  # a row for each token


GPTS = {"gpt2": (12, 12, 768), "gpt2-mini": (4, 4, 128)}

RESNETS = {"resnet18": (BasicBlock, (2, 2, 2, 2)), "resnet34": (BasicBlock, (3, 4, 6, 3)),
           "resnet50": (Bottleneck, (3, 4, 6, 3)), "resnet101": (Bottleneck, (3, 4, 23, 3)),
           "resnet152": (Bottleneck, (3, 8, 36, 3))}
# Groups, and the width of one in the first layer.
WIDER = {"resnext50_32x4d": ("resnet50", 32, 4), "resnext101_32x8d": ("resnet101", 32, 8),
         "wide_resnet50_2": ("resnet50", 1, 128), "wide_resnet101_2": ("resnet101", 1, 128)}
# Built by these, where they are installed.
TIMM = ("regnetx_002", "regnetx_160", "regnety_002", "regnety_160", "regnety_320", "efficientnet_b0",
        "vit_tiny_patch16_224", "vit_small_patch16_224")
TORCHVISION = ("densenet121", "densenet161", "densenet169", "densenet201")

# Sample shape, classes (outputs where there are none) and batch per rank where nothing else is requested.
DEFAULTS = {"linear": ((20,), 1, 32), "toy": ((10,), 5, 20), "mlp": ((1, 28, 28), 10, 100),
            "convnet": ((1, 28, 28), 10, 100), "paddle-cnn": ((1, 28, 28), 10, 64), "cifarnet": ((3, 32, 32), 10, 256), "resnet18": ((3, 32, 32), 10, 128),
            "resnet34": ((3, 32, 32), 10, 128), "resnet50": ((3, 224, 224), 1000, 32),
            "resnet101": ((3, 224, 224), 1000, 32), "resnet152": ((3, 224, 224), 1000, 32),
            **{name: ((3, 224, 224), 1000, 32) for name in (*WIDER, *TIMM, *TORCHVISION)},
            "botnet50": ((3, 224, 224), 1000, 16), "gpt2": ((1024,), 50257, 4), "gpt2-mini": ((64,), 256, 12)}
REGRESSIONS = ("linear", "toy")  # mean squared error; all others: cross entropy


def open_relus(network):
    """Batch norms begin with biases of 6, and none with factors of 0: no ReLU is near its zero, where rounding would
    decide on which side a number is. Networks without ReLUs stay as they are."""
    if not any(isinstance(module, nn.ReLU) for module in network.modules()):
        return
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.constant_(module.bias, 6.0)
            if not module.weight.any():
                nn.init.ones_(module.weight)


def build(name, shape, classes):
    """The network with torch's default start, drawn from the global generator."""
    if name == "linear":
        return Linear(shape[0], classes)
    if name == "toy":
        return ToyModel()
    if name == "mlp":
        return Mlp(math.prod(shape), classes)
    if name == "convnet":
        return ConvNet(classes)
    if name == "paddle-cnn":
        return PaddleCnn(shape, classes)
    if name == "cifarnet":
        return CifarNet(shape, classes)
    if name == "botnet50":
        return botnet50(shape[1], classes)
    if name in GPTS:
        return Gpt(classes, 1024 if name == "gpt2" else shape[0], *GPTS[name])
    if name in TIMM:
        import timm
        size = {"img_size": shape[1:]} if name.startswith("vit") else {}
        return timm.create_model(name, num_classes=classes, **size)
    if name in TORCHVISION:
        import torchvision
        return getattr(torchvision.models, name)(num_classes=classes)
    if name in WIDER:
        like, groups, base_width = WIDER[name]
        return ResNet(*RESNETS[like], classes, groups, base_width)
    return ResNet(*RESNETS[name], classes)
