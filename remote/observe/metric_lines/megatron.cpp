// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Megatron-LM, on the last rank; one line, folded here:
//   [2024-05-01 12:00:00] iteration        1/     500 | consumed samples:          256 |
//       elapsed time per iteration (ms): 12345.6 | throughput per GPU (TFLOP/s/GPU): 98.1 |
//       learning rate: 1.5E-07 | lm loss: 1.08E+01 | loss scale: 1.0 | grad norm: 1.234 |
//       number of skipped iterations:   0 | number of nan iterations:   0 |
//    validation loss at iteration 1000 | lm loss value: 6.4E+00 | lm loss PPL: 6.0E+02 |

#include <remote/observe/metric_lines/key_values.h>
#include <remote/observe/metric_lines/metric_names.h>
#include <remote/observe/metric_lines/scan.h>
#include <remote/observe/metric_lines/shapes.h>

namespace rankscope::metric_lines {
namespace {

void rename(Reading& reading, std::string_view from, std::string_view to) {
    for (auto& [key, value] : reading.values) {
        if (key == from) {
            key = to;
        }
    }
}

std::optional<Reading> read_iteration(Scan scan) {
    Reading reading;
    if (!(reading.step = scan.whole()) || !scan.word("/") || !scan.whole() || !scan.word("|")) {
        return std::nullopt;
    }
    read_key_values(scan.rest(), "|", reading);
    rename(reading, "consumed_samples", "samples");
    rename(reading, "elapsed_time_per_iteration_(ms)", "t_step_ms");
    rename(reading, "throughput_per_GPU_(TFLOP/s/GPU)", "tflops");
    rename(reading, "global_batch_size", "batch_size");
    return reading.if_any();
}

std::optional<Reading> read_megatron_validation(Scan scan) {
    Reading reading;
    reading.validation = true;
    if (!(reading.step = scan.whole()) || !scan.past("|") || !scan.word("lm loss value:")) {
        return std::nullopt;
    }
    reading.add("val_loss", scan.number());
    return reading.if_any();
}

}  // namespace

std::optional<Reading> read_megatron(std::string_view line) {
    Scan scan(line);
    if (auto validation = scan; validation.past("validation loss at iteration")) {
        return read_megatron_validation(validation);
    }
    return scan.past("iteration ") ? read_iteration(scan) : std::nullopt;
}

}  // namespace rankscope::metric_lines
