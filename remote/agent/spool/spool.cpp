// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/spool/spool.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace rankscope::agent {
namespace {

// Where there is no room for everything: what comes all the time and does not change what is known of a run.
bool can_go(const wire::Event& event) {
    return event.has_log() || (event.has_nccl() && event.nccl().unavailable().empty());
}

}  // namespace

AgentResult<SpoolWriter> SpoolWriter::open(const std::filesystem::path& file) {
    SpoolWriter writer;
    SpoolReader existing(file);
    wire::Event event;
    while (existing.is_open() && existing.next_kept(event)) {
        writer.last_seq_ = event.seq();
    }
    writer.file_ = file;
    writer.written_ = existing.consumed();
    writer.fd_.reset(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!writer.fd_ || ::ftruncate(writer.fd_.get(), static_cast<off_t>(writer.written_)) != 0) {
        return failure_from_errno(errno, file.string());
    }
    return writer;
}

void SpoolWriter::add(wire::Event event) {
    event.set_seq(++last_seq_);
    if (event.t_us() == 0) {
        event.set_t_us(now_us());
    }
    const std::size_t before = buffer_.size();
    append_frame(buffer_, event.SerializeAsString());
    waiting_.push_back({buffer_.size() - before, can_go(event)});
    if (buffer_.size() > max_waiting_) {
        drop_waiting_logs();
    }
}

void SpoolWriter::add_notice(FailureId id, std::uint64_t chunks, std::uint64_t bytes) {
    wire::Event event;
    event.set_rank(-1);
    event.mutable_notice()->set_id(id.str());
    event.mutable_notice()->add_args(std::to_string(chunks));
    event.mutable_notice()->add_args(std::to_string(bytes));
    add(std::move(event));
}

void SpoolWriter::drop_waiting_logs() {
    std::string kept;
    std::deque<Waiting> kept_frames;
    std::size_t position = 0;
    std::size_t size = buffer_.size();
    for (const Waiting& frame : waiting_) {
        if (frame.log && size > max_waiting_ / 2) {
            size -= frame.bytes;
            ++dropped_chunks_;
            dropped_bytes_ += frame.bytes;
        } else {
            kept.append(buffer_, position, frame.bytes);
            kept_frames.push_back(frame);
        }
        position += frame.bytes;
    }
    buffer_ = std::move(kept);
    waiting_ = std::move(kept_frames);
}

bool SpoolWriter::flush() {
    if (!write_waiting()) {
        return false;
    }
    if (dropped_chunks_ > 0) {
        add_notice("log-lost", std::exchange(dropped_chunks_, 0), std::exchange(dropped_bytes_, 0));
        return write_waiting();
    }
    if (written_ + kReserve / 2 > reserved_) {
        return reserve();
    }
    if (written_ > std::max(quota_, thin_again_)) {
        thin();
        return write_waiting();
    }
    return true;
}

// Room behind the end of the file, so that a disk that others have filled can still be reported.
bool SpoolWriter::reserve() {
    const bool was_short = short_of_space_;
    if (::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(written_), kReserve) == 0) {
        reserved_ = written_ + kReserve;
        short_of_space_ = false;
    } else if (errno == ENOSPC || errno == EDQUOT) {
        short_of_space_ = true;
    } else {
        reserved_ = UINT64_MAX;  // the file system cannot: then it is reported when there is room again
        return true;
    }
    if (was_short != short_of_space_) {
        add_notice(short_of_space_ ? FailureId("disk-filling") : FailureId("disk-has-room"), 0, 0);
        return write_waiting();
    }
    return true;
}

void SpoolWriter::close() {
    if (buffer_.empty() && fd_) {
        [[maybe_unused]] const int cut = ::ftruncate(fd_.get(), static_cast<off_t>(written_));
    }
    fd_.reset();
}

void SpoolWriter::thin() {
    std::uint64_t chunks = 0;
    std::uint64_t bytes = 0;
    if (rewrite(written_ - quota_ / 4 * 3, chunks, bytes)) {
        add_notice("spool-thinned", chunks, bytes);
    }
    thin_again_ = written_ + quota_ / 8;  // also where nothing could go: what is left are metrics
}

// Copies all but the oldest log chunks, up to that many bytes, into a new file and puts it in the old one's
// place. Who reads the old one still has it.
bool SpoolWriter::rewrite(std::uint64_t remove, std::uint64_t& chunks, std::uint64_t& bytes) {
    const std::filesystem::path draft = file_.string() + ".thin";
    UniqueFd out(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    SpoolReader reader(file_);
    wire::Event event;
    std::uint64_t size = 0;
    bool ok = static_cast<bool>(out) && reader.is_open();
    while (ok && reader.next_kept(event)) {
        std::string frame;
        append_frame(frame, event.SerializeAsString());
        if (can_go(event) && bytes < remove) {
            ++chunks;
            bytes += frame.size();
            continue;
        }
        for (std::size_t done = 0; ok && done < frame.size();) {
            const auto put = ::write(out.get(), frame.data() + done, frame.size() - done);
            ok = put > 0 || (put < 0 && errno == EINTR);
            done += put > 0 ? static_cast<std::size_t>(put) : 0;
        }
        size += frame.size();
    }
    if (!ok || chunks == 0 || ::fsync(out.get()) != 0 || ::rename(draft.c_str(), file_.c_str()) != 0) {
        ::unlink(draft.c_str());
        return false;
    }
    fd_ = std::move(out);
    written_ = size;
    reserved_ = 0;
    return true;
}

bool SpoolWriter::write_waiting() {
    std::size_t done = 0;
    while (done < buffer_.size()) {
        const auto put = ::pwrite(fd_.get(), buffer_.data() + done, buffer_.size() - done,
                                  static_cast<off_t>(written_ + done));
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            problem_ = std::strerror(errno);
            forget_written(done);
            return false;
        }
        done += static_cast<std::size_t>(put);
    }
    forget_written(done);
    problem_.clear();
    return true;
}

// Whole frames count as written, readers may have them by now. The part of one that may follow on disk is
// written again, at the same place, by the next flush.
void SpoolWriter::forget_written(std::size_t bytes) {
    std::size_t whole = 0;
    while (!waiting_.empty() && whole + waiting_.front().bytes <= bytes) {
        whole += waiting_.front().bytes;
        waiting_.pop_front();
    }
    buffer_.erase(0, whole);
    written_ += whole;
}

SpoolReader::SpoolReader(const std::filesystem::path& file)
    : file_(file), fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}

bool SpoolReader::replaced() const {
    struct stat ours {};
    struct stat there {};
    return fd_ && ::fstat(fd_.get(), &ours) == 0 && ::stat(file_.c_str(), &there) == 0 &&
           (ours.st_ino != there.st_ino || ours.st_dev != there.st_dev);
}

bool SpoolReader::next_kept(wire::Event& event) {
    while (!next(event)) {
        // A wrong length may only look like a frame that is still being written: whole ones behind it show which.
        if (!skip_damage()) {
            return false;
        }
    }
    return true;
}

bool SpoolReader::skip_to_tail(std::uint64_t bytes) {
    struct stat info {};
    rewind();
    const std::uint64_t from = base_;
    if (::fstat(fd_.get(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) <= from + bytes) {
        return false;
    }
    base_ = static_cast<std::uint64_t>(info.st_size) - bytes;
    if (skip_damage()) {
        return true;
    }
    base_ = from;
    return false;
}

// To the next frame that is whole, has the right checksum and holds a later event.
bool SpoolReader::skip_damage() {
    const std::uint64_t begin = consumed() + 1;
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) <= begin) {
        return false;
    }
    std::string rest(static_cast<std::size_t>(info.st_size) - begin, '\0');
    std::size_t got = 0;
    while (got < rest.size()) {
        const auto now =
            ::pread(fd_.get(), rest.data() + got, rest.size() - got, static_cast<off_t>(begin + got));
        if (now <= 0) {
            break;
        }
        got += static_cast<std::size_t>(now);
    }
    rest.resize(got);
    for (std::size_t at = 0; at + kFrameHeader < rest.size(); ++at) {
        // An event begins with its number: field 1, a varint.
        if (rest[at + kFrameHeader] != '\x08' || rest[at + 3] != 0) {
            continue;
        }
        FrameReader probe;
        std::uint32_t length = 0;
        std::memcpy(&length, rest.data() + at, sizeof length);
        if (length > kMaxFramePayload || at + kFrameHeader + length > rest.size()) {
            continue;
        }
        probe.feed(std::string_view(rest).substr(at, kFrameHeader + length));
        const auto payload = probe.next();
        wire::Event event;
        if (payload && event.ParseFromArray(payload->data(), static_cast<int>(payload->size())) &&
            event.seq() > last_seq_) {
            base_ = begin + at;
            fed_ = 0;
            frames_ = FrameReader();
            tried_again_ = false;
            return true;
        }
    }
    return false;
}

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
                last_seq_ = event.seq();
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
