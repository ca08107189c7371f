// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/nccl_profiler/adapters.h>
#include <remote/nccl_profiler/chain.h>
#include <remote/nccl_profiler/levels.h>
#include <remote/nccl_profiler/observer.h>

#include <array>
#include <type_traits>

/// librankscope-nccl.so: NCCL's tables of functions, one for each version of its profiler interface. Its
/// environment, read when the first communicator of the process is made:
///     RANKSCOPE_NCCL_DIR       folder for this process's file (base/nccl_ring/layout.h); without it, nothing is
///                              observed
///     RANKSCOPE_NCCL_LEVEL     0 to 4 (levels.h), 2 without it; later the file's field `level_wanted` says it
///     RANKSCOPE_NCCL_STEPS_S   how long level 4 is kept, 30 without it
///     RANKSCOPE_NCCL_CHAIN     the user's own profiler plugin
extern "C" {
extern rankscope::nccl::abi::v1::Plugin ncclProfiler_v1;
extern rankscope::nccl::abi::v2::Plugin ncclProfiler_v2;
extern rankscope::nccl::abi::v3::Plugin ncclProfiler_v3;
extern rankscope::nccl::abi::v4::Plugin ncclProfiler_v4;
extern rankscope::nccl::abi::v5::Plugin ncclProfiler_v5;
extern rankscope::nccl::abi::v6::Plugin ncclProfiler_v6;
}

namespace rankscope::nccl {
namespace {

/// One version of the interface: its types, its table here, and the symbol of that table in any plugin.
template <std::uint8_t kNumber, typename DescriptorType, typename ArgumentsType, auto& kTable>
struct Version {
    static constexpr std::uint8_t kVersion = kNumber;
    static constexpr std::array<char, 16> kSymbol{'n', 'c', 'c', 'l', 'P', 'r', 'o',          'f',
                                                  'i', 'l', 'e', 'r', '_', 'v', '0' + kNumber};
    using Descriptor = DescriptorType;
    using Arguments = ArgumentsType;
    using Plugin = std::remove_reference_t<decltype(kTable)>;
    static const Plugin* own_table() { return &kTable; }
};
using V1 = Version<1, abi::v1::Descriptor, abi::StateArguments3, ncclProfiler_v1>;
using V2 = Version<2, abi::v2::Descriptor, abi::StateArguments3, ncclProfiler_v2>;
using V3 = Version<3, abi::v3::Descriptor, abi::StateArguments3, ncclProfiler_v3>;
using V4 = Version<4, abi::v4::Descriptor, abi::StateArguments4, ncclProfiler_v4>;
using V5 = Version<5, abi::v5::Descriptor, abi::StateArguments4, ncclProfiler_v5>;
using V6 = Version<6, abi::v6::Descriptor, abi::StateArguments4, ncclProfiler_v6>;

/// The user's plugin gets the same descriptor, with its own handles as parents.
template <typename Descriptor>
Descriptor for_their_eyes(const Descriptor& descriptor) {
    Descriptor copy = descriptor;
    copy.parent = chain().theirs(descriptor.parent);
    if constexpr (requires { copy.coll.group; }) {
        if (descriptor.type == abi::kColl) {
            copy.coll.group = chain().theirs(descriptor.coll.group);
        } else if (descriptor.type == abi::kP2p) {
            copy.p2p.group = chain().theirs(descriptor.p2p.group);
        }
    }
    return copy;
}

template <typename V>
const typename V::Plugin& table_of(const Chain::Link& link) {
    return *static_cast<const typename V::Plugin*>(link.table);
}

template <typename V>
int start_event(void* context, void** handle, typename V::Descriptor* descriptor) {
    if (handle == nullptr) {
        return abi::kSuccess;
    }
    *handle = nullptr;
    if (descriptor == nullptr) {
        return abi::kSuccess;
    }
    StartEvent event = to_event(*descriptor, V::kVersion);
    event.parent = chain().ours(event.parent);
    void* ours = observer().start(context, event);
    *handle = ours;
    Chain::Link* link = chain().open_link(observer().find(context));
    if (link == nullptr || (with_parents(static_cast<std::uint32_t>(load(link->mask))) & event.type) == 0) {
        return abi::kSuccess;
    }
    Chain::Entry* entry = chain().take();
    if (entry == nullptr) {
        observer().count_chain_drop();
        return abi::kSuccess;
    }
    typename V::Descriptor copy = for_their_eyes(*descriptor);
    void* theirs = nullptr;
    table_of<V>(*link).start_event(link->context, &theirs, &copy);
    if (theirs == nullptr) {
        chain().release(*entry);
        return abi::kSuccess;
    }
    store(entry->ours, ours);
    store(entry->theirs, theirs);
    store(entry->communicator, load(link->communicator));
    *handle = chain().publish(*entry);
    return abi::kSuccess;
}

template <typename V>
int stop_event(void* handle) {
    observer().stop(chain().ours(handle));
    Chain::Entry* entry = chain().find(handle);
    if (entry != nullptr && exchange_if(entry->stopped, 0U, 1U)) {
        if (const Chain::Link* link = chain().link_of(*entry)) {
            table_of<V>(*link).stop_event(load(entry->theirs));
        }
    }
    return abi::kSuccess;
}

template <typename V>
int record_state(void* handle, int state, typename V::Arguments* arguments) {
    const std::uint64_t* timer = nullptr;
    if constexpr (requires { arguments->timer; }) {
        timer = arguments != nullptr && state == abi::kKernelChStop ? &arguments->timer : nullptr;
    }
    observer().record_state(chain().ours(handle), state, timer);
    const Chain::Entry* entry = chain().find(handle);
    const Chain::Link* link =
        entry == nullptr || load(entry->stopped) != 0 ? nullptr : chain().link_of(*entry);
    if (link != nullptr) {
        table_of<V>(*link).record_state(load(entry->theirs), state, arguments);
    }
    return abi::kSuccess;
}

template <typename V>
int finalize(void* context) {
    if (Chain::Link* link = chain().open_link(observer().find(context))) {
        store(link->communicator, std::uint64_t{0}, std::memory_order_release);
        table_of<V>(*link).finalize(link->context);
    }
    observer().close(context);
    return abi::kSuccess;
}

/// `their_init` calls the user's plugin with its context and mask.
template <typename V, typename TheirInit>
void chain_communicator(CommunicatorPlace& place, const TheirInit& their_init) {
    Chain::Link& link = chain().link(place);
    std::uint32_t problem = 0;
    const void* table = chain().table(V::kSymbol.data(), V::own_table(), problem);
    observer().report(problem);
    if (table == nullptr) {
        return;
    }
    link.table = table;
    link.context = nullptr;
    store(link.mask, 0);
    if (their_init(*static_cast<const typename V::Plugin*>(table), &link.context, &link.mask) ==
        abi::kSuccess) {
        store(link.communicator, load(place.id), std::memory_order_release);
        observer().chain_mask(place, &link.mask);
    }
}

template <typename V, typename TheirInit>
int open(void** context, int* mask, CommunicatorFacts facts, abi::Logger logger,
         const TheirInit& their_init) {
    if (context != nullptr) {
        *context = nullptr;
    }
    if (context == nullptr || mask == nullptr) {
        return abi::kSuccess;
    }
    facts.version = V::kVersion;
    facts.mask = mask;
    const bool chained = Chain::configured();
    CommunicatorPlace* place = observer().open(facts, chained, logger);
    if (place == nullptr) {
        // Other communicators of the process may be observed: the mask is for all of them.
        if (!observer().observes()) {
            store(*mask, 0);
        }
        return abi::kSuccess;
    }
    *context = Communicators::context_of(*place);
    if (chained) {
        chain_communicator<V>(*place, their_init);
    }
    return abi::kSuccess;
}

template <typename V>
int init1(void** context, int* mask) {
    return open<V>(context, mask, {}, nullptr, [](const auto& table, void** theirs, int* their_mask) {
        return table.init(theirs, their_mask);
    });
}

template <typename V>
int init4(void** context, int* mask, const char* name, std::uint64_t hash, int nodes, int ranks, int rank,
          abi::Logger logger) {
    return open<V>(context, mask, {.id = hash, .name = name, .nodes = nodes, .ranks = ranks, .rank = rank},
                   logger, [&](const auto& table, void** theirs, int* their_mask) {
                       return table.init(theirs, their_mask, name, hash, nodes, ranks, rank, logger);
                   });
}

template <typename V>
int init5(void** context, std::uint64_t id, int* mask, const char* name, int nodes, int ranks, int rank,
          abi::Logger logger) {
    return open<V>(context, mask, {.id = id, .name = name, .nodes = nodes, .ranks = ranks, .rank = rank},
                   logger, [&](const auto& table, void** theirs, int* their_mask) {
                       return table.init(theirs, id, their_mask, name, nodes, ranks, rank, logger);
                   });
}

template <typename V, typename Init>
constexpr typename V::Plugin table_with(Init init) {
    return {"Rankscope", init, start_event<V>, stop_event<V>, record_state<V>, finalize<V>};
}

}  // namespace
}  // namespace rankscope::nccl

// NCCL takes the newest of these that it supports. Version 7 (2.31) is not exported: NCCL 2.31 takes version 6.
extern "C" {
[[gnu::visibility("default")]] constinit rankscope::nccl::abi::v1::Plugin ncclProfiler_v1 =
    rankscope::nccl::table_with<rankscope::nccl::V1>(rankscope::nccl::init1<rankscope::nccl::V1>);
[[gnu::visibility("default")]] constinit rankscope::nccl::abi::v2::Plugin ncclProfiler_v2 =
    rankscope::nccl::table_with<rankscope::nccl::V2>(rankscope::nccl::init1<rankscope::nccl::V2>);
[[gnu::visibility("default")]] constinit rankscope::nccl::abi::v3::Plugin ncclProfiler_v3 =
    rankscope::nccl::table_with<rankscope::nccl::V3>(rankscope::nccl::init1<rankscope::nccl::V3>);
[[gnu::visibility("default")]] constinit rankscope::nccl::abi::v4::Plugin ncclProfiler_v4 =
    rankscope::nccl::table_with<rankscope::nccl::V4>(rankscope::nccl::init4<rankscope::nccl::V4>);
[[gnu::visibility("default")]] constinit rankscope::nccl::abi::v5::Plugin ncclProfiler_v5 =
    rankscope::nccl::table_with<rankscope::nccl::V5>(rankscope::nccl::init5<rankscope::nccl::V5>);
[[gnu::visibility("default")]] constinit rankscope::nccl::abi::v6::Plugin ncclProfiler_v6 =
    rankscope::nccl::table_with<rankscope::nccl::V6>(rankscope::nccl::init5<rankscope::nccl::V6>);
}
