// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/field_meaning.h>
#include <remote/observe/metric_lines/general_reader.h>
#include <remote/observe/metric_lines/metric_names.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::metric_lines {
namespace {

using namespace std::string_view_literals;

const std::optional<Series> kNoSeries;
constexpr std::size_t kMostStatements = 64;
constexpr std::uint64_t kLongestRecord = 200;  // lines below the line of its counter
constexpr std::string_view kObject = "object ";
constexpr std::string_view kTest = "|test";  ///< ends the key of a statement about a test set

bool is_fraction(const Field& field) {
    return field.name.empty() && field.total && field.whole && field.value <= *field.total + 1;
}

std::optional<double> fraction_total(const LineFields& fields) {
    const auto fraction = std::find_if(fields.fields.begin(), fields.fields.end(), is_fraction);
    return fraction == fields.fields.end() ? std::nullopt : fraction->total;
}

// "rank0", "default0", "rank_0" as torchrun and loggers write it.
std::string rank_of(const LineFields& fields) {
    for (const auto& word : fields.other_words) {
        for (const std::string_view start : {"rank_", "rank", "default"}) {
            if (word.size() > start.size() && word.starts_with(start) &&
                word.find_first_not_of("0123456789", start.size()) == std::string::npos) {
                return word.substr(start.size());
            }
        }
    }
    for (const Field& field : fields.fields) {
        if (field.whole && (field.name == "rank"sv || field.name == "global_rank"sv)) {
            return std::to_string(static_cast<long long>(std::min(field.value, 1e9)));
        }
    }
    return {};
}

// Of several counts: the one of the whole run, then that of the optimizer's steps.
int weight(Counter counter, const Field& field) {
    return counter == Counter::WholeStep ? 2 : field.name.find("step") != std::string::npos ? 1 : 0;
}

// Keys of statements: the counters, then the names of the values. With the same counters and most of the names it is one
// statement, which leaves out what it has no value for.
bool is_one_statement(std::string_view a, std::string_view b) {
    const auto bar_a = a.find('|');
    const auto bar_b = b.find('|');
    if (a == b || bar_a == a.npos || a.ends_with(kTest) != b.ends_with(kTest) ||
        a.substr(0, bar_a) != b.substr(0, bar_b)) {
        return a == b;
    }
    const auto names_a = split(a.substr(bar_a + 1), ' ');
    const auto names_b = split(b.substr(bar_b + 1), ' ');
    const auto both = std::count_if(names_a.begin(), names_a.end(), [&](const auto& name) {
        return !name.empty() && std::find(names_b.begin(), names_b.end(), name) != names_b.end();
    });
    return both > 1 && static_cast<std::size_t>(both) * 3 >= std::min(names_a.size(), names_b.size()) * 2;
}

// Where a program reports no "loss": the first of these is what it means by it.
bool stands_for_loss(std::string_view name) {
    constexpr std::array<std::string_view, 9> kNames{"total_loss",   "tot_loss",     "loss_total",
                                                     "avg_loss",     "average_loss", "mean_loss",
                                                     "running_loss", "step_loss",    "batch_loss"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

// The counters of the line, and how the reading counts: steps of the run, or of an epoch.
void GeneralReader::take_counters(const LineFields& fields, Line& line, std::vector<bool>& used) const {
    const Field* epoch = nullptr;
    const Field* step = nullptr;
    Counter kind = Counter::None;
    bool of_train = false;
    for (std::size_t i = 0; i < fields.fields.size(); ++i) {
        const Field& field = fields.fields[i];
        const Counter counter = field.counter;
        if (counter == Counter::None) {
            continue;
        }
        used[i] = true;
        if (field.is_size_of_set) {
            continue;
        }
        if (counter == Counter::Epoch && epoch == nullptr) {
            epoch = &field;
        } else if (counter != Counter::Epoch &&
                   (step == nullptr || weight(counter, field) > weight(kind, *step))) {
            step = &field;
            kind = counter;
        }
        line.counters += field.name + ' ';
        // "steps: 1000" may be how many there are to be.
        line.named = line.named || (!field.in_call && (field.total || !field.name.ends_with('s')));
    }
    for (std::size_t i = 0; i < fields.fields.size(); ++i) {
        const Field& field = fields.fields[i];
        const Field* next = i + 1 < fields.fields.size() ? &fields.fields[i + 1] : nullptr;
        const bool pair = line.counters.empty() && field.name.empty() && field.bracketed && field.whole &&
                          !field.total && next != nullptr && next->name.empty() && next->bracketed &&
                          next->whole && !next->total;
        const bool two_fractions = line.counters.empty() && step == nullptr && is_fraction(field) &&
                                   field.bracketed && next != nullptr && is_fraction(*next) &&
                                   next->bracketed && !next->apart;
        if (pair || two_fractions) {  // "[1, 10]", "[0/5][50/1583]"
            epoch = &field;
            step = next;
            kind = Counter::Batch;
            used[i] = used[i + 1] = true;
            line.counters = "pair ";
            line.named = line.named || two_fractions;
        } else if (epoch == nullptr && step == nullptr && field.name == "train"sv && field.whole &&
                   field.assigned && next != nullptr && is_fraction(*next) && next->bracketed) {
            epoch = &field;  // "Train: 3 [50/1583 (3%)]"
            used[i] = true;
            line.counters = "train ";
            line.named = true;
            of_train = true;
        } else if (is_fraction(field) && step == nullptr &&
                   (field.bracketed || epoch != nullptr || field.token == 0)) {
            step = &field;
            kind = Counter::Step;
            used[i] = true;
            line.counters += "fraction ";
        } else if (line.counters.empty() && step == nullptr && field.apart && field.name.empty() &&
                   (field.bracketed || field.heads) && field.whole && !field.total && next != nullptr &&
                   !next->name.empty() && !next->bracketed) {
            step = &field;  // "[1300] loss=0.3", "1300: loss 0.3"
            kind = Counter::Step;
            used[i] = true;
        }
    }
    // "s:0 trl:10.98 lr:0.000002": a letter or two, and a whole number that rises from line to line.
    if (line.counters.empty() && step == nullptr && !fields.fields.empty()) {
        const Field& first = fields.fields.front();
        if (first.token <= 2 && first.whole && first.assigned && first.unit.empty() && !first.name.empty() &&
            first.name.size() <= 2 && fields.fields.size() > 1) {
            step = &first;
            kind = Counter::WholeStep;
            used[0] = true;
            line.counters = first.name + ' ';
        }
    }
    const auto progress = std::find_if(fields.fields.begin(), fields.fields.end(), [](const Field& field) {
        return field.name == "progress"sv && field.unit == "%"sv;
    });
    const bool share_of_run = line.counters.empty() && step == nullptr && progress != fields.fields.end();
    if (share_of_run) {  // "Progress: 10.1% … loss: 0.3": it rises, and each line is one more
        used[static_cast<std::size_t>(progress - fields.fields.begin())] = true;
        line.counters = "progress ";
        line.named = true;
    }
    line.counters += step != nullptr && line.counters.empty() ? "bracket " : "";
    Reading& reading = line.reading;
    line.epoch = epoch != nullptr && epoch->whole ? std::optional(epoch->value) : std::nullopt;
    line.step = step != nullptr ? std::optional(step->value) : std::nullopt;
    const bool share = epoch != nullptr && !epoch->whole;
    if (epoch != nullptr) {
        reading.epoch = epoch->value;
        reading.epochs = epoch->total;
        reading.epoch_is_done_share = share;
    }
    if (step == nullptr) {
        line.once_an_epoch = epoch != nullptr && !share;
        reading.counted = share || share_of_run;
    } else if (kind == Counter::WholeStep || share ||
               (kind == Counter::Step && (epoch == nullptr || !step->total))) {
        reading.step = step->value;
        reading.may_restart = kind == Counter::Step && !share;
        reading.steps = line.named ? step->total : std::nullopt;
    } else if (epoch == nullptr || of_train) {
        reading.step = step->value;
        (of_train ? reading.per_epoch : reading.steps) = line.named ? step->total : std::nullopt;
        reading.may_restart = true;
    } else {
        reading.in_epoch = step->value;
        reading.per_epoch = step->total;
    }
    reading.once_an_epoch = line.once_an_epoch;
    line.order = {share || epoch == nullptr ? 0 : epoch->value, step != nullptr ? step->value
                                                                : share         ? epoch->value
                                                                : share_of_run  ? progress->value
                                                                                : 0};
}

// The epoch of a line above.
void GeneralReader::apply_context(const LineFields& fields, Line& line) const {
    Reading& reading = line.reading;
    if (line.counters.empty()) {
        reading.epoch = epoch_;
        reading.epochs = epochs_;
        reading.once_an_epoch = line.once_an_epoch = true;
        line.order = {epoch_.value_or(0), static_cast<double>(advances_)};
    } else if (!reading.epoch && epoch_ && line.counters == "fraction ") {
        reading.epoch = epoch_;  // Keras: the epoch has a line of its own
        reading.epochs = epochs_;
        reading.in_epoch = reading.step;
        reading.per_epoch = fraction_total(fields);
        reading.step.reset();
        reading.steps.reset();
        line.order.first = *epoch_;
    }
}

std::optional<GeneralReader::Line> GeneralReader::understand(const LineFields& fields) const {
    Line line;
    std::vector<bool> used(fields.fields.size(), false);
    line.reading.values.reserve(fields.fields.size());
    take_counters(fields, line, used);
    line.rank = rank_of(fields);
    line.validation = fields.validation || announced_;
    bool validation = line.validation && any_believed_;
    line.of_part = line.reading.in_epoch ||
                   (line.reading.may_restart && line.counters.find("fraction") != std::string::npos);
    for (std::size_t i = 0; i < fields.fields.size(); ++i) {
        const auto& series = used[i] ? kNoSeries : series_.of(fields.fields[i], validation);
        const auto& found = line.reading.values;
        const bool again = series && std::any_of(found.begin(), found.end(), [&](const auto& pair) {
                               return pair.first == series->name;
                           });
        if (!series || again) {
            continue;
        }
        const bool of_epoch = line.once_an_epoch && series->name == "t_step_ms"sv;
        const Field& field = fields.fields[i];
        const double value = validation && line.of_part ? field.average.value_or(field.value) : field.value;
        line.reading.add(of_epoch ? "t_epoch_ms" : series->name, value, series->factor);
        line.of_training.push_back(series->training);
        // A rate alone may be a setting: it needs a count.
        line.telling = line.telling || (series->telling && (!line.counters.empty() || series->name != "lr"));
        line.names += series->name + ' ';
    }
    if (line.reading.values.empty()) {
        return std::nullopt;
    }
    // "Epoch: 1/5 Step: 2/8 val_loss: 1.33": it counts through the validation.
    const auto& values = line.reading.values;
    validation = validation || (any_believed_ && line.of_part &&
                                std::all_of(values.begin(), values.end(), [](const auto& value) {
                                    return value.first.starts_with("val_");
                                }));
    // A counter that has no name, or none at all, needs a name that leaves no doubt.
    if (!line.named && !line.telling) {
        return std::nullopt;
    }
    if (line.counters.empty() && record_) {
        // A record of several lines says a lot: only names that leave no doubt.
        if (!line.telling) {
            return std::nullopt;
        }
        line.named = true;
        line.counters = "record ";
        line.step = line.reading.step = record_->counter.value;
        line.reading.steps = record_->counter.total;
        line.order = {0, record_->counter.value};
    } else if (line.counters.empty() && advances_ == 0) {
        // One object a line: the lines count themselves.
        if (!fields.object || !line.telling || line.reading.values.size() < 2) {
            return std::nullopt;
        }
        line.named = line.reading.counted = true;
        line.counters = kObject;
        line.order = {0, static_cast<double>(lines_ + 1)};
    } else {
        apply_context(fields, line);
    }
    line.named = line.named || line.counters.size() <= 3;  // "s " of "s:0 trl:10.98"
    Reading& reading = line.reading;
    if (validation) {
        // Its own count is that of the validation; its means run up to the end.
        if (line.of_part) {
            const auto total = fraction_total(fields) ? fraction_total(fields) : line.reading.per_epoch;
            line.ends_part = total == std::optional(line.order.second);
            if (total && line.order.second + (counts_to_total_ ? 0 : 1) < *total) {
                return std::nullopt;
            }
            reading.step.reset();
            reading.steps.reset();
            reading.in_epoch.reset();
            reading.per_epoch.reset();
        }
        reading.validation = true;
    }
    return line;
}

// "Epoch 3/10" alone on its line, or "[batch=128/12000]:" or "[step=100/7000]" as a heading: what follows belongs to it.
bool GeneralReader::take_context(const LineFields& fields) {
    const Field* epoch = nullptr;
    for (const Field& field : fields.fields) {
        const bool counts = field.counter != Counter::None;
        const bool of_a_logger =
            !counts && !field.total && (field.name.empty() || !series_.of(field, false));  // "host:0"
        if (!of_a_logger && (epoch != nullptr || !field.whole || !counts)) {
            return false;
        }
        epoch = of_a_logger ? epoch : &field;
    }
    if (epoch == nullptr || fields.other_words.size() > 3) {
        return false;
    }
    if (epoch->counter != Counter::Epoch) {
        if (!(fields.heads || epoch->bracketed) || !epoch->total) {
            return false;
        }
        record_ = Record{.counter = *epoch};
        ++advances_;
        return true;
    }
    record_.reset();
    recalls_ = epoch->value < last_epoch_ || (recalls_ && epoch->value == last_epoch_);
    if (recalls_) {
        return true;
    }
    contexts_ += epoch_ != epoch->value ? 1U : 0U;
    epoch_ = epoch->value;
    epochs_ = epoch->total;
    ++advances_;
    return true;
}

// "Epoch 4 loss 0.5" once more, with another value: a line of each batch or so.
bool GeneralReader::repeats_within_epoch(const Line& line, const Statement& statement) {
    return statement.held && line.telling && line.named && line.once_an_epoch &&
           line.order == statement.held->order && line.reading.values != statement.held->reading.values;
}

// "[1248] eval_loss=…, eval_accuracy=…", then "[1300] loss=…, accuracy=…": one counter of two statements, each of which
// says much.
bool GeneralReader::goes_on_from_another(const Line& line) const {
    const auto says_much = [](const Line& one) {
        return one.telling && one.step && one.reading.values.size() > 1;
    };
    return !any_believed_ && says_much(line) &&
           std::any_of(statements_.begin(), statements_.end(), [&](const auto& entry) {
               const auto& held = entry.second.held;
               return held && held->counters == line.counters && says_much(*held) && line.order > held->order;
           });
}

bool GeneralReader::is_believed(const Line& line, const Statement& statement) const {
    if (statement.held && line.order > statement.held->order) {
        // What is printed twice the same, without a count, is a setting.
        const bool counts = any_believed_ || contexts_ > 1;
        const bool counted = !line.counters.empty() && line.counters != kObject;
        return counted || ((counts || line.counters == kObject) &&
                           line.reading.values != statement.held->reading.values);
    }
    if (repeats_within_epoch(line, statement) || goes_on_from_another(line)) {
        return true;
    }
    if (line.counters == "record ") {
        return true;  // "[batch=128/12000]:" and a name that leaves no doubt
    }
    if (!any_believed_ || !line.telling) {
        return false;
    }
    if (line.counters.empty() || (line.validation && line.of_part)) {
        return line.validation;
    }
    // The program counts, and this line goes on from there.
    return line.named && (!line.epoch || *line.epoch >= last_epoch_) &&
           (!line.step || line.epoch || *line.step >= last_step_);
}

// From here on each of its names has one meaning: two statements with a series of one name would mix their values.
void GeneralReader::believe(const std::string& key, Statement& statement, const Line& line) {
    statement.believed = true;
    any_believed_ = true;
    if (rank_.empty()) {
        rank_ = line.rank;
    }
    const auto& values = line.reading.values;
    const bool has_loss =
        std::any_of(values.begin(), values.end(), [](const auto& pair) { return pair.first == "loss"; });
    bool needs_loss = !has_loss && sources_.count("loss") == 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string& name = values[i].first;
        std::string series = name;
        if (std::string plain = lower_case(name);
            needs_loss && (std::replace(plain.begin(), plain.end(), '.', '_'), stands_for_loss(plain))) {
            series = "loss";
            needs_loss = false;
        }
        const auto source = sources_.find(series);
        const bool other = source != sources_.end() && !is_one_statement(source->second.key, key);
        if (other && line.of_training[i] && !name.starts_with("train")) {
            series = "train_" + name;
        } else if (other && line.once_an_epoch && !source->second.once_an_epoch &&
                   !name.starts_with("val_")) {
            series = "epoch_" + name;
        } else if (other && key.ends_with(kTest) && name.starts_with("val_")) {
            series = "test_" + name.substr(4);  // beside a validation of its own
        }
        if (series != name) {
            statement.renamed[name] = series;
        }
        sources_.emplace(series, Source{key, line.once_an_epoch});
    }
}

void GeneralReader::accept(const Statement& statement, Line& line, std::vector<Reading>& readings) {
    if (statement.counts_lines) {
        line.reading.once_an_epoch = false;
        line.reading.counted = true;
    }
    for (auto& [name, value] : line.reading.values) {
        if (const auto other = statement.renamed.find(name); other != statement.renamed.end()) {
            name = other->second;
        }
    }
    last_epoch_ = line.epoch.value_or(last_epoch_);
    last_step_ = line.step && !line.validation ? *line.step : last_step_;
    readings.push_back(std::move(line.reading));
}

// `own`'s first line. If the program is one that counts, its other lines with the same counter count from their first,
// too; in the order in which they came.
void GeneralReader::accept_held(const std::string& counters, const Statement& own,
                                std::vector<Reading>& readings) {
    std::vector<std::pair<const std::string*, Statement*>> others;
    for (auto& [key, statement] : statements_) {
        const bool other = statement.held && !counters.empty() && statement.held->telling &&
                           (statement.held->named || statement.held->reading.values.size() > 1) &&
                           statement.held->counters == counters;
        if (other || (&statement == &own && statement.held)) {
            others.emplace_back(&key, &statement);
        }
    }
    std::sort(others.begin(), others.end(),
              [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    for (auto& [key, statement] : others) {
        if (statement != &own) {
            believe(*key, *statement, *statement->held);
        }
        accept(*statement, *statement->held, readings);
        statement->held.reset();
    }
}

void GeneralReader::forget_oldest() {
    auto oldest = statements_.end();
    for (auto at = statements_.begin(); at != statements_.end(); ++at) {
        if (!at->second.believed && (oldest == statements_.end() || at->second.used < oldest->second.used)) {
            oldest = at;
        }
    }
    if (oldest != statements_.end()) {
        statements_.erase(oldest);
    }
}

std::vector<Reading> GeneralReader::read(const LineFields& fields, double place, bool certain) {
    waits_ = false;
    if (record_ && ++record_->since > kLongestRecord) {
        record_.reset();
    }
    if (fields.fields.empty() || take_context(fields)) {
        return {};
    }
    auto line = understand(fields);
    const bool own = line && !line->counters.empty();
    recalls_ = recalls_ && !own;
    if (recalls_) {
        return {};
    }
    if (!line || (!line->rank.empty() && !rank_.empty() && line->rank != rank_)) {
        return {};  // torchrun --tee: other ranks print the same into one output
    }
    // "[2/3]", then "[3/3]": it does not count from 0.
    counts_to_total_ = counts_to_total_ || line->ends_part;
    if (!line->counters.empty() && line->counters != kObject) {
        ++advances_;
        latest_step_ = line->reading.step.value_or(latest_step_);
    }
    const bool test = std::count(fields.other_words.begin(), fields.other_words.end(), "test") > 0;
    std::string key;
    key.reserve(line->counters.size() + line->names.size() + 1 + kTest.size());
    key.append(line->counters).append(1, '|').append(line->names).append(test ? kTest : "");
    if (statements_.size() >= kMostStatements && statements_.count(key) == 0) {
        forget_oldest();
        if (statements_.size() >= kMostStatements) {
            return {};
        }
    }
    Statement& statement = statements_[key];
    std::vector<Reading> readings;
    if (statement.held && !line->rank.empty() && statement.held->rank != line->rank) {
        return {};
    }
    if (!statement.believed) {
        if (!certain && !is_believed(*line, statement)) {
            line->reading.behind = place > 0 ? place : latest_step_;
            statement.held = std::move(line);
            statement.used = ++lines_;
            waits_ = true;
            return {};
        }
        const bool first = !any_believed_;
        statement.counts_lines = repeats_within_epoch(*line, statement);
        believe(key, statement, *line);
        if (statement.held && !statement.counts_lines && !(line->order > statement.held->order)) {
            statement.held.reset();
        }
        accept_held(first ? line->counters : std::string(), statement, readings);
    }
    statement.used = ++lines_;
    accept(statement, *line, readings);
    return readings;
}

void GeneralReader::known(const Reading& reading) {
    const bool counts = !reading.values.empty() && (reading.step || reading.in_epoch || reading.counted);
    any_believed_ = any_believed_ || counts;
    latest_step_ = reading.step.value_or(latest_step_);
    advances_ += counts ? 1 : 0;
    for (const auto& [name, value] : reading.values) {
        sources_.emplace(name, Source{.key = "#", .once_an_epoch = !counts});
    }
}

}  // namespace rankscope::metric_lines
