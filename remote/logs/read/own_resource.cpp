// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/logs/read/own_resource.h>

namespace rankscope::logs {

std::filesystem::path own_resource(const std::string& name) {
    for (const char* place : {"../../../resources", "../share/rankscope"}) {
        auto path = (program_dir() / place / name).lexically_normal();
        if (std::error_code error; std::filesystem::exists(path, error)) {
            return path;
        }
    }
    return {};
}

}  // namespace rankscope::logs
