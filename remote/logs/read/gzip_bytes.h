// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/packed_bytes.h>

#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace rankscope::logs {

bool is_gzip(std::string_view head);

/// The text of gzip, one member after the other. libarchive would lose the last 64 KiB of a file that ends early,
/// which is all of a short log.
class GzipBytes {
public:
    explicit GzipBytes(ByteSource bytes);

    /// Empty: the end, or the file is damaged (why() is then not empty).
    std::string_view read();
    const std::string& why() const { return why_; }

private:
    struct End {
        void operator()(z_stream_s* stream) const;
    };

    bool next_member();

    ByteSource bytes_;
    std::unique_ptr<z_stream_s, End> stream_;
    std::string buffer_;
    std::string why_;
    bool ended_ = false;    ///< of the input
    bool between_ = false;  ///< a member is complete
};

}  // namespace rankscope::logs
