// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/image_decoder.h>
#include <engine/error.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace rankscope::engine {
namespace {

constexpr std::array<std::uint8_t, 3> kJpeg{0xFF, 0xD8, 0xFF};
constexpr std::array<std::uint8_t, 8> kPng{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

bool begins_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> magic) {
    return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

/// Closes what it holds.
class Descriptor {
public:
    explicit Descriptor(const std::string& file) : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) {
            close(number_);
        }
    }
    int number() const { return number_; }

private:
    int number_;
};

[[noreturn]] void fail(const std::string& file, const char* what) {
    throw Error(file + ": " + what + ": " + std::strerror(errno));
}

void read_whole(const std::string& file, std::vector<std::uint8_t>& bytes) {
    const Descriptor descriptor(file);
    struct stat about {};
    if (descriptor.number() < 0 || fstat(descriptor.number(), &about) != 0) {
        fail(file, "cannot be opened");
    }
    bytes.resize(static_cast<std::size_t>(about.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got = ::read(descriptor.number(), bytes.data() + done, bytes.size() - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail(file, "cannot be read");
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
}

}  // namespace

ImageSize ImageDecoder::open(const std::string& file) {
    read_whole(file, bytes_);
    return open(bytes_, file);
}

ImageSize ImageDecoder::open(std::span<const std::uint8_t> bytes, const std::string& name) {
    is_png_ = begins_with(bytes, kPng);
    if (is_png_) {
        return png_.open(bytes, name);
    }
    if (!begins_with(bytes, kJpeg)) {
        throw Error(name +
                    (bytes.empty() ? ": is empty" : ": is neither a JPEG nor a PNG, despite its name"));
    }
    return jpeg_.open(bytes, name);
}

ImageView ImageDecoder::read(const Box& needed) {
    return is_png_ ? png_.read(needed) : jpeg_.read(needed);
}

}  // namespace rankscope::engine
