// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failed_dial.h>
#include <base/stage.h>
#include <remote/diagnosis/verdict.h>
#include <remote/wire/nccl_event.h>
#include <remote/wire/written.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rankscope {

/// Everything that happens in a run is one of these, whether it comes from a node or from the desk itself,
/// live or from the store. GUI, rankscopectl, store and diagnosis consume the same stream.
///
/// Each event lists its fields once, in visit_fields(self, visit), which calls visit(name, field, when) for
/// each: the JSON form, the store and the frames are made from it. A new field is one line here, one in
/// frames.proto and its name in event_wire.cpp.

struct StageEvent {
    StageName name = StageName::Note;
    StageStatus status = StageStatus::Begin;
    std::string detail = {};
    double progress = -1;                        ///< 0…1; negative: unknown
    std::vector<int> waiting_for = {};           ///< ranks that are missing in a rendezvous
    std::optional<FailedDial> failed_dial = {};  ///< what this rank, or this node's supervisor, cannot reach

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("stage", self.name, Written::Always);
        visit("status", self.status, Written::Always);
        visit("detail", self.detail, Written::IfSet);
        visit("progress", self.progress, Written::IfKnown);
        visit("waiting_for", self.waiting_for, Written::IfSet);
        visit("failed_dial", self.failed_dial, Written::IfSet);
    }
};

/// Has no visit_fields: its values stand in the JSON form under their own names.
struct MetricEvent {
    std::int64_t step = -1;  ///< -1: not bound to a step
    double epoch = -1;       ///< -1: not bound to an epoch
    std::vector<std::pair<std::string, double>> values;
    std::vector<std::pair<std::string, std::string>> texts;
    bool from_file = false;  ///< that the program writes: it may come late, behind values with greater steps
    /// What these names were given behind this step is void: lines had printed it, and the file has it exactly.
    std::optional<std::int64_t> voids_after{};

    /// The value of a key, or NaN.
    double value(const std::string& key) const;
    bool has(const std::string& key) const;
};

/// Has no visit_fields: its JSON form is {"stream": "stdout" or "stderr", "text", "dropped_bytes", "shared"}.
struct LogEvent {
    bool is_stderr = false;
    std::string text;                 ///< whole lines with their '\n'; bytes as the rank wrote them
    std::uint64_t dropped_bytes = 0;  ///< left out by the desk before this text, which has its limits
    bool shared = false;              ///< by a pipe that several ranks share: any of them may have written it
};

struct ExitEvent {
    int code = 0;    ///< exit status; -1 when a signal ended it
    int signal = 0;  ///< 0: none
    bool core_dumped = false;
    bool requested = false;  ///< ended by our own stop: a consequence, never the cause
    std::int64_t pid = 0;
    std::string reason;
    std::vector<std::string> last_lines;
    std::string stop_cause;
    bool by_user = false;        ///< requested, by a user, before anything had failed on its node
    std::int64_t failed_us = 0;  ///< when the rank itself noticed its failure, µs since 1970; 0: unknown
    std::string oom;             ///< what shows that the kernel killed it to free memory; empty: no sign
    std::string core_file;       ///< path of its core, or "|program" that received it
    std::vector<std::string> traceback;  ///< the last Python traceback it wrote
    int attempt = 0;                     ///< 0, and one more with every restart
    int missing_rank = -1;               ///< the rank that did not answer it, by its own report; -1: none
    bool lost_peer = false;              ///< it ended because others did not answer
    bool inner = false;                  ///< of a rank that outer_rank's program has started
    int outer_rank = -1;
    bool program = false;         ///< of a program that has started ranks and is none itself
    bool status_unknown = false;  ///< its parent waited for it first: neither code nor signal is known

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("code", self.code, Written::Always);
        visit("signal", self.signal, Written::Always);
        visit("requested", self.requested, Written::Always);
        visit("pid", self.pid, Written::Always);
        visit("core_dumped", self.core_dumped, Written::IfSet);
        visit("reason", self.reason, Written::IfSet);
        visit("last_lines", self.last_lines, Written::IfSet);
        visit("stop_cause", self.stop_cause, Written::IfSet);
        visit("by_user", self.by_user, Written::IfSet);
        visit("failed_us", self.failed_us, Written::IfSet);
        visit("oom", self.oom, Written::IfSet);
        visit("core_file", self.core_file, Written::IfSet);
        visit("traceback", self.traceback, Written::IfSet);
        visit("attempt", self.attempt, Written::IfSet);
        visit("missing_rank", self.missing_rank, Written::IfKnown);
        visit("lost_peer", self.lost_peer, Written::IfSet);
        visit("inner", self.inner, Written::IfSet);
        visit("outer_rank", self.outer_rank, Written::IfKnown);
        visit("program", self.program, Written::IfSet);
        visit("status_unknown", self.status_unknown, Written::IfSet);
    }
};

/// Something that users should know and that ends nothing. A node sends id and arguments; the desk adds the
/// texts (remote/desk/nodes/session/notices.h).
struct NoticeEvent {
    FailureId id = {};
    std::vector<std::string> args = {};  ///< what belongs to it, as the catalogue's text numbers it
    std::string title = {};              ///< one sentence for users
    std::vector<std::string> evidence = {};
    std::vector<std::string> fix = {};

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("id", self.id, Written::Always);
        visit("title", self.title, Written::Always);
        visit("args", self.args, Written::IfSet);
        visit("evidence", self.evidence, Written::Always);
        visit("fix", self.fix, Written::Always);
    }
};

/// Why the run failed: always the desk's.
using DiagnosisEvent = Verdict;

enum class Outcome : std::uint8_t { Running, Done, Failed, Stopped, Lost };

template <>
struct EnumNames<Outcome> {
    static constexpr std::array names{"running", "done", "failed", "stopped", "lost"};
};

struct Culprit {
    int rank = -1;
    std::string node = {};
    int code = 0;
    int signal = 0;
    std::string reason = {};
    std::vector<std::string> last_lines = {};
    std::string process_state =
        {};  ///< of /proc/PID/stat where it is why it stopped answering ("T"); else empty

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("rank", self.rank, Written::Always);
        visit("node", self.node, Written::Always);
        visit("code", self.code, Written::Always);
        visit("signal", self.signal, Written::Always);
        visit("reason", self.reason, Written::Always);
        visit("last_lines", self.last_lines, Written::Always);
        visit("process_state", self.process_state, Written::IfSet);
    }
};

/// How a node was lost.
enum class LostHow : std::uint8_t {
    Unknown,
    Silent,
    Gone,
    Signalled,
    Rebooted,
    SupervisorKilled,
    SupervisorStopped
};

template <>
struct EnumNames<LostHow> {
    static constexpr std::array names{
        "unknown", "silent", "gone", "signalled", "rebooted", "supervisor-killed", "supervisor-stopped"};
};

/// From a node (its part is over) or, with an empty node, from the desk: the run is over.
struct EndEvent {
    Outcome outcome = Outcome::Done;
    int exit_code = 0;  ///< what rankscopectl returns
    std::string detail;
    bool has_culprit = false;
    Culprit culprit;
    std::string lost_node;  ///< the node that does not answer or whose supervisor is gone; empty: none
    LostHow lost_how = LostHow::Unknown;  ///< of lost_node
    double silent_s = 0;                  ///< how long nothing was heard from it
    bool presumed = false;                ///< of a node: concluded by the desk, which no longer reaches it
    std::vector<std::string> unconfirmed = {};  ///< of the run: nodes whose part is not known to be over

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("outcome", self.outcome, Written::Always);
        visit("exit_code", self.exit_code, Written::Always);
        visit("detail", self.detail, Written::IfSet);
        visit.optional("culprit", self.has_culprit, self.culprit);
        visit("lost_node", self.lost_node, Written::IfSet);
        visit("lost_how", self.lost_how, Written::IfSet);
        visit("silent_s", self.silent_s, Written::IfSet);
        visit("presumed", self.presumed, Written::IfSet);
        visit("unconfirmed", self.unconfirmed, Written::IfSet);
    }
};

/// How a node is doing: its processors, memory, disk, network, GPUs. What it does not have, or does not
/// report, is absent, never 0. Names and units: remote/wire/sample_keys.h.
struct SampleEvent {
    std::vector<std::pair<std::string, double>> values;
};

/// A variable of NCCL, PyTorch or Gloo that a node itself sets.
struct NodeSetting {
    std::string name = {};
    std::string value = {};
    std::string source = {};  ///< kEnvironmentSource, or the file of NCCL that sets it

    bool operator==(const NodeSetting&) const = default;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("name", self.name, Written::Always);
        visit("value", self.value, Written::Always);
        visit("source", self.source, Written::Always);
    }
};
using NodeSettings = std::map<std::string, std::vector<NodeSetting>>;  ///< by node
/// The environment that the ranks inherit: of the login, or of the batch system.
inline constexpr const char* kEnvironmentSource = "environment";

/// From a node, before its ranks start: what they get beside the job's own variables. The environment wins over
/// ~/.nccl.conf (or NCCL_CONF_FILE), which wins over /etc/nccl.conf; a variable of the job wins over all.
struct SettingsEvent {
    std::vector<NodeSetting> settings = {};

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("settings", self.settings, Written::Always);
    }
};

/// How it is known that a process is a rank. Numbered as in frames.proto.
enum class InnerRankSource : std::uint8_t { Environment, VariablesSet, ProcessGroup, Parent };

template <>
struct EnumNames<InnerRankSource> {
    static constexpr std::array names{"environment", "variables-set", "process-group", "parent"};
};

/// From a node: a process that a rank's program has started is a rank of the run itself, the event's rank. Once more
/// when another process takes its place, or more is known.
struct InnerRankEvent {
    std::int64_t pid = 0;
    int outer_rank = -1;  ///< as Rankscope numbers what it has started
    int local_rank = 0;
    int world_size = 0;
    InnerRankSource source = InnerRankSource::Environment;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("pid", self.pid, Written::Always);
        visit("outer_rank", self.outer_rank, Written::Always);
        visit("local_rank", self.local_rank, Written::Always);
        visit("world_size", self.world_size, Written::Always);
        visit("source", self.source, Written::Always);
    }
};

/// How the desk reaches a node of a run.
enum class LinkState : std::uint8_t {
    Linked,    ///< it answers
    Silent,    ///< connected, but no answer for some seconds
    Retrying,  ///< the connection is lost; the desk tries again at retry_at_us
    PresumedLost,  ///< presumed lost: the run does not wait for it any longer, or its other nodes reported it lost
    Ended          ///< its part of the run is over
};

template <>
struct EnumNames<LinkState> {
    static constexpr std::array names{"linked", "silent", "retrying", "presumed-lost", "ended"};
};

/// From the desk (Event::node is empty): the link to one node has changed its state. The node's ranks are not
/// affected by it.
struct LinkEvent {
    std::string node;
    LinkState state = LinkState::Linked;
    std::int64_t last_seen_us = 0;  ///< last sign of life, µs since 1970 by the desk's clock; 0: none yet
    std::int64_t retry_at_us = 0;   ///< of Retrying and PresumedLost: the next attempt; 0: none
    FailureId failure_id;           ///< why the last attempt failed; empty: it did not, or it is not known
    std::string failure;            ///< the same as one sentence for the user
    std::string remedy;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("to", self.node, Written::Always);  // not "node": event and number are the desk's
        visit("state", self.state, Written::Always);
        visit("last_seen_us", self.last_seen_us, Written::Always);
        visit("retry_at_us", self.retry_at_us, Written::IfSet);
        visit("failure_id", self.failure_id, Written::IfSet);
        visit("failure", self.failure, Written::IfSet);
        visit("remedy", self.remedy, Written::IfSet);
    }
};

using EventBody = std::variant<StageEvent, MetricEvent, LogEvent, ExitEvent, DiagnosisEvent, EndEvent,
                               SampleEvent, LinkEvent, NoticeEvent, NcclEvent, SettingsEvent, InnerRankEvent>;

struct Event {
    std::uint64_t seq = 0;  ///< from 1 without gaps, per run and node; the desk's own events have node ""
    std::int64_t t_us = 0;  ///< µs since 1970, by the desk's clock (the node's is corrected by its offset)
    std::string node;       ///< empty: the desk
    int rank = -1;          ///< -1: not one rank's
    EventBody body;

    template <typename T>
    const T* as() const {
        return std::get_if<T>(&body);
    }
};

/// "stage", "metric", "log", "exit", "diagnosis", "end", "sample", "link", "notice", "nccl", "settings", "inner-rank": the
/// "event" key of the JSON form.
const char* kind_of(const Event& event);

}  // namespace rankscope
