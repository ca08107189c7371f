// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/store/run_lines.h>
#include <remote/desk/store/run_store.h>
#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/read/line_splitter.h>
#include <remote/logs/read/sources.h>

#include <cmath>
#include <functional>
#include <utility>

namespace rankscope {
namespace {

constexpr double kMicro = 1e-6;

}  // namespace

// One rank's output, in the order in which it arrived.
class RunOutput::OfRank {
public:
    OfRank(const std::string& name, std::uint32_t source, const logs::LineSink& sink)
        : sink_(sink), splitter_(source, logs::ReadOptions{}.longest_line, take_, remarks_) {
        parser_.begin(name, 0);
    }
    OfRank(const OfRank&) = delete;
    OfRank& operator=(const OfRank&) = delete;

    void feed(const Event& event, const std::string& text) {
        event_ = &event;
        splitter_.feed(text);
        splitter_.finish();
    }

private:
    void take(const logs::RawLine& raw) {
        logs::LogLine line = parser_.parse(raw);
        line.rank = event_->rank;
        if (line.host.empty()) {
            line.host = event_->node;
        }
        if (std::isnan(line.time)) {
            line.time = static_cast<double>(event_->t_us) * kMicro;
        }
        sink_(line);
    }

    const logs::LineSink& sink_;
    const Event* event_ = nullptr;
    logs::LineParser parser_;
    logs::RemarkBook remarks_;
    std::function<void(const logs::RawLine&)> take_ = [this](const logs::RawLine& raw) { take(raw); };
    logs::LineSplitter splitter_;
};

RunOutput::RunOutput(std::string run_id, std::uint32_t first, logs::LineSink sink)
    : run_id_(std::move(run_id)), first_(first), sink_(std::move(sink)) {}

RunOutput::~RunOutput() = default;

void RunOutput::take(const Event& event) {
    const auto* log = event.as<LogEvent>();
    if (log == nullptr || event.rank < 0) {
        return;
    }
    auto& rank = of_rank_[event.rank];
    if (!rank) {
        sources_.push_back(run_id_ + "/rank" + std::to_string(event.rank));
        ranks_.push_back(event.rank);
        rank = std::make_unique<OfRank>(sources_.back(),
                                        first_ + static_cast<std::uint32_t>(sources_.size()) - 1, sink_);
    }
    rank->feed(event, log->text);
}

Result<RunLines> read_run_lines(const RunStore& store, const std::string& run_id, std::uint32_t first,
                                const logs::LineSink& sink, const std::stop_token& stop) {
    if (auto record = store.run(run_id); !record) {
        return record.failure();
    }
    RunLines read;
    RunOutput output(run_id, first, sink);
    auto replayed = store.replay(run_id, [&](const Event& event) {
        output.take(event);
        if (const auto* verdict = event.as<DiagnosisEvent>();
            verdict != nullptr && verdict->phase == VerdictPhase::End) {
            read.verdicts.push_back(*verdict);
        }
        return !stop.stop_requested();
    });
    if (!replayed) {
        return replayed.failure();
    }
    read.sources = output.sources();
    return read;
}

}  // namespace rankscope
