// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/event_wire.h>

#include <algorithm>

namespace rankscope {
namespace {

MetricEvent metric_from(const wire::Metric& frame) {
    MetricEvent metric;
    metric.step = frame.step();
    metric.epoch = frame.epoch();
    const int count = std::min(frame.keys_size(), frame.values_size());
    metric.values.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        metric.values.emplace_back(frame.keys(i), frame.values(i));
    }
    for (int i = 0; i < std::min(frame.text_keys_size(), frame.text_values_size()); ++i) {
        metric.texts.emplace_back(frame.text_keys(i), frame.text_values(i));
    }
    return metric;
}

ExitEvent exit_from(const wire::Exit& frame) {
    ExitEvent exit;
    exit.code = frame.code();
    exit.signal = frame.signal();
    exit.core_dumped = frame.core_dumped();
    exit.requested = frame.requested();
    exit.pid = frame.pid();
    exit.reason = frame.reason();
    exit.last_lines = {frame.last_lines().begin(), frame.last_lines().end()};
    exit.stop_cause = frame.stop_cause();
    exit.failed_us = frame.failed_us();
    exit.oom = frame.oom();
    exit.core_file = frame.core_file();
    exit.traceback = {frame.traceback().begin(), frame.traceback().end()};
    exit.attempt = static_cast<int>(frame.attempt());
    exit.missing_rank = frame.has_missing_rank() ? frame.missing_rank() : -1;
    exit.lost_peer = frame.lost_peer();
    return exit;
}

LostHow lost_how_of(wire::CauseKind kind) {
    switch (kind) {
        case wire::CAUSE_NODE_SILENT:
            return LostHow::Silent;
        case wire::CAUSE_NODE_GONE:
            return LostHow::Gone;
        case wire::CAUSE_SIGNALLED:
            return LostHow::Signalled;
        case wire::CAUSE_NODE_REBOOTED:
            return LostHow::Rebooted;
        case wire::CAUSE_SUPERVISOR_KILLED:
            return LostHow::SupervisorKilled;
        case wire::CAUSE_SUPERVISOR_STOPPED:
            return LostHow::SupervisorStopped;
        default:
            return LostHow::Unknown;
    }
}

wire::CauseKind kind_of(LostHow how) {
    for (const auto kind : {wire::CAUSE_NODE_SILENT, wire::CAUSE_SIGNALLED, wire::CAUSE_NODE_REBOOTED,
                            wire::CAUSE_SUPERVISOR_KILLED, wire::CAUSE_SUPERVISOR_STOPPED}) {
        if (lost_how_of(kind) == how) {
            return kind;
        }
    }
    return wire::CAUSE_NODE_GONE;
}

StageEvent stage_from(const wire::Stage& frame) {
    StageEvent stage{frame.name(), stage_status_from(frame.status()), frame.detail(), frame.progress()};
    stage.waiting_for = {frame.waiting_for().begin(), frame.waiting_for().end()};
    if (frame.has_failed_dial()) {
        const auto& dial = frame.failed_dial();
        stage.failed_dial = FailedDial{dial.address(), static_cast<int>(dial.port()), dial.error()};
    }
    return stage;
}

EndEvent end_from(const wire::End& frame, const std::string& node) {
    EndEvent end;
    end.outcome = outcome_from(frame.outcome());
    end.detail = frame.detail();
    const auto& cause = frame.cause();
    if (cause.kind() == wire::CAUSE_RANK_ENDED || cause.kind() == wire::CAUSE_RANK_STOPPED) {
        const ExitEvent exit = exit_from(cause.exit());
        end.has_culprit = true;
        end.culprit = {cause.rank(),    cause.node(),         exit.code, exit.signal, exit.reason,
                       exit.last_lines, cause.process_state()};
        return end;
    }
    end.lost_how = lost_how_of(cause.kind());
    const bool itself = end.lost_how == LostHow::Rebooted || end.lost_how == LostHow::SupervisorKilled ||
                        end.lost_how == LostHow::SupervisorStopped;
    end.lost_node = itself ? node : end.lost_how != LostHow::Unknown ? cause.node() : "";
    end.silent_s = end.lost_how == LostHow::Silent ? cause.after_s() : 0;
    return end;
}

// As the node sends it: a code and what belongs to it. The words come with describe_notice (node/notices.h).
DiagnosisEvent notice_from(const wire::Notice& frame) {
    DiagnosisEvent notice;
    notice.id = frame.code();
    notice.evidence = {frame.args().begin(), frame.args().end()};
    return notice;
}

struct ToWire {
    wire::Event& frame;

    void operator()(const StageEvent& stage) const {
        auto* out = frame.mutable_stage();
        out->set_name(stage.name);
        out->set_status(to_string(stage.status));
        out->set_detail(stage.detail);
        out->set_progress(stage.progress);
        for (const int rank : stage.waiting_for) {
            out->add_waiting_for(rank);
        }
        if (stage.failed_dial) {
            out->mutable_failed_dial()->set_address(stage.failed_dial->address);
            out->mutable_failed_dial()->set_port(static_cast<std::uint32_t>(stage.failed_dial->port));
            out->mutable_failed_dial()->set_error(stage.failed_dial->error);
        }
    }
    void operator()(const MetricEvent& metric) const {
        auto* out = frame.mutable_metric();
        out->set_step(metric.step);
        out->set_epoch(metric.epoch);
        for (const auto& [key, value] : metric.values) {
            out->add_keys(key);
            out->add_values(value);
        }
        for (const auto& [key, value] : metric.texts) {
            out->add_text_keys(key);
            out->add_text_values(value);
        }
    }
    void operator()(const LogEvent& log) const {
        frame.mutable_log()->set_is_stderr(log.is_stderr);
        frame.mutable_log()->set_text(log.text);
    }
    void operator()(const ExitEvent& exit) const {
        auto* out = frame.mutable_exit();
        out->set_code(exit.code);
        out->set_signal(exit.signal);
        out->set_core_dumped(exit.core_dumped);
        out->set_requested(exit.requested);
        out->set_pid(exit.pid);
        out->set_reason(exit.reason);
        for (const auto& line : exit.last_lines) {
            out->add_last_lines(line);
        }
        out->set_stop_cause(exit.stop_cause);
        out->set_failed_us(exit.failed_us);
        out->set_oom(exit.oom);
        out->set_core_file(exit.core_file);
        for (const auto& line : exit.traceback) {
            out->add_traceback(line);
        }
        out->set_attempt(static_cast<std::uint32_t>(exit.attempt));
        if (exit.missing_rank >= 0) {
            out->set_missing_rank(exit.missing_rank);
        }
        out->set_lost_peer(exit.lost_peer);
    }
    void operator()(const DiagnosisEvent& diagnosis) const {  // its words are the desk's
        frame.mutable_notice()->set_code(diagnosis.id);
        for (const auto& arg : diagnosis.evidence) {
            frame.mutable_notice()->add_args(arg);
        }
    }
    void operator()(const EndEvent& end) const {
        frame.mutable_end()->set_outcome(to_string(end.outcome));
        frame.mutable_end()->set_detail(end.detail);
        if (end.has_culprit) {
            auto* cause = frame.mutable_end()->mutable_cause();
            cause->set_kind(end.culprit.process_state.empty() ? wire::CAUSE_RANK_ENDED
                                                              : wire::CAUSE_RANK_STOPPED);
            cause->set_process_state(end.culprit.process_state);
            cause->set_node(end.culprit.node);
            cause->set_rank(end.culprit.rank);
            cause->mutable_exit()->set_code(end.culprit.code);
            cause->mutable_exit()->set_signal(end.culprit.signal);
            cause->mutable_exit()->set_reason(end.culprit.reason);
            for (const auto& line : end.culprit.last_lines) {
                cause->mutable_exit()->add_last_lines(line);
            }
        } else if (!end.lost_node.empty()) {
            frame.mutable_end()->mutable_cause()->set_kind(kind_of(end.lost_how));
            frame.mutable_end()->mutable_cause()->set_after_s(end.silent_s);
            frame.mutable_end()->mutable_cause()->set_node(end.lost_node);
        }
    }
    void operator()(const SampleEvent& sample) const {
        frame.mutable_sample();  // also when there is nothing in it
        for (const auto& [key, value] : sample.values) {
            frame.mutable_sample()->add_keys(key);
            frame.mutable_sample()->add_values(value);
        }
    }
    // The desk's own: no agent sends one, so the frames have no such body.
    void operator()(const LinkEvent& /*link*/) const {}
};

}  // namespace

Event from_wire(const wire::Event& frame, const std::string& node) {
    Event event;
    event.seq = frame.seq();
    event.t_us = frame.t_us();
    event.node = node;
    event.rank = frame.rank();
    switch (frame.body_case()) {
        case wire::Event::kStage:
            event.body = stage_from(frame.stage());
            break;
        case wire::Event::kMetric:
            event.body = metric_from(frame.metric());
            break;
        case wire::Event::kLog:
            event.body = LogEvent{frame.log().is_stderr(), frame.log().text()};
            break;
        case wire::Event::kExit:
            event.body = exit_from(frame.exit());
            break;
        case wire::Event::kEnd:
            event.body = end_from(frame.end(), node);
            break;
        case wire::Event::kNotice:
            event.body = notice_from(frame.notice());
            break;
        case wire::Event::kSample: {
            SampleEvent sample;
            for (int i = 0; i < std::min(frame.sample().keys_size(), frame.sample().values_size()); ++i) {
                sample.values.emplace_back(frame.sample().keys(i), frame.sample().values(i));
            }
            event.body = sample;
            break;
        }
        case wire::Event::BODY_NOT_SET:
            // Of a newer agent: kept as a note, so that the sequence stays without gaps.
            event.body = StageEvent{"note", StageStatus::Progress, "unknown event", -1};
            break;
    }
    return event;
}

wire::Event to_wire(const Event& event) {
    wire::Event frame;
    frame.set_seq(event.seq);
    frame.set_t_us(event.t_us);
    frame.set_rank(event.rank);
    std::visit(ToWire{frame}, event.body);
    return frame;
}

}  // namespace rankscope
