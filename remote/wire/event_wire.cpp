// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/event_wire.h>
#include <remote/wire/frame_fields.h>
#include <remote/wire/nccl_event_wire.h>

#include <algorithm>

namespace rankscope {
namespace {

static_assert(static_cast<int>(StageName::Rendezvous) == wire::STAGE_RENDEZVOUS &&
              static_cast<int>(StageName::Preflight) == wire::STAGE_PREFLIGHT &&
              EnumNames<StageName>::names.size() == wire::StageName_ARRAYSIZE);
static_assert(static_cast<int>(StageStatus::Failed) == wire::STATUS_FAILED &&
              EnumNames<StageStatus>::names.size() == wire::StageStatus_ARRAYSIZE);
static_assert(static_cast<int>(InnerRankSource::Parent) == wire::INNER_PARENT &&
              EnumNames<InnerRankSource>::names.size() == wire::InnerRankSource_ARRAYSIZE);
static_assert(static_cast<int>(Outcome::Lost) == wire::OUTCOME_LOST &&
              EnumNames<Outcome>::names.size() == wire::Outcome_ARRAYSIZE);

void copy_stage(const auto& copy, auto& event, auto& frame) {
    RANKSCOPE_FIELDS(name, status, detail, progress, waiting_for);
}

void copy_log(const auto& copy, auto& event, auto& frame) {
    RANKSCOPE_FIELDS(is_stderr, text, shared);
}

void copy_exit(const auto& copy, auto& event, auto& frame) {
    RANKSCOPE_FIELDS(code, signal, core_dumped, requested, pid, reason, last_lines, stop_cause, by_user,
                     failed_us, oom, core_file, traceback, attempt, lost_peer, inner, program,
                     status_unknown);
}

// In the frame they are absent where there is none.
void copy_ranks(ExitEvent& exit, const wire::Exit& frame) {
    exit.missing_rank = frame.has_missing_rank() ? frame.missing_rank() : -1;
    exit.outer_rank = frame.inner() || frame.program() ? frame.outer_rank() : -1;
}

void copy_inner_rank(const auto& copy, auto& event, auto& frame) {
    RANKSCOPE_FIELDS(pid, outer_rank, local_rank, world_size, source);
}

void copy_notice(const auto& copy, auto& event, auto& frame) {
    RANKSCOPE_FIELDS(id, args);
}

constexpr std::int64_t kVoidsOffset = 2;  // of Metric.voids_after: 0 is none, and -1 a step

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
    metric.from_file = frame.from_file();
    if (frame.voids_after() > 0) {
        metric.voids_after = frame.voids_after() - kVoidsOffset;
    }
    return metric;
}

SampleEvent sample_from(const wire::Sample& frame) {
    SampleEvent sample;
    for (int i = 0; i < std::min(frame.keys_size(), frame.values_size()); ++i) {
        sample.values.emplace_back(frame.keys(i), frame.values(i));
    }
    return sample;
}

SettingsEvent settings_from(const wire::NodeSettings& frame) {
    SettingsEvent event;
    for (const auto& setting : frame.settings()) {
        event.settings.push_back({setting.name(), setting.value(), setting.source()});
    }
    return event;
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
    StageEvent stage;
    copy_stage(FromFrame(), stage, frame);
    if (frame.has_failed_dial()) {
        const auto& dial = frame.failed_dial();
        stage.failed_dial = FailedDial{dial.address(), static_cast<int>(dial.port()), dial.error()};
    }
    return stage;
}

EndEvent end_from(const wire::End& frame, const std::string& node) {
    EndEvent end;
    end.outcome = enum_from_number<Outcome>(frame.outcome()).value_or(Outcome::Failed);
    end.detail = frame.detail();
    const auto& cause = frame.cause();
    if (cause.kind() == wire::CAUSE_RANK_ENDED || cause.kind() == wire::CAUSE_RANK_STOPPED) {
        ExitEvent exit;
        copy_exit(FromFrame(), exit, cause.exit());
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

struct ToWire {
    wire::Event& frame;

    void operator()(const StageEvent& stage) const {
        copy_stage(ToFrame(), stage, *frame.mutable_stage());
        if (stage.failed_dial) {
            auto* dial = frame.mutable_stage()->mutable_failed_dial();
            dial->set_address(stage.failed_dial->address);
            dial->set_port(static_cast<std::uint32_t>(stage.failed_dial->port));
            dial->set_error(stage.failed_dial->error);
        }
    }
    void operator()(const LogEvent& log) const { copy_log(ToFrame(), log, *frame.mutable_log()); }
    void operator()(const ExitEvent& exit) const {
        copy_exit(ToFrame(), exit, *frame.mutable_exit());
        if (exit.missing_rank >= 0) {
            frame.mutable_exit()->set_missing_rank(exit.missing_rank);
        }
        frame.mutable_exit()->set_outer_rank(std::max(exit.outer_rank, 0));
    }
    void operator()(const InnerRankEvent& inner) const {
        copy_inner_rank(ToFrame(), inner, *frame.mutable_inner_rank());
    }
    void operator()(const NoticeEvent& notice) const {
        copy_notice(ToFrame(), notice, *frame.mutable_notice());
    }
    void operator()(const DiagnosisEvent&) const {}  // the desk's alone: no frame carries it
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
        out->set_from_file(metric.from_file);
        out->set_voids_after(metric.voids_after ? *metric.voids_after + kVoidsOffset : 0);
    }
    void operator()(const EndEvent& end) const {
        frame.mutable_end()->set_outcome(static_cast<wire::Outcome>(end.outcome));
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
    void operator()(const SettingsEvent& event) const {
        frame.mutable_settings();  // also when there is nothing in it
        for (const auto& setting : event.settings) {
            auto* out = frame.mutable_settings()->add_settings();
            out->set_name(setting.name);
            out->set_value(setting.value);
            out->set_source(setting.source);
        }
    }
    void operator()(const NcclEvent& nccl) const { nccl_to_wire(nccl, *frame.mutable_nccl()); }
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
            copy_log(FromFrame(), event.body.emplace<LogEvent>(), frame.log());
            break;
        case wire::Event::kExit:
            copy_exit(FromFrame(), event.body.emplace<ExitEvent>(), frame.exit());
            copy_ranks(std::get<ExitEvent>(event.body), frame.exit());
            break;
        case wire::Event::kEnd:
            event.body = end_from(frame.end(), node);
            break;
        case wire::Event::kNotice:
            copy_notice(FromFrame(), event.body.emplace<NoticeEvent>(), frame.notice());
            break;
        case wire::Event::kSample:
            event.body = sample_from(frame.sample());
            break;
        case wire::Event::kNccl:
            event.body = nccl_from_wire(frame.nccl());
            break;
        case wire::Event::kSettings:
            event.body = settings_from(frame.settings());
            break;
        case wire::Event::kInnerRank:
            copy_inner_rank(FromFrame(), event.body.emplace<InnerRankEvent>(), frame.inner_rank());
            break;
        case wire::Event::BODY_NOT_SET:
            // Of a newer agent: kept as a note, so that the sequence has no gap.
            event.body = StageEvent{StageName::Note, StageStatus::Progress, "unknown event", -1};
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
