// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_metrics.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::uint64_t kLinesAtOnce = 4000;  ///< some milliseconds

Event stage_done(StageName name, std::int64_t t_us, const std::string& node, int rank) {
    StageEvent stage;
    stage.name = name;
    stage.status = StageStatus::Done;
    return {0, t_us, node, rank, std::move(stage)};
}

bool is_done(const RunState& run, StageName name) {
    return std::any_of(run.stages.begin(), run.stages.end(),
                       [name](const StageState& stage) { return stage.name == name && stage.done; });
}

LogMetrics* reader_of(const LiveModel* run) {
    return run->findChild<LogMetrics*>(QString(), Qt::FindDirectChildrenOnly);
}

}  // namespace

std::optional<metric_lines::UnreadNotice> unread_lines(const LiveData& run) {
    const auto found = std::find_if(run.notices.begin(), run.notices.end(), [](const NodeNotice& notice) {
        return notice.id == metric_lines::UnreadNotice::id();
    });
    return found == run.notices.end() ? std::nullopt : metric_lines::UnreadNotice::of(found->fix);
}

bool LogMetrics::reads(const LiveModel* run) {
    const LogMetrics* reader = reader_of(run);
    return reader != nullptr && reader->run_id_ == run->state().run_id;
}

void LogMetrics::start(LiveModel* run, const std::string& pattern) {
    if (auto compiled = metric_lines::Pattern::compile(pattern); compiled && !reads(run)) {
        delete reader_of(run);                      // of the run before
        new LogMetrics(run, *std::move(compiled));  // the model owns it
    }
}

LogMetrics::LogMetrics(LiveModel* run, metric_lines::Pattern pattern)
    : QObject(run), run_(run), run_id_(run->state().run_id), pattern_(std::move(pattern)) {
    turn_.setSingleShot(true);
    turn_.setInterval(0);
    connect(&turn_, &QTimer::timeout, this, &LogMetrics::read_on);
    connect(run, &LiveModel::changed, this, [this](const LiveChanges& changes) {
        if (changes.logs) {
            turn_.start();
        }
    });
    connect(run, &LiveModel::wasReset, this, &LogMetrics::start_over);
    turn_.start();
}

// Another run is no business of this reader's; the same one is there again without what was read of it.
void LogMetrics::start_over() {
    if (run_->state().run_id != run_id_) {
        turn_.stop();
        deleteLater();
        return;
    }
    ranks_.clear();
    stepped_.clear();
    read_ = 0;
    turn_.start();
}

void LogMetrics::read_on() {
    const std::uint64_t all = run_->data().log.last_number();
    const std::vector<QueuedItem> events = take(std::min(all, read_ + kLinesAtOnce));
    if (read_ < all) {
        turn_.start();
    }
    if (!events.empty()) {
        run_->apply(events);
    }
}

std::vector<QueuedItem> LogMetrics::take(std::uint64_t last) {
    std::vector<QueuedItem> out;
    while (read_ < last) {
        const LogLine line = run_->data().log.line(++read_);
        if (line.rank < 0 || line.kind == LogKind::Event || line.rank >= int(run_->state().ranks.size())) {
            continue;
        }
        auto& of_rank =
            ranks_.try_emplace(line.rank, std::vector<metric_lines::Pattern>{pattern_}, false).first->second;
        for (const MetricsLine& metrics : of_rank.feed(line.kind == LogKind::Err, line.text + '\n')) {
            add(line, metrics, out);
        }
    }
    return out;
}

void LogMetrics::add(const LogLine& line, const MetricsLine& metrics, std::vector<QueuedItem>& out) {
    const std::string& node = run_->state().ranks[std::size_t(line.rank)].node;
    if (metrics.step && stepped_.insert(line.rank).second) {
        out.emplace_back(stage_done(StageName::FirstStep, line.t_us, node, line.rank));
        if (stepped_.size() == 1) {  // its step needs all others
            if (!is_done(run_->state(), StageName::Rendezvous)) {
                out.emplace_back(stage_done(StageName::Rendezvous, line.t_us, {}, -1));
            }
            out.emplace_back(stage_done(StageName::FirstStep, line.t_us, {}, -1));
        }
    }
    out.emplace_back(Event{
        0, line.t_us, node, line.rank,
        MetricEvent{metrics.step.value_or(-1), metrics.epoch.value_or(-1), metrics.values, metrics.texts}});
}

}  // namespace rankscope::gui
