// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Sizes and groups in what a program prints, in its command and in the names of its series.

#include "target.h"

#include <remote/observe/mesh/listed_groups.h>
#include <remote/observe/throughput/stated_sizes.h>

#include <algorithm>
#include <cmath>

namespace {

void check(const std::vector<rankscope::throughput::StatedSize>& sizes) {
    for (const auto& size : sizes) {
        rankscope::fuzz::require(std::isfinite(size.value) && size.value >= 1, "a size counts something");
        rankscope::fuzz::require(!size.text.empty() && size.text.size() <= 120, "it has its words");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto text = fuzz::as_text(data, size);
    std::vector<std::string> command;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const auto line = rest.substr(0, end);
        check(throughput::sizes_of_line(line));
        static_cast<void>(throughput::speaks_of_tokens(line));
        for (const ObservedGroup& group : groups_of_line(line)) {
            fuzz::require(!group.ranks.empty() && !group.description.empty(),
                          "a listed group has ranks and an axis");
            fuzz::require(std::is_sorted(group.ranks.begin(), group.ranks.end()), "they ascend");
        }
        static_cast<void>(throughput::rate_of_series(line));
        command.emplace_back(line);
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    check(throughput::sizes_of_command(command));
    return 0;
}
