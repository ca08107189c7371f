// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/metric_names.h>
#include <remote/observe/tensorboard/tag_metrics.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

namespace rankscope::tensorboard {
namespace {

constexpr std::size_t kMostNames = 10000;  // a program that makes up tags without end

// Keras writes to …/validation, add_scalars("loss", {"val": …}) to …/loss_val. An experiment may be called
// "test", so that word counts behind another one only.
bool is_of_validation(const std::string& folder) {
    std::string lower = folder;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 5> kWords{"validation", "valid", "val", "eval", "test"};
    const auto last = std::string_view(lower).substr(lower.rfind('/') + 1);
    return std::any_of(kWords.begin(), kWords.end(), [last](std::string_view word) {
        return (last == word && word != "test") || (last.size() > word.size() && last.ends_with(word) &&
                                                    last[last.size() - word.size() - 1] == '_');
    });
}

// Keras's callback puts before its metrics what its steps count.
std::string_view without_keras_prefix(std::string_view tag) {
    constexpr std::array<std::string_view, 4> kMetrics{"loss", "accuracy", "learning_rate", "lr"};
    for (const std::string_view prefix : {"epoch_", "batch_"}) {
        const auto rest = tag.starts_with(prefix) ? tag.substr(prefix.size()) : std::string_view();
        if (std::find(kMetrics.begin(), kMetrics.end(), rest) != kMetrics.end()) {
            return rest;
        }
    }
    return tag;
}

bool is_epoch(std::string_view tag) {
    return tag == "epoch" || tag == "train/epoch" || tag == "eval/epoch";
}

bool has(const MetricsLine& line, std::string_view key) {
    return std::any_of(line.values.begin(), line.values.end(),
                       [key](const auto& pair) { return pair.first == key; });
}

}  // namespace

std::vector<MetricsLine> TagMetrics::read(const Source& source, const std::vector<Scalars>& scalars) {
    std::vector<MetricsLine> lines;
    for (const auto& event : scalars) {
        for (const auto& [tag, value] : event.values) {
            if (is_epoch(tag)) {
                epoch_ = epoch_of(value);
                if (!lines.empty() && lines.back().step == event.step) {
                    lines.back().epoch = epoch_;
                }
                continue;
            }
            const std::string& name = name_of(source, tag);
            if (name.empty() || given_.contains(name)) {
                continue;
            }
            const auto step = place(source, name, tag, event.step);
            if (lines.empty() || lines.back().step != step || has(lines.back(), name)) {
                lines.emplace_back();
                lines.back().step = step;
                lines.back().epoch = epoch_;
            }
            lines.back().values.emplace_back(name, accuracy_.of(name, value));
        }
    }
    return lines;
}

std::optional<std::int64_t> TagMetrics::place(const Source& source, const std::string& name,
                                              const std::string& tag, std::int64_t step) {
    if (step < 0) {
        return std::nullopt;
    }
    WriterSteps& writer = steps_[{source.folder, source.writer}];
    if (name == "loss") {
        writer.loss = step;
        return step;
    }
    TagSteps& own = writer.tags[tag];
    const bool rising = !own.last || step > *own.last;
    own.otherwise = own.otherwise || (writer.loss && step < *writer.loss && rising);
    own.last = step;
    return own.otherwise ? writer.loss : step;
}

void TagMetrics::given(const MetricsLine& line) {
    for (const auto& [key, value] : line.values) {
        given_.insert(key);
    }
}

const std::string& TagMetrics::name_of(const Source& source, const std::string& tag) {
    static const std::string none;
    const auto known = names_.find({source.folder, tag});
    if (known != names_.end()) {
        return known->second;
    }
    if (names_.size() >= kMostNames) {
        return none;
    }
    return names_.emplace(std::pair(source.folder, tag), new_name(source, tag)).first->second;
}

std::string TagMetrics::new_name(const Source& source, const std::string& tag) {
    const auto plain = without_keras_prefix(tag);
    std::string name = is_of_validation(source.folder) ? metric_lines::validation_name(plain)
                                                       : metric_lines::metric_name(plain);
    const auto owner = owners_.find(name);
    if (owner != owners_.end() && (owner->second.writer == source.writer || owner->second.tag != tag)) {
        return metric_lines::tidy_name(source.folder.empty() ? tag : source.folder + '/' + tag);
    }
    owners_[name] = {source.folder, tag, source.writer};
    return name;
}

// As programs count: epochs from 0 or from 1, or the share of them that is done (1.5).
double TagMetrics::epoch_of(double value) {
    epoch_is_done_share_ = epoch_is_done_share_ || value != std::floor(value);
    if (!first_epoch_) {
        first_epoch_ = value;
    }
    return epoch_is_done_share_ ? std::max(1.0, std::ceil(value)) : value + (*first_epoch_ < 1 ? 1 : 0);
}

}  // namespace rankscope::tensorboard
