// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>

#include <cstdlib>

namespace rankscope {
namespace fs = std::filesystem;
namespace {

fs::path xdg(const char* variable, const char* fallback) {
    const char* value = std::getenv(variable);
    // The specification: a relative path in these variables is to be ignored.
    if (value != nullptr && value[0] == '/') {
        return fs::path(value) / "rankscope";
    }
    return home_dir() / fallback / "rankscope";
}

}  // namespace

fs::path home_dir() {
    const char* home = std::getenv("HOME");
    if (home != nullptr && home[0] == '/') {
        return home;
    }
    // Not getpwuid: the agent is linked statically, where that would load NSS modules. sshd and every desktop
    // set HOME; "/" is only ever seen in a broken environment, and fails there with the path in the message.
    return "/";
}

fs::path user_config_dir() {
    return xdg("XDG_CONFIG_HOME", ".config");
}

fs::path user_data_dir() {
    return xdg("XDG_DATA_HOME", ".local/share");
}

fs::path user_cache_dir() {
    return xdg("XDG_CACHE_HOME", ".cache");
}

fs::path expand_home(const std::string& path) {
    if (path == "~") {
        return home_dir();
    }
    if (path.starts_with("~/")) {
        return home_dir() / path.substr(2);
    }
    return path;
}

fs::path program_dir() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path(".") : self.parent_path();
}

}  // namespace rankscope
