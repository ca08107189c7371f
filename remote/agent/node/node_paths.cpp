// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/agent/node/node_paths.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace rankscope::agent {

NodePaths NodePaths::from_environment() {
    const char* root = std::getenv("RANKSCOPE_CACHE_DIR");
    return NodePaths(root != nullptr && root[0] == '/' ? std::filesystem::path(root) : user_cache_dir());
}

bool is_safe_name(const std::string& name) {
    return !name.empty() && name.size() <= 200 && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '+';
           });
}

}  // namespace rankscope::agent
