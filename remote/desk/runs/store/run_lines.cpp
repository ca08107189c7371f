// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/run_lines.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/verdict_source.h>
#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/read/line_splitter.h>

#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunLines";
constexpr double kMicro = 1e-6;
constexpr std::size_t kLongestLine = std::size_t{32} << 10;
constexpr std::size_t kMostNames = 4096;

}  // namespace

void HostNames::note(std::string_view host, const std::string& node) {
    if (host.empty() || host == node || nodes_.size() >= kMostNames) {
        return;
    }
    const auto known = nodes_.find(host);
    if (known == nodes_.end()) {
        nodes_.emplace(host, node);
    } else if (known->second != node) {
        known->second.clear();  // two nodes with the same host name
    }
}

void HostNames::note(const LaunchPlan& plan) {
    for (const auto& node : plan.nodes) {
        note(node.address, node.node);
    }
}

void HostNames::replace_in(Verdict& verdict) const {
    const auto replace = [this](std::string& host) {
        if (const auto known = nodes_.find(host); known != nodes_.end() && !known->second.empty()) {
            host = known->second;
        }
    };
    replace(verdict.node);
    for (auto& node : verdict.nodes) {
        replace(node);
    }
}

/// One rank's output, in the order in which it arrived. Both of its streams count the same lines.
class RunOutput::OfRank {
public:
    OfRank(const std::string& name, std::uint32_t source, const RunSink& sink, HostNames& names)
        : sink_(sink), names_(names), source_(source) {
        for (auto& stream : streams_) {
            stream = std::make_unique<Stream>(*this, source);
        }
        parser_.begin(name, 0);
    }

    void feed(const Event& event, const LogEvent& log) {
        rank_ = event.rank;
        node_ = event.node;
        time_ = static_cast<double>(event.t_us) * kMicro;
        streams_.at(log.is_stderr ? 1 : 0)->splitter.feed(log.text);
    }
    void step(const Event& event, const MetricEvent& metric) const {
        sink_.step({.after = {source_, lines_},
                    .rank = event.rank,
                    .step = metric.step,
                    .time = static_cast<double>(event.t_us) * kMicro});
    }
    void exit(const Event& event, const ExitEvent& exit) const {
        logs::ProcessExit ended;
        ended.place = {source_, 0};
        ended.host = event.node;
        ended.rank = event.rank;
        ended.pid = exit.pid;
        ended.code = exit.signal != 0 ? -exit.signal : exit.code;
        ended.text = exit.signal != 0
                         ? text(kContext, "Ended by signal %1.", {std::to_string(exit.signal)})
                         : text(kContext, "Ended with exit code %1.", {std::to_string(exit.code)});
        ended.text += exit.reason.empty() ? "" : ' ' + exit.reason;
        ended.moment = {static_cast<double>(event.t_us) * kMicro, false};
        ended.finished = exit.code == 0 && exit.signal == 0 && !exit.requested;
        sink_.exit(std::move(ended));
    }
    void skip(std::uint64_t lines) { lines_ += lines; }
    void finish() {
        for (const auto& stream : streams_) {
            stream->splitter.finish();
        }
    }

private:
    struct Stream {
        Stream(OfRank& rank, std::uint32_t source)
            : take([&rank, this](const logs::RawLine& raw) { rank.take(raw, *this); }),
              splitter(source, kLongestLine, take, remarks) {}

        logs::RemarkBook remarks;
        std::uint64_t own_line = 0;  ///< of the splitter, the latest
        std::uint64_t line = 0;      ///< the same among all lines of the rank
        std::function<void(const logs::RawLine&)> take;
        logs::LineSplitter splitter;
    };

    void take(logs::RawLine raw, Stream& stream) {
        if (raw.place.line != stream.own_line) {  // else a further piece of the same line
            stream.own_line = raw.place.line;
            stream.line = ++lines_;
        }
        raw.place = {source_, stream.line};
        logs::LogLine line = parser_.parse(raw);
        line.rank = rank_;
        if (line.host.empty()) {
            line.host = node_;
        } else {
            names_.note(line.host, node_);
        }
        line.time =
            time_;  // of the agent, corrected by the desk; what lines print is of the node's clock and zone
        line.time_of_day_only = false;
        sink_.line(line);
    }

    const RunSink& sink_;
    HostNames& names_;
    const std::uint32_t source_;
    int rank_ = -1;
    std::string node_;
    double time_ = 0;
    std::uint64_t lines_ = 0;
    logs::LineParser parser_;
    std::array<std::unique_ptr<Stream>, 2> streams_;
};

RunOutput::RunOutput(std::string run_id, std::uint32_t first, RunSink sink)
    : run_id_(std::move(run_id)), first_(first), sink_(std::move(sink)) {}

RunOutput::~RunOutput() = default;

RunOutput::OfRank& RunOutput::of(int rank) {
    auto& found = of_rank_[rank];
    if (!found) {
        sources_.push_back(run_id_ + "/rank" + std::to_string(rank));
        ranks_.push_back(rank);
        found = std::make_unique<OfRank>(
            sources_.back(), first_ + static_cast<std::uint32_t>(sources_.size()) - 1, sink_, names_);
    }
    return *found;
}

void RunOutput::take(const Event& event) {
    if (const auto* log = event.as<LogEvent>(); log != nullptr && event.rank >= 0) {
        of(event.rank).feed(event, *log);
    } else if (const auto* metric = event.as<MetricEvent>();
               metric != nullptr && event.rank >= 0 && metric->step >= 0 && sink_.step) {
        of(event.rank).step(event, *metric);
    } else if (const auto* exit = event.as<ExitEvent>(); exit != nullptr && event.rank >= 0 && sink_.exit) {
        of(event.rank).exit(event, *exit);
    }
}

void RunOutput::skip(int rank, std::uint64_t lines) {
    of(rank).skip(lines);
}

void RunOutput::finish() {
    for (const auto& [number, rank] : of_rank_) {
        rank->finish();
    }
}

Result<RunLines> read_run_lines(const RunStore& store, const std::string& run_id, std::uint32_t first,
                                const RunSink& sink, const std::stop_token& stop) {
    const auto record = store.run(run_id);
    if (!record) {
        return record.failure();
    }
    RunLines read;
    RunOutput output(run_id, first, sink);
    auto replayed = store.replay(run_id, [&](const Event& event) {
        output.take(event);
        if (const auto* verdict = event.as<DiagnosisEvent>();
            verdict != nullptr && verdict->phase == VerdictPhase::End && !is_from_logs(*verdict)) {
            read.verdicts.push_back(*verdict);
        }
        if (sink.event) {
            sink.event(*record, event);
        }
        return !stop.stop_requested();
    });
    if (!replayed) {
        return replayed.failure();
    }
    output.finish();
    read.sources = output.sources();
    read.names = output.names();
    read.names.note(record->plan);
    return read;
}

}  // namespace rankscope::inline runs
