// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"

#include <remote/wire/event_json.h>

#include <cmath>
#include <iomanip>
#include <sstream>

namespace rankscope::test {
namespace {

struct Describe {
    std::ostream& out;

    void list(const std::vector<std::string>& lines) const {
        for (const auto& line : lines) {
            out << std::quoted(line) << ',';
        }
    }
    void operator()(const StageEvent& stage) const {
        out << to_string(stage.name) << ' ' << to_string(stage.status) << ' ' << std::quoted(stage.detail)
            << ' ' << stage.progress;
    }
    void operator()(const MetricEvent& metric) const {
        out << "step " << metric.step << " epoch " << metric.epoch;
        for (const auto& [key, value] : metric.values) {
            out << ' ' << key << '=' << (std::isnan(value) ? std::nan("") : value);
        }
        for (const auto& [key, value] : metric.texts) {
            out << ' ' << key << '=' << std::quoted(value);
        }
    }
    void operator()(const LogEvent& log) const {
        out << log.is_stderr << ' ' << log.shared << ' ' << std::quoted(log.text);
    }
    void operator()(const ExitEvent& exit) const {
        out << exit.code << ' ' << exit.signal << ' ' << exit.core_dumped << ' ' << exit.requested << ' '
            << exit.pid << ' ' << std::quoted(exit.reason) << ' ' << std::quoted(exit.stop_cause) << ' '
            << exit.inner << ' ' << exit.outer_rank << ' ' << exit.program << ' ' << exit.status_unknown
            << ' ';
        list(exit.last_lines);
    }
    void operator()(const DiagnosisEvent& diagnosis) const {
        out << diagnosis.id << ' ' << std::quoted(diagnosis.title) << ' ' << diagnosis.node << ' '
            << diagnosis.rank << ' ' << diagnosis.confidence << ' ';
        list(diagnosis.nodes);
        for (const int rank : diagnosis.ranks) {
            out << ' ' << rank;
        }
        for (const auto& evidence : diagnosis.evidence) {
            out << ' ' << evidence.file << ':' << evidence.line << ' ' << std::quoted(evidence.text);
        }
        list(diagnosis.fix);
    }
    void operator()(const NoticeEvent& notice) const {
        out << notice.id << ' ' << std::quoted(notice.title) << ' ';
        list(notice.args);
        list(notice.evidence);
        list(notice.fix);
    }
    void operator()(const EndEvent& end) const {
        out << to_string(end.outcome) << ' ' << end.exit_code << ' ' << std::quoted(end.detail) << ' '
            << end.has_culprit << ' ' << end.culprit.rank << ' ' << end.culprit.node << ' '
            << end.culprit.code << ' ' << end.culprit.signal << ' ' << std::quoted(end.culprit.reason) << ' ';
        list(end.culprit.last_lines);
    }
    void operator()(const SampleEvent& sample) const {
        for (const auto& [key, value] : sample.values) {
            out << ' ' << key << '=' << value;
        }
    }
    void operator()(const NcclEvent& nccl) const { out << body_to_json(nccl); }
    void operator()(const LinkEvent& link) const {
        out << link.node << ' ' << to_string(link.state) << ' ' << link.last_seen_us << ' '
            << link.retry_at_us << ' ' << link.failure_id << ' ' << std::quoted(link.failure) << ' '
            << std::quoted(link.remedy);
    }
    void operator()(const InnerRankEvent& inner) const {
        out << inner.pid << ' ' << inner.outer_rank << ' ' << inner.local_rank << ' ' << inner.world_size
            << ' ' << to_string(inner.source);
    }
    void operator()(const SettingsEvent& event) const {
        for (const auto& setting : event.settings) {
            out << setting.name << '=' << std::quoted(setting.value) << " of " << setting.source << ',';
        }
    }
};

NcclEvent nccl_activity() {
    const CommunicatorHash world{0xcfd2979cb3ba7807};
    return {.seconds = 1.5,
            .communicators = {{world, "default_pg", 3, 8, false}, {{1}, "", 0, 2, true}},
            .totals = {{world, "AllReduce", "ncclFloat32", "RING", "LL128", 20, 12, 12582912, 0.01, 0.0005,
                        0.002, 0.004, 0.001, true}},
            .operations = {{world, 41, "AllReduce", "ncclFloat32", "RING", "LL128", 1048576, 24, 24, -1,
                            NcclPhase::Finished, 1764000000000000, 0.002, 0.0019, 0.001, false, true}},
            .open = {{world, 42, "Send", "ncclInt8", "?", "?", 7, 2, 1, 5, NcclPhase::Running,
                      1764000001000000, 3.5, 0, 0, true, false}},
            .progress = {{world, "AllReduce", 43, 42, 41}},
            .lost = 7,
            .api_version = 5,
            .unavailable = "not-loaded"};
}

}  // namespace

Event make_event(EventBody body, std::uint64_t seq, std::string node, int rank) {
    Event event;
    event.seq = seq;
    event.t_us = 1700000000250000;
    event.node = std::move(node);
    event.rank = rank;
    event.body = std::move(body);
    return event;
}

std::vector<Event> all_kinds() {
    MetricEvent metric{
        120, 1.5, {{"loss", 0.25}, {"acc1", 0.5}, {"val_loss", std::nan("")}, {"mine", -1e-300}}, {}};
    metric.texts = {{"params", "sha256:00ff"}, {"空", "層 \"quoted\"\n"}};
    ExitEvent inner;
    inner.inner = true;
    inner.outer_rank = 2;
    inner.program = true;
    inner.status_unknown = true;
    ExitEvent exit{-1,
                   11,
                   true,
                   true,
                   4711,
                   "assertion",
                   {"one", "", "two\ttabs"},
                   "rank 0 ended",
                   true,
                   1764000000123456,
                   "cgroup",
                   "/var/core.1",
                   {"Traceback", "E: x"},
                   2};
    DiagnosisEvent diagnosis{
        .id = "killed-external",
        .title = "It was killed.",
        .node = "node2",
        .rank = 2,
        .nodes = {"node2", "node3"},
        .ranks = {2, 3},
        .confidence = 0.75,
        .evidence = {{.file = "rank2.log", .line = 17, .text = "line 1"}, {.text = "line 2"}},
        .fix = {"do this"}};
    EndEvent end{Outcome::Failed,
                 1,
                 "Rank 2 on node2 exited.",
                 true,
                 {2, "node2", 1, 0, "boom", {"Traceback", "boom"}},
                 ""};
    end.unconfirmed = {"node3"};
    std::vector<Event> events;
    for (EventBody body :
         {EventBody(StageEvent{StageName::Push, StageStatus::Done, "détail", 0.125}),
          EventBody(metric),
          EventBody(LogEvent{true, "line\nsecond line, unfinished"}),
          EventBody(exit),
          EventBody(diagnosis),
          EventBody(end),
          EventBody(StageEvent{}),
          EventBody(MetricEvent{}),
          EventBody(LogEvent{}),
          EventBody(ExitEvent{}),
          EventBody(DiagnosisEvent{}),
          EventBody(EndEvent{}),
          EventBody(SampleEvent{{{"cpu", 0.25}, {"net.eth0.rx", 1e9}}}),
          EventBody(SampleEvent{}),
          EventBody(LinkEvent{"node2", LinkState::Retrying, 1764000000000000, 1764000002000000, "ssh-refused",
                              "node2 refuses the connection.", "Start sshd."}),
          EventBody(LinkEvent{}),
          EventBody(NoticeEvent{.id = "rank-stopped", .args = {"1", "19"}}),
          EventBody(NoticeEvent{}),
          EventBody(nccl_activity()),
          EventBody(NcclEvent{}),
          EventBody(SettingsEvent{
              {{"NCCL_ALGO", "Ring", "environment"}, {"NCCL_IB_HCA", "=mlx5_0", "/etc/nccl.conf"}}}),
          EventBody(SettingsEvent{}),
          EventBody(inner),
          EventBody(InnerRankEvent{4711, 1, 3, 8, InnerRankSource::ProcessGroup}),
          EventBody(LogEvent{.text = "of any", .shared = true})}) {
        events.push_back(make_event(std::move(body), events.size() + 1));
    }
    return events;
}

std::string describe(const Event& event) {
    std::ostringstream out;
    out.precision(17);
    out << event.seq << ' ' << event.t_us << ' ' << event.node << ' ' << event.rank << ' ' << kind_of(event)
        << ": ";
    std::visit(Describe{out}, event.body);
    return out.str();
}

}  // namespace rankscope::test
