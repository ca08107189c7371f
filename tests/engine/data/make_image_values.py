#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what PIL and torchvision make of pictures. Made with Pillow 9.4.0, torchvision 0.14.1 and libjpeg-turbo 2.1.5
(Debian 12: python3-pil, python3-torchvision):
    python3 make_image_values.py > image_values.json
files: picture files and the bytes that convert("RGB") gives; pipelines: torchvision's transforms of the picture that
pattern() draws, as the C++ tests draw it too; tables: ToTensor and Normalize of all 256 pixel values, as a hash.
"""
import base64
import hashlib
import io
import json
import struct
import warnings
import zlib

import numpy
import torch
import torchvision.transforms as T
import torchvision.transforms.functional as F
from PIL import Image

warnings.simplefilter("ignore")


def text(data):
    return base64.b64encode(data).decode()


def pattern(height, width):
    y, x, c = numpy.meshgrid(numpy.arange(height), numpy.arange(width), numpy.arange(3), indexing="ij")
    return Image.fromarray((((x * 7 + y * 13 + c * 29) ^ (x * y // 3)) & 255).astype(numpy.uint8), "RGB")


def smooth(height, width):
    """Gradients with an edge: what JPEG is made for."""
    y, x, c = numpy.meshgrid(numpy.arange(height), numpy.arange(width), numpy.arange(3), indexing="ij")
    v = 40 + 5 * x + 3 * y * (c + 1) + 60 * ((x + y) % 16 > 8)
    return Image.fromarray(numpy.clip(v, 0, 255).astype(numpy.uint8), "RGB")


def encoded(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def chunk(tag, data):
    return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))


def png(width, height, depth, colour, rows, extra=b""):
    """A PNG of a kind that PIL does not write."""
    raw = b"".join(b"\0" + row for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)) +
            extra + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def files():
    rgb = smooth(19, 23)
    grey = rgb.convert("L")
    for name, subsampling in [("444", 0), ("422", 1), ("420", 2)]:
        yield "jpeg " + name, encoded(rgb, "JPEG", quality=85, subsampling=subsampling)
    yield "jpeg progressive", encoded(rgb, "JPEG", quality=75, progressive=True)
    yield "jpeg grey", encoded(grey, "JPEG", quality=80)
    yield "jpeg cmyk", encoded(rgb.convert("CMYK"), "JPEG", quality=90)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees: ignored
    yield "jpeg exif", encoded(rgb, "JPEG", quality=85, exif=exif.tobytes())
    yield "png rgb", encoded(rgb, "PNG")
    rgba = rgb.copy()
    rgba.putalpha(grey)
    yield "png rgba", encoded(rgba, "PNG")
    yield "png grey", encoded(grey, "PNG")
    yield "png grey alpha", encoded(rgba.convert("LA"), "PNG")
    yield "png palette", encoded(rgb.quantize(13), "PNG")
    yield "png palette transparent", encoded(rgb.quantize(13), "PNG", transparency=3)
    yield "png palette 1 bit", encoded(rgb.quantize(2), "PNG")
    yield "png rgb transparent", encoded(rgb, "PNG", transparency=(40, 43, 46))
    yield "png 1 bit", encoded(rgb.convert("1"), "PNG")
    yield "png 2 bits", png(8, 3, 2, 0, [bytes([0x1B, 0xE4]), bytes([0x00, 0xFF]), bytes([0x55, 0xAA])])
    yield "png 4 bits", png(4, 2, 4, 0, [bytes([0x0F, 0x5A]), bytes([0x93, 0xC7])])
    deep = numpy.arange(6 * 5, dtype=">u2").reshape(6, 5) * 37
    yield "png grey 16", png(5, 6, 16, 0, [row.tobytes() for row in deep])
    wide = (numpy.arange(4 * 3 * 3, dtype=">u2") * 1801 + 5).astype(">u2").reshape(4, 9)
    yield "png rgb 16", png(3, 4, 16, 2, [row.tobytes() for row in wide])
    yield "png rgba 16", png(3, 3, 16, 6, [row.tobytes() for row in wide.reshape(-1)[:36].reshape(3, 12)])
    yield "png grey alpha 16", png(3, 3, 16, 4, [row.tobytes() for row in wide.reshape(-1)[:18].reshape(3, 6)])
    yield "png gamma", png(3, 1, 8, 2, [bytes(range(10, 100, 10))], extra=chunk(b"gAMA", struct.pack(">I", 45455)))


def planes(image):
    return text(numpy.asarray(image).transpose(2, 0, 1).tobytes())


def pipelines():
    for height, width, box, size in [
        (30, 40, (0, 0, 30, 40), 8), (30, 40, (3, 5, 20, 17), 8), (30, 40, (10, 20, 5, 6), 12), (64, 48, (1, 2, 63, 11), 7),
        (9, 9, (0, 0, 9, 9), 9), (50, 70, (7, 9, 1, 1), 4), (23, 31, (2, 3, 20, 28), 20), (200, 300, (11, 13, 177, 251), 10),
    ]:
        image = pattern(height, width)
        yield dict(kind="resized_crop", height=height, width=width, box=box, size=size,
                   planes=planes(F.resized_crop(image, *box, [size, size])))
    for height, width, resize, size in [
        (30, 40, 16, 14), (40, 30, 16, 14), (40, 30, 10, 14), (37, 53, 37, 20), (20, 21, 33, 28), (120, 171, 12, 9), (5, 90, 6, 8),
    ]:
        image = pattern(height, width)
        yield dict(kind="resize_centre", height=height, width=width, resize=resize, size=size,
                   planes=planes(T.CenterCrop(size)(T.Resize(resize)(image))))
    for size, padding, top, left in [(12, 4, 0, 0), (12, 4, 8, 8), (12, 4, 5, 2), (12, 2, 3, 1)]:
        padded = F.pad(pattern(size, size), padding)
        for flip in [False, True]:
            image = F.crop(padded, top, left, size, size)
            yield dict(kind="padded_crop", height=size, width=size, size=size, padding=padding, top=top, left=left, flip=flip,
                       planes=planes(F.hflip(image) if flip else image))


def tables():
    pixels = torch.arange(256, dtype=torch.uint8).reshape(1, 1, 256)
    for name, mean, std in [
        ("none", None, None), ("mnist", [0.1307], [0.3081]), ("fashion-mnist", [0.2860], [0.3530]),
        ("cifar10", [0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]),
        ("cifar100", [0.5071, 0.4865, 0.4409], [0.2673, 0.2564, 0.2762]),
        ("imagenet", [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ]:
        image = pixels.expand(len(mean) if mean else 1, 1, 256).permute(1, 2, 0).numpy()
        values = F.to_tensor(image)
        if mean:
            values = F.normalize(values, mean, std)
        yield dict(name=name, sha256=hashlib.sha256(values.numpy().astype("<f4").tobytes()).hexdigest())


def decoded(data):
    image = Image.open(io.BytesIO(data)).convert("RGB")
    return dict(height=image.height, width=image.width, rgb=text(image.tobytes()))


def lines(entries):
    return "[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]"


print('{"files": %s,\n"pipelines": %s,\n"tables": %s}' % (
    lines(dict(name=name, file=text(data), **decoded(data)) for name, data in files()), lines(pipelines()), lines(tables())))
