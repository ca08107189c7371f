// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/nccl_plugin_variables.h>
#include <remote/agent/ranks/nccl_plugin.h>

#include <system_error>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 254;

// As NCCL reads the variable: a path, a file name, or the middle of one.
std::string library_of(const std::string& value) {
    const bool whole =
        value.find('/') != std::string::npos || (value.starts_with("lib") && value.ends_with(".so"));
    return whole ? value : "libnccl-profiler-" + value + ".so";
}

}  // namespace

std::string plugin_refused(const std::string& login_plugin) {
    return login_plugin == "none" ? "not-loaded" : login_plugin == "STATIC_PLUGIN" ? "foreign-plugin" : "";
}

bool wants_nccl_plugin(const wire::RankSpec& rank) {
    const auto plugin = rank.env().find(kNcclPluginVariable);
    return plugin != rank.env().end() && plugin->second == kNcclPluginPlaceholder;
}

void place_nccl_plugin(std::map<std::string, std::string>& env, const std::string& login_plugin,
                       const fs::path& library, const fs::path& folder) {
    const auto in_job = env.find(kNcclChainVariable);
    const std::string own = in_job != env.end() ? in_job->second : login_plugin;
    if (library.empty() || folder.empty()) {
        for (const char* name :
             {kNcclPluginVariable, kNcclChainVariable, kNcclFolderVariable, kNcclLevelVariable}) {
            env.erase(name);
        }
        if (!own.empty()) {
            env[kNcclPluginVariable] = own;
        }
        return;
    }
    env[kNcclPluginVariable] = library.string();
    env[kNcclFolderVariable] = folder.string();
    env.erase(kNcclChainVariable);
    if (!own.empty()) {
        env[kNcclChainVariable] = library_of(own);
    }
}

fs::path loadable_nccl_plugin(const fs::path& library, const fs::path& folder) {
    std::error_code error;
    if (!fs::is_regular_file(library, error)) {
        return {};
    }
    if (library.string().size() <= kLongestName) {
        return library;
    }
    const fs::path link = folder / kNcclPluginFile;
    if (!fs::exists(link, error)) {
        fs::create_symlink(library, link, error);
    }
    return error ? fs::path() : link;
}

}  // namespace rankscope::agent
