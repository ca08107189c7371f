# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import os
from PIL import Image

r = np.random.default_rng(0)
for part, n in (("train", 24), ("val", 8)):
    os.makedirs(f"dd/images/{part}", exist_ok=True)
    os.makedirs(f"dd/labels/{part}", exist_ok=True)
    for i in range(n):
        a = (r.random((96, 96, 3)) * 60).astype("uint8")
        x, y = r.integers(0, 60, 2)
        a[y : y + 32, x : x + 32] = 220
        Image.fromarray(a).save(f"dd/images/{part}/{i}.jpg")
        open(f"dd/labels/{part}/{i}.txt", "w").write(f"0 {(x+16)/96} {(y+16)/96} {32/96} {32/96}\n")
open("dd.yaml", "w").write(f"path: {os.path.abspath('dd')}\ntrain: images/train\nval: images/val\nnames: [box]\n")
from ultralytics import YOLO

YOLO("yolov8n.yaml").train(
    data="dd.yaml", epochs=3, imgsz=96, batch=8, device="cpu", workers=0, project="runs_d", name="x", plots=False, amp=False
)
