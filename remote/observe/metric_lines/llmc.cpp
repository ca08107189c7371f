// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// llm.c and nanoGPT; "…" marks a folded line:
//   train_gpt2.cu   step    1/19560 | loss 10.998416 (+nanz)| norm 15.3 (+nanz)| lr 4.29e-07 | …
//                   … 1234.56 ms | 45.1% bf16 MFU | 424543 tok/s
//   train_gpt2.py   step    1/50 | train loss 4.2 | norm 1.2 | lr 3.00e-04 | (12.3 ms | 1000 tok/s)
//   train_gpt2.c    step 0: train loss 5.356 (took 1234.5 ms)
//                   val loss 5.325413
//   nanoGPT         iter 100: loss 3.2101, time 123.45ms, mfu 12.30%
//                   step 250: train loss 2.1034, val loss 2.2101

#include <remote/observe/metric_lines/scan.h>
#include <remote/observe/metric_lines/shapes.h>

#include <algorithm>

namespace rankscope::metric_lines {
namespace {

// One part between separators: "loss 10.9 (+nanz)", "1234.56 ms", "45.1% bf16 MFU", "424543 tok/s", "time 3ms".
void read_part(std::string_view part, Reading& reading) {
    Scan scan(part);
    scan.spaces();
    scan.text("(");
    if (scan.word("train loss") || scan.word("loss")) {
        reading.add("loss", scan.number());
        if (scan.word("(took")) {
            reading.add("t_step_ms", scan.number());
        }
    } else if (scan.word("val loss")) {
        reading.add("val_loss", scan.number());
    } else if (scan.word("norm")) {
        reading.add("grad_norm", scan.number());
    } else if (scan.word("lr")) {
        reading.add("lr", scan.number());
    } else if (scan.word("time")) {
        reading.add("t_step_ms", scan.number());
    } else if (const auto value = scan.number()) {
        if (scan.word("ms")) {
            reading.add("t_step_ms", value);
        } else if (scan.word("tok/s")) {
            reading.add("tokens_per_s", value);
        }
    }
}

}  // namespace

std::optional<Reading> read_llmc(std::string_view line) {
    Scan scan(line);
    Reading reading;
    if (scan.word("val loss")) {
        reading.validation = true;
        reading.add("val_loss", scan.number());
        return scan.at_end() ? reading.if_any() : std::nullopt;
    }
    if (!scan.word("step") && !scan.word("iter")) {
        return std::nullopt;
    }
    if (!(reading.step = scan.whole())) {
        return std::nullopt;
    }
    const bool total = scan.word("/") && scan.whole();
    if (!(total ? scan.word("|") : scan.word(":"))) {
        return std::nullopt;
    }
    for (std::string_view rest = scan.rest(); !rest.empty();) {
        const auto end = std::min(rest.size(), rest.find_first_of("|,"));
        read_part(rest.substr(0, end), reading);
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    // An evaluation: the mean of several batches, which the line of that step has a loss of its own for.
    const bool evaluation = std::any_of(reading.values.begin(), reading.values.end(),
                                        [](const auto& pair) { return pair.first == "val_loss"; });
    for (auto& [name, value] : reading.values) {
        name = evaluation && name == "loss" ? "train_loss" : name;
    }
    const bool loss = std::any_of(reading.values.begin(), reading.values.end(),
                                  [](const auto& pair) { return pair.first.ends_with("loss"); });
    return loss ? std::optional(reading) : std::nullopt;
}

}  // namespace rankscope::metric_lines
