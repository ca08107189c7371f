// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_files/record_place.h>
#include <remote/observe/metric_lines/field_meaning.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rankscope::metric_files {
namespace {

enum class Rank { None, Epoch, Batch, Internal, Step, Whole };

constexpr double kMostStep = 9e15;

// "time/total_timesteps" of a group is called by its last word.
std::string own_word(std::string_view name) {
    std::string word = lower_case(trimmed(name.substr(name.rfind('/') + 1)));
    std::replace(word.begin(), word.end(), ' ', '_');
    return word;
}

Rank rank_of(std::string_view name) {
    const std::string word = own_word(name);
    if (word == "_step") {
        return Rank::Internal;  // wandb's own count of the calls of log()
    }
    if (word.ends_with("timesteps") || word.ends_with("env_steps")) {
        return Rank::Whole;
    }
    metric_lines::Field field;
    field.name = word;
    field.printed = word;
    field.value = 1;
    field.whole = true;
    field.assigned = true;
    switch (metric_lines::counter_of(field)) {
        case metric_lines::Counter::WholeStep:
            return Rank::Whole;
        case metric_lines::Counter::Step:
            return Rank::Step;
        case metric_lines::Counter::Batch:
            return Rank::Batch;
        case metric_lines::Counter::Epoch:
            return Rank::Epoch;
        case metric_lines::Counter::None:
            break;
    }
    return Rank::None;
}

bool is_clock(std::string_view name) {
    constexpr std::array<std::string_view, 8> kClocks{"timestamp", "_timestamp",   "_runtime", "wall_time",
                                                      "walltime",  "time_elapsed", "datetime", "date"};
    const std::string word = own_word(name);
    return std::find(kClocks.begin(), kClocks.end(), word) != kClocks.end();
}

bool is_count(double value) {
    return value >= 0 && value <= kMostStep && value == std::floor(value);
}

}  // namespace

bool is_counter(const std::string& name) {
    return rank_of(name) != Rank::None;
}

std::optional<Scalars> placed(const Record& record, std::int64_t row) {
    Scalars scalars;
    Rank best = Rank::None;
    Record counts;
    for (const auto& [name, value] : record) {
        const Rank rank = rank_of(name);
        if (rank == Rank::Epoch) {
            if (value >= 0 && value <= kMostStep) {
                scalars.epoch = value;
            }
        } else if (rank != Rank::None) {
            counts.emplace_back(name, value);
            if (rank > best && is_count(value)) {
                best = rank;
                scalars.step = static_cast<std::int64_t>(value);
            }
        } else if (!is_clock(name)) {
            scalars.values.emplace_back(name, value);
        }
    }
    if (scalars.values.empty() || (best == Rank::None && !scalars.epoch)) {
        return std::nullopt;
    }
    // Others that count the same under another name bring nothing; what counts something else is a series.
    for (const auto& [name, value] : counts) {
        if (name.find('/') != std::string::npos && std::abs(value - static_cast<double>(scalars.step)) > 1) {
            scalars.values.emplace_back(name, value);
        }
    }
    if (best == Rank::None) {
        scalars.of_epoch = true;
        scalars.step = static_cast<std::int64_t>(*scalars.epoch);
    } else if (best == Rank::Batch && scalars.epoch) {
        scalars.step = row;
    }
    return scalars;
}

}  // namespace rankscope::metric_files
