// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/desk/shared/text.h>

#include <atomic>

namespace rankscope {
namespace {

std::atomic<Translator> installed_translator{nullptr};

}  // namespace

void set_translator(Translator translator) {
    installed_translator = translator;
}

std::string text(const char* context, const char* source, std::initializer_list<std::string> arguments) {
    const Translator translate = installed_translator;
    const std::string pattern = translate != nullptr ? translate(context, source) : source;
    // One pass: an argument that itself holds "%2" must not be replaced again.
    std::string result;
    bool command = false;  // between ` and `: what the user may copy into a shell
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        command = command != (pattern[i] == '`');
        if (pattern[i] == '%' && i + 1 < pattern.size() && pattern[i + 1] >= '1' && pattern[i + 1] <= '9') {
            const auto index = static_cast<std::size_t>(pattern[i + 1] - '1');
            if (index < arguments.size()) {
                const std::string& argument = arguments.begin()[index];
                result += command ? copied_word(argument) : argument;
                ++i;
                continue;
            }
        }
        result += pattern[i];
    }
    return result;
}

}  // namespace rankscope
