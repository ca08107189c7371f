// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <base/failure.h>
#include <remote/diagnosis/check.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

/// What shows a verdict. A line of a file, or (without a file) a sentence of the program.
struct Evidence {
    std::string file = {};  ///< as the user named it; empty: not from a file
    std::int64_t line = 0;  ///< from 1; 0: no line
    std::string text = {};  ///< the line itself

    bool operator==(const Evidence&) const = default;

    /// Calls visit(name, field) for every field: the codecs need no list of their own.
    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("file", self.file);
        visit("line", self.line);
        visit("text", self.text);
    }
};

/// When a verdict of a run holds. End: why it failed. Live: seen while it runs, which it still does. Over: the
/// live one with the same id, node and rank holds no more.
enum class VerdictPhase { End, Live, Over };

template <>
struct EnumNames<VerdictPhase> {
    static constexpr auto names = std::to_array<const char*>({"end", "live", "over"});
};

/// A cause that was found, by the live diagnosis, by a log rule or by a preflight check: the same type and the
/// same ids for all (design page, `diagnose --json`).
struct Verdict {
    FailureId id = {};
    std::string title = {};   ///< one sentence for users
    std::string node = {};    ///< the node at fault; empty: none alone
    int rank = -1;            ///< the rank at fault; -1: none alone
    std::string device = {};  ///< "GPU 3", "GPU 0000:b3:00.0", "mlx5_0"; empty: the cause names none
    std::vector<std::string> nodes = {};  ///< all nodes it concerns
    std::vector<int> ranks = {};          ///< all ranks it concerns
    double confidence = 1;                ///< 0…1
    std::vector<Evidence> evidence = {};
    std::vector<std::string> fix = {};  ///< what to do, in this order; may be commands
    VerdictPhase phase = VerdictPhase::End;
    std::string reason = {};  ///< the kind of the cause below its id: a name of Activity, …; empty: none
    std::vector<NodePair> pairs = {};  ///< the directions that fail
    std::vector<int> waiting = {};     ///< the ranks that only noticed: they wait for it, or failed by it
    std::vector<Fix> fixes = {};       ///< what of `fix` can be applied
    std::int64_t since_us = 0;         ///< since when, by the desk's clock; 0: not known

    bool operator==(const Verdict&) const = default;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("id", self.id);
        visit("title", self.title);
        visit("node", self.node);
        visit("rank", self.rank);
        visit("device", self.device);
        visit("nodes", self.nodes);
        visit("ranks", self.ranks);
        visit("confidence", self.confidence);
        visit("evidence", self.evidence);
        visit("fix", self.fix);
        visit("phase", self.phase);
        visit("reason", self.reason);
        visit("pairs", self.pairs);
        visit("waiting", self.waiting);
        visit("fixes", self.fixes);
        visit("since_us", self.since_us);
    }
};

/// The failure as a verdict: where a node failed (`node` empty: none), its raw evidence and its remedy.
Verdict verdict_of(const Failure& failure, const std::string& node = {});
/// The failed check as the verdict of a run that did not start.
Verdict verdict_of(const Check& check);

}  // namespace rankscope
