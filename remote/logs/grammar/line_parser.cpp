// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/grammar/exception_shape.h>
#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/grammar/prefixes.h>
#include <remote/logs/grammar/scan.h>
#include <remote/logs/grammar/source_name.h>
#include <remote/logs/grammar/speakers.h>

#include <cmath>

namespace rankscope::logs {
namespace {

constexpr int kMostPrefixes = 8;
constexpr std::size_t kMostHosts = 16'384;

bool take_prefix(std::string_view& rest, LogLine& line, FileDate date) {
    const char first = rest[0];
    if (first == '[') {
        return take_bracket(rest, line, date);
    }
    if (is_digit(first)) {
        return take_time(rest, line, date) || take_task_label(rest, line);
    }
    if (first == ' ') {
        return take_task_label(rest, line);
    }
    return take_glog(rest, line, date) || take_time(rest, line, date) || take_word_label(rest, line);
}

bool is_ipv4(std::string_view word) {
    int dots = 0;
    for (const char c : word) {
        if (c != '.' && !is_digit(c)) {
            return false;
        }
        dots += c == '.' ? 1 : 0;
    }
    return dots == 3 && word.size() >= 7 && is_digit(word.front()) && is_digit(word.back());
}

/// What cannot be the second half of a sentence: a prefix, an exception, the words of nccl-tests and of plugins.
bool begins_message(std::string_view text) {
    for (const std::string_view start : {"Test CUDA failure", "Test NCCL failure",
                                         "WARN: ", "INFO: ", "ERROR: ", "slurmstepd: ", "  File \""}) {
        if (text.starts_with(start)) {
            return true;
        }
    }
    return begins_with_certain_prefix(text) || begins_traceback(text) || exception_at(text);
}

/// "[Rank 2] Watchdog caught …", "[PG 0 (default_pg) Rank 12] …": the speaker, in the words of older PyTorch.
void find_rank(LogLine& line) {
    if (line.rank >= 0 || !line.message.starts_with('[') ||
        (line.level != LineLevel::Error && line.level != LineLevel::Warn)) {
        return;
    }
    const auto end = line.message.substr(0, 160).find(']');
    if (end == std::string_view::npos) {
        return;
    }
    const auto inside = line.message.substr(1, end - 1);
    auto at = inside.rfind("Rank ");
    at = at == std::string_view::npos ? inside.rfind("rank ") : at;
    if (at == std::string_view::npos) {
        return;
    }
    auto digits = inside.substr(at + 5);
    if (const auto rank = take_int(digits); rank && digits.empty()) {
        line.rank = *rank;
    }
}

}  // namespace

void LineParser::begin(std::string_view name, std::int64_t modified_s) {
    name_ = name;
    modified_s_ = modified_s;
    const auto facts = facts_of_name(name_);
    view_ = facts.host;
    file_rank_ = facts.rank;
    file_local_rank_ = facts.local_rank;
    parts_.begin();
}

LogLine LineParser::parse(const RawLine& raw) {
    LogLine line{.place = raw.place, .text = raw.text, .message = raw.text};
    auto& rest = line.message;
    if (take_nccl(rest, line)) {  // most lines of a large log
        learn(line);
        inherit(line);
        return line;
    }
    if (parts_.feed(raw.text)) {
        inherit(line);
        return line;
    }
    bool nccl = false;
    for (int i = 0; i < kMostPrefixes && !rest.empty(); ++i) {
        const auto before = rest.size();
        if (i > 0 && take_nccl(rest, line)) {
            nccl = true;
            break;
        }
        if (!take_prefix(rest, line, modified_s_) && !take_host_label(rest, line) &&
            !take_foreign_label(rest, line) && !take_bar(rest, line)) {
            break;
        }
        if (rest.size() == before) {
            break;
        }
    }
    nccl = nccl || find_nccl(rest, last_host_, line);
    if (!nccl) {
        find_speaker(line);
    }
    find_rank(line);
    learn(line);
    inherit(line);
    return line;
}

/// "node1: text" of pdsh, DeepSpeed and clush. Many other words stand before a colon: it must be a known host, or
/// a certain prefix follows.
bool LineParser::take_host_label(std::string_view& rest, LogLine& line) const {
    const auto colon = rest.substr(0, 80).find(": ");
    if (colon == std::string_view::npos || !line.host.empty()) {
        return false;
    }
    const auto word = rest.substr(0, colon);
    const auto after = rest.substr(colon + 2);
    const bool host = is_ipv4(word) || (looks_like_host(word) && (names_host(word) || begins_message(after)));
    if (!host) {
        return false;
    }
    line.host = word;
    rest = after;
    if (take(rest, "WARN: ")) {
        line.level = LineLevel::Warn;
    } else if (take(rest, "INFO: ")) {
        line.level = LineLevel::Info;
    }
    return true;
}

bool LineParser::names_host(std::string_view word) const {
    return hosts_.contains(word);
}

void LineParser::learn(const LogLine& line) {
    if (line.host.empty() || line.host == last_host_) {
        return;
    }
    last_host_ = line.host;
    if (hosts_.size() < kMostHosts && !hosts_.contains(line.host)) {
        hosts_.insert(last_host_);
    }
}

void LineParser::inherit(LogLine& line) const {
    line.part = parts_.part();
    if (line.host.empty()) {
        line.host = parts_.host();
    }
    line.view = view_;
    if (line.rank < 0) {
        line.rank = parts_.rank() >= 0 ? parts_.rank() : parts_.part().empty() ? file_rank_ : -1;
    }
    if (line.local_rank < 0) {
        line.local_rank = parts_.local_rank() >= 0 ? parts_.local_rank() : file_local_rank_;
    }
}

}  // namespace rankscope::logs
