// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/event.h>

#include <array>
#include <limits>

namespace rankscope {

double MetricEvent::value(const std::string& key) const {
    for (const auto& [name, number] : values) {
        if (name == key) {
            return number;
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
}

bool MetricEvent::has(const std::string& key) const {
    for (const auto& [name, number] : values) {
        if (name == key) {
            return true;
        }
    }
    return false;
}

const char* to_string(StageStatus status) {
    switch (status) {
        case StageStatus::Begin:
            return "begin";
        case StageStatus::Progress:
            return "progress";
        case StageStatus::Done:
            return "done";
        case StageStatus::Failed:
            return "failed";
    }
    return "begin";
}

const char* to_string(LostHow how) {
    switch (how) {
        case LostHow::Unknown:
            return "unknown";
        case LostHow::Silent:
            return "silent";
        case LostHow::Gone:
            return "gone";
        case LostHow::Signalled:
            return "signalled";
        case LostHow::Rebooted:
            return "rebooted";
        case LostHow::SupervisorKilled:
            return "supervisor-killed";
        case LostHow::SupervisorStopped:
            return "supervisor-stopped";
    }
    return "unknown";
}

LostHow lost_how_from(const std::string& text) {
    for (const LostHow how : {LostHow::Silent, LostHow::Gone, LostHow::Signalled, LostHow::Rebooted,
                              LostHow::SupervisorKilled, LostHow::SupervisorStopped}) {
        if (text == to_string(how)) {
            return how;
        }
    }
    return LostHow::Unknown;
}

const char* to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::Running:
            return "running";
        case Outcome::Done:
            return "done";
        case Outcome::Failed:
            return "failed";
        case Outcome::Stopped:
            return "stopped";
        case Outcome::Lost:
            return "lost";
    }
    return "running";
}

const char* to_string(LinkState state) {
    switch (state) {
        case LinkState::Linked:
            return "linked";
        case LinkState::Silent:
            return "silent";
        case LinkState::Retrying:
            return "retrying";
        case LinkState::PresumedLost:
            return "presumed-lost";
        case LinkState::Ended:
            return "ended";
    }
    return "linked";
}

LinkState link_state_from(const std::string& text) {
    for (const auto state :
         {LinkState::Silent, LinkState::Retrying, LinkState::PresumedLost, LinkState::Ended}) {
        if (text == to_string(state)) {
            return state;
        }
    }
    return LinkState::Linked;
}

StageStatus stage_status_from(const std::string& text) {
    for (const auto status : {StageStatus::Progress, StageStatus::Done, StageStatus::Failed}) {
        if (text == to_string(status)) {
            return status;
        }
    }
    return StageStatus::Begin;
}

Outcome outcome_from(const std::string& text) {
    for (const auto outcome : {Outcome::Done, Outcome::Failed, Outcome::Stopped, Outcome::Lost}) {
        if (text == to_string(outcome)) {
            return outcome;
        }
    }
    return Outcome::Running;
}

const char* kind_of(const Event& event) {
    constexpr std::array<const char*, std::variant_size_v<EventBody>> kKinds{
        "stage", "metric", "log", "exit", "diagnosis", "end", "sample", "link", "notice"};
    return kKinds[event.body.index()];
}

}  // namespace rankscope
