// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/text.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/run_processes.h>
#include <remote/agent/ranks/ras_environment.h>
#include <remote/agent/ras/loaded_nccl.h>
#include <remote/agent/ras/ras_client.h>
#include <remote/agent/ras/run_ras.h>
#include <remote/observe/nccl_ras/ras_report.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr double kUsualS = 8;
constexpr double kLongestS = 30;

const char* name_of(RasOutcome outcome) {
    switch (outcome) {
        case RasOutcome::Answered:
            return "answered";
        case RasOutcome::NotLoopback:
            return "not-loopback";
        case RasOutcome::Refused:
            return "refused";
        case RasOutcome::NotRas:
            return "not-ras";
        case RasOutcome::NoJson:
            return "no-json";
        case RasOutcome::Denied:
            return "denied";
        case RasOutcome::NoAnswer:
            break;
    }
    return "no-answer";
}

/// Where the processes of the run have RAS, each place once.
struct RunRas {
    std::vector<RasPlace> places;
    bool text_is_sound = true;  ///< of every NCCL that is loaded; false: of one it is not known
};

RunRas look_at(const NodePaths& paths, const std::string& run_id) {
    RunRas ras;
    bool loaded = false;
    for (const auto& [rank, tree] : run_processes(paths, run_id)) {
        for (const pid_t pid : tree) {
            std::string_view address;
            bool is_set = false;
            bool enabled = true;
            const auto environment = environment_of(pid);
            for (const auto entry : split(environment, '\0')) {
                constexpr std::string_view kAddress = "NCCL_RAS_ADDR=";
                if (entry.starts_with(kAddress)) {
                    address = entry.substr(kAddress.size());
                    is_set = true;
                }
                enabled = enabled && entry != "NCCL_RAS_ENABLE=0";
            }
            const auto place = enabled && is_set ? ras_place_of(address) : std::nullopt;
            if (place && std::find(ras.places.begin(), ras.places.end(), *place) == ras.places.end()) {
                ras.places.push_back(*place);
            }
            if (const auto version = loaded_nccl_version(pid); !version.empty()) {
                loaded = true;
                ras.text_is_sound = ras.text_is_sound && ras_text_is_sound(version);
            }
        }
    }
    ras.text_is_sound = ras.text_is_sound && loaded;
    return ras;
}

}  // namespace

wire::RasReply ask_run_ras(const NodePaths& paths, const wire::AskRas& request, const std::stop_token& stop) {
    wire::RasReply reply;
    reply.set_outcome("not-set");
    const double seconds = std::isfinite(request.within_s()) && request.within_s() > 0
                               ? std::min(request.within_s(), kLongestS)
                               : kUsualS;
    const double deadline = monotonic_s() + seconds;
    const auto ras = look_at(paths, request.run_id());
    for (const auto& place : ras.places) {
        for (const auto& address : place.addresses) {
            RasQuestion question;
            question.address = address;
            question.port = place.port;
            question.text = request.allow_text() && ras.text_is_sound;
            question.within_s = std::max(0.0, deadline - monotonic_s());
            auto answer = ask_ras(question, stop);
            reply.set_outcome(name_of(answer.outcome));
            reply.set_error(answer.error);
            reply.set_complete(answer.complete);
            reply.set_attempts(reply.attempts() + static_cast<std::uint32_t>(std::max(0, answer.attempts)));
            if (answer.outcome != RasOutcome::Refused) {
                // A frame has its limit; a report of so many ranks is read as far as it goes.
                constexpr std::size_t kMostText = std::size_t{15} << 20U;
                if (answer.text.size() > kMostText) {
                    answer.text.resize(kMostText);
                    reply.set_complete(false);
                }
                reply.set_text(std::move(answer.text));
                return reply;
            }
        }
    }
    return reply;
}

}  // namespace rankscope::agent
