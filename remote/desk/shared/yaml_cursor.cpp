// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/shared/yaml_cursor.h>

#include <algorithm>

namespace rankscope {
namespace {

constexpr std::size_t kMostLevels = 64;  ///< as the reader of YAML has it

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

bool is_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_-.*/~$").find(c) != std::string_view::npos;
}

std::string unquoted(std::string_view word) {
    while (!word.empty() && is_blank(word.back())) {
        word.remove_suffix(1);
    }
    if (word.size() > 1 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front()) {
        word = word.substr(1, word.size() - 2);
    }
    return std::string(word);
}

/// Walks over a text up to a position and knows then which keys are open.
class Walker {
public:
    Walker(std::string_view text, std::size_t stop, std::set<std::string>* paths)
        : text_(text), stop_(std::min(stop, text.size())), paths_(paths) {}

    YamlCursor run() {
        std::size_t line = 0;
        while (true) {
            const std::size_t end = std::min(text_.find('\n', line), text_.size());
            const bool last = stop_ <= end;
            walk_line(line, last ? stop_ : end);
            if (last) {
                return cursor(line);
            }
            line = end + 1;
        }
    }

private:
    struct Block {
        std::size_t indent;
        std::string key;
    };
    struct Frame {
        bool mapping;
        std::string key{};
        bool value = false;  ///< behind the colon
        std::size_t begin;   ///< of the part that is being read
    };

    std::vector<std::string> open_keys(std::size_t frames) const {
        std::vector<std::string> keys;
        for (const Block& block : blocks_) {
            keys.push_back(block.key);
        }
        for (std::size_t i = 0; i < frames; ++i) {
            if (flow_[i].mapping) {
                keys.push_back(flow_[i].key);
            }
        }
        return keys;
    }

    void note(std::size_t frames) {
        if (paths_ != nullptr) {
            paths_->insert(joined_path(open_keys(frames)));
        }
    }

    void walk_line(std::size_t from, std::size_t to) {
        comment_ = false;
        value_ = false;
        std::size_t at = from;
        if (flow_.empty()) {
            while (at < to && text_[at] == ' ') {
                ++at;
            }
            const bool blank = at == to || is_blank(text_[at]);
            if (literal_ != kNone && (blank || at - from > literal_)) {
                inside_literal_ = true;
                return;
            }
            inside_literal_ = false;
            if (blank && to != stop_) {
                return;
            }
            literal_ = kNone;
            if (at < to && text_[at] == '#') {
                comment_ = true;
                return;
            }
            at = walk_block(from, at, to);
        }
        walk_value(at, to);
    }

    /// The key of a line outside of brackets; returns where its value begins.
    std::size_t walk_block(std::size_t from, std::size_t at, std::size_t to) {
        while (at + 1 < to && text_[at] == '-' && text_[at + 1] == ' ') {
            value_ = true;
            at += 2;
            while (at < to && text_[at] == ' ') {
                ++at;
            }
        }
        const std::size_t indent = at - from;
        while (!blocks_.empty() && blocks_.back().indent >= indent) {
            blocks_.pop_back();
        }
        const std::size_t colon = colon_of(at, to);
        if (colon == kNone || blocks_.size() >= kMostLevels) {
            return at;
        }
        blocks_.push_back({indent, unquoted(text_.substr(at, colon - at))});
        note(0);
        value_ = true;
        return colon + 1;
    }

    std::size_t colon_of(std::size_t at, std::size_t to) const {
        char quote = 0;
        if (at < to && (text_[at] == '"' || text_[at] == '\'')) {
            quote = text_[at++];
        } else if (at < to && std::string_view("[{|>&*!#").find(text_[at]) != std::string_view::npos) {
            return kNone;
        }
        for (; at < to; ++at) {
            const char c = text_[at];
            if (quote != 0) {
                quote = c == quote ? '\0' : quote;
            } else if (c == ':' &&
                       (at + 1 == text_.size() || is_blank(text_[at + 1]) || text_[at + 1] == '\n')) {
                return at;
            } else if (c == '#' && at > 0 && is_blank(text_[at - 1])) {
                return kNone;
            }
        }
        return kNone;
    }

    /// What stands behind the key of a line, or a line within brackets.
    void walk_value(std::size_t at, std::size_t to) {
        bool fresh = flow_.empty();  // nothing but blanks since the colon
        for (; at < to; ++at) {
            const char c = text_[at];
            if (c == '#' && (at == 0 || is_blank(text_[at - 1]) || text_[at - 1] == '\n')) {
                comment_ = true;
                return;
            }
            if (is_blank(c)) {
                continue;
            }
            if (flow_.empty() && !fresh) {
                continue;  // within a plain text
            }
            if (c == '"' || c == '\'') {
                const std::size_t close = text_.find(c, at + 1);
                at = std::min(close, to);
                fresh = false;
            } else if (c == '{' || c == '[') {
                open(c == '{', at + 1);
                fresh = flow_.empty();
            } else if (flow_.empty()) {
                if ((c == '|' || c == '>') && !blocks_.empty()) {
                    literal_ = blocks_.back().indent;
                }
                fresh = false;
            } else {
                walk_flow(c, at);
            }
        }
    }

    void open(bool mapping, std::size_t begin) {
        if (flow_.size() < kMostLevels) {
            flow_.push_back({mapping, {}, false, begin});
        }
    }

    void walk_flow(char c, std::size_t at) {
        Frame& top = flow_.back();
        const bool ends_key = at + 1 >= text_.size() || is_blank(text_[at + 1]) || text_[at + 1] == '\n' ||
                              text_[at + 1] == ',' || text_[at + 1] == '}';
        if (c == '}' || c == ']') {
            flow_.pop_back();
        } else if (c == ',') {
            top.value = false;
            top.key.clear();
            top.begin = at + 1;
        } else if (c == ':' && top.mapping && !top.value && ends_key) {
            std::size_t begin = top.begin;
            while (begin < at && (is_blank(text_[begin]) || text_[begin] == '\n')) {
                ++begin;
            }
            top.key = unquoted(text_.substr(begin, at - begin));
            top.value = true;
            top.begin = at + 1;
            note(flow_.size());
        }
    }

    YamlCursor cursor(std::size_t line) const {
        YamlCursor found;
        found.nowhere = comment_ || inside_literal_;
        found.begin = found.end = stop_;
        while (found.begin > line && is_word(text_[found.begin - 1])) {
            --found.begin;
        }
        while (found.end < text_.size() && is_word(text_[found.end])) {
            ++found.end;
        }
        const std::string word(text_.substr(found.begin, found.end - found.begin));
        if (flow_.empty()) {
            found.in_value = value_;
            found.parents = open_keys(0);
        } else {
            const Frame& top = flow_.back();
            found.in_value = !top.mapping || top.value;
            found.parents = open_keys(flow_.size() - 1);
            if (top.mapping && top.value) {
                found.parents.push_back(top.key);
            }
        }
        found.key = word;
        if (found.in_value) {
            found.key = found.parents.empty() ? std::string() : found.parents.back();
            if (!found.parents.empty()) {
                found.parents.pop_back();
            }
        }
        return found;
    }

    static constexpr std::size_t kNone = std::string_view::npos;
    std::string_view text_;
    std::size_t stop_;
    std::set<std::string>* paths_;
    std::vector<Block> blocks_;
    std::vector<Frame> flow_;
    std::size_t literal_ = kNone;  ///< indent of the key whose value is a text of lines
    bool inside_literal_ = false;
    bool comment_ = false;
    bool value_ = false;
};

}  // namespace

YamlCursor cursor_in_yaml(std::string_view text, std::size_t at) {
    return Walker(text, at, nullptr).run();
}

std::set<std::string> key_paths_in_yaml(std::string_view text) {
    std::set<std::string> paths;
    (void)Walker(text, text.size(), &paths).run();
    return paths;
}

std::string joined_path(const std::vector<std::string>& keys) {
    std::string path;
    for (const std::string& key : keys) {
        path += path.empty() ? key : '.' + key;
    }
    return path;
}

}  // namespace rankscope
