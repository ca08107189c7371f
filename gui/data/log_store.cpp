// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_store.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kLineOverhead = 64;  ///< of a LogLine in its deque, roughly

/// Past an escape sequence that begins at `i` (at ESC).
std::size_t skip_escape(std::string_view text, std::size_t i) {
    if (i + 1 >= text.size()) {
        return text.size();
    }
    const char kind = text[i + 1];
    i += 2;
    if (kind == '[') {  // CSI … final byte @–~
        while (i < text.size() && (text[i] < '@' || text[i] > '~')) {
            ++i;
        }
        return std::min(i + 1, text.size());
    }
    if (kind == ']') {  // OSC … BEL or ESC backslash
        while (i < text.size() && text[i] != '\a' && text[i] != '\x1b') {
            ++i;
        }
        if (i < text.size() && text[i] == '\x1b') {
            ++i;
        }
        return std::min(i + 1, text.size());
    }
    return i;
}

std::string_view without_blanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

std::string displayable(std::string_view raw, std::size_t max_bytes) {
    while (!raw.empty() && (raw.back() == '\n' || raw.back() == '\r')) {
        raw.remove_suffix(1);
    }
    const std::size_t carriage = raw.rfind('\r');
    if (carriage != std::string_view::npos) {
        raw.remove_prefix(carriage + 1);
    }
    std::string text;
    text.reserve(std::min(raw.size(), max_bytes));
    std::size_t i = 0;
    while (i < raw.size() && text.size() < max_bytes) {
        const auto byte = static_cast<unsigned char>(raw[i]);
        if (byte == 0x1b) {
            i = skip_escape(raw, i);
            continue;
        }
        if (byte == '\t') {
            text += "    ";
        } else if (byte < 0x20 || byte == 0x7f) {
            text += "\xEF\xBF\xBD";  // U+FFFD: something was here
        } else {
            text += raw[i];
        }
        ++i;
    }
    if (i < raw.size()) {
        // Not in the middle of a character: remove the bytes of one whose rest did not fit.
        if ((static_cast<unsigned char>(raw[i]) & 0xC0) == 0x80) {
            while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
                text.pop_back();
            }
            if (!text.empty()) {
                text.pop_back();
            }
        }
        text += " …";
    }
    return text;
}

bool earlier(const LogLine& a, const LogLine& b) {
    return a.t_us != b.t_us ? a.t_us < b.t_us : a.number < b.number;
}

void LogStore::set_ranks(std::size_t count) {
    rank_bytes_ = std::clamp(kTotalBytes / std::max<std::size_t>(count, 1), std::size_t(64) << 10,
                             std::size_t(4) << 20);
}

void LogStore::append(int rank, bool is_stderr, std::string_view text, std::int64_t t_us) {
    Ring& ring = rings_[rank];
    std::string& partial = ring.partial[is_stderr ? 1 : 0];
    const LogKind kind = is_stderr ? LogKind::Err : LogKind::Out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            partial += text;
            if (partial.size() > kMaxLineBytes) {
                add_line(ring, rank, kind, std::exchange(partial, {}), t_us);
            }
            return;
        }
        if (partial.empty()) {
            add_line(ring, rank, kind, text.substr(0, end), t_us);
        } else {
            partial += text.substr(0, end);
            add_line(ring, rank, kind, std::exchange(partial, {}), t_us);
        }
        text.remove_prefix(end + 1);
    }
}

void LogStore::append_event(int rank, const std::string& text, std::int64_t t_us) {
    add_line(rings_[rank], rank, LogKind::Event, text, t_us);
}

void LogStore::add_line(Ring& ring, int rank, LogKind kind, std::string_view raw, std::int64_t t_us) {
    // The estimate of a node's clock may change: the lines of a rank keep their order all the same.
    ring.last_us = std::max(ring.last_us, t_us);
    LogLine line{next_number_++, ring.last_us, rank, kind, displayable(raw, kMaxLineBytes)};
    line.line = kind == LogKind::Event ? 0 : ++ring.outputs;
    ring.bytes += line.text.size() + kLineOverhead;
    ring.lines.push_back(std::move(line));
    while (ring.bytes > rank_bytes_ && ring.lines.size() > 1) {
        ring.bytes -= ring.lines.front().text.size() + kLineOverhead;
        ring.lines.pop_front();
        ++ring.dropped;
    }
}

std::vector<const LogLine*> LogStore::lines_of(int rank, std::uint64_t after, std::size_t limit,
                                               std::uint64_t* skipped) const {
    std::vector<const LogLine*> out;
    const auto ring = rings_.find(rank);
    if (ring == rings_.end()) {
        return out;
    }
    const std::deque<LogLine>& all = ring->second.lines;
    auto from =
        std::upper_bound(all.begin(), all.end(), after,
                         [](std::uint64_t number, const LogLine& line) { return number < line.number; });
    const auto count = std::size_t(all.end() - from);
    if (count > limit) {
        if (skipped) {
            *skipped += count - limit;
        }
        from = all.end() - std::ptrdiff_t(limit);
    }
    out.reserve(std::size_t(all.end() - from));
    for (; from != all.end(); ++from) {
        out.push_back(&*from);
    }
    return out;
}

std::vector<const LogLine*> LogStore::lines(std::uint64_t after, std::size_t limit,
                                            std::uint64_t* skipped) const {
    std::vector<const LogLine*> out;
    std::uint64_t left_out = 0;
    for (const auto& [rank, ring] : rings_) {
        const std::vector<const LogLine*> part = lines_of(rank, after, limit, &left_out);
        out.insert(out.end(), part.begin(), part.end());
    }
    std::sort(out.begin(), out.end(), [](const LogLine* a, const LogLine* b) { return earlier(*a, *b); });
    if (out.size() > limit) {
        left_out += out.size() - limit;
        out.erase(out.begin(), out.end() - std::ptrdiff_t(limit));
    }
    if (skipped) {
        *skipped += left_out;
    }
    return out;
}

const LogLine* LogStore::find(int rank, std::uint64_t number) const {
    const auto ring = rings_.find(rank);
    if (ring == rings_.end()) {
        return nullptr;
    }
    const auto line =
        std::lower_bound(ring->second.lines.begin(), ring->second.lines.end(), number,
                         [](const LogLine& at, std::uint64_t wanted) { return at.number < wanted; });
    return line != ring->second.lines.end() && line->number == number ? &*line : nullptr;
}

const LogLine* LogStore::find_output(int rank, std::string_view text, std::uint64_t line,
                                     std::uint64_t after) const {
    const auto ring = rings_.find(rank);
    if (ring == rings_.end()) {
        return nullptr;
    }
    const std::string shown = displayable(text, kMaxLineBytes);
    const std::string_view wanted = without_blanks(shown);
    const auto distance = [line](const LogLine& at) {
        return at.line > line ? at.line - line : line - at.line;
    };
    const LogLine* best = nullptr;
    for (const LogLine* of_rank : lines_of(rank, after, ring->second.lines.size())) {
        const LogLine& at = *of_rank;
        const bool same = wanted.empty() ? line > 0 && at.line == line : without_blanks(at.text) == wanted;
        const bool better = best == nullptr || line == 0 || distance(at) < distance(*best);
        if (at.kind != LogKind::Event && same && better) {
            best = &at;
        }
    }
    return best;
}

std::uint64_t LogStore::dropped(int rank) const {
    const auto ring = rings_.find(rank);
    return ring == rings_.end() ? 0 : ring->second.dropped;
}

std::uint64_t LogStore::dropped_all() const {
    std::uint64_t all = 0;
    for (const auto& [rank, ring] : rings_) {
        all += ring.dropped;
    }
    return all;
}

}  // namespace rankscope::gui
