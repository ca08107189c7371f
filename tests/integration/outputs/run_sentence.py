# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import os

os.environ["TENSORBOARD_LOGGING_DIR"] = "tb_st"
import os
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments, models, losses
from transformers import BertConfig, BertModel, BertTokenizerFast

os.makedirs("bert", exist_ok=True)
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(100)]
open("bert/vocab.txt", "w").write("\n".join(words))
BertTokenizerFast("bert/vocab.txt").save_pretrained("bert")
BertModel(BertConfig(vocab_size=105, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64)).save_pretrained(
    "bert"
)
from datasets import Dataset
import random

random.seed(0)
s = lambda: " ".join(f"w{random.randrange(100)}" for _ in range(6))
d = Dataset.from_dict({"anchor": (a := [s() for _ in range(200)]), "positive": a})
w = models.Transformer("bert")
m = SentenceTransformer(modules=[w, models.Pooling(32)])
SentenceTransformerTrainer(
    m,
    SentenceTransformerTrainingArguments(
        "st_out", num_train_epochs=2, per_device_train_batch_size=8, logging_steps=5, report_to=["tensorboard"], use_cpu=True
    ),
    train_dataset=d,
    loss=losses.MultipleNegativesRankingLoss(m),
).train()
