// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>
#include <remote/logs/grammar/part_header.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace rankscope::logs {

/// Lines → what their prefixes say. Keeps what a line inherits: the name of the file, the part of it, the hosts seen.
class LineParser {
public:
    /// A new file. `modified_s`: its last change, for dates without a year; 0: today.
    void begin(std::string_view name, std::int64_t modified_s);

    /// The views of the answer live as long as `raw.text`, and until the next call.
    LogLine parse(const RawLine& raw);

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    bool names_host(std::string_view word) const;
    bool take_host_label(std::string_view& rest, LogLine& line) const;
    void inherit(LogLine& line) const;
    void learn(const LogLine& line);

    std::string name_;  ///< of the file
    std::string view_;  ///< of the file
    int file_rank_ = -1;
    int file_local_rank_ = -1;
    PartHeaders parts_;
    std::unordered_set<std::string, Hash, std::equal_to<>>
        hosts_;              ///< of NCCL's lines and of labels that were certain
    std::string last_host_;  ///< the one learnt last
    std::int64_t modified_s_ = 0;
};

}  // namespace rankscope::logs
