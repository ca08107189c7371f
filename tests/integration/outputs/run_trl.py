# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import os

os.environ["TENSORBOARD_LOGGING_DIR"] = "tb_trl"
import os
import random
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from tokenizers import Tokenizer, models, pre_tokenizers

v = {w: i for i, w in enumerate(["<pad>", "<eos>", "<unk>"] + [f"w{i}" for i in range(100)])}
t = Tokenizer(models.WordLevel(v, unk_token="<unk>"))
t.pre_tokenizer = pre_tokenizers.Whitespace()
tok = PreTrainedTokenizerFast(tokenizer_object=t, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
from datasets import Dataset
from trl import SFTTrainer, SFTConfig

random.seed(0)
d = Dataset.from_dict({"text": [" ".join(f"w{random.randrange(20)}" for _ in range(20)) for _ in range(160)]})
m = GPT2LMHeadModel(GPT2Config(vocab_size=len(v), n_embd=32, n_layer=1, n_head=2, n_positions=64))
SFTTrainer(
    m,
    args=SFTConfig(
        "trl_out",
        num_train_epochs=2,
        per_device_train_batch_size=8,
        logging_steps=4,
        report_to=["tensorboard"],
        use_cpu=True,
        bf16=False,
        max_length=32,
    ),
    train_dataset=d,
    processing_class=tok,
).train()
