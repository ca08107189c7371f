// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/grammar/source_name.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

namespace rankscope::logs {
namespace {

std::string_view digits_at(std::string_view text, std::size_t at) {
    auto end = at;
    while (end < text.size() && is_digit(text[end])) {
        ++end;
    }
    return text.substr(at, end - at);
}

struct Number {
    int value = -1;
    std::size_t begin = 0;  ///< of the word before it
};

/// "rank3", "rank-3", "rank_3", "rank=3" that is no end of another word.
std::optional<Number> number_after(std::string_view name, std::string_view word) {
    const auto lower = lower_case(name);
    for (auto at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
        if (at > 0 && (is_letter(lower[at - 1]) || lower[at - 1] == '_')) {
            continue;
        }
        auto from = at + word.size();
        if (from < lower.size() && (lower[from] == '-' || lower[from] == '_' || lower[from] == '=' ||
                                    lower[from] == '.' || lower[from] == ' ')) {
            ++from;
        }
        const auto digits = digits_at(lower, from);
        if (const auto value = parse_number<int>(digits); value && digits.size() <= 6) {
            return Number{*value, at};
        }
    }
    return std::nullopt;
}

/// The folder or file of one number that torchrun makes for each process: "…/attempt_0/3/stderr.log".
int torchrun_folder(std::string_view name) {
    const auto parts = split(name, '/');
    for (std::size_t i = 0; i + 2 < parts.size(); ++i) {
        if (parts[i].starts_with("attempt_") &&
            (parts[i + 2].starts_with("std") || parts[i + 2] == "error.json")) {
            return parse_number<int>(parts[i + 1]).value_or(-1);
        }
    }
    return -1;
}

/// Words that number other things than machines: "run-3.log".
constexpr std::array<std::string_view, 32> kNoHosts = {
    "log",  "logs",    "out",    "err",   "stdout", "stderr", "output",  "error", "nccl", "debug", "train",
    "test", "slurm",   "torch",  "job",   "run",    "exp",    "part",    "step",  "v",    "case",  "trial",
    "seed", "attempt", "report", "issue", "bug",    "sample", "example", "paste", "file", "rank"};
/// Words that names of machines have in them.
constexpr std::array<std::string_view, 12> kHostWords = {"node", "worker", "host",   "gpu", "pod", "master",
                                                         "ip-",  "server", "comput", "dgx", "hgx", "login"};

/// A name of a file says less than a prefix: "node-a", "gpu01" or a word that machines have.
bool is_host_word(std::string_view word) {
    if (!looks_like_host(word)) {
        return false;
    }
    const auto lower = lower_case(word);
    const auto letters = lower.substr(0, std::min(lower.find_first_of("-0123456789"), lower.size()));
    if (std::find(kNoHosts.begin(), kNoHosts.end(), letters) != kNoHosts.end()) {
        return false;
    }
    auto rest = std::string_view(lower).substr(letters.size());
    if (rest.starts_with('-')) {
        rest.remove_prefix(1);
    }
    const auto digits = digits_at(rest, 0).size();
    const auto after = rest.size() - digits;
    if (digits <= 4 && after <= 1 && (after == 0 || is_letter(rest.back()))) {
        return true;
    }
    return std::any_of(kHostWords.begin(), kHostWords.end(),
                       [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

/// Without ".log", ".out.gz", ".err.txt".
std::string_view without_ends(std::string_view name) {
    constexpr std::array<std::string_view, 11> kEnds = {".log", ".txt", ".out",    ".err",    ".gz", ".zst",
                                                        ".xz",  ".bz2", ".stdout", ".stderr", ".1"};
    for (bool cut = true; cut;) {
        cut = false;
        for (const auto end : kEnds) {
            if (name.size() > end.size() && name.ends_with(end)) {
                name.remove_suffix(end.size());
                cut = true;
            }
        }
    }
    return name;
}

/// The words of the last part of a path, separated by what no host name has, or only at its edge.
std::string_view host_in(std::string_view stem, NameFacts& facts) {
    std::string_view best;
    for (const auto word : split(stem, ' ')) {
        for (auto piece : split(word, '.')) {
            for (const std::string_view before : {"nccl-", "nccl_", "log-", "log_", "stdout-", "stderr-",
                                                  "stdout_", "stderr_", "train-", "train_"}) {
                if (piece.starts_with(before)) {
                    piece.remove_prefix(before.size());
                }
            }
            if (const auto pid = parse_number<std::int64_t>(piece); pid && *pid > 1 && !best.empty()) {
                facts.pid = *pid;
            }
            if (best.empty() && is_host_word(piece)) {
                best = piece;
            }
        }
    }
    return best;
}

}  // namespace

bool looks_like_host(std::string_view word) {
    if (word.size() < 2 || word.size() > 64 || !is_letter(word[0]) || word.back() == '-' ||
        word.back() == '.') {
        return false;
    }
    bool marked = false;
    for (const char c : word) {
        if (!is_letter(c) && !is_digit(c) && c != '-' && c != '.' && c != '_') {
            return false;
        }
        marked = marked || is_digit(c) || c == '-';
    }
    return marked;
}

NameFacts facts_of_name(std::string_view name) {
    NameFacts facts;
    facts.local_rank = torchrun_folder(name);
    const auto slash = name.rfind('/');
    auto stem = without_ends(slash == std::string_view::npos ? name : name.substr(slash + 1));
    if (const auto rank = number_after(stem, "local_rank"); rank) {
        facts.local_rank = rank->value;
        stem = stem.substr(0, rank->begin);
    } else if (const auto global = number_after(stem, "rank"); global) {
        facts.rank = global->value;
        stem = stem.substr(0, global->begin);
    }
    while (!stem.empty() &&
           (stem.back() == '-' || stem.back() == '_' || stem.back() == '.' || stem.back() == ' ')) {
        stem.remove_suffix(1);
    }
    facts.host = host_in(stem, facts);
    return facts;
}

}  // namespace rankscope::logs
