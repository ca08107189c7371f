// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A secret that is planted in a command, a job file or a text does not survive, whatever is around it. The first byte says
// how it is planted, the others are what is around it.

#include "target.h"

#include <remote/desk/archive/failure_bundle/redactor.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace {

using namespace rankscope;

constexpr const char* kSecret = "Zq7xK2pW9vT4mB3n";

// Words of a command with a flag and its secret among them.
std::vector<std::string> command_around(const std::string& text) {
    // A flag right before would take the flag for its value, as it does for the program.
    std::vector<std::string> words{"x", "--api-key", kSecret};
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos && words.size() < 20;
         end = text.find('\n', begin)) {
        words.insert(words.size() % 2 == 0 ? words.begin() : words.end(), text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

void require_gone(const std::string& text) {
    fuzz::require(text.find(kSecret) == std::string::npos, "no secret survives");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string around(fuzz::as_text(data + 1, size - 1));
    Redactor redactor({});
    static constexpr auto kForms = std::to_array<const char*>(
        {"\nHF_TOKEN=%\n", "\n--api-key %\n", "\n['--api-key', '%', 'x']\n", "\n{\"password\": \"%\"}\n",
         "\nAuthorization: Bearer %\n", "\n- --api-key\n- %\n", "\ngit clone https://me:%@host/x\n"});
    const std::size_t how = data[0] % (kForms.size() + 2);
    if (how < kForms.size()) {
        std::string planted = kForms.at(how);
        planted.replace(planted.find('%'), 1, kSecret);
        const std::string text = around + planted + around;
        const std::string result = redactor.redact(text, "input");
        require_gone(result);
        fuzz::require(
            std::count(text.begin(), text.end(), '\n') == std::count(result.begin(), result.end(), '\n'),
            "lines keep their numbers");
    } else {
        const auto words = command_around(around);
        nlohmann::ordered_json json = words;
        if (how == kForms.size()) {
            redactor.redact(json, "input");
            require_gone(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
        } else {
            // JSON is YAML in one line.
            require_gone(redactor.redact_yaml(
                "command: " + json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) +
                    "\n",
                "input"));
        }
    }
    return 0;
}
