// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/paths.h>
#include <base/utf8.h>
#include <remote/agent/inspection/nccl_settings.h>
#include <remote/agent/node/isolated_look.h>
#include <remote/agent/node/nccl_conf.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr double kPatience = 1;
constexpr double kQuickPatience = 0.2;
constexpr int kMostSettings = 256;

// NCCL sets what is not set yet: the first place wins.
void add_settings(const std::map<std::string, std::string>& settings, const std::string& source,
                  wire::HostInspection& found) {
    for (const auto& [name, value] : settings) {
        const auto& known = found.nccl_settings();
        const bool is_set = std::any_of(known.begin(), known.end(),
                                        [&name = name](const auto& entry) { return entry.name() == name; });
        if (!is_set && found.nccl_settings_size() < kMostSettings) {
            auto* entry = found.add_nccl_settings();
            entry->set_name(name);
            entry->set_value(value);
            entry->set_source(source);
        }
    }
}

std::string own_environment() {
    std::string text;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        text += std::string(*entry) + '\n';
    }
    return text;
}

std::string user_file() {
    const char* named = std::getenv("NCCL_CONF_FILE");
    return named != nullptr && *named != '\0' ? named : (home_dir() / ".nccl.conf").string();
}

}  // namespace

wire::HostInspection inspect_nccl_settings(const InspectionScope& scope) {
    wire::HostInspection found;
    const double patience = scope.patience(kPatience, kQuickPatience);
    const std::string own = user_file();
    // The home may lie on a dead file server.
    IsolatedLook look([&own] { return read_file(own).value_or(std::string()); }, patience);
    add_settings(read_communication_settings(own_environment()), "environment", found);
    if (const auto text = look.wait(scope.stop)) {
        add_settings(read_communication_settings(*text), as_utf8(own), found);
    } else {
        add_unseen(found, "nccl_settings", late_text(patience));
    }
    add_settings(read_communication_settings(read_file("/etc/nccl.conf").value_or(std::string())),
                 "/etc/nccl.conf", found);
    return found;
}

}  // namespace rankscope::agent
