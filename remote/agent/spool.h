// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <protocol/frames.pb.h>
#include <remote/base/fd.h>
#include <remote/wire/frame_codec.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope::agent {

/// Appends events to a run's spool file: frames of wire::Event, sequence numbers from 1 without gaps.
/// A full disk loses nothing at once: what cannot be written waits in memory and is tried again with each
/// flush.
class SpoolWriter {
public:
    /// Opens or makes the file; an unfinished last frame (a crash while writing) is cut off.
    static bool open(const std::filesystem::path& file, SpoolWriter& writer, std::string& why);

    /// Sets seq and, where it is 0, t_us; buffers. Nothing is on disk before flush().
    void add(wire::Event event);
    /// false: the disk refuses (errno text in problem()); the events wait in memory.
    bool flush();
    std::uint64_t last_seq() const { return last_seq_; }
    const std::string& problem() const { return problem_; }
    std::size_t waiting_bytes() const { return buffer_.size(); }

private:
    UniqueFd fd_;
    std::string buffer_;
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
    bool damaged() const { return tried_again_ && frames_.damaged(); }
    std::uint64_t consumed() const { return base_ + frames_.consumed(); }

private:
    /// Forgets what was read behind the last whole frame: after a crash it is written anew.
    void rewind();

    UniqueFd fd_;
    FrameReader frames_;
    std::uint64_t base_ = 0;  ///< where in the file the first byte of frames_ lies
    std::uint64_t fed_ = 0;   ///< bytes read from there
    bool tried_again_ = false;
};

}  // namespace rankscope::agent
