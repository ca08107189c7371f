// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/notify/plateau_rule.h>
#include <remote/desk/shared/text.h>

#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "AlertRule";
constexpr std::string_view kWord = "plateau";

std::vector<std::string> words_by_blanks(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

std::optional<std::int64_t> steps_of(const std::string& text) {
    const auto steps = parse_number<std::int64_t>(text);
    return steps && *steps > 0 ? steps : std::nullopt;
}

}  // namespace

bool is_plateau_rule(std::string_view line) {
    const auto words = words_by_blanks(line);
    return !words.empty() && words.front() == kWord;
}

Result<void> add_plateau(std::string_view line, AlertOptions& options) {
    auto words = words_by_blanks(line);
    AlertOptions changed = options;
    changed.kinds.insert(AlertKind::Plateau);
    bool right = !words.empty() && words.front() == kWord;
    if (right) {
        words.erase(words.begin());
    }
    if (right && words.size() >= 2 && words[0] == "of") {
        changed.plateau_metric = words[1];
        words.erase(words.begin(), words.begin() + 2);
    }
    if (right && words.size() >= 2 && words[0] == "for") {
        const auto steps = steps_of(words[1]);
        right = steps && (words.size() == 2 || (words.size() == 3 && words[2] == "steps"));
        changed.plateau_steps = steps.value_or(changed.plateau_steps);
        words.clear();
    }
    if (!right || !words.empty()) {
        return Failure{"bad-field", "",
                       text(kContext, "\"%1\" is not a rule for a plateau.", {std::string(line)}),
                       text(kContext, "Write plateau, or for example: plateau of loss for 500 steps."), ""};
    }
    options = std::move(changed);
    return {};
}

}  // namespace rankscope::inline runs
