// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Distribuuuu (github.com/BIGBALLON/distribuuuu), stderr of rank 0:
//   [2021-05-01 12:00:00] CURRENT EPOCH:   1,   LR: 0.0200,   POLICY: cos
//   [2021-05-01 12:00:00] ETA: 12.34h TRAIN:  [1][  30/5004] | Time  0.123 ( 0.130) | Data … | Loss … | Acc@1
//   … [2021-05-01 12:00:00] VAL:  [ 10/ 25] | Time … | Loss … | Acc@1 … [2021-05-01 12:00:00] ACCURACY:
//   TOP1 70.902(BEST 70.902) | TOP5 89.894 | SAVED …

#include <remote/metric_lines/meters.h>
#include <remote/metric_lines/metric_names.h>
#include <remote/metric_lines/shapes.h>

namespace rankscope::metric_lines {
namespace {

std::optional<Reading> read_train(Scan scan) {
    Reading reading;
    if (scan.word("[") && (reading.epoch = scan.whole()) && scan.word("]") &&
        scan.fraction(reading.in_epoch, reading.per_epoch) && read_meters(scan, reading)) {
        return reading;
    }
    return std::nullopt;
}

// The means run up to the end of the validation: only the last line is its result.
std::optional<Reading> read_validation(Scan scan) {
    Reading reading;
    reading.validation = true;
    std::optional<double> done;
    std::optional<double> total;
    if (!scan.fraction(done, total) || !read_meters(scan, reading)) {
        return std::nullopt;
    }
    if (*done != *total) {
        reading.values.clear();
    }
    return reading;
}

std::optional<Reading> read_accuracy(Scan scan) {
    Reading reading;
    reading.validation = true;
    do {
        const auto k = scan.word("TOP") ? scan.whole() : std::nullopt;
        const auto value = k && *k <= kLargestK ? scan.number() : std::nullopt;
        if (!value) {
            break;
        }
        reading.add(top_k_name(*k), value, 0.01);
    } while (scan.past("|"));
    return reading.values.empty() ? std::nullopt : std::optional(reading);
}

}  // namespace

std::optional<Reading> read_distribuuuu(std::string_view line) {
    Scan scan(line);
    if (auto train = scan; train.past("TRAIN:")) {
        return read_train(train);
    }
    if (auto validation = scan; validation.past("VAL:")) {
        return read_validation(validation);
    }
    if (auto accuracy = scan; accuracy.past("ACCURACY:")) {
        return read_accuracy(accuracy);
    }
    if (scan.past("CURRENT EPOCH:")) {
        Reading reading;
        if ((reading.epoch = scan.whole()) && scan.word(",") && scan.word("LR:")) {
            reading.add("lr", scan.number());
            return reading;
        }
    }
    return std::nullopt;
}

}  // namespace rankscope::metric_lines
