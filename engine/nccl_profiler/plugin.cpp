// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/nccl_profiler/abi.h>
#include <engine/nccl_profiler/event_ring.h>
#include <engine/nccl_profiler/event_writer.h>
#include <engine/nccl_profiler/operations.h>

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

/// librankscope-nccl.so: what NCCL does, as JSON lines into the file or pipe that RANKSCOPE_NCCL_EVENTS
/// names; without it nothing is observed. RANKSCOPE_NCCL_LEVEL=1 leaves out the GPU's times (they cost a host
/// node per CUDA graph). Callbacks never block, allocate, throw, call CUDA or print; an inner failure
/// switches the observation off.
namespace rankscope::nccl {
namespace {

constexpr std::size_t kCommunicators = 128;
constexpr std::size_t kFunctions = 32;

struct State {
    EventRing ring;
    OperationTable operations;
    std::array<Communicator, kCommunicators> communicators;
    std::atomic<std::size_t> communicator_count{0};
    std::array<std::atomic<const char*>, kFunctions> functions{};  ///< NCCL's own constant strings
    std::atomic<bool> off{false};
};

State& state() {
    static State instance;
    return instance;
}

std::uint64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000ULL + static_cast<std::uint64_t>(time.tv_nsec);
}

template <std::size_t N>
void copy_text(std::array<char, N>& target, const char* source) {
    if (source != nullptr) {
        std::strncpy(target.data(), source, N - 1);
    }
}

/// Names are few and constant: an operation keeps a small number instead of 20 characters.
unsigned function_index(const char* name) {
    for (unsigned i = 0; i < kFunctions; ++i) {
        std::atomic<const char*>& place = state().functions[i];
        const char* known = place.load(std::memory_order_acquire);
        if (known == nullptr && place.compare_exchange_strong(known, name, std::memory_order_acq_rel)) {
            return i;
        }
        if (known != nullptr && (known == name || std::strcmp(known, name) == 0)) {
            return i;
        }
    }
    return 0;
}

Communicator* communicator_of(void* context) {
    const auto place = reinterpret_cast<std::uint64_t>(context);
    return place >= 1 && place <= kCommunicators ? &state().communicators[place - 1] : nullptr;
}

int open_communicator(void** context, int* mask, std::uint64_t id, int ranks, int rank) {
    *context = nullptr;
    const char* path = std::getenv("RANKSCOPE_NCCL_EVENTS");
    if (path == nullptr || *path == '\0' || state().off) {
        *mask = 0;
        return abi::kSuccess;
    }
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { pthread_atfork(nullptr, nullptr, [] { state().off = true; }); });
    const std::size_t place = state().communicator_count.fetch_add(1) % kCommunicators;
    if (!start_event_writer(state().ring, path)) {
        state().off = true;
        *mask = 0;
        return abi::kSuccess;
    }
    Communicator& communicator = state().communicators[place];
    communicator.id = id;
    communicator.rank = rank;
    communicator.ranks = ranks;
    const char* level = std::getenv("RANKSCOPE_NCCL_LEVEL");
    const bool host_only = level != nullptr && std::strcmp(level, "1") == 0;
    *mask = static_cast<int>(abi::kColl | abi::kP2p) | (host_only ? 0 : static_cast<int>(abi::kKernelCh));
    *context =
        reinterpret_cast<void*>(place + 1);  // NOLINT(performance-no-int-to-ptr): looked up, never followed
    return abi::kSuccess;
}

/// Registers the operation, publishes it, and leaves its start event.
void* begin_operation(const Communicator& communicator, Event event, const char* function) {
    std::uint64_t id = 0;
    Operation& operation = state().operations.take(id);
    event.operation = id;
    event.time_ns = now_ns();
    event.communicator = communicator.id;
    event.rank = communicator.rank;
    event.ranks = communicator.ranks;
    copy_text(event.function, function);
    operation.communicator = event.communicator;
    operation.sequence = event.sequence;
    operation.rank = event.rank;
    operation.function = function_index(function == nullptr ? "?" : function);
    operation.channels = event.channels;
    operation.id.store(id, std::memory_order_release);
    state().ring.push(event);
    return Handle{id, false}.encode();
}

void* start_coll(const Communicator& communicator, const abi::Coll& coll) {
    Event event;
    event.sequence = coll.sequence;
    event.count = coll.count;
    event.root_or_peer = coll.root;
    event.channels = coll.channels;
    copy_text(event.datatype, coll.datatype);
    copy_text(event.algorithm, coll.algorithm);
    copy_text(event.protocol, coll.protocol);
    return begin_operation(communicator, event, coll.function);
}

void* start_p2p(Communicator& communicator, const abi::P2p& p2p) {
    Event event;
    event.p2p = true;
    event.count = p2p.count;
    event.root_or_peer = p2p.peer;
    event.channels = p2p.channels;
    copy_text(event.datatype, p2p.datatype);
    if (p2p.peer >= 0 && p2p.peer < Communicator::kMaxPeers) {
        const bool send = p2p.function != nullptr && std::strcmp(p2p.function, "Send") == 0;
        event.sequence = communicator.p2p[static_cast<std::size_t>(p2p.peer)][send ? 1 : 0]++;
    }
    return begin_operation(communicator, event, p2p.function);
}

void* start_kernel(void* parent, std::uint64_t timer) {
    const Handle handle = Handle::decode(parent);
    Operation* operation = state().operations.find(handle.operation);
    if (operation == nullptr) {
        return nullptr;
    }
    ++operation->started;
    std::uint64_t before = operation->gpu_start;
    while (timer < before && !operation->gpu_start.compare_exchange_weak(before, timer)) {
    }
    return Handle{handle.operation, true}.encode();
}

template <typename Descriptor>
int start_event(void* context, void** handle, Descriptor* descriptor) {
    *handle = nullptr;
    Communicator* communicator = communicator_of(context);
    if (communicator == nullptr || descriptor == nullptr || state().off) {
        return abi::kSuccess;
    }
    if (descriptor->type == abi::kColl) {
        *handle = start_coll(*communicator, abi::fields_of(descriptor->coll));
    } else if (descriptor->type == abi::kP2p) {
        *handle = start_p2p(*communicator, abi::fields_of(descriptor->p2p));
    } else if (descriptor->type == abi::kKernelCh) {
        *handle = start_kernel(descriptor->parent, descriptor->kernel.timer);
    }
    return abi::kSuccess;
}

void leave(EventKind kind, std::uint64_t id, const Operation& operation) {
    Event event;
    event.kind = kind;
    event.operation = id;
    event.time_ns = now_ns();
    event.communicator = operation.communicator;
    event.sequence = operation.sequence;
    event.rank = operation.rank;
    event.gpu_start_ns = operation.gpu_start;
    event.gpu_stop_ns = operation.gpu_stop;
    copy_text(event.function, state().functions[operation.function].load(std::memory_order_acquire));
    state().ring.push(event);
}

int stop_event(void* raw) {
    const Handle handle = Handle::decode(raw);
    Operation* operation = state().operations.find(handle.operation);
    if (operation == nullptr || state().off) {
        return abi::kSuccess;
    }
    if (!handle.kernel) {
        leave(EventKind::enqueued, handle.operation, *operation);
    } else if (++operation->stopped >= std::max(1U, operation->channels.load()) &&
               operation->gpu_stop >= operation->gpu_start) {
        // A lapped entry of the GPU's ring can carry a later operation's time: then no GPU time is better
        // than a wrong one.
        leave(EventKind::gpu, handle.operation, *operation);
    }
    return abi::kSuccess;
}

int record_state(void* raw, int what, abi::StateArguments* arguments) {
    const Handle handle = Handle::decode(raw);
    if (what != abi::kKernelChStop || arguments == nullptr || !handle.kernel) {
        return abi::kSuccess;
    }
    if (Operation* operation = state().operations.find(handle.operation)) {
        std::uint64_t before = operation->gpu_stop;
        while (arguments->timer > before &&
               !operation->gpu_stop.compare_exchange_weak(before, arguments->timer)) {
        }
    }
    return abi::kSuccess;
}

int finalize(void* context) {
    if (communicator_of(context) != nullptr && !state().off) {
        flush_events();
    }
    return abi::kSuccess;
}

int init4(void** context, int* mask, const char* /*name*/, std::uint64_t hash, int /*nodes*/, int ranks,
          int rank, abi::Logger /*logger*/) {
    return open_communicator(context, mask, hash, ranks, rank);
}

int init5(void** context, std::uint64_t id, int* mask, const char* /*name*/, int /*nodes*/, int ranks,
          int rank, abi::Logger /*logger*/) {
    return open_communicator(context, mask, id, ranks, rank);
}

}  // namespace
}  // namespace rankscope::nccl

// NCCL takes the newest of these that it supports.
using rankscope::nccl::abi::Plugin4;
using rankscope::nccl::abi::Plugin5;
extern "C" {
[[gnu::visibility("default")]] Plugin4 ncclProfiler_v4 = {
    "Rankscope",
    rankscope::nccl::init4,
    rankscope::nccl::start_event<rankscope::nccl::abi::Descriptor4>,
    rankscope::nccl::stop_event,
    rankscope::nccl::record_state,
    rankscope::nccl::finalize,
};
[[gnu::visibility("default")]] Plugin5 ncclProfiler_v5 = {
    "Rankscope",
    rankscope::nccl::init5,
    rankscope::nccl::start_event<rankscope::nccl::abi::Descriptor5>,
    rankscope::nccl::stop_event,
    rankscope::nccl::record_state,
    rankscope::nccl::finalize,
};
[[gnu::visibility("default")]] Plugin5 ncclProfiler_v6 = {
    "Rankscope",
    rankscope::nccl::init5,
    rankscope::nccl::start_event<rankscope::nccl::abi::Descriptor5>,
    rankscope::nccl::stop_event,
    rankscope::nccl::record_state,
    rankscope::nccl::finalize,
};
}
