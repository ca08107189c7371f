// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// pytorch/examples, where most first scripts come from:
//   mnist      Train Epoch: 1 [640/60000 (1%)]	Loss: 2.300039          samples, not steps
//              Test set: Average loss: 0.0266, Accuracy: 9912/10000 (99%)
//   imagenet   Epoch: [0][ 10/5005]	Time  0.123 ( 0.130)	Data …	Loss 6.9e+00 (6.9e+00)	Acc@1   0.39 (  0.20)
//              Test: [190/196]	Time …	Loss …	Acc@1 …
//               *   Acc@1 70.106 Acc@5 89.412

#include <remote/observe/metric_lines/key_values.h>
#include <remote/observe/metric_lines/meters.h>
#include <remote/observe/metric_lines/shapes.h>

namespace rankscope::metric_lines {
namespace {

std::optional<Reading> read_mnist(Scan scan) {
    Reading reading;
    if (!(reading.epoch = scan.whole()) || !scan.word("[")) {
        return std::nullopt;
    }
    reading.add("samples", scan.whole());
    if (!scan.word("/") || !scan.whole() || !scan.word("(") || !scan.number() || !scan.word("%)]")) {
        return std::nullopt;
    }
    reading.counted = true;
    const auto before = reading.values.size();
    read_key_values(scan.rest(), "\t,", reading);
    return reading.values.size() > before ? std::optional(reading) : std::nullopt;
}

std::optional<Reading> read_mnist_test(Scan scan) {
    Reading reading;
    reading.validation = true;
    reading.add("val_loss", scan.word("Average loss:") ? scan.number() : std::nullopt);
    std::optional<double> right;
    std::optional<double> all;
    if (scan.word(",") && scan.word("Accuracy:") && (right = scan.whole()) && scan.word("/") &&
        (all = scan.whole()) && *all > 0) {
        reading.add("val_acc1", *right / *all);
    }
    return reading.if_any();
}

}  // namespace

std::optional<Reading> read_torch_examples(std::string_view line) {
    Scan scan(line);
    if (auto train = scan; train.past("Train Epoch:")) {
        return read_mnist(train);
    }
    if (auto test = scan; test.past("Test set:")) {
        test.spaces();
        return read_mnist_test(test);
    }
    if (auto epoch = scan; epoch.word("Epoch:")) {
        return read_metered_step(epoch);
    }
    if (scan.word("*")) {
        return read_top_k(scan, "Acc@");
    }
    return std::nullopt;
}

}  // namespace rankscope::metric_lines
