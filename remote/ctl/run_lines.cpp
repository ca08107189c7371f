// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/run_lines.h>
#include <remote/desk/store/run_store.h>
#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/read/line_splitter.h>
#include <remote/logs/read/sources.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr double kMicro = 1e-6;

// One rank's output, in the order in which it arrived.
class RankLines {
public:
    RankLines(const std::string& name, std::uint32_t source, const logs::LineSink& sink)
        : sink_(sink), splitter_(source, logs::ReadOptions{}.longest_line, take_, remarks_) {
        parser_.begin(name, 0);
    }
    RankLines(const RankLines&) = delete;
    RankLines& operator=(const RankLines&) = delete;

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

}  // namespace

Result<RunLines> read_run_lines(const RunStore& store, const std::string& run_id, std::uint32_t first,
                                const logs::LineSink& sink, const std::stop_token& stop) {
    RunLines read;
    std::map<int, std::unique_ptr<RankLines>> ranks;
    if (auto record = store.run(run_id); !record) {
        return record.failure();
    }
    auto replayed = store.replay(run_id, [&](const Event& event) {
        if (const auto* log = event.as<LogEvent>(); log != nullptr && event.rank >= 0) {
            auto& rank = ranks[event.rank];
            if (!rank) {
                read.sources.push_back(run_id + "/rank" + std::to_string(event.rank));
                rank = std::make_unique<RankLines>(
                    read.sources.back(), first + static_cast<std::uint32_t>(read.sources.size()) - 1, sink);
            }
            rank->feed(event, log->text);
        } else if (const auto* verdict = event.as<DiagnosisEvent>();
                   verdict != nullptr && verdict->phase == VerdictPhase::End) {
            read.verdicts.push_back(*verdict);
        }
        return !stop.stop_requested();
    });
    if (!replayed) {
        return replayed.failure();
    }
    return read;
}

}  // namespace rankscope::ctl
