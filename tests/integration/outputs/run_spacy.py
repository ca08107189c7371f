# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import random
import spacy
from spacy.cli.init_config import init_config
from spacy.tokens import DocBin

random.seed(0)
nlp = spacy.blank("en")
for part, count in (("train", 120), ("dev", 30)):
    docs = DocBin()
    for i in range(count):
        good = random.random() < 0.5
        doc = nlp(f"this {'good' if good else 'bad'} film number {i}")
        doc.cats = {"POS": float(good), "NEG": float(not good)}
        docs.add(doc)
    docs.to_disk(f"{part}.spacy")
init_config(lang="en", pipeline=["textcat"], optimize="efficiency").to_disk("base.cfg")
options = {
    "paths.train": "train.spacy",
    "paths.dev": "dev.spacy",
    "training.max_epochs": "6",
    "training.eval_frequency": "10",
    "training.logger.@loggers": "spacy.ConsoleLogger.v3",
    "training.logger.progress_bar": "eval",
    "training.logger.console_output": "true",
    "training.logger.output_file": "spacy.jsonl",
}
words = [word for name, value in options.items() for word in (f"--{name}", value)]
os.execvp("python3", ["python3", "-m", "spacy", "train", "base.cfg", *words])
