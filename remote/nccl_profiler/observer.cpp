// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/nccl_profiler/levels.h>
#include <remote/nccl_profiler/observer.h>
#include <remote/nccl_profiler/record_writer.h>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace rankscope::nccl {
namespace {

constinit Observer instance;

/// What NCCL needs a handle of, whether it is followed or not: without one it does not count replays of a graph.
bool needs_handle(std::uint64_t type) {
    return type == abi::kGroup || type == abi::kGroupApi || type == abi::kCollApi || type == abi::kP2pApi;
}

void* no_operation(std::uint64_t type) {
    return needs_handle(type) ? Handle{HandleKind::anchor, 0, 1}.encode() : nullptr;
}

const char* non_empty(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

Observer& observer() {
    return instance;
}

/// The child has the mapping of the parent's file, and none of its threads: it makes its own file when it uses NCCL.
void Observer::in_forked_child() {
    if (load(instance.stage_) == kReady) {
        munmap(instance.file_.header, instance.file_.bytes);
    }
    instance.file_ = SharedFile{};
    store(instance.stage_, static_cast<std::uint32_t>(kNew));
}

void Observer::prepare(bool without_file, abi::Logger logger) {
    const char* folder = non_empty("RANKSCOPE_NCCL_DIR");
    const int level = environment_number("RANKSCOPE_NCCL_LEVEL", static_cast<int>(kDefaultLevel));
    const bool observes = folder != nullptr && level > 0;
    owner_ = getpid();
    steps_for_ns_ =
        static_cast<std::uint64_t>(environment_number("RANKSCOPE_NCCL_STEPS_S", 30)) * 1'000'000'000U;
    if (!observes && !without_file) {
        store(stage_, static_cast<std::uint32_t>(kOff), std::memory_order_release);
        return;
    }
    const std::uint32_t first = observes ? std::min(static_cast<std::uint32_t>(level), kHighestLevel) : 0;
    bool made = make_shared_file(file_, observes ? folder : nullptr, first);
    if (observes && logger != nullptr) {
        logger(abi::kLogInfo, abi::kLogInit, "rankscope", 0,
               made ? "Rankscope writes NCCL's events of this process to %s"
                    : "Rankscope cannot make a file in %s: NCCL's events of this process are not observed",
               folder);
    }
    made = made || (without_file && make_shared_file(file_, nullptr, 0));
    if (made) {
        communicators_.attach(file_);
        operations_.attach(file_);
        network_.attach(file_);
        written_mask_ = 0;
        if (exchange_if(fork_handled_, 0U, 1U)) {
            pthread_atfork(nullptr, nullptr, in_forked_child);
        }
    }
    store(stage_, static_cast<std::uint32_t>(made ? kReady : kOff), std::memory_order_release);
}

bool Observer::ready(bool without_file, abi::Logger logger) {
    if (load(stage_, std::memory_order_acquire) == kNew &&
        exchange_if(stage_, static_cast<std::uint32_t>(kNew), static_cast<std::uint32_t>(kPreparing))) {
        prepare(without_file, logger);
    }
    while (load(stage_, std::memory_order_acquire) == kPreparing) {
        const timespec moment{0, 1'000'000};
        nanosleep(&moment, nullptr);
    }
    return load(stage_) == kReady;
}

CommunicatorPlace* Observer::open(const CommunicatorFacts& facts, bool without_file, abi::Logger logger) {
    if (!ready(without_file, logger)) {
        return nullptr;
    }
    CommunicatorPlace* place = communicators_.open(facts, file_.header->problems);
    if (place == nullptr) {
        add(file_.header->communicators_dropped, std::uint64_t{1});
        return nullptr;
    }
    const std::uint64_t now = now_ns();
    store(file_.header->api_version, facts.version);
    store(place->level, ~0U);  // the mask has not been written for it
    apply_level(*place, now);
    write(nccl_ring::RecordKind::communicator_opened, *place, now);
    return place;
}

CommunicatorPlace* Observer::find(const void* context) {
    return load(stage_, std::memory_order_acquire) == kReady ? communicators_.find(context) : nullptr;
}

void Observer::close(const void* context) {
    if (CommunicatorPlace* place = find(context)) {
        write(nccl_ring::RecordKind::communicator_closed, *place, now_ns());
        communicators_.close(*place);
    }
}

void Observer::chain_mask(CommunicatorPlace& place, int* wanted) {
    store(place.chain_mask_wanted, wanted);
    apply_level(place, now_ns());
}

void Observer::report(std::uint32_t problem) {
    if (load(stage_) == kReady) {
        set_bits(file_.header->problems, problem);
    }
}

void Observer::count_chain_drop() {
    add(file_.header->chain_dropped, std::uint64_t{1});
}

void Observer::apply_level(CommunicatorPlace& place, std::uint64_t now) {
    nccl_ring::Header& header = *file_.header;
    const std::uint32_t wanted = std::min(load(header.level_wanted), kHighestLevel);
    const std::uint32_t applied = load(header.level_applied);
    if (wanted != applied && exchange_if(header.level_applied, applied, wanted)) {
        store(steps_since_, now);
    }
    if (wanted == kHighestLevel && load(header.level_applied) == wanted &&
        now - load(steps_since_) > steps_for_ns_) {
        exchange_if(header.level_wanted, wanted, kDefaultLevel);
    }
    int* chain_wanted = load(place.chain_mask_wanted);
    const int chain = chain_wanted == nullptr ? 0 : load(*chain_wanted);
    if (load(place.level) != wanted || load(place.chain_mask) != chain) {
        const int mask = static_cast<int>(mask_of_level(wanted)) | chain;
        if (load(place.level) != ~0U) {
            add(place.entry->level_changes, 1U);
        }
        store(place.level, wanted);
        store(place.chain_mask, chain);
        store(written_mask_, mask);
        store(*place.mask, mask);
    }
    const int in_force = load(*place.mask);
    store(header.mask_in_force, static_cast<std::uint32_t>(in_force));
    if (in_force != load(written_mask_)) {
        set_bits(header.problems, std::uint32_t{nccl_ring::kMaskOverridden});
    }
}

/// Up to version 3, the communicator is described by its operations.
void Observer::learn_communicator(CommunicatorPlace& place, const StartEvent& event) {
    if (event.version > 3 || load(place.entry->rank) >= 0) {
        return;
    }
    store(place.entry->id, event.communicator);  // before the rank, which says that it is known
    if (exchange_if(place.entry->rank, -1, event.rank) && event.communicator_name != nullptr) {
        std::strncpy(place.entry->name.data(), event.communicator_name, place.entry->name.size() - 1);
    }
}

void* Observer::start(const void* context, const StartEvent& event) {
    if (load(stage_, std::memory_order_acquire) != kReady) {
        return nullptr;
    }
    nccl_ring::Header& header = *file_.header;
    if (event.type == abi::kProxyOp && event.pid != owner_) {
        add(header.foreign_events, std::uint64_t{1});
        return nullptr;
    }
    CommunicatorPlace* place = communicators_.find(context);
    if (place == nullptr) {
        add(header.stale_handles, std::uint64_t{1});
        return no_operation(event.type);
    }
    const std::uint64_t now = now_ns();
    store(header.last_callback_ns, now);
    store(place->entry->last_ns, now);
    if (event.type == abi::kGroup || event.type == abi::kGroupApi || event.type == abi::kColl ||
        event.type == abi::kP2p) {
        apply_level(*place, now);
    }
    if (load(place->level) == 0 || (mask_of_level(load(place->level)) & event.type) == 0) {
        return no_operation(event.type);
    }
    using nccl_ring::OperationKind;
    switch (event.type) {
        case abi::kGroupApi:
            return begin(*place, event, OperationKind::group, now);
        case abi::kCollApi:
            return begin(*place, event, OperationKind::collective_call, now);
        case abi::kP2pApi:
            return begin(*place, event, OperationKind::p2p_call, now);
        case abi::kColl:
            return begin(*place, event, OperationKind::collective, now);
        case abi::kP2p:
            return begin(*place, event, OperationKind::p2p, now);
        case abi::kCeColl:
            return begin(*place, event, OperationKind::copy_engine, now);
        case abi::kKernelCh:
            return begin_kernel(*place, event, now);
        case abi::kProxyOp:
            return begin_network(event, now);
        case abi::kProxyStep:
            return begin_step(event);
        default:
            return no_operation(event.type);
    }
}

void Observer::stop(const void* raw) {
    const Handle handle = Handle::decode(raw);
    if (raw == nullptr || load(stage_, std::memory_order_acquire) != kReady ||
        handle.kind == HandleKind::anchor) {
        return;
    }
    const std::uint64_t now = now_ns();
    store(file_.header->last_callback_ns, now);
    if (handle.kind == HandleKind::network) {
        end_network(handle.id, now);
        return;
    }
    if (handle.kind == HandleKind::step) {
        if (nccl_ring::NetworkOperation* entry = network_.find(handle.id)) {
            network_.end_step(*entry, handle.detail, operations_.find(load(entry->operation)), now);
        }
        return;
    }
    nccl_ring::Operation* operation = operations_.find(handle.id);
    if (operation == nullptr) {
        add(file_.header->stale_handles, std::uint64_t{1});
        return;
    }
    switch (handle.kind) {
        case HandleKind::group:
            exchange_if(operation->end_ns, std::uint64_t{0}, now);
            raise_to(operation->phase, static_cast<std::uint32_t>(nccl_ring::Phase::finished));
            break;
        case HandleKind::call:
            end_call(*operation, now);
            break;
        case HandleKind::operation:
            end_enqueue(*operation, now);
            break;
        case HandleKind::kernel:
            end_kernel(*operation, handle.detail, now);
            break;
        default:
            add(file_.header->stale_handles, std::uint64_t{1});
            break;
    }
}

void Observer::record_state(const void* raw, int state, const std::uint64_t* timer) {
    const Handle handle = Handle::decode(raw);
    if (raw == nullptr || load(stage_, std::memory_order_acquire) != kReady) {
        return;
    }
    const std::uint64_t now = now_ns();
    if (handle.kind == HandleKind::kernel && state == abi::kKernelChStop) {
        if (nccl_ring::Operation* operation = operations_.find(handle.id)) {
            take_channel_times(*operation, handle.detail, timer, now);
        }
    } else if (handle.kind == HandleKind::network || handle.kind == HandleKind::step) {
        nccl_ring::NetworkOperation* entry = network_.find(handle.id);
        if (entry == nullptr) {
            return;
        }
        nccl_ring::Operation* operation = operations_.find(load(entry->operation));
        if (handle.kind == HandleKind::network) {
            network_.change_state(*entry, state, operation, now);
        } else {
            network_.change_step(*entry, handle.detail, state, operation, now);
        }
    }
}

}  // namespace rankscope::nccl
