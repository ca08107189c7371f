// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/host_memory.h>
#include <engine/error.h>

#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <new>
#include <sstream>

namespace rankscope::engine {

/// A block's place in the table; generation 0: free.
struct HostMemory::Entry {
    std::atomic<std::uint64_t> generation;
    std::atomic<std::uint64_t> bytes;
    std::atomic<int> descriptor;
};

struct HostMemory::Table {
    static constexpr std::size_t kNonceSize = 16;
    std::array<unsigned char, kNonceSize> nonce;  ///< proves that the right memory was opened
    std::array<Entry, kMaxBlocks> entries;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "shared between processes");

HostMemory::Table& HostMemory::table_in(const SharedMemory& memory) {
    return *static_cast<Table*>(static_cast<void*>(memory.bytes().data()));
}

HostMemory::HostMemory() : own_table_(SharedMemory::create(sizeof(Table))) {
    auto* table = new (own_table_.bytes().data()) Table{};
    if (sodium_init() < 0) {
        throw Error("libsodium cannot be initialised");
    }
    randombytes_buf(table->nonce.data(), table->nonce.size());
}

std::shared_ptr<HostMemory> HostMemory::create() {
    return std::make_shared<HostMemory>();
}

std::string HostMemory::address() const {
    const Table& table = table_in(own_table_);
    std::array<char, 2 * Table::kNonceSize + 1> hex{};
    sodium_bin2hex(hex.data(), hex.size(), table.nonce.data(), table.nonce.size());
    return std::to_string(getpid()) + " " + std::to_string(own_table_.descriptor()) + " " + hex.data();
}

void HostMemory::connect(const std::vector<std::string>& addresses, int self) {
    self_ = self;
    peers_.clear();
    for (std::size_t place = 0; place < addresses.size(); ++place) {
        if (static_cast<int>(place) == self) {
            peers_.emplace_back();
            continue;
        }
        std::istringstream text(addresses[place]);
        pid_t pid = 0;
        int descriptor = -1;
        std::string nonce;
        text >> pid >> descriptor >> nonce;
        SharedMemory table = SharedMemory::open(pid, descriptor, sizeof(Table));
        std::array<char, 2 * Table::kNonceSize + 1> hex{};
        sodium_bin2hex(hex.data(), hex.size(), table_in(table).nonce.data(), Table::kNonceSize);
        if (nonce != hex.data()) {
            throw Error("shared memory: process " + std::to_string(pid) +
                        " of this machine is not the other rank (another PID namespace?)");
        }
        peers_.push_back({pid, std::move(table)});
    }
}

std::shared_ptr<std::byte[]> HostMemory::allocate(std::size_t bytes) {
    SharedMemory memory = SharedMemory::create(std::max<std::size_t>(bytes, 1));
    std::byte* const data = memory.bytes().data();
    const std::lock_guard lock(mutex_);
    std::uint32_t block = 0;
    while (blocks_.contains(block)) {
        ++block;
    }
    if (block == kMaxBlocks) {
        throw Error("shared memory: more than " + std::to_string(kMaxBlocks) + " blocks");
    }
    Entry& entry = table_in(own_table_).entries[block];
    entry.bytes.store(memory.bytes().size(), std::memory_order_relaxed);
    entry.descriptor.store(memory.descriptor(), std::memory_order_relaxed);
    entry.generation.store(++generations_, std::memory_order_release);
    blocks_.emplace(block, std::move(memory));
    return {data, [self = shared_from_this(), block](std::byte*) { self->release(block); }};
}

void HostMemory::release(std::uint32_t block) {
    const std::lock_guard lock(mutex_);
    table_in(own_table_).entries[block].generation.store(0, std::memory_order_release);
    blocks_.erase(block);
}

std::optional<HostMemory::Location> HostMemory::locate(const void* memory, std::size_t bytes) const {
    const auto* begin = static_cast<const std::byte*>(memory);
    const std::lock_guard lock(mutex_);
    for (const auto& [block, shared] : blocks_) {
        const std::span<std::byte> range = shared.bytes();
        if (std::less_equal<>()(range.data(), begin) &&
            std::less_equal<>()(begin + bytes, range.data() + range.size())) {
            return Location{block, static_cast<std::uint64_t>(begin - range.data())};
        }
    }
    return std::nullopt;
}

std::byte* HostMemory::resolve(int peer, const Location& location) {
    const std::lock_guard lock(mutex_);
    if (peer == self_) {
        return blocks_.at(location.block).bytes().data() + location.offset;
    }
    const Peer& other = peers_.at(static_cast<std::size_t>(peer));
    if (location.block >= kMaxBlocks) {
        throw Error("shared memory: another rank names a block that does not exist");
    }
    const Entry& entry = table_in(other.table).entries[location.block];
    const std::uint64_t generation = entry.generation.load(std::memory_order_acquire);
    Mapping& mapping = mapped_[{peer, location.block}];
    if (mapping.generation != generation || !mapping.memory) {
        mapping.memory = SharedMemory();  // the old one first: memory may be short
        mapping.memory = SharedMemory::open(other.process, entry.descriptor.load(std::memory_order_relaxed),
                                            entry.bytes.load(std::memory_order_relaxed));
        mapping.generation = generation;
    }
    return mapping.memory.bytes().data() + location.offset;
}

}  // namespace rankscope::engine
