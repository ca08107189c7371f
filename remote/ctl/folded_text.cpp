// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/folded_text.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cstdio>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "FoldedLog";
constexpr int kWidestRanks = 24;

using Json = nlohmann::ordered_json;

std::string source_name(const logs::LinePlace& place, const std::vector<std::string>& sources) {
    return place.line > 0 && place.file < sources.size() ? sources[place.file] : "";
}

std::string odd_text(const logs::OddOne& odd, const logs::FoldedRows& rows) {
    const std::string who =
        rows.ranks_known
            ? text(kContext, odd.ranks.size() == 1 ? "rank %1" : "ranks %1", {logs::ranks_text(odd.ranks)})
            : text(kContext, odd.ranks.size() == 1 ? "process %1" : "processes %1",
                   {logs::ranks_text(odd.ranks)});
    switch (odd.kind) {
        case logs::OddKind::Missing:
            return text(kContext, "not printed by %1", {who});
        case logs::OddKind::Alone:
            return text(kContext, "printed only by %1", {who});
        case logs::OddKind::Value:
            return text(kContext, "%1: %2 instead of %3", {who, odd.value, odd.others});
    }
    return {};
}

}  // namespace

void print_folded(const logs::FoldedRows& rows, const std::vector<std::string>& sources) {
    int width = 0;
    for (const auto& row : rows.rows) {
        width = std::max(width, static_cast<int>(logs::ranks_text(row.ranks).size()));
    }
    width = std::min(width, kWidestRanks);
    for (const auto& row : rows.rows) {
        std::printf("%c %-*s  %s%s\n", row.odd.empty() ? ' ' : '!', width,
                    logs::ranks_text(row.ranks).c_str(),
                    row.level == logs::LineLevel::Warn || row.level == logs::LineLevel::Error ? "WARN " : "",
                    safe_text(row.text).c_str());
        for (const auto& odd : row.odd) {
            const std::string file = source_name(odd.place, sources);
            std::printf("  %-*s    %s%s\n", width, "", safe_text(odd_text(odd, rows)).c_str(),
                        file.empty()
                            ? ""
                            : safe_text(" (" + file + ':' + std::to_string(odd.place.line) + ')').c_str());
        }
    }
    if (!rows.silent.empty()) {
        std::printf(
            "%s\n",
            text(kContext, rows.silent.size() == 1 ? "Rank %1 printed nothing." : "Ranks %1 printed nothing.",
                 {logs::ranks_text(rows.silent)})
                .c_str());
    }
    if (rows.left_out > 0) {
        std::printf("%s\n", text(kContext, "%1 of %2 lines are of too many kinds and not shown.",
                                 {std::to_string(rows.left_out), std::to_string(rows.taken)})
                                .c_str());
    }
}

Json folded_json(const logs::FoldedRows& rows, const std::vector<std::string>& sources) {
    Json list = Json::array();
    for (const auto& row : rows.rows) {
        Json odd = Json::array();
        for (const auto& one : row.odd) {
            odd.push_back({{"kind", to_string(one.kind)},
                           {"ranks", one.ranks},
                           {"value", one.value},
                           {"others", one.others},
                           {"file", source_name(one.place, sources)},
                           {"line", one.place.line}});
        }
        const logs::LinePlace first =
            row.first_lines.empty() ? logs::LinePlace{} : row.first_lines.front().place;
        list.push_back(
            {{"text", row.text},
             {"ranks", row.ranks},
             {"count", row.count},
             {"warning", row.level == logs::LineLevel::Warn || row.level == logs::LineLevel::Error},
             {"subsystem", row.subsystem},
             {"meaning", row.meaning},
             {"communicators", row.communicators},
             {"odd", odd},
             {"file", source_name(first, sources)},
             {"line", first.line}});
    }
    return {{"ranks_known", rows.ranks_known}, {"ranks", rows.ranks},
            {"silent", rows.silent},           {"lines", rows.taken},
            {"left_out", rows.left_out},       {"rows", list}};
}

}  // namespace rankscope::ctl
