// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/prefixes.h>
#include <remote/logs/grammar/scan.h>

#include <cstdint>

namespace rankscope::logs {

namespace {

// "DIAG [CRIT] ECC: …": NCCL 2.31 and later examine the nodes where NCCL_RUN_DIAGNOSTICS asks for it. Such lines name no thread.
bool take_diagnostics(std::string_view& rest, LogLine& line) {
    if (!take(rest, "NCCL DIAG ")) {
        return false;
    }
    line.level = rest.starts_with("[CRIT]") || rest.starts_with("[WARN]") ? LineLevel::Warn : LineLevel::Info;
    return true;
}

}  // namespace

bool take_nccl(std::string_view& rest, LogLine& line) {
    std::size_t i = 0;
    const auto most = std::min<std::size_t>(rest.size(), 256);
    while (i < most && is_host_char(rest[i])) {
        ++i;
    }
    if (i == 0 || i == most || rest[i] != ':') {
        return false;
    }
    auto after = rest.substr(i + 1);
    const auto pid = take_number<std::int64_t>(after);
    if (pid && take(after, " ") && take_diagnostics(after, line)) {
        line.host = rest.substr(0, i);
        line.pid = *pid;
        line.speaker = Speaker::Nccl;
        rest = after;
        return true;
    }
    if (!pid || !take(after, ":")) {
        return false;
    }
    const auto tid = take_number<std::int64_t>(after);
    if (!tid || !take(after, " ")) {
        return false;
    }
    int device = -1;
    if (after.starts_with('[')) {
        auto inside = after.substr(1);
        const bool none = take(inside, "-");
        const auto number = take_int(inside);
        if (!number || !take(inside, "] ")) {
            return false;
        }
        device = none ? -1 : *number;
        after = inside;
    }
    std::string_view source;
    if (!after.starts_with("NCCL ")) {
        // "misc/socket.cc:504 (socketStartConnect) NCCL WARN", "12.34 nccl_net_ofi_init:1234 NCCL TRACE"
        const auto word = after.substr(0, 200).find(" NCCL ");
        if (word == std::string_view::npos) {
            return false;
        }
        source = after.substr(0, word);
        after.remove_prefix(word + 1);
        if (const auto space = source.find(' '); space != std::string_view::npos) {
            source = source.substr(space + 1).starts_with('(') ? source.substr(0, space)
                                                               : source.substr(source.rfind(' ') + 1);
        }
    }
    after.remove_prefix(5);
    LineLevel level = LineLevel::Info;
    if (take(after, "WARN") || take(after, "ABORT")) {
        level = LineLevel::Warn;
    } else if (!take(after, "INFO") && !take(after, "CALL") && !take(after, "TRACE") &&
               !take(after, "ATTN") && !take(after, "VERSION")) {
        return false;
    }
    line.host = rest.substr(0, i);
    line.pid = *pid;
    line.tid = *tid;
    line.device = device;
    line.source = source;
    line.speaker = Speaker::Nccl;
    line.level = level;
    take(after, " ");
    rest = after;
    return true;
}

bool find_nccl(std::string_view& rest, std::string_view known_host, LogLine& line) {
    if (take(rest, "NCCL version ")) {
        rest = {rest.data() - 13, rest.size() + 13};
        line.speaker = Speaker::Nccl;
        line.level = LineLevel::Info;
        return true;
    }
    // A letter that is rare, and not the blank before it: every line of a program passes here.
    auto word = rest.find("NCCL ", 1);
    while (word != std::string_view::npos && rest[word - 1] != ' ') {
        word = rest.find("NCCL ", word + 1);
    }
    if (word == std::string_view::npos) {
        return false;
    }
    --word;
    const auto level = rest.substr(word + 6);
    if (!level.starts_with("INFO") && !level.starts_with("WARN") && !level.starts_with("TRACE") &&
        !level.starts_with("CALL") && !level.starts_with("ATTN") && !level.starts_with("DIAG ")) {
        return false;
    }
    // Backwards from "[dev] ": the thread, the process, the host. The host may touch what stood before it.
    const auto bracket = rest.substr(0, word).rfind(" [");
    const auto digits_end = bracket == std::string_view::npos ? word : bracket;
    auto begin = digits_end;
    while (begin > 0 && (is_host_char(rest[begin - 1]) || rest[begin - 1] == ':')) {
        --begin;
    }
    if (!known_host.empty()) {
        const auto known = rest.substr(begin, digits_end - begin).find(known_host);
        begin += known == std::string_view::npos ? 0 : known;
    }
    if (auto from = rest.substr(begin); take_nccl(from, line)) {
        rest = from;
        return true;
    }
    line.speaker = Speaker::Nccl;
    line.level = level.starts_with("WARN") ? LineLevel::Warn : LineLevel::Info;
    rest = level;
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
    skip_spaces(rest);
    return true;
}

}  // namespace rankscope::logs
