// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/nccl_profiler/shared_file.h>
#include <remote/nccl_profiler/shared_words.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace rankscope::nccl {
namespace {

constexpr std::uint32_t kRecords = 16384;
constexpr std::uint32_t kFewRecords = kRecords / 8;

constexpr std::size_t bytes_of(std::uint32_t records) {
    return nccl_ring::Places(records, kOperations, kCommunicators, kNetworkOperations).end;
}

/// The file's memory, null when it cannot be made.
void* map_file(const char* path, std::size_t bytes) {
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return nullptr;
    }
    void* memory = MAP_FAILED;
    if (posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0) {
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    close(file);
    if (memory == MAP_FAILED) {
        unlink(path);
        return nullptr;
    }
    return memory;
}

void* map_private(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

int environment_number(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    int value = 0;
    if (text == nullptr || *text == '\0') {
        return otherwise;
    }
    for (const char* c = text; *c != '\0'; ++c) {
        if (*c < '0' || *c > '9' || value > 100'000'000) {
            return otherwise;
        }
        value = value * 10 + (*c - '0');
    }
    return value;
}

bool make_shared_file(SharedFile& file, const char* folder, std::uint32_t level) {
    const std::uint64_t started = now_ns();
    std::uint32_t records = kRecords;
    void* memory = nullptr;
    if (folder != nullptr) {
        std::array<char, 4096> path{};
        const int length =
            std::snprintf(path.data(), path.size(), "%s/%d-%llx.ring", folder, static_cast<int>(getpid()),
                          static_cast<unsigned long long>(started));
        if (length <= 0 || static_cast<std::size_t>(length) >= path.size()) {
            return false;
        }
        memory = map_file(path.data(), bytes_of(records));
        if (memory == nullptr) {
            records = kFewRecords;
            memory = map_file(path.data(), bytes_of(records));
        }
    } else {
        records = kFewRecords;
        memory = map_private(bytes_of(records));
    }
    if (memory == nullptr) {
        return false;
    }
    auto* bytes = static_cast<char*>(memory);
    const nccl_ring::Places places(records, kOperations, kCommunicators, kNetworkOperations);
    file.records = reinterpret_cast<nccl_ring::Record*>(bytes + places.records);
    file.operations = reinterpret_cast<nccl_ring::Operation*>(bytes + places.operations);
    file.communicators = reinterpret_cast<nccl_ring::Communicator*>(bytes + places.communicators);
    file.network = reinterpret_cast<nccl_ring::NetworkOperation*>(bytes + places.network);
    file.record_capacity = records;
    file.bytes = bytes_of(records);
    file.header = reinterpret_cast<nccl_ring::Header*>(bytes);
    nccl_ring::Header& header = *file.header;
    header.layout_version = nccl_ring::kLayoutVersion;
    header.pid = static_cast<std::uint32_t>(getpid());
    header.launch_rank = environment_number("RANK", -1);
    header.local_rank = environment_number("LOCAL_RANK", -1);
    header.start_realtime_ns = clock_ns(CLOCK_REALTIME);
    header.start_monotonic_ns = started;
    header.record_capacity = records;
    header.operation_capacity = kOperations;
    header.communicator_capacity = kCommunicators;
    header.network_capacity = kNetworkOperations;
    header.level_wanted = level;
    header.problems = folder != nullptr && records != kRecords ? std::uint32_t{nccl_ring::kSmallRing} : 0U;
    store(header.magic, nccl_ring::kMagic, std::memory_order_release);
    return true;
}

}  // namespace rankscope::nccl
