// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_store.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

std::string_view without_blanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

LogStore::LogStore(TextSpool::Options options) : lines_(std::make_shared<LineStore>(std::move(options))) {}

void LogStore::append(int rank, bool is_stderr, std::string_view text, std::int64_t t_us) {
    OfRank& of_rank = ranks_[rank];
    std::string& partial = of_rank.partial[is_stderr ? 1 : 0];
    const LogKind kind = is_stderr ? LogKind::Err : LogKind::Out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos || partial.size() + end > kMostLineBytes) {
            const std::size_t taken = std::min({end, text.size(), kMostLineBytes - partial.size()});
            partial += text.substr(0, taken);
            text.remove_prefix(taken);
            if (partial.size() == kMostLineBytes) {
                add_line(of_rank, rank, kind, std::exchange(partial, {}), t_us);
            }
            continue;
        }
        if (partial.empty()) {
            add_line(of_rank, rank, kind, text.substr(0, end), t_us);
        } else {
            partial += text.substr(0, end);
            add_line(of_rank, rank, kind, std::exchange(partial, {}), t_us);
        }
        text.remove_prefix(end + 1);
    }
    lines_->publish();
}

void LogStore::append_event(int rank, const std::string& text, std::int64_t t_us) {
    add_line(ranks_[rank], rank, LogKind::Event, text, t_us);
    lines_->publish();
}

void LogStore::finish(int rank, std::int64_t t_us) {
    OfRank& of_rank = ranks_[rank];
    for (const LogKind kind : {LogKind::Out, LogKind::Err}) {
        std::string& partial = of_rank.partial[kind == LogKind::Err ? 1 : 0];
        if (!partial.empty()) {
            add_line(of_rank, rank, kind, std::exchange(partial, {}), t_us);
        }
    }
    lines_->publish();
}

void LogStore::add_line(OfRank& of_rank, int rank, LogKind kind, std::string_view raw, std::int64_t t_us) {
    // The estimate of a node's clock may change: the lines of a rank keep their order all the same.
    of_rank.last_us = std::max(of_rank.last_us, t_us);
    constexpr std::size_t kMostBytes = TextSpool::kMostBytesAtOnce - 8;
    styles_.clear();
    const bool kept =
        is_displayable(raw, kMostBytes)
            ? lines_->append(raw, rank, kind, of_rank.last_us, styles_)
            : lines_->append(displayable(raw, kMostBytes, &styles_), rank, kind, of_rank.last_us, styles_);
    dropped_ += kept ? 0U : 1U;
}

LogLine LogStore::line(std::uint64_t number) const {
    const auto at = std::uint32_t(number - 1);
    return {.number = number,
            .t_us = lines_->t_us(at),
            .rank = lines_->rank(at),
            .kind = lines_->kind(at),
            .text = std::string(lines_->text_of(at))};
}

std::vector<LogLine> LogStore::lines_of(int rank, std::size_t limit) const {
    std::vector<LogLine> found;
    for (std::uint32_t at = 0; at < lines_->size() && found.size() < limit; ++at) {
        if (lines_->rank(at) == rank) {
            found.push_back(line(at + 1));
        }
    }
    return found;
}

std::uint64_t LogStore::outputs_before(int rank, std::uint32_t end) const {
    std::uint64_t count = 0;
    for (std::uint32_t at = 0; at < end; ++at) {
        count += lines_->rank(at) == rank && lines_->kind(at) != LogKind::Event ? 1U : 0U;
    }
    return count;
}

std::optional<LogLine> LogStore::find_output(int rank, std::string_view text, std::uint64_t line,
                                             std::uint64_t after) const {
    const std::string shown = displayable(text, kMaxLineBytes);
    const std::string_view wanted = without_blanks(shown);
    const std::uint32_t end = lines_->size();
    const auto begin = std::uint32_t(std::min<std::uint64_t>(after, end));
    std::uint64_t output = line == 0 ? 0 : outputs_before(rank, begin);
    const auto distance = [line](std::uint64_t at) { return at > line ? at - line : line - at; };
    std::optional<std::uint32_t> best;
    std::uint64_t best_output = 0;
    for (std::uint32_t at = begin; at < end; ++at) {
        if (lines_->rank(at) != rank || lines_->kind(at) == LogKind::Event) {
            continue;
        }
        ++output;
        const bool same = wanted.empty()
                              ? line > 0 && output == line
                              : without_blanks(lines_->text_of(at).substr(0, kMaxLineBytes + 8)) == wanted;
        if (same && (!best || line == 0 || distance(output) < distance(best_output))) {
            best = at;
            best_output = output;
        }
    }
    if (!best) {
        return std::nullopt;
    }
    LogLine found = this->line(*best + 1);
    found.line = line == 0 ? 0 : best_output;
    return found;
}

}  // namespace rankscope::gui
