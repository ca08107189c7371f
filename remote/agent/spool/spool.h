// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure_id.h>
#include <base/fd.h>
#include <remote/agent/node/agent_failure.h>
#include <remote/wire/frame_codec.h>
#include <remote/wire/frames.pb.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>

namespace rankscope::agent {

/// Appends events to a run's spool file: frames of wire::Event, sequence numbers from 1 without gaps.
/// A full disk loses nothing at once: what cannot be written waits in memory and is tried again with each
/// flush; when that grows too large, the oldest log chunks go first, and the next events on disk say so. Some
/// room is kept behind the end of the file: a notice that the disk is full gets there while nothing else
/// does. A file larger than its quota is thinned: the oldest log chunks and NCCL activities go, metrics and all other
/// events stay, a notice says what went. Sequence numbers of what is gone are not used again.
class SpoolWriter {
public:
    static constexpr std::uint64_t kDefaultQuota = 256U << 20U;
    static constexpr std::size_t kMaxWaiting = 64U << 20U;
    static constexpr std::uint64_t kReserve = 128U << 10U;

    /// Opens or makes the file; an unfinished last frame (a crash while writing) is cut off.
    static AgentResult<SpoolWriter> open(const std::filesystem::path& file);

    /// Sets seq and, where it is 0, t_us; buffers. Nothing is on disk before flush().
    void add(wire::Event event);
    /// false: the disk refuses (errno text in problem()); the events wait in memory.
    bool flush();
    /// After the last flush: gives back the room behind the end.
    void close();
    void set_quota(std::uint64_t bytes) { quota_ = bytes == 0 ? kDefaultQuota : bytes; }
    /// For tests: how much may wait in memory.
    void set_max_waiting(std::size_t bytes) { max_waiting_ = bytes; }
    std::uint64_t last_seq() const { return last_seq_; }
    const std::string& problem() const { return problem_; }
    std::size_t waiting_bytes() const { return buffer_.size(); }

private:
    struct Waiting {
        std::size_t bytes;
        bool log;
    };

    bool write_waiting();
    void forget_written(std::size_t bytes);
    bool reserve();
    void drop_waiting_logs();
    void thin();
    bool rewrite(std::uint64_t remove, std::uint64_t& chunks, std::uint64_t& bytes);
    void add_notice(FailureId id, std::uint64_t chunks, std::uint64_t bytes);

    std::filesystem::path file_;
    UniqueFd fd_;
    std::string buffer_;
    std::deque<Waiting> waiting_;  ///< what the buffer holds, frame by frame
    std::uint64_t quota_ = kDefaultQuota;
    std::uint64_t thin_again_ = 0;  ///< not before the file is so large
    std::size_t max_waiting_ = kMaxWaiting;
    std::uint64_t dropped_chunks_ = 0;
    std::uint64_t dropped_bytes_ = 0;
    std::uint64_t reserved_ = 0;  ///< up to there the disk has room for the file
    bool short_of_space_ = false;
    std::uint64_t written_ = 0;  ///< file size up to which all frames are whole
    std::uint64_t last_seq_ = 0;
    std::string problem_;
};

/// Reads a spool that may still grow.
class SpoolReader {
public:
    explicit SpoolReader(const std::filesystem::path& file);

    bool is_open() const { return static_cast<bool>(fd_); }
    /// The next event, if a whole one is there. false: none now (or the file is damaged from here on).
    bool next(wire::Event& event);
    /// Like next(), but continues behind a part whose checksum is wrong. For files that are not being written,
    /// or that were damaged for a while.
    bool next_kept(wire::Event& event);
    /// Continues at the first whole event within the last `bytes` of the file. false: there is none; nothing was
    /// skipped then.
    bool skip_to_tail(std::uint64_t bytes);
    /// Another file is there by now under this one's name: it was thinned.
    bool replaced() const;
    bool damaged() const { return tried_again_ && frames_.damaged(); }
    std::uint64_t consumed() const { return base_ + frames_.consumed(); }

private:
    /// Drops what was read behind the last whole frame: after a crash it is written again.
    void rewind();
    bool skip_damage();

    std::filesystem::path file_;
    UniqueFd fd_;
    std::uint64_t last_seq_ = 0;
    FrameReader frames_;
    std::uint64_t base_ = 0;  ///< where in the file the first byte of frames_ lies
    std::uint64_t fed_ = 0;   ///< bytes read from there
    bool tried_again_ = false;
};

}  // namespace rankscope::agent
