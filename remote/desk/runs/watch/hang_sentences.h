// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/rank_waits.h>
#include <remote/diagnosis/verdict.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// "3", "0–7", "1, 4 and 6", …
std::string list_ranks(const std::vector<int>& ranks);
/// With a capital at its begin.
std::string capitalized(std::string sentence);
/// "rank 5 on node2".
std::string name_rank(int rank, const std::string& node);

/// What a rank does instead of entering the collective: "its main thread reads /data/x, and the file server 10.0.0.9
/// does not answer". No full stop.
std::string describe_activity(const RankSeen& seen);
/// "ESTABLISHED 10.0.0.1:4711 → 10.0.0.2:29500, 4096 bytes not acknowledged, …".
std::string describe_socket(const RankSocket& socket);
/// The raw facts of one rank: a line for its process, its call and file, its stack, its sockets in trouble.
std::vector<Evidence> facts_of(int rank, const RankSeen& seen, bool stack);
/// What a user can do about it, the typed ones too.
void add_fixes(Verdict& verdict, const RankSeen& seen);

}  // namespace rankscope::inline runs
