// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/spool.h>
#include <remote/base/clock.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace rankscope::agent {

bool SpoolWriter::open(const std::filesystem::path& file, SpoolWriter& writer, std::string& why) {
    SpoolReader existing(file);
    wire::Event event;
    while (existing.is_open() && existing.next(event)) {
        writer.last_seq_ = event.seq();
    }
    writer.written_ = existing.consumed();
    writer.fd_.reset(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!writer.fd_ || ::ftruncate(writer.fd_.get(), static_cast<off_t>(writer.written_)) != 0) {
        why = std::strerror(errno);
        return false;
    }
    return true;
}

void SpoolWriter::add(wire::Event event) {
    event.set_seq(++last_seq_);
    if (event.t_us() == 0) {
        event.set_t_us(now_us());
    }
    append_frame(buffer_, event.SerializeAsString());
}

bool SpoolWriter::flush() {
    std::size_t done = 0;
    while (done < buffer_.size()) {
        const auto put = ::pwrite(fd_.get(), buffer_.data() + done, buffer_.size() - done,
                                  static_cast<off_t>(written_ + done));
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            problem_ = std::strerror(errno);
            // Part of a frame may be on disk: it is written again, at the same place, by the next flush.
            return false;
        }
        done += static_cast<std::size_t>(put);
    }
    written_ += done;
    buffer_.clear();
    problem_.clear();
    return true;
}

SpoolReader::SpoolReader(const std::filesystem::path& file)
    : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}

void SpoolReader::rewind() {
    base_ = consumed();
    fed_ = 0;
    frames_ = FrameReader();
}

bool SpoolReader::next(wire::Event& event) {
    for (;;) {
        if (const auto payload = frames_.next()) {
            tried_again_ = false;
            if (event.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
                return true;
            }
            continue;  // the checksum was right: an event of a form we do not know
        }
        if (frames_.damaged()) {
            if (tried_again_) {
                return false;
            }
            // Perhaps the first half of a frame that a killed supervisor left, and the second of the one that
            // was written in its place since: what the file holds now is what counts.
            tried_again_ = true;
            rewind();
        }
        std::array<char, 65536> bytes;
        const auto got = ::pread(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(base_ + fed_));
        if (got <= 0) {
            rewind();
            return false;
        }
        frames_.feed({bytes.data(), static_cast<std::size_t>(got)});
        fed_ += static_cast<std::uint64_t>(got);
    }
}

}  // namespace rankscope::agent
