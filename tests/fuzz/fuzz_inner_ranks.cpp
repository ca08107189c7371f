// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What processes and lines say of the ranks that they are.

#include "target.h"

#include <remote/agent/inner/inner_tree.h>
#include <remote/agent/inner/line_speaker.h>
#include <remote/agent/ranks/rank_identity.h>

#include <algorithm>
#include <string>
#include <string_view>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto text = fuzz::as_text(data, size);
    const auto is_rank = [](const agent::RankIdentity& one) {
        return one.rank >= 0 && one.rank < one.world_size;
    };
    const auto half = text.substr(0, size / 2);
    if (const auto identity = agent::identity_beyond(text, half, 1 + static_cast<int>(size % 4))) {
        fuzz::require(is_rank(*identity), "a rank is below its world's size");
    }
    fuzz::require(!agent::identity_beyond(text, text, 1), "what is inherited tells nothing");
    agent::InnerRankFound found;
    if (agent::parse_told(text, half, 1, found)) {
        fuzz::require(is_rank(found.identity), "a told rank is below its world's size");
    }
    std::string set = "set " + agent::rank_variables(text);
    fuzz::require(!agent::parse_told(set, text, 1, found) || set.find('\0') != std::string::npos ||
                      is_rank(found.identity),
                  "a list of variables is one that can be read");
    const auto speaker = agent::speaker_of(text);
    fuzz::require(speaker.rank >= -1 && speaker.local_rank >= -1 && speaker.pid >= 0, "a speaker is one");
    for (const auto& rank : agent::inner_ranks_in(
             {{1, 0, std::string(half), ""}, {2, 1, std::string(text), std::string(text)}}, 1, 1, {})) {
        fuzz::require(is_rank(rank.identity) && rank.identity.world_size > 1, "a rank is of a larger world");
    }
    return 0;
}
