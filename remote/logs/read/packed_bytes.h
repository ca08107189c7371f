// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace rankscope::logs {

/// The next piece of bytes; empty: the end. It lives until the next call.
using ByteSource = std::function<std::string_view()>;

/// Whether a file that begins like this is an archive or packed.
bool is_packed(std::string_view head);
/// Bytes that is_packed() looks at.
inline constexpr std::size_t kPackedHead = 512;

/// The members of an archive, or the one text of a packed file, as they come: nothing is kept, nothing is written.
/// Formats: tar, zip, and bzip2, xz, lzma, zstd, lz4 around them or alone.
class PackedBytes {
public:
    enum class Step { Member, End, Damaged };
    struct Member {
        std::string path;  ///< within the archive; empty: the packed file itself
        std::int64_t modified_s = 0;
        bool regular = true;
        bool encrypted = false;
    };

    explicit PackedBytes(ByteSource bytes);

    /// The next member. Damaged: why() says what is wrong, and nothing follows.
    Step next(Member& member);
    /// A piece of the member; empty: its end, or the archive is damaged (why() is then not empty).
    std::string_view read();
    const std::string& why() const { return why_; }

private:
    struct Free {
        void operator()(::archive* a) const;
    };

    ByteSource bytes_;
    std::unique_ptr<::archive, Free> archive_;
    std::string why_;
};

}  // namespace rankscope::logs
