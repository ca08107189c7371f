// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/byte_source.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::engine {

struct TarMember {
    std::string name;  ///< with its folders
    std::uint64_t size = 0;
};

/// Goes through a tar archive (POSIX ustar) from its beginning. Throws Error where it is none or damaged.
class TarReader {
public:
    explicit TarReader(ByteSource& source) : source_(source) {}

    /// The next ordinary file, nothing at the end. What was not taken of the one before is passed over.
    std::optional<TarMember> next();
    /// Of the current member; fewer bytes than requested are an error.
    void append(std::vector<std::uint8_t>& target, std::uint64_t size);

private:
    ByteSource& source_;
    std::uint64_t left_ = 0;     ///< of the current member
    std::uint64_t padding_ = 0;  ///< after it
};

}  // namespace rankscope::engine
