// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Paddle's guides; every rank prints, batches count from 0:
//   epoch: 0, batch_id: 1000, loss is: [1.2345]                        (newer: without the brackets)
//   [validation] accuracy/loss: 0.5123/1.3456
//   [Epoch 0, batch 5] loss: 7.12345, acc1: 0.00000, acc5: 0.03125

#include <remote/observe/metric_lines/key_values.h>
#include <remote/observe/metric_lines/scan.h>
#include <remote/observe/metric_lines/shapes.h>

namespace rankscope::metric_lines {
namespace {

bool read_place(Scan& scan, Reading& reading) {
    if (!(reading.epoch = scan.whole()) || !scan.word(",") ||
        !(scan.word("batch_id:") || scan.word("batch"))) {
        return false;
    }
    if ((reading.in_epoch = scan.whole())) {
        *reading.in_epoch += 1;
    }
    return reading.in_epoch.has_value();
}

std::optional<Reading> read_batch(Scan scan) {
    Reading reading;
    if (!read_place(scan, reading) || !scan.word(",") || !scan.word("loss is:")) {
        return std::nullopt;
    }
    scan.word("[");
    reading.add("loss", scan.number());
    return reading.if_any();
}

std::optional<Reading> read_guide(Scan scan) {
    Reading reading;
    if (!read_place(scan, reading) || !scan.word("]")) {
        return std::nullopt;
    }
    read_key_values(scan.rest(), ",", reading);
    return reading.if_any();
}

std::optional<Reading> read_validation(Scan scan) {
    Reading reading;
    reading.validation = true;
    const auto accuracy = scan.number();
    const auto loss = accuracy && scan.word("/") ? scan.number() : std::nullopt;
    if (!loss) {
        return std::nullopt;
    }
    reading.add("val_acc1", accuracy);
    reading.add("val_loss", loss);
    return reading;
}

}  // namespace

std::optional<Reading> read_paddle(std::string_view line) {
    Scan scan(line);
    if (auto validation = scan; validation.past("[validation] accuracy/loss:")) {
        return read_validation(validation);
    }
    if (auto guide = scan; guide.past("[Epoch ")) {
        return read_guide(guide);
    }
    return scan.past("epoch:") ? read_batch(scan) : std::nullopt;
}

}  // namespace rankscope::metric_lines
