// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <gui/launch/epoch_time.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/jobs/plan/training_advice.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(EpochTime)
};

constexpr double kSecond = 1e6;
constexpr int kRuns = 200;            ///< the newest
constexpr std::size_t kMeasured = 5;  ///< of those that fit, until one has a time
constexpr std::size_t kSettled = 8;   ///< epochs
constexpr std::int64_t kLeastSteps = 3;
constexpr std::size_t kMostEvents = 2'000'000;

std::optional<config::TrainConfig> config_of(const Job& job) {
    if (!job.train || !config::check_train_config(*job.train).empty()) {
        return std::nullopt;
    }
    return config::parse_train_config(*job.train);
}

bool same_work(const config::TrainConfig& a, const config::TrainConfig& b) {
    return a.model == b.model && a.dataset.name == b.dataset.name && a.batch_size == b.batch_size &&
           a.dataset.limit == b.dataset.limit && a.dataset.train_size == b.dataset.train_size &&
           a.dataset.image_size == b.dataset.image_size && a.dataset.shape == b.dataset.shape;
}

/// "cuda" of "cuda:3".
std::string device_of(const LaunchPlan& plan) {
    const std::string device = plan.ranks.empty() ? std::string() : plan.ranks.front().device;
    return device.substr(0, device.find(':'));
}

struct Candidate {
    RunRecord run;
    std::string device;
    std::string precision;
};

/// Less is nearer.
auto distance(const Candidate& candidate, const config::TrainConfig& config, const LaunchPlan& plan) {
    const double ranks = std::abs(
        std::log2(double(std::max(candidate.run.world_size, 1)) / double(std::max(plan.world_size, 1))));
    return std::tuple(candidate.device != device_of(plan), ranks, candidate.precision != config.precision,
                      -candidate.run.started_us);
}

std::vector<Candidate> candidates_of(const RunStore& store, const config::TrainConfig& config,
                                     const LaunchPlan& plan, const std::stop_token& stop) {
    std::vector<Candidate> candidates;
    const auto runs = store.runs(kRuns);
    for (const RunRecord& run : runs ? *runs : std::vector<RunRecord>()) {
        if (stop.stop_requested()) {
            return {};
        }
        const auto before = config_of(parse_job(run.job_yaml, "job.yaml").job);
        if (!before || !same_work(*before, config)) {
            continue;
        }
        Candidate candidate{run, before->device, before->precision};
        if (candidate.device == "auto") {
            const auto whole = store.run(run.run_id);  // with its plan
            candidate.device = whole ? device_of(whole->plan) : std::string();
        }
        candidates.push_back(std::move(candidate));
    }
    std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
        return distance(a, config, plan) < distance(b, config, plan);
    });
    return candidates;
}

std::optional<EpochTime> measure(const RunStore& store, const RunRecord& run, const std::stop_token& stop) {
    EpochClock clock;
    std::size_t events = 0;
    const auto read = store.replay(
        run.run_id,
        [&](const Event& event) {
            clock.add(event);
            return !clock.settled() && !stop.stop_requested() && ++events < kMostEvents;
        },
        Replay::Metrics);
    const bool whole = run.outcome == Outcome::Done && events < kMostEvents;
    return read && !stop.stop_requested() ? clock.time(whole) : std::nullopt;
}

/// "14:02" of today, else with its date.
QString clock_text(std::int64_t t_us) {
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(t_us / 1000);
    return time.date() == QDate::currentDate() ? QLocale().toString(time.time(), QLocale::ShortFormat)
                                               : date_time_text(t_us);
}

QString device_text(const std::string& device) {
    return device == "cpu" ? Words::tr("the CPU") : device == "cuda" ? Words::tr("GPUs") : qs(device);
}

/// Epochs that the job does, with a part of one where it ends by its steps.
double epochs_of(const config::TrainConfig& config, const EpochTime& time, const Job& job, int world_size) {
    const auto advice = config.max_steps ? training_advice(job, world_size) : std::nullopt;
    const std::int64_t steps =
        advice && advice->steps_per_epoch ? *advice->steps_per_epoch : time.steps_per_epoch;
    if (!config.max_steps || steps < 1) {
        return double(config.epochs);
    }
    return std::min(double(config.epochs), double(*config.max_steps) / double(steps));
}

}  // namespace

void EpochClock::add(const Event& event) {
    const auto* metric = event.as<MetricEvent>();
    if (metric == nullptr || metric->epoch < 1 || (rank_ >= 0 && event.rank != rank_)) {
        return;
    }
    if (rank_ < 0 && metric->step < 0) {
        return;
    }
    rank_ = event.rank;
    if (metric->has("steps_per_epoch")) {
        steps_per_epoch_ = std::int64_t(metric->value("steps_per_epoch"));
    }
    const auto number = std::int64_t(std::floor(metric->epoch));
    // What a validation reports has a step, too, but is no step of training.
    const bool validation = std::any_of(metric->values.begin(), metric->values.end(),
                                        [](const auto& value) { return value.first.starts_with("val"); });
    const auto [found, is_new] = epochs_.try_emplace(number);
    Epoch& epoch = found->second;
    if (is_new) {
        epoch = {metric->step, metric->step, event.t_us, event.t_us, event.t_us};
        settled_ = epochs_.size() > kSettled;
    }
    if (metric->step >= 0 && !validation) {
        epoch.last_step = metric->step;
        epoch.last_step_us = event.t_us;
    }
    epoch.last_us = event.t_us;
}

// The first step is reported at its end, so one interval is missing.
double EpochClock::first_seconds(const Epoch& epoch, std::int64_t steps) {
    const double per_step = double(epoch.last_step_us - epoch.first_us) /
                            double(std::max<std::int64_t>(epoch.last_step - epoch.first_step, 1));
    return (per_step * double(steps) + double(epoch.last_us - epoch.last_step_us)) / kSecond;
}

std::optional<EpochTime> EpochClock::time(bool ended) const {
    if (epochs_.empty()) {
        return std::nullopt;
    }
    EpochTime time;
    time.steps_per_epoch = steps_per_epoch_;
    std::vector<double> whole;
    for (auto each = std::next(epochs_.begin()); each != epochs_.end(); ++each) {
        if (ended || std::next(each) != epochs_.end()) {
            whole.push_back(double(each->second.last_us - std::prev(each)->second.last_us) / kSecond);
        }
    }
    const Epoch& first = epochs_.begin()->second;
    if (!whole.empty()) {
        const auto middle = whole.begin() + std::ptrdiff_t(whole.size() / 2);
        std::nth_element(whole.begin(), middle, whole.end());
        time.seconds = *middle;
        time.epochs = std::int64_t(whole.size());
    } else if (first.last_step - first.first_step + 1 >= kLeastSteps) {
        const bool is_whole = ended || epochs_.size() > 1;
        const std::int64_t seen = first.last_step - first.first_step + 1;
        const std::int64_t steps = steps_per_epoch_ > 0 ? steps_per_epoch_ : is_whole ? seen : 0;
        if (steps == 0) {
            return std::nullopt;
        }
        time.seconds = first_seconds(first, steps);
        time.epochs = is_whole ? 1 : 0;
    }
    return time.seconds > 0 ? std::optional(time) : std::nullopt;
}

std::optional<std::optional<EpochTime>> EpochTimeCache::find(const std::string& run_id) const {
    const std::lock_guard lock(mutex_);
    std::optional<std::optional<EpochTime>> kept;
    if (const auto found = times_.find(run_id); found != times_.end()) {
        kept.emplace(found->second);  // also that there is none
    }
    return kept;
}

void EpochTimeCache::keep(const std::string& run_id, const std::optional<EpochTime>& time) {
    const std::lock_guard lock(mutex_);
    times_[run_id] = time;
}

std::optional<EpochTime> nearest_epoch_time(const RunStore& store, const Job& job, const LaunchPlan& plan,
                                            EpochTimeCache& cache, const std::stop_token& stop) {
    const auto config = config_of(job);
    if (!config) {
        return std::nullopt;
    }
    std::vector<Candidate> candidates = candidates_of(store, *config, plan, stop);
    candidates.resize(std::min(candidates.size(), kMeasured));
    for (const Candidate& candidate : candidates) {
        std::optional<EpochTime> time;
        if (const auto kept = cache.find(candidate.run.run_id)) {
            time = *kept;
        } else {
            time = measure(store, candidate.run, stop);
            if (stop.stop_requested()) {
                return std::nullopt;
            }
            if (candidate.run.outcome != Outcome::Running) {
                cache.keep(candidate.run.run_id, time);
            }
        }
        if (time) {
            time->started_us = candidate.run.started_us;
            time->ranks = candidate.run.world_size;
            time->device = candidate.device;
            time->precision = candidate.precision;
            return time;
        }
    }
    return std::nullopt;
}

QString epoch_time_text(const EpochTime& time, const Job& job, const LaunchPlan& plan) {
    const auto config = config_of(job);
    if (!config) {
        return {};
    }
    const double all = time.seconds * epochs_of(*config, time, job, plan.world_size);
    QString text = Words::tr("About %1 an epoch, %2 for this job (from the run of %3 on %n rank(s)).",
                             nullptr, time.ranks)
                       .arg(duration_text(time.seconds), duration_text(all), clock_text(time.started_us));
    QStringList others;
    if (time.ranks != plan.world_size) {
        others += Words::tr("This job has %n rank(s).", nullptr, plan.world_size);
    }
    if (!time.device.empty() && time.device != device_of(plan)) {
        others += Words::tr("That run used %1.").arg(device_text(time.device));
    }
    if (time.precision != config->precision) {
        others += Words::tr("That run used %1.").arg(qs(time.precision));
    }
    if (time.epochs == 0) {
        others += Words::tr("Projected from a part of its first epoch.");
    }
    if (!others.isEmpty()) {
        text += u' ' + others.join(u' ');
    }
    return text;
}

}  // namespace rankscope::gui
