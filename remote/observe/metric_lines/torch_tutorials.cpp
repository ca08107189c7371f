// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The tutorials from which many scripts are copied:
//   mnist_dist.py             Epoch [1/5], Step [100/300], Loss: 2.1034     the step and more may be absent
//   Distribuuuu's tutorial       == step: [ 50/196] [1/5] | loss: 1.959 | acc: 28.633%     epochs from 0 or 1
//   multi_node.py (elastic)   [4711] (rank = 0, local_rank = 0) loss = 1.23456

#include <remote/observe/metric_lines/key_values.h>
#include <remote/observe/metric_lines/scan.h>
#include <remote/observe/metric_lines/shapes.h>

namespace rankscope::metric_lines {
namespace {

std::optional<Reading> read_epoch_step(std::string_view line) {
    Scan scan(line);
    Reading reading;
    if (!scan.past("Epoch")) {
        return std::nullopt;
    }
    scan.word(":");
    if (!scan.fraction(reading.epoch, reading.epochs)) {
        return std::nullopt;
    }
    scan.word(",");
    const bool stepped = scan.word("Step") || scan.word("Iter") || scan.word("Batch");
    if (stepped) {
        scan.word(":");
        if (!scan.fraction(reading.in_epoch, reading.per_epoch)) {
            return std::nullopt;
        }
        scan.word(",");
    } else {
        reading.counted = true;
    }
    read_key_values(scan.rest(), ",|", reading);
    return reading.if_any();
}

std::optional<Reading> read_step_bar(std::string_view line) {
    Scan scan(line);
    Reading reading;
    if (!scan.past("== step:") || !scan.fraction(reading.in_epoch, reading.per_epoch) ||
        !scan.fraction(reading.epoch, reading.epochs) || !scan.word("|")) {
        return std::nullopt;
    }
    read_key_values(scan.rest(), "|", reading);
    return reading.if_any();
}

std::optional<Reading> read_rank_loss(std::string_view line) {
    Scan scan(line);
    if (!scan.past("(rank = ") || !scan.whole() || !scan.past(")") || !scan.word("loss =")) {
        return std::nullopt;
    }
    Reading reading;
    reading.counted = true;
    reading.add("loss", scan.number());
    return reading.if_any();
}

}  // namespace

std::optional<Reading> read_torch_tutorials(std::string_view line) {
    if (auto reading = read_step_bar(line)) {
        return reading;
    }
    if (auto reading = read_epoch_step(line)) {
        return reading;
    }
    return read_rank_loss(line);
}

}  // namespace rankscope::metric_lines
