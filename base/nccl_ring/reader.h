// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <base/nccl_ring/layout.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::nccl_ring {

/// What is not finished, with what the reader concludes from the rest of the file.
struct OpenOperation {
    Operation operation;
    unsigned channels_seen = 0;
    unsigned channels_done = 0;
    bool overtaken = false;  ///< a later operation of its communicator has finished: a channel did not report
    bool group_over =
        false;  ///< a call whose ncclGroupEnd returned: nothing of it will be placed by that group
};

struct RecordBatch {
    std::vector<Record> records;
    std::uint64_t lost = 0;  ///< overwritten before they were read, or never completed
};

/// Reads a file of base/nccl_ring/layout.h, while its process writes, or after its death. Reads copies (pread):
/// a file that is cut short, or written by something else, costs records, never the reader. Not thread-safe.
class Reader {
public:
    /// Nothing while the file is not complete yet, is not one of these, or cannot be read. Takes regular files
    /// of this user only.
    static std::optional<Reader> open(const std::filesystem::path& file);

    /// Also refreshed by each of the functions below.
    const Header& header() const { return header_; }
    /// Events since the last call, at most `limit`. A record that is not whole is waited for once.
    RecordBatch read(std::size_t limit = 4096);
    std::vector<OpenOperation> open_operations();
    /// All that are open or were closed last.
    std::vector<Communicator> communicators();
    std::vector<NetworkOperation> open_network();
    /// Unix time in ns of a time in the file.
    std::uint64_t realtime_ns(std::uint64_t monotonic_ns) const;

private:
    Reader(UniqueFd file, const Header& header);
    bool refresh();
    bool read_at(void* target, std::size_t size, std::uint64_t offset) const;
    template <typename Entry>
    std::vector<Entry> table(std::uint64_t offset, std::size_t count) const;

    UniqueFd file_;
    Header header_;
    Places places_;
    std::uint64_t next_ = 0;
    std::uint64_t waited_for_ = ~std::uint64_t{0};  ///< a record that was not whole at the last call
};

/// Asks the process to observe at another level (0 pauses, 1 host, 2 and GPU, 3 and network, 4 and network steps;
/// 4 falls back to 2 after half a minute); in force at its next operation. Returns errno, 0 for success.
int set_level(const std::filesystem::path& file, std::uint32_t level);

/// The communicator's name as the program gave it, printable.
std::string name_of(const Communicator& communicator);

}  // namespace rankscope::nccl_ring
