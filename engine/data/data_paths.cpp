// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/data_paths.h>

#include <cstdlib>

namespace rankscope::engine {

namespace fs = std::filesystem;

fs::path expand_home(const std::string& path) {
    const char* home = std::getenv("HOME");
    if (home == nullptr || path.empty() || path[0] != '~' || (path.size() > 1 && path[1] != '/')) {
        return path;
    }
    return fs::path(home) / fs::path(path.size() > 2 ? path.substr(2) : "");
}

fs::path dataset_cache_folder(const std::string& name) {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const fs::path base = cache != nullptr && *cache == '/' ? fs::path(cache) : expand_home("~/.cache");
    return base / "rankscope" / "datasets" / name;
}

}  // namespace rankscope::engine
