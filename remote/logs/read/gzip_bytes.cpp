// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/read/gzip_bytes.h>

#include <zlib.h>

#include <cstddef>
#include <limits>
#include <utility>

namespace rankscope::logs {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;

}  // namespace

bool is_gzip(std::string_view head) {
    return head.starts_with("\x1f\x8b\x08");
}

void GzipBytes::End::operator()(z_stream_s* stream) const {
    inflateEnd(stream);
    std::default_delete<z_stream_s>()(stream);
}

GzipBytes::GzipBytes(ByteSource bytes) : bytes_(std::move(bytes)), buffer_(kBuffer, '\0') {
    auto stream = std::make_unique<z_stream_s>();
    if (inflateInit2(stream.get(), kGzipOnly) != Z_OK) {
        why_ = "out of memory";
        return;
    }
    stream_.reset(stream.release());
}

std::string_view GzipBytes::read() {
    while (why_.empty()) {
        auto& z = *stream_;
        if (z.avail_in == 0 && !ended_) {
            const auto piece = bytes_();
            ended_ = piece.empty();
            z.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(piece.data()));  // zlib only reads
            z.avail_in = static_cast<uInt>(piece.size());  // pieces are at most 1 MiB
        }
        if (between_ && !next_member()) {
            return {};
        }
        z.next_out = reinterpret_cast<Bytef*>(buffer_.data());
        z.avail_out = static_cast<uInt>(buffer_.size());
        const int status = inflate(&z, Z_NO_FLUSH);
        const auto got = buffer_.size() - z.avail_out;
        if (status == Z_STREAM_END) {
            between_ = true;
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            why_ = z.msg != nullptr ? z.msg : "damaged";
        } else if (got == 0 && ended_) {
            why_ = "the file ends early";
        }
        if (got > 0) {
            return std::string_view(buffer_).substr(0, got);
        }
    }
    return {};
}

/// After a member follows another one, or the end, or zeros of a tape.
bool GzipBytes::next_member() {
    if (stream_->avail_in == 0 || *stream_->next_in != 0x1f) {
        return false;
    }
    inflateReset(stream_.get());
    between_ = false;
    return true;
}

}  // namespace rankscope::logs
