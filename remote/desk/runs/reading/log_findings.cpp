// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/reading/log_findings.h>
#include <remote/diagnosis/verdict_source.h>

#include <algorithm>
#include <string_view>

namespace rankscope::inline runs {
namespace {

constexpr double kLikely = 0.5;
constexpr std::size_t kMost = 3;

bool has_place(const Evidence& evidence) {
    return !evidence.file.empty();
}

// The lines with their places stand before what has none; a line is there once.
void add_evidence(Verdict& verdict, const std::vector<Evidence>& lines) {
    std::erase_if(verdict.evidence, [&](const Evidence& known) {
        return !has_place(known) && std::any_of(lines.begin(), lines.end(), [&](const Evidence& line) {
            return line.text == known.text;
        });
    });
    verdict.evidence.insert(verdict.evidence.begin(), lines.begin(), lines.end());
}

void add_waiting(Verdict& cause, const Verdict& noticed) {
    for (const int rank : noticed.ranks) {
        const bool known = std::find(cause.waiting.begin(), cause.waiting.end(), rank) != cause.waiting.end();
        if (rank != cause.rank && !known) {
            cause.waiting.push_back(rank);
        }
    }
}

// The same cause, more generally or more exactly said. A log that ranks share does not say which of them it is about.
bool is_same(const Verdict& one, const Verdict& other, const std::set<int>& shared) {
    const bool same_rank =
        one.rank < 0 || other.rank < 0 || one.rank == other.rank || shared.contains(other.rank);
    const bool same_node = one.node.empty() || other.node.empty() || one.node == other.node;
    return one.id == other.id && same_rank && same_node;
}

}  // namespace

bool LogFindings::explain(const Verdict& cause, const Verdict& consequence) const {
    const auto known = explains.find(cause.id.str());
    if (known == explains.end()) {
        return false;
    }
    const std::string id = consequence.id.str();
    return std::any_of(known->second.begin(), known->second.end(), [&](std::string_view shape) {
        return shape.ends_with('*') ? id.starts_with(shape.substr(0, shape.size() - 1)) : shape == id;
    });
}

LogFindings likely_causes(std::vector<Verdict> found, const std::vector<logs::Rule>& rules) {
    LogFindings findings;
    for (auto& verdict : found) {
        if (verdict.confidence >= kLikely && verdict.reason.empty() && findings.verdicts.size() < kMost) {
            verdict.reason = kFromLogs;
            findings.verdicts.push_back(std::move(verdict));
        }
    }
    if (!findings.verdicts.empty()) {
        for (const auto& rule : rules) {
            findings.explains[rule.id] = rule.explains;
        }
    }
    return findings;
}

std::vector<Verdict> combined(std::vector<Verdict> measured, const LogFindings& logs) {
    std::vector<Verdict> roots;
    std::vector<Verdict> others;
    for (const auto& shown : logs.verdicts) {
        const auto same = std::find_if(measured.begin(), measured.end(), [&](const Verdict& verdict) {
            return is_same(verdict, shown, logs.shared);
        });
        if (same != measured.end()) {
            add_evidence(*same, shown.evidence);
            same->confidence = std::max(same->confidence, shown.confidence);
            continue;
        }
        const auto cause = std::find_if(measured.begin(), measured.end(), [&](const Verdict& verdict) {
            return logs.explain(verdict, shown) && !logs.explain(shown, verdict);
        });
        if (cause != measured.end()) {
            add_waiting(*cause, shown);
            continue;
        }
        const bool explains = std::any_of(measured.begin(), measured.end(), [&](const Verdict& verdict) {
            return logs.explain(shown, verdict) && !logs.explain(verdict, shown);
        });
        (explains ? roots : others).push_back(shown);
    }
    roots.insert(roots.end(), std::make_move_iterator(measured.begin()),
                 std::make_move_iterator(measured.end()));
    roots.insert(roots.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    return roots;
}

}  // namespace rankscope::inline runs
