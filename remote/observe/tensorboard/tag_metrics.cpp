// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/metric_names.h>
#include <remote/observe/tensorboard/tag_metrics.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rankscope::tensorboard {
namespace {

using Relation = metric_lines::SeriesMerge::Relation;

constexpr double kOfAFloat = 1e-6;         // relative
constexpr std::size_t kMostPoints = 512;   // of a series, that another is compared with
constexpr std::size_t kMostNames = 10000;  // a program that makes up tags without end

// Keras writes to …/validation, add_scalars("loss", {"val": …}) to …/loss_val. An experiment may be called
// "test", so that word counts behind another one only.
bool is_of_validation(const std::string& folder) {
    const std::string lower = lower_case(folder);
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

std::string log_of(const Source& source) {
    return source.file.empty() ? source.folder : source.folder + '\n' + source.file;
}

std::vector<std::pair<std::int64_t, double>> points_of(const std::string& tag,
                                                       const std::vector<Scalars>& scalars) {
    std::vector<std::pair<std::int64_t, double>> points;
    for (const auto& event : scalars) {
        for (const auto& [name, value] : event.values) {
            if (name == tag) {
                points.emplace_back(event.step, value);
            }
        }
    }
    return points;
}

// At one step they have the same value: event files hold floats, others doubles.
template <typename Points>
bool meet(const Points& known, const std::vector<std::pair<std::int64_t, double>>& points) {
    return std::any_of(points.begin(), points.end(), [&known](const auto& point) {
        return std::any_of(known.begin(), known.end(), [&point](const auto& other) {
            return other.first == point.first &&
                   (std::abs(other.second - point.second) <= kOfAFloat * std::abs(point.second) ||
                    (std::isnan(other.second) && std::isnan(point.second)));
        });
    });
}

}  // namespace

std::vector<MetricsLine> TagMetrics::read(const Source& source, const std::vector<Scalars>& scalars,
                                          const metric_lines::SeriesMerge& printed) {
    std::vector<MetricsLine> lines;
    const std::vector<Scalars> events = with_steps(source, scalars, printed);
    for (const auto& event : events) {
        if (event.epoch) {
            take_epoch(event, *event.epoch, lines);
        }
        for (const auto& [tag, value] : event.values) {
            if (is_epoch(tag)) {
                take_epoch(event, value, lines);
                continue;
            }
            const std::string& name = name_of(source, tag, events, printed);
            if (name.empty() || given_.contains(name)) {
                continue;
            }
            const auto step = place(source, name, tag, event);
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

void TagMetrics::take_epoch(const Scalars& event, double value, std::vector<MetricsLine>& lines) {
    epoch_ = epoch_of(value);
    if (!lines.empty() && lines.back().step == event.step) {
        lines.back().epoch = epoch_;
    }
}

std::vector<Scalars> TagMetrics::with_steps(const Source& source, const std::vector<Scalars>& scalars,
                                            const metric_lines::SeriesMerge& lines) {
    std::vector<Scalars> events = scalars;
    double last_epoch = 0;
    for (auto& event : events) {
        mark_validation(source, event);
        if (event.of_epoch) {
            event.epoch = event.epoch ? event.epoch : std::optional(static_cast<double>(event.step));
            last_epoch = std::max(last_epoch, epoch_of(*event.epoch));
        }
    }
    for (auto& event : events) {
        if (event.of_epoch) {
            const double epoch = epoch_of(*event.epoch);
            const auto end = lines.end_of_epoch(epoch);
            const std::int64_t last = std::max(last_step_, lines.last_step_of_lines());
            // Of several that come at once, earlier epochs are as long as later ones.
            const double share = last_epoch > 0 ? epoch / last_epoch : 1;
            event.step = end         ? *end
                         : last >= 0 ? std::llround(static_cast<double>(last) * share)
                                     : event.step;
        } else if (event.step >= 0) {
            last_step_ = std::max(last_step_, event.step);
        }
    }
    return events;
}

// A record of a log whose step falls back counts epochs, and holds what was measured behind one.
void TagMetrics::mark_validation(const Source& source, Scalars& event) {
    if (source.file.empty() || event.of_epoch || event.wall_time > 0) {
        return;
    }
    auto& last = last_records_.try_emplace(log_of(source), event.step).first->second;
    const bool trains = std::any_of(event.values.begin(), event.values.end(), [](const auto& value) {
        return metric_lines::metric_name(value.first) == "loss";
    });
    if (event.step >= last || trains) {
        last = event.step;
        return;
    }
    event.of_epoch = true;
    for (auto& [tag, value] : event.values) {
        tag = metric_lines::metric_name(tag).starts_with("val_") ? tag : "val/" + tag;
    }
}

std::optional<std::int64_t> TagMetrics::place(const Source& source, const std::string& name,
                                              const std::string& tag, const Scalars& event) {
    if (event.step < 0 || event.of_epoch) {
        return event.step < 0 ? std::nullopt : std::optional(event.step);
    }
    WriterSteps& writer = steps_[{log_of(source), source.writer}];
    if (name == "loss") {
        writer.loss = event.step;
        writer.loss_time = event.wall_time;
        return event.step;
    }
    TagSteps& own = writer.tags[tag];
    const bool rising = !own.last || event.step > *own.last;
    // What was written before the loss, and is read behind it, is no other count.
    own.otherwise = own.otherwise || (writer.loss && event.step < *writer.loss && rising &&
                                      event.wall_time >= writer.loss_time);
    own.last = event.step;
    return own.otherwise ? writer.loss : event.step;
}

void TagMetrics::given(const MetricsLine& line) {
    for (const auto& [key, value] : line.values) {
        given_.insert(key);
    }
}

const std::string& TagMetrics::name_of(const Source& source, const std::string& tag,
                                       const std::vector<Scalars>& scalars,
                                       const metric_lines::SeriesMerge& lines) {
    static const std::string none;
    const auto known = names_.find({log_of(source), tag});
    if (known != names_.end()) {
        return known->second;
    }
    if (names_.size() >= kMostNames) {
        return none;
    }
    return names_.emplace(std::pair(log_of(source), tag), new_name(source, tag, scalars, lines))
        .first->second;
}

std::string TagMetrics::new_name(const Source& source, const std::string& tag,
                                 const std::vector<Scalars>& scalars,
                                 const metric_lines::SeriesMerge& lines) {
    const auto plain = without_keras_prefix(tag);
    std::string name = is_of_validation(source.folder) ? metric_lines::validation_name(plain)
                                                       : metric_lines::metric_name(plain);
    const Points points = points_of(tag, scalars);
    const auto owner = owners_.find(name);
    if (owner != owners_.end() &&
        (owner->second.source.writer == source.writer || owner->second.tag != tag)) {
        if (owner->second.source.file != source.file && meet(owner->second.points, points)) {
            return {};  // a second log of the same
        }
        name = own_name(source, tag);
    } else if (const auto relation = lines.relation(name, points); relation != Relation::None) {
        const bool of_epoch = !scalars.empty() && scalars.front().of_epoch;
        const bool dense = lines.count_of_lines(name) > points.size() + 1;
        if (relation == Relation::Different || (of_epoch && dense)) {
            name = own_name(source, tag);
        }
    } else if (const auto word = tag.substr(tag.rfind('/') + 1);
               lines.relation(word, points) == Relation::Same) {
        name = word;  // "train/train_runtime"
    }
    Owner& now = owners_[name];
    now.source = source;
    now.tag = tag;
    now.points.assign(points.end() - static_cast<std::ptrdiff_t>(std::min(points.size(), kMostPoints)),
                      points.end());
    return name;
}

// As the program has it; before it the folder, or the file, where that is another's.
std::string TagMetrics::own_name(const Source& source, const std::string& tag) const {
    std::string name = metric_lines::tidy_name(source.folder.empty() ? tag : source.folder + '/' + tag);
    if (!source.file.empty() && (owners_.contains(name) || metric_lines::metric_name(tag) == name)) {
        name = metric_lines::tidy_name(source.file + '/' + tag);
    }
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
