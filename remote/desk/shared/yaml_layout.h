// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace YAML {
class Node;
}

namespace rankscope {

/// Where a key and its value stand in a YAML text: byte offsets.
struct YamlPlace {
    bool flow = false;       ///< within { }
    std::size_t key = 0;     ///< first byte of the key
    std::size_t colon = 0;   ///< the byte behind the ':'
    std::size_t value = 0;   ///< first byte of the value; where it is null: colon
    std::size_t end = 0;     ///< behind the value's last byte
    std::size_t indent = 0;  ///< column of the key
    bool own_lines = false;  ///< the value begins on a line below the key
};

/// The text of a document and the places of its keys. yaml-cpp gives the place of each key; the extent of the
/// value follows from the text.
class YamlLayout {
public:
    explicit YamlLayout(const std::string& text);

    /// Nothing where the layout is one that this class does not read ("? key").
    std::optional<YamlPlace> place(const YAML::Node& key, bool flow) const;
    /// Whether the value begins with {; anchors and tags before it are skipped.
    bool is_flow(std::size_t value) const;
    /// Behind the bracket or quote that matches the one at `at`; npos: there is none.
    std::size_t behind_pair(std::size_t at) const;
    std::size_t skip_properties(std::size_t at) const;
    std::size_t line_start(std::size_t at) const;
    /// Behind the line's '\n', or the end of the text.
    std::size_t next_line(std::size_t at) const;
    const char* line_end() const { return crlf_ ? "\r\n" : "\n"; }

private:
    std::size_t skip_blanks(std::size_t at) const;
    std::size_t behind_quotes(std::size_t at) const;
    bool is_comment(std::size_t at) const;
    std::size_t flow_end(std::size_t at) const;
    std::size_t plain_line_end(std::size_t at) const;
    /// Behind the last line that belongs to a block at `at` (start of a line) below a key at `indent`.
    std::size_t block_end(std::size_t at, std::size_t indent, bool literal) const;
    std::size_t trimmed(std::size_t from, std::size_t end) const;

    const std::string& text_;
    std::vector<std::size_t> lines_;
    bool crlf_ = false;
};

}  // namespace rankscope
