// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/store/run_filter.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace rankscope::inline runs {
namespace {

bool has_tag(const RunLabels& labels, const std::string& tag) {
    return std::find(labels.tags.begin(), labels.tags.end(), tag) != labels.tags.end();
}

}  // namespace

bool RunFilter::fits(const RunRecord& run, const RunLabels& labels) const {
    if ((starred && !labels.starred) || (!group.empty() && group != labels.group) ||
        !std::all_of(tags.begin(), tags.end(),
                     [&](const std::string& tag) { return has_tag(labels, tag); })) {
        return false;
    }
    if (words.empty()) {
        return true;
    }
    const std::string all =
        lower_case(joined(std::vector{run.run_id, run.name, run.nodes, joined(labels.tags, "\n"),
                                      labels.group, labels.note, run.job_yaml},
                          "\n"));
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return all.find(lower_case(word)) != std::string::npos;
    });
}

RunFilter run_filter_of(const std::string& line) {
    constexpr std::string_view kTag = "tag:";
    constexpr std::string_view kGroup = "group:";
    RunFilter filter;
    for (const std::string_view word : split(line, ' ')) {
        if (word == "is:starred") {
            filter.starred = true;
        } else if (word.starts_with(kTag) && word.size() > kTag.size()) {
            filter.tags.emplace_back(word.substr(kTag.size()));
        } else if (word.starts_with(kGroup) && word.size() > kGroup.size()) {
            filter.group = word.substr(kGroup.size());
        } else if (!word.empty()) {
            filter.words.emplace_back(word);
        }
    }
    return filter;
}

}  // namespace rankscope::inline runs
