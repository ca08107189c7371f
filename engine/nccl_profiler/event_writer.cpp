// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/nccl_profiler/event_writer.h>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace rankscope::nccl {
namespace {

struct Writer {
    EventRing* ring = nullptr;
    int descriptor = -1;
    pid_t owner = 0;
    std::atomic<std::uint64_t> rounds{0};  ///< how often the ring was found empty
    std::uint64_t dropped_reported = 0;
};

/// Lives as long as the process: the thread never ends, and the library is never unloaded (-z nodelete).
Writer& writer() {
    static Writer instance;
    return instance;
}

void pause_ms(long ms) {
    const timespec time{ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, nullptr);
}

/// What a slow reader does not take within a second is lost: NCCL must not wait for a dashboard.
void put(int descriptor, const char* data, std::size_t size) {
    for (int tries = 0; size > 0 && tries < 100;) {
        const ssize_t written = write(descriptor, data, size);
        if (written > 0) {
            data += written;
            size -= static_cast<std::size_t>(written);
        } else {
            ++tries;
            pause_ms(10);
        }
    }
}

void drain(Writer& w) {
    Event event;
    std::string lines;
    constexpr std::size_t kAtomic = 4096;  // one write up to PIPE_BUF keeps lines of several processes whole
    while (w.ring->pop(event)) {
        const std::string line = to_json_line(event);
        if (lines.size() + line.size() > kAtomic) {
            put(w.descriptor, lines.data(), lines.size());
            lines.clear();
        }
        lines += line;
    }
    if (const std::uint64_t dropped = w.ring->dropped(); dropped != w.dropped_reported) {
        w.dropped_reported = dropped;
        lines += "{\"nccl\":\"dropped\",\"events\":" + std::to_string(dropped) + "}\n";
    }
    put(w.descriptor, lines.data(), lines.size());
}

void* run(void* argument) {
    auto& w = *static_cast<Writer*>(argument);
    for (;;) {
        drain(w);
        w.rounds.fetch_add(1, std::memory_order_release);
        pause_ms(10);
    }
    return nullptr;
}

bool start_thread(Writer& w) {
    // A thread of NCCL's process must not take the program's signals.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread{};
    const bool started = pthread_create(&thread, nullptr, run, &w) == 0 && pthread_detach(thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

template <std::size_t N>
std::string text(const std::array<char, N>& characters) {
    std::string result;
    for (const char c : characters) {
        if (c == '\0') {
            break;
        }
        result += c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    return result;
}

}  // namespace

std::uint64_t element_size(const char* datatype) {
    struct Size {
        const char* name;
        std::uint64_t bytes;
    };
    static constexpr std::array kSizes{
        Size{"ncclInt8", 1},     Size{"ncclUint8", 1},      Size{"ncclInt32", 4},
        Size{"ncclUint32", 4},   Size{"ncclInt64", 8},      Size{"ncclUint64", 8},
        Size{"ncclFloat16", 2},  Size{"ncclFloat32", 4},    Size{"ncclFloat64", 8},
        Size{"ncclBfloat16", 2}, Size{"ncclFloat8e4m3", 1}, Size{"ncclFloat8e5m2", 1}};
    for (const Size& size : kSizes) {
        if (std::strcmp(size.name, datatype) == 0) {
            return size.bytes;
        }
    }
    return 0;
}

std::string to_json_line(const Event& event) {
    static constexpr std::array kKinds{"start", "enqueued", "gpu"};
    std::array<char, 512> line{};
    int used = std::snprintf(
        line.data(), line.size(),
        R"({"nccl":"%s","id":%llu,"t":%llu.%09llu,"comm":"0x%llx","rank":%d,"op":"%s","seq":%llu)",
        kKinds[static_cast<std::size_t>(event.kind)], static_cast<unsigned long long>(event.operation),
        static_cast<unsigned long long>(event.time_ns / 1000000000ULL),
        static_cast<unsigned long long>(event.time_ns % 1000000000ULL),
        static_cast<unsigned long long>(event.communicator), event.rank, text(event.function).c_str(),
        static_cast<unsigned long long>(event.sequence));
    char* rest = line.data() + used;
    const std::size_t room = line.size() - static_cast<std::size_t>(used);
    if (event.kind == EventKind::start) {
        used += std::snprintf(
            rest, room,
            R"(,"ranks":%d,"count":%llu,"dtype":"%s","bytes":%llu,"%s":%d,"channels":%d,"algo":"%s","proto":"%s")",
            event.ranks, static_cast<unsigned long long>(event.count), text(event.datatype).c_str(),
            static_cast<unsigned long long>(event.count * element_size(event.datatype.data())),
            event.p2p ? "peer" : "root", event.root_or_peer, event.channels, text(event.algorithm).c_str(),
            text(event.protocol).c_str());
    } else if (event.kind == EventKind::gpu) {
        used += std::snprintf(rest, room, R"(,"gpu_start_ns":%llu,"gpu_stop_ns":%llu)",
                              static_cast<unsigned long long>(event.gpu_start_ns),
                              static_cast<unsigned long long>(event.gpu_stop_ns));
    }
    return std::string(line.data(), static_cast<std::size_t>(used)) + "}\n";
}

bool start_event_writer(EventRing& ring, const char* path) {
    static std::atomic_flag starting = ATOMIC_FLAG_INIT;
    Writer& w = writer();
    if (starting.test_and_set()) {
        return true;
    }
    w.ring = &ring;
    w.owner = getpid();
    w.descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0600);
    return w.descriptor >= 0 && start_thread(w);
}

void flush_events() {
    const Writer& w = writer();
    if (w.descriptor < 0 || w.owner != getpid()) {
        return;  // never started, or a forked child, which has no such thread
    }
    const std::uint64_t before = w.rounds.load(std::memory_order_acquire);
    for (int tries = 0; tries < 50 && w.rounds.load(std::memory_order_acquire) < before + 2; ++tries) {
        pause_ms(5);
    }
}

}  // namespace rankscope::nccl
