// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/communicators.h>
#include <remote/nccl_profiler/handle.h>
#include <remote/nccl_profiler/shared_words.h>

#include <array>
#include <cstdint>

namespace rankscope::nccl {

/// The user's own profiler plugin (RANKSCOPE_NCCL_CHAIN): NCCL loads one plugin only, so this one calls it, with the
/// same version of the interface. What NCCL gets is a handle of ours that stands for both plugins' handles. Handles
/// stay known after their stop, as parents of what comes later, until their place is needed.
class Chain {
public:
    struct Link {
        std::uint64_t communicator = 0;  ///< the place's id while it is open
        const void* table = nullptr;
        void* context = nullptr;
        int mask = 0;  ///< theirs; they may write it at any time
    };
    struct Entry {
        std::uint64_t id = 0;
        void* ours = nullptr;
        void* theirs = nullptr;
        std::uint64_t communicator = 0;
        std::uint32_t stopped = 0;
    };

    static bool configured();
    /// The table `symbol` of the user's plugin; null, with the problem, when it cannot be had. Opens it once.
    const void* table(const char* symbol, const void* own_table, std::uint32_t& problem);
    Link& link(const CommunicatorPlace& place) { return links_[place.slot]; }
    /// Null when this communicator is not chained, or closed.
    Link* open_link(const CommunicatorPlace* place);

    /// An entry that can be filled in and published; null when all near are in use.
    Entry* take();
    void* publish(Entry& entry);
    /// Puts the place back when nothing came of it.
    void release(Entry& entry) { store(claimed_[slot(entry)], 0U, std::memory_order_release); }
    Entry* find(const void* handle);
    Link* link_of(const Entry& entry);
    /// The handles behind one of NCCL's.
    void* ours(void* handle);
    void* theirs(void* handle);

private:
    static constexpr std::size_t kEntries = 32768;
    std::size_t slot(const Entry& entry) const { return static_cast<std::size_t>(&entry - entries_.data()); }

    void* library_ = nullptr;
    std::uint32_t opened_ = 0;
    std::uint64_t cursor_ = 0;
    std::array<Link, kCommunicators> links_;
    std::array<Entry, kEntries> entries_;
    std::array<std::uint64_t, kEntries> generations_{};
    std::array<std::uint32_t, kEntries> claimed_{};
};

Chain& chain();

}  // namespace rankscope::nccl
