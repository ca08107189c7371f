// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/paths.h>
#include <base/text.h>
#include <remote/agent/environment/node_python.h>
#include <remote/agent/node/ask_program.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rankscope::agent {
namespace {

constexpr double kAnswerWithin = 10;

// Runs on every Python 3.
constexpr const char* kAbout = R"(
import json, platform, sys
try:
    import ensurepip, venv
    makes = True
except ImportError:
    makes = False
print(json.dumps({'executable': sys.executable, 'version': platform.python_version(), 'machine': platform.machine(),
                  'libc': list(platform.libc_ver()), 'makes': makes}))
)";

bool is_version(const std::string& name) {
    return !name.empty() && is_digit(name.front()) &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == '.'; });
}

std::uint32_t glibc_minor_of(const nlohmann::json& libc) {
    if (!libc.is_array() || libc.size() != 2 || libc[0] != "glibc" || !libc[1].is_string()) {
        return 0;
    }
    const auto version = libc[1].get<std::string>();
    return version.starts_with("2.") ? parse_number<std::uint32_t>(version.substr(2)).value_or(0) : 0;
}

}  // namespace

std::optional<NodePython> find_node_python(const std::string& name, const std::stop_token& stop,
                                           std::string& why) {
    const std::string program = name.empty()       ? "python3"
                                : is_version(name) ? "python" + name
                                                   : expand_home(name).string();
    const auto answer = ask_program({.argv = {program, "-c", kAbout}, .seconds = kAnswerWithin}, stop);
    const auto about = read_json(answer.output);
    if (!answer.good() || !about.is_object()) {
        why = program + ": " + answer.why();
        return std::nullopt;
    }
    NodePython python;
    python.executable = about.value("executable", "");
    python.version = about.value("version", "");
    python.machine = about.value("machine", "");
    python.glibc_minor = glibc_minor_of(about.value("libc", nlohmann::json()));
    python.makes_environments = about.value("makes", false);
    return python;
}

}  // namespace rankscope::agent
