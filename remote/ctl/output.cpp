// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/output.h>
#include <remote/ctl/terminal_text.h>
#include <remote/diagnosis/verdict.h>

#include <cstdio>

namespace rankscope::ctl {
namespace {

template <typename Json>
void print(const Json& json) {
    std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

std::string place_of(const Evidence& evidence) {
    return evidence.file.empty() ? std::string() : evidence.file + ':' + std::to_string(evidence.line) + ": ";
}

}  // namespace

void print_json(const nlohmann::ordered_json& json) {
    print(json);
}

void print_json(const nlohmann::json& json) {
    print(json);
}

void print_reasons(const Verdict& verdict) {
    for (const auto& evidence : verdict.evidence) {
        std::printf("        %s\n", safe_text(place_of(evidence) + evidence.text).c_str());
    }
    for (const auto& fix : verdict.fix) {
        std::printf("      -> %s\n", safe_text(fix).c_str());
    }
}

}  // namespace rankscope::ctl
