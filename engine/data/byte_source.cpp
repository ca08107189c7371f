// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/byte_source.h>
#include <engine/error.h>

#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace rankscope::engine {

struct ByteSource::Gzip {
    explicit Gzip(gzFile opened) : file(opened) {}
    Gzip(const Gzip&) = delete;
    Gzip& operator=(const Gzip&) = delete;
    ~Gzip() { gzclose_r(file); }
    gzFile file;
};

struct ByteSource::Xz {
    explicit Xz(const std::string& name) : in(name, std::ios::binary) {}
    Xz(const Xz&) = delete;
    Xz& operator=(const Xz&) = delete;
    ~Xz() { lzma_end(&stream); }
    std::ifstream in;
    std::array<std::uint8_t, std::size_t{1} << 16U> packed{};
    lzma_stream stream = LZMA_STREAM_INIT;
    bool ended = false;
};

namespace {

bool begins_as_xz(const std::string& name) {
    constexpr std::array<unsigned char, 6> kMagic{0xFD, '7', 'z', 'X', 'Z', 0};
    std::array<char, kMagic.size()> first{};
    std::ifstream in(name, std::ios::binary);
    return in.read(first.data(), first.size()) &&
           std::memcmp(first.data(), kMagic.data(), kMagic.size()) == 0;
}

const char* xz_fault(lzma_ret code) {
    switch (code) {
        case LZMA_MEM_ERROR:
        case LZMA_MEMLIMIT_ERROR:
            return "takes more memory to unpack than there is";
        case LZMA_OPTIONS_ERROR:
            return "is packed in a way that liblzma does not support";
        case LZMA_BUF_ERROR:
            return "the compressed data is cut short";
        default:
            return "the compressed data is damaged";
    }
}

}  // namespace

ByteSource::ByteSource(const std::filesystem::path& file) : name_(file.string()) {
    if (begins_as_xz(name_)) {
        xz_ = std::make_unique<Xz>(name_);
        constexpr std::uint64_t kMemory = std::uint64_t{1} << 30U;
        const lzma_ret code = lzma_stream_decoder(&xz_->stream, kMemory, LZMA_CONCATENATED);
        if (code != LZMA_OK) {
            fail(xz_fault(code));
        }
        return;
    }
    errno = 0;
    gzFile opened = gzopen(name_.c_str(), "rb");
    if (opened == nullptr) {
        fail(std::string("cannot be opened: ") + std::strerror(errno == 0 ? ENOMEM : errno));
    }
    gzip_ = std::make_unique<Gzip>(opened);
    gzbuffer(opened, 1U << 18U);
}

ByteSource::~ByteSource() = default;

void ByteSource::fail(const std::string& what) const {
    throw Error(name_ + ": " + what);
}

std::size_t ByteSource::read_piece(std::uint8_t* target, std::size_t size) {
    if (gzip_) {
        const auto ask = static_cast<unsigned>(std::min<std::size_t>(size, 1U << 24U));
        const int got = gzread(gzip_->file, target, ask);
        int code = Z_OK;
        const char* text = gzerror(gzip_->file, &code);
        if (got < 0 || (got == 0 && code == Z_BUF_ERROR)) {
            fail(code == Z_BUF_ERROR
                     ? "the compressed data is cut short"
                     : std::string("cannot be read: ") + (code == Z_ERRNO ? std::strerror(errno) : text));
        }
        return static_cast<std::size_t>(got);
    }
    lzma_stream& stream = xz_->stream;
    stream.next_out = target;
    stream.avail_out = size;
    while (stream.avail_out > 0 && !xz_->ended) {
        if (stream.avail_in == 0 && xz_->in) {
            xz_->in.read(static_cast<char*>(static_cast<void*>(xz_->packed.data())),
                         static_cast<std::streamsize>(xz_->packed.size()));
            stream.next_in = xz_->packed.data();
            stream.avail_in = static_cast<std::size_t>(xz_->in.gcount());
        }
        if (xz_->in.bad()) {
            fail("cannot be read");
        }
        const lzma_ret code = lzma_code(&stream, xz_->in.eof() ? LZMA_FINISH : LZMA_RUN);
        xz_->ended = code == LZMA_STREAM_END;
        if (code != LZMA_OK && !xz_->ended) {
            fail(xz_fault(code));
        }
    }
    return size - stream.avail_out;
}

std::size_t ByteSource::read(std::uint8_t* target, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        const std::size_t got = read_piece(target + done, size - done);
        if (got == 0) {
            break;
        }
        done += got;
    }
    return done;
}

void ByteSource::skip(std::uint64_t size) {
    std::vector<std::uint8_t> unwanted(std::min<std::uint64_t>(size, 1U << 18U));
    while (size > 0) {
        const std::size_t got = read(unwanted.data(), std::min<std::uint64_t>(size, unwanted.size()));
        if (got == 0) {
            return;
        }
        size -= got;
    }
}

std::size_t ByteSource::append(std::vector<std::uint8_t>& target, std::size_t size) {
    constexpr std::size_t kFirst = std::size_t{1} << 20U;
    std::size_t done = 0;
    while (done < size) {
        const std::size_t before = target.size();
        const std::size_t ask = std::min(std::max(done, kFirst), size - done);
        target.resize(before + ask);
        const std::size_t got = read(target.data() + before, ask);
        target.resize(before + got);
        done += got;
        if (got < ask) {
            break;
        }
    }
    return done;
}

}  // namespace rankscope::engine
