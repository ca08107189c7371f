// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_node.h>
#include <base/config/config_problem.h>
#include <base/config/phrase.h>

#include <algorithm>

namespace rankscope::config {
namespace {

/// Letters that are inserted, left out, replaced, or exchanged with the next one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a.size()][b.size()];
}

}  // namespace

std::string to_sentence(const ConfigProblem& problem) {
    return problem.remedy.empty() ? problem.message : problem.message + ". " + problem.remedy;
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& known) {
    // A very long word can be no misspelling, and the distance costs its length squared.
    constexpr std::size_t kLongest = 64;
    constexpr std::size_t kTelling = 3;  // letters; "batch" for "batch_size", "cosine" for "cos"
    if (word.empty() || word.size() > kLongest) {
        return {};
    }
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 2) + 1;
    for (const std::string& name : known) {
        // A short word is not a misspelling of another that it shares no letter with.
        const std::size_t distance = edit_distance(word, name);
        if (distance < best_distance && distance < std::max(word.size(), name.size())) {
            best_distance = distance;
            best = name;
        }
    }
    for (const std::string& name : known) {
        const bool begins = name.starts_with(word) || word.starts_with(name);
        if (best.empty() && begins && std::min(name.size(), word.size()) >= kTelling) {
            best = name;
        }
    }
    return best;
}

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
    const std::string near = nearest_name(word, known);
    const std::string all = phrase("Write one of: %1.", {joined(known)});
    return near.empty() ? all : phrase("Did you mean \"%1\"?", {near}) + ' ' + all;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    const std::string near = nearest_name(word, known);
    return near.empty() ? "" : "; did you mean \"" + near + "\"?";
}

}  // namespace rankscope::config
