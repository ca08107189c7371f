// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Distribuuuu (github.com/BIGBALLON/distribuuuu), stderr of rank 0:
//   [2021-05-01 12:00:00] CURRENT EPOCH:   1,   LR: 0.0200,   POLICY: cos
//   [2021-05-01 12:00:00] ETA: 12.34h TRAIN:  [1][  30/5004] | Time  0.123 ( 0.130) | Data … | Loss … | Acc@1 …
//   [2021-05-01 12:00:00] VAL:  [ 10/ 25] | Time … | Loss … | Acc@1 …
//   [2021-05-01 12:00:00] ACCURACY: TOP1 70.902(BEST 70.902) | TOP5 89.894 | SAVED …

#include <remote/observe/metric_lines/meters.h>
#include <remote/observe/metric_lines/shapes.h>

namespace rankscope::metric_lines {
namespace {

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

}  // namespace

std::optional<Reading> read_distribuuuu(std::string_view line) {
    Scan scan(line);
    if (auto train = scan; train.past("TRAIN:")) {
        return read_metered_step(train);
    }
    if (auto validation = scan; validation.past("VAL:")) {
        return read_validation(validation);
    }
    if (auto accuracy = scan; accuracy.past("ACCURACY:")) {
        return read_top_k(accuracy, "TOP");
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
