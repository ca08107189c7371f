// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/nccl_ring/layout.h>
#include <remote/nccl_profiler/chain.h>

#include <dlfcn.h>

#include <cstdlib>

// The oldest version of these symbols: until glibc 2.34 they are in libdl, which this library names for that.
#if defined(__x86_64__)
__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver dlopen,dlopen@GLIBC_2.17");
__asm__(".symver dlsym,dlsym@GLIBC_2.17");
#endif

namespace rankscope::nccl {
namespace {

constinit Chain instance;
constexpr unsigned kLooks = 64;

const char* path() {
    const char* value = std::getenv("RANKSCOPE_NCCL_CHAIN");
    return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

Chain& chain() {
    return instance;
}

bool Chain::configured() {
    return path() != nullptr;
}

const void* Chain::table(const char* symbol, const void* own_table, std::uint32_t& problem) {
    if (exchange_if(opened_, 0U, 1U)) {
        store(library_, dlopen(path(), RTLD_NOW | RTLD_LOCAL));
        store(opened_, 2U, std::memory_order_release);
    }
    while (load(opened_, std::memory_order_acquire) != 2) {
        const timespec moment{0, 1'000'000};
        nanosleep(&moment, nullptr);
    }
    void* library = load(library_);
    const void* table = library == nullptr ? nullptr : dlsym(library, symbol);
    if (table == nullptr || table == own_table) {
        problem = library == nullptr ? nccl_ring::kChainMissing : nccl_ring::kChainNoVersion;
        return nullptr;
    }
    return table;
}

Chain::Link* Chain::open_link(const CommunicatorPlace* place) {
    if (place == nullptr) {
        return nullptr;
    }
    Link& link = links_[place->slot];
    const std::uint64_t id = load(link.communicator, std::memory_order_acquire);
    return id != 0 && id == load(place->id) ? &link : nullptr;
}

Chain::Entry* Chain::take() {
    const std::uint64_t first = add(cursor_, std::uint64_t{1});
    for (unsigned look = 0; look < kLooks; ++look) {
        Entry& entry = entries_[(first + look) % kEntries];
        const bool in_use = load(entry.id) != 0 && load(entry.stopped) == 0 && link_of(entry) != nullptr;
        if (!in_use && exchange_if(claimed_[slot(entry)], 0U, 1U)) {
            store(entry.id, std::uint64_t{0}, std::memory_order_release);
            add(cursor_, std::uint64_t{look});
            return &entry;
        }
    }
    return nullptr;
}

void* Chain::publish(Entry& entry) {
    std::uint64_t& generation = generations_[slot(entry)];
    generation = next_generation(generation == 0 ? slot(entry) : generation);
    store(entry.stopped, 0U);
    store(entry.id, generation, std::memory_order_release);
    release(entry);
    return Handle{HandleKind::chained, 0, generation}.encode();
}

Chain::Entry* Chain::find(const void* raw) {
    const Handle handle = Handle::decode(raw);
    const std::uint64_t at = slot_of(handle.id);
    if (handle.kind != HandleKind::chained || at >= kEntries ||
        load(entries_[at].id, std::memory_order_acquire) != handle.id) {
        return nullptr;
    }
    return &entries_[at];
}

Chain::Link* Chain::link_of(const Entry& entry) {
    const std::uint64_t id = load(entry.communicator);
    const std::uint64_t at = slot_of(id);
    return id != 0 && at < kCommunicators && load(links_[at].communicator, std::memory_order_acquire) == id
               ? &links_[at]
               : nullptr;
}

void* Chain::ours(void* handle) {
    if (Handle::decode(handle).kind != HandleKind::chained) {
        return handle;
    }
    const Entry* entry = find(handle);
    return entry == nullptr ? nullptr : load(entry->ours);
}

void* Chain::theirs(void* handle) {
    const Entry* entry = find(handle);
    return entry == nullptr ? nullptr : load(entry->theirs);
}

}  // namespace rankscope::nccl
