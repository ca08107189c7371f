// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/memory_facts.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "MemoryFacts";
constexpr double kFull = 0.95;
constexpr std::int64_t kBeforeUs = 15'000'000;  // a sample that is older says nothing of the end
constexpr std::size_t kKept = 64;
constexpr double kGuess = 0.7;  // a rule that is surer has seen words about memory
constexpr double kKilled =
    0.55;  // from here on a launcher says that a process was killed; only by whom is open
constexpr double kCounted = 0.92;

}  // namespace

void MemoryFacts::observe(const Event& event) {
    if (const auto* sample = event.as<SampleEvent>()) {
        double used = 0;
        double total = 0;
        for (const auto& [key, value] : sample->values) {
            used = key == sample_key::kMemUsed ? value : used;
            total = key == sample_key::kMemTotal ? value : total;
        }
        if (total > 0) {
            auto& shares = used_[event.node];
            shares.emplace_back(event.t_us, used / total);
            if (shares.size() > kKept) {
                shares.pop_front();
            }
        }
    } else if (const auto* exit = event.as<ExitEvent>()) {
        last_exit_us_ = std::max(last_exit_us_, event.t_us);
        if (!exit->oom.empty()) {
            counted_[event.node] = exit->oom;
        }
    }
}

std::optional<std::string> MemoryFacts::ran_out(const std::string& node, std::int64_t t_us) const {
    if (!node.empty()) {
        return shown_on(node, t_us);
    }
    std::set<std::string> nodes;
    for (const auto& [name, source] : counted_) {
        nodes.insert(name);
    }
    for (const auto& [name, shares] : used_) {
        nodes.insert(name);
    }
    for (const auto& name : nodes) {
        if (auto shown = shown_on(name, t_us)) {
            return shown;
        }
    }
    return std::nullopt;
}

std::optional<std::string> MemoryFacts::shown_on(const std::string& node, std::int64_t t_us) const {
    if (const auto counted = counted_.find(node); counted != counted_.end()) {
        return text(kContext, "The kernel of %1 killed a process to free memory (source: %2).",
                    {node, counted->second});
    }
    const auto known = used_.find(node);
    double most = 0;
    for (const auto& [when, share] :
         known == used_.end() ? std::deque<std::pair<std::int64_t, double>>() : known->second) {
        most = when <= t_us && t_us - when <= kBeforeUs ? std::max(most, share) : most;
    }
    return most < kFull ? std::nullopt
                        : std::optional(text(kContext, "The memory of %1 was %2 % full just before.",
                                             {node, std::to_string(std::lround(100 * most))}));
}

void MemoryFacts::weigh(std::vector<Verdict>& from_logs) const {
    for (auto& verdict : from_logs) {
        if (verdict.id != FailureId("host-oom") || verdict.confidence >= kGuess) {
            continue;
        }
        const auto shown = ran_out(verdict.node, last_exit_us_);
        if (!shown) {
            verdict.id = "killed-external";
            verdict.confidence = verdict.confidence >= kKilled ? kSureVerdict : verdict.confidence;
            continue;
        }
        verdict.confidence = counted_.empty() ? kSureVerdict : kCounted;
        verdict.title =
            verdict.node.empty()
                ? text(kContext, "Memory ran out, and the kernel killed a process.")
                : text(kContext, "Memory of %1 ran out, and the kernel killed a process.", {verdict.node});
        verdict.evidence.push_back({.text = *shown});
    }
}

}  // namespace rankscope::inline runs
