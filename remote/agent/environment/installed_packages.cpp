// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/sha256.h>
#include <base/text.h>
#include <remote/agent/environment/installed_packages.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <system_error>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInfo = ".dist-info";
constexpr std::array<std::string_view, 3> kToolsOfVenv{"pip", "setuptools", "wheel"};

bool comes_with_venv(const std::string& info, const std::string& requested) {
    const auto name = std::string_view(info).substr(0, info.find('-'));
    return std::find(kToolsOfVenv.begin(), kToolsOfVenv.end(), name) != kToolsOfVenv.end() &&
           requested.find(name) == std::string::npos;
}

// Of RECORD: the files that its wheel has brought, with their hashes.
std::set<std::string> files_of(const fs::path& info) {
    std::set<std::string> files;
    const std::string record = read_file(info / "RECORD").value_or("");
    for (const auto line : split(record, '\n')) {
        const bool of_wheel = line.find("sha256=") != std::string_view::npos && !line.starts_with("..") &&
                              !line.starts_with('"') && line.find(kInfo) == std::string_view::npos &&
                              line.find("__pycache__") == std::string_view::npos;
        if (of_wheel) {
            files.emplace(trimmed(line));
        }
    }
    return files;
}

}  // namespace

InstalledPackages installed_packages(const fs::path& environment, const std::string& requested) {
    std::set<fs::path> infos;
    std::error_code error;
    for (const auto& version : fs::directory_iterator(environment / "lib", error)) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(version.path() / "site-packages", ignored)) {
            const std::string name = entry.path().filename().string();
            if (name.ends_with(kInfo) && !comes_with_venv(name, requested)) {
                infos.insert(entry.path());
            }
        }
    }
    Sha256 hash;
    const auto add = [&hash](std::string text) {
        text += '\n';
        hash.update(std::as_bytes(std::span(text.data(), text.size())));
    };
    InstalledPackages installed;
    for (const auto& info : infos) {
        ++installed.count;
        add(lower_case(info.filename().string()));
        for (const auto& file : files_of(info)) {
            add(file);
        }
    }
    installed.content = to_hex(hash.finish());
    return installed;
}

}  // namespace rankscope::agent
