// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Hugging Face's Trainer prints Python dictionaries, of rank 0; the step stands in its bar only:
//   {'loss': 0.6931, 'grad_norm': 1.5, 'learning_rate': 4.5e-05, 'epoch': 0.5}
//   {'eval_loss': 0.4, 'eval_accuracy': 0.86, 'eval_runtime': 3.1, 'eval_samples_per_second': 130.2, 'epoch': 1.0}
//   {'train_runtime': 60.5, 'train_samples_per_second': 250.0, 'train_loss': 0.31, 'epoch': 3.0}

#include <remote/observe/metric_lines/metric_names.h>
#include <remote/observe/metric_lines/scan.h>
#include <remote/observe/metric_lines/shapes.h>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMaxKeys = 64;

// 'key': 0.5 — or, in newer versions, 'key': '0.5'
bool read_entry(Scan& scan, Reading& reading) {
    scan.spaces();
    if (!scan.text("'")) {
        return false;
    }
    const auto key = scan.until("'");
    if (key.empty() || !scan.text("'") || !scan.word(":")) {
        return false;
    }
    const bool quoted = scan.text("'");
    const auto value = scan.number();
    if (!value || (quoted && !scan.text("'"))) {
        return false;
    }
    if (key == "epoch") {
        reading.epoch = value;
    } else if (key == "step") {
        reading.step = value;
    } else {
        reading.validation = reading.validation || key.starts_with("eval_") || key == "train_runtime";
        reading.add(key == "train_loss" ? "train_loss" : metric_name(key), value);
    }
    return true;
}

bool has_loss(const Reading& reading) {
    for (const auto& [key, value] : reading.values) {
        if (key.find("loss") != std::string::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<Reading> read_hf_trainer(std::string_view line) {
    Scan scan(line);
    scan.spaces();
    if (!scan.text("{")) {
        return std::nullopt;
    }
    Reading reading;
    reading.epoch_is_done_share = true;
    do {
        if (!read_entry(scan, reading)) {
            return std::nullopt;
        }
    } while (scan.word(",") && reading.values.size() < kMaxKeys);
    if (!scan.text("}") || !reading.epoch || !has_loss(reading)) {
        return std::nullopt;
    }
    reading.counted = !reading.step && !reading.validation;
    reading.before_its_bar = !reading.step;
    return reading;
}

}  // namespace rankscope::metric_lines
