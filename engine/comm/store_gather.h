// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/store.h>

#include <chrono>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Every member's text, by member, gathered through the store before there is anything faster: the first
/// member collects and publishes them, so that it takes requests in proportion to the members, not to their
/// square. `key` must be new. Throws Error naming the member that did not come in time.
std::vector<std::string> gather_through(Store& store, const std::string& key, const std::string& mine,
                                        int member, int members, std::chrono::milliseconds timeout);

}  // namespace rankscope::engine
