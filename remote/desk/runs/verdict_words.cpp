// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/failure_catalogue.h>
#include <remote/diagnosis/rank_activity.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <tuple>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Verdict";
constexpr double kLikely = 0.6;

bool stops_ranks(const Verdict& verdict) {
    return verdict.reason == to_string(Activity::Stopped) || verdict.reason == to_string(Activity::Traced);
}

std::string seconds(std::int64_t from_us, std::int64_t to_us) {
    return std::to_string(std::max<std::int64_t>(0, (to_us - from_us) / 1'000'000));
}

// "rank 2 on node3", "node2", "node2 and node3", "the run".
std::string who_of(const Verdict& verdict) {
    if (verdict.rank >= 0) {
        const std::string rank = std::to_string(verdict.rank);
        return verdict.node.empty() ? text(kContext, "rank %1", {rank})
                                    : text(kContext, "rank %1 on %2", {rank, verdict.node});
    }
    if (!verdict.node.empty()) {
        return verdict.node;
    }
    if (verdict.pairs.size() == 1) {
        return text(kContext, "%1 and %2", {verdict.pairs.front().from, verdict.pairs.front().to});
    }
    return text(kContext, "the run");
}

}  // namespace

std::string said(const Verdict& verdict) {
    if (verdict.confidence >= kSureVerdict) {
        return verdict.title;
    }
    return verdict.confidence >= kLikely ? text(kContext, "Probably: %1", {verdict.title})
                                         : text(kContext, "Possibly: %1", {verdict.title});
}

std::string time_of_day(std::int64_t t_us) {
    const std::time_t whole = t_us / 1'000'000;
    std::tm parts{};
    ::localtime_r(&whole, &parts);
    std::array<char, 16> buffer{};
    return {buffer.data(), std::strftime(buffer.data(), buffer.size(), "%H:%M:%S", &parts)};
}

std::string age_text(const Verdict& verdict, std::int64_t now_us) {
    if (verdict.since_us <= 0) {
        return {};
    }
    return text(kContext, "since %1, %2 s",
                {time_of_day(verdict.since_us), seconds(verdict.since_us, now_us)});
}

std::string over_sentence(const Verdict& verdict, std::int64_t over_us) {
    const std::string who = who_of(verdict);
    const std::string& id = verdict.id.str();
    std::string what;
    if (verdict.reason == to_string(Activity::Stopped)) {
        what = text(kContext, "%1 was stopped.", {who});
    } else if (verdict.reason == to_string(Activity::Traced)) {
        what = text(kContext, "a debugger held %1.", {who});
    } else if (id == "rank-slow") {
        what = text(kContext, "%1 was slower than the others.", {who});
    } else if (id == "node-lost") {
        what = text(kContext, "%1 did not answer.", {who});
    } else if (id.starts_with("link-")) {
        what = text(kContext, "the network of %1 was slow.", {who});
    } else if (!verdict.pairs.empty()) {
        what = text(kContext, "the network held %1.", {who});
    } else if (id == "collective-mismatch") {
        what = text(kContext, "the ranks waited in different collectives.");
    } else {
        what = text(kContext, "%1 made no progress.", {who});
    }
    return verdict.since_us > 0
               ? text(kContext, "Over after %1 s: %2", {seconds(verdict.since_us, over_us), what})
               : text(kContext, "Over: %1", {what});
}

std::string first_sentence(const std::string& text) {
    const auto stop = std::min(text.find(". "), text.find('\n'));
    const auto full_stop = text.find("。");
    if (full_stop != std::string::npos && full_stop < stop) {
        return text.substr(0, full_stop + std::string_view("。").size());
    }
    return stop == std::string::npos ? text : text.substr(0, text[stop] == '.' ? stop + 1 : stop);
}

bool holds_the_run(const Verdict& verdict) {
    const CatalogueEntry* entry = catalogue_entry(verdict.id);
    return stops_ranks(verdict) || entry == nullptr || entry->exit != ExitClass::None;
}

bool outranks(const Verdict& verdict, const Verdict& other) {
    return std::tuple(holds_the_run(verdict), verdict.confidence) >
           std::tuple(holds_the_run(other), other.confidence);
}

}  // namespace rankscope::inline runs
