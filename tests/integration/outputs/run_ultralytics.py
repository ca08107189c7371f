# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import os
from PIL import Image

r = np.random.default_rng(0)
for part, n in (("train", 24), ("val", 8)):
    for c, col in (("red", (220, 30, 30)), ("blue", (30, 30, 220))):
        os.makedirs(f"ds/{part}/{c}", exist_ok=True)
        for i in range(n):
            Image.fromarray((r.random((64, 64, 3)) * 40 + np.array(col) * 0.8).astype("uint8")).save(f"ds/{part}/{c}/{i}.jpg")
from ultralytics import YOLO

YOLO("yolov8n-cls.yaml").train(data="ds", epochs=3, imgsz=64, batch=8, device="cpu", workers=0, project="runs_u", name="x", plots=False)
