// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "support/event_writer.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::test {

/// Writes a log as wandb does, by hand.
class WandbWriter {
public:
    /// Values are JSON texts.
    void log(std::int64_t step, const std::vector<std::pair<std::string, std::string>>& values) {
        std::string history;
        for (const auto& [name, json] : values) {
            history += field(1, field(2, name) + field(16, json));
        }
        add(field(2, history + field(2, step == 0 ? "" : '\x08' + varint(static_cast<std::uint64_t>(step)))));
    }
    /// A record that is no history, over several blocks.
    void other(std::size_t size) { add(field(7, std::string(size, 'x'))); }
    const std::string& bytes() const { return bytes_; }

private:
    static std::uint32_t crc32(std::string_view bytes) {
        std::uint32_t crc = 0xffffffffU;
        for (const char c : bytes) {
            crc ^= static_cast<unsigned char>(c);
            for (int bit = 0; bit < 8; ++bit) {
                crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
            }
        }
        return ~crc;
    }
    void add(std::string_view record) {
        constexpr std::size_t kBlock = 32768;
        constexpr std::size_t kHeader = 7;
        for (bool first = true; first || !record.empty(); first = false) {
            std::size_t room = kBlock - bytes_.size() % kBlock;
            if (room < kHeader) {
                bytes_.append(room, '\0');
                room = kBlock;
            }
            const auto piece = record.substr(0, std::min(record.size(), room - kHeader));
            record.remove_prefix(piece.size());
            const char type = first ? (record.empty() ? 1 : 2) : record.empty() ? 4 : 3;
            const std::string covered = type + std::string(piece);
            bytes_ += little_endian(crc32(covered), 4) + little_endian(piece.size(), 2) + covered;
        }
    }

    std::string bytes_ = std::string(":W&B\xe1\xbe", 6) + '\0';
};

}  // namespace rankscope::test
