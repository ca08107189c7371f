// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Bars of tqdm, redrawn with '\r', on stderr; the postfix holds the values:
//   plain        Epoch 1/5:  50%|█████     | 469/938 [00:05<00:05, 85.21it/s, loss=0.312, acc=91.2%]
//   Lightning    Epoch 0:  50%|█████     | 469/938 [00:05<00:05, 85.21it/s, v_num=0, train_loss_step=0.123]
//   no total     120it [00:01, 98.2it/s, loss=0.5]

#include <base/text.h>
#include <remote/observe/metric_lines/field_meaning.h>
#include <remote/observe/metric_lines/key_values.h>
#include <remote/observe/metric_lines/scan.h>
#include <remote/observe/metric_lines/shapes.h>

#include <algorithm>
#include <cctype>

namespace rankscope::metric_lines {
namespace {

bool contains_word(std::string_view text, std::string_view word) {
    return lower_case(text).find(word) != std::string::npos;
}

// What stands before the bar: "Epoch 1/5", "Train Epoch: 3", "Validation DataLoader 0".
void read_description(std::string_view text, Reading& reading) {
    for (const std::string_view word : {"valid", "eval", "test", "sanity"}) {
        reading.validation = reading.validation || contains_word(text, word);
    }
    Scan scan(text);
    if (scan.past("poch")) {
        scan.word(":") || scan.word("[") || scan.word("#");
        if ((reading.epoch = scan.whole()) && scan.word("/")) {
            reading.epochs = scan.whole();
        }
    }
}

// "Epoch 1 (loss: 0.31)": the values stand before the bar.
void read_values_before(std::string_view text, Reading& reading) {
    for (const auto& field : fields_of(tokens_of(text)).fields) {
        const auto series =
            counter_of(field) == Counter::None ? series_of(field, reading.validation) : std::nullopt;
        if (series && series->telling) {
            reading.add(series->name, field.value, series->factor);
        }
    }
}

// Where "50%|####  | " or, without a picture, "50% " ends; 0: there is no bar.
std::size_t bar_end(std::string_view line, std::size_t percent) {
    if (line.substr(percent).starts_with("%|")) {
        const auto end = line.find("| ", percent + 2);
        return end == std::string_view::npos ? 0 : end + 2;
    }
    return line.substr(percent).starts_with("% ") ? percent + 2 : 0;
}

// "epoch=1/3" or "epoch=1" among the values.
void take_shown_epoch(std::string_view inside, Reading& reading) {
    constexpr std::string_view kKey = ", epoch=";
    Scan scan(inside);
    if (reading.epoch || !scan.past(kKey) || !(reading.epoch = scan.whole())) {
        return;
    }
    reading.epochs = scan.word("/") ? scan.whole() : std::nullopt;
    reading.epoch_is_shown = true;
    std::erase_if(reading.values, [](const auto& pair) { return pair.first == "epoch"; });
}

// "[00:05<00:05, 85.21it/s, loss=0.312]"
bool read_bracket(Scan scan, Reading& reading) {
    if (!scan.word("[")) {
        return false;
    }
    const auto inside = scan.until("]");
    if (scan.at_end()) {
        return false;
    }
    read_key_values(inside, ",", reading);
    // The clock "00:05<00:05" looks like a pair; names begin with a letter.
    std::erase_if(reading.values, [](const auto& pair) {
        const auto first = static_cast<unsigned char>(pair.first.empty() ? '0' : pair.first.front());
        return std::isalpha(first) == 0 && first < 0x80;
    });
    take_shown_epoch(inside, reading);
    return true;
}

}  // namespace

std::optional<Reading> read_tqdm(std::string_view line) {
    Reading reading;
    auto bar = line.find("%|");
    bar = bar == std::string_view::npos ? line.find("% ") : bar;
    if (const auto end = bar == std::string_view::npos ? 0 : bar_end(line, bar); end > 0) {
        auto before = line.substr(0, bar);
        const auto colon = before.rfind(':');
        read_description(colon == std::string_view::npos ? std::string_view() : before.substr(0, colon),
                         reading);
        Scan scan(line.substr(end));
        if (!(reading.in_epoch = scan.whole()) || !scan.text("/") || !(reading.per_epoch = scan.whole()) ||
            !read_bracket(scan, reading)) {
            return std::nullopt;
        }
        if (reading.values.empty() && colon != std::string_view::npos) {
            read_values_before(before.substr(0, colon), reading);
        }
        if (!reading.epoch && contains_word(before, "step")) {
            reading.step = reading.in_epoch;  // "Steps: 1%": of the whole run
            reading.steps = reading.per_epoch;
            reading.in_epoch.reset();
            reading.per_epoch.reset();
        }
        return reading;
    }
    // "Epoch 0: |          | 20/? [00:00<00:00, 73.5it/s, loss=0.3]": the length is not known.
    if (const auto unknown = line.find("/? ["); unknown != std::string_view::npos) {
        const auto before = line.find_last_not_of("0123456789", unknown - (unknown > 0 ? 1U : 0U));
        Scan count(line.substr(before == std::string_view::npos ? 0 : before + 1));
        const auto picture = line.find('|');
        read_description(line.substr(0, std::min(picture, unknown)), reading);
        return (reading.in_epoch = count.whole()) && read_bracket(Scan(line.substr(unknown + 2)), reading)
                   ? std::optional(reading)
                   : std::nullopt;
    }
    if (const auto count = line.find("it ["); count != std::string_view::npos) {
        const auto start = line.find_last_not_of("0123456789", count == 0 ? 0 : count - 1);
        Scan scan(line.substr(start == std::string_view::npos ? 0 : start + 1));
        if ((reading.in_epoch = scan.whole()) && scan.text("it") && read_bracket(scan, reading)) {
            read_description(line.substr(0, start == std::string_view::npos ? 0 : start), reading);
            return reading;
        }
    }
    return std::nullopt;
}

}  // namespace rankscope::metric_lines
