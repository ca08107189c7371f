// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/paths.h>
#include <base/utf8.h>
#include <remote/agent/node/isolated_look.h>
#include <remote/agent/node/nccl_conf.h>
#include <remote/agent/node/node_settings.h>
#include <remote/wire/event.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace rankscope::agent {
namespace {

constexpr int kMostSettings = 256;

// NCCL sets what is not set yet: the first place wins.
void add_settings(const std::map<std::string, std::string>& settings, const std::string& source,
                  wire::NodeSettings& found) {
    for (const auto& [name, value] : settings) {
        const auto& known = found.settings();
        const bool is_set = std::any_of(known.begin(), known.end(),
                                        [&name = name](const auto& entry) { return entry.name() == name; });
        if (!is_set && found.settings_size() < kMostSettings) {
            auto* entry = found.add_settings();
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

}  // namespace

std::string nccl_user_file() {
    const char* named = std::getenv("NCCL_CONF_FILE");
    return named != nullptr && *named != '\0' ? named : (home_dir() / ".nccl.conf").string();
}

bool read_node_settings(const std::string& user_file, double patience, const std::stop_token& stop,
                        wire::NodeSettings& found) {
    // The home may lie on a dead file server.
    IsolatedLook look([&user_file] { return read_file(user_file).value_or(std::string()); }, patience);
    add_settings(read_communication_settings(own_environment()), kEnvironmentSource, found);
    const auto text = look.wait(stop);
    if (text) {
        add_settings(read_communication_settings(*text), as_utf8(user_file), found);
    }
    add_settings(read_communication_settings(read_file("/etc/nccl.conf").value_or(std::string())),
                 "/etc/nccl.conf", found);
    return text.has_value();
}

}  // namespace rankscope::agent
