// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>

/// NCCL's profiler plugin interface, versions 4 (NCCL 2.27), 5 (2.28) and 6 (2.29, 2.30), x86-64 and aarch64,
/// written down from the public headers so that nothing of NCCL is needed to build. 5 and 6 agree in
/// everything used here.
namespace rankscope::nccl::abi {

enum EventType : std::uint64_t { kColl = 2, kP2p = 4, kKernelCh = 64 };
inline constexpr int kKernelChStop = 22;  ///< state reported with the GPU's time at the kernel's end
inline constexpr int kSuccess = 0;

using Logger = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);

struct Coll {
    std::uint64_t sequence;  ///< counts per communicator and function
    const char* function;
    const void* send;
    void* receive;
    std::size_t count;
    int root;
    const char* datatype;
    std::uint8_t channels;
    std::uint8_t warps;
    const char* algorithm;
    const char* protocol;
};

struct P2p {
    const char* function;
    void* buffer;
    const char* datatype;
    std::size_t count;
    int peer;
    std::uint8_t channels;
};

struct KernelCh {
    std::uint8_t channel;
    std::uint64_t timer;  ///< the GPU's clock at the start, ns
};

struct Coll5 {
    Coll fields;
    void* parent_group;
};
struct P2p5 {
    P2p fields;
    void* parent_group;
};

inline const Coll& fields_of(const Coll& coll) {
    return coll;
}
inline const Coll& fields_of(const Coll5& coll) {
    return coll.fields;
}
inline const P2p& fields_of(const P2p& p2p) {
    return p2p;
}
inline const P2p& fields_of(const P2p5& p2p) {
    return p2p.fields;
}

struct Descriptor4 {
    std::uint8_t type;
    void* parent;
    int rank;
    union {
        Coll coll;
        P2p p2p;
        KernelCh kernel;
    };
};

struct Descriptor5 {
    std::uint64_t type;
    void* parent;
    int rank;
    union {
        Coll5 coll;
        P2p5 p2p;
        KernelCh kernel;
    };
};

union StateArguments {
    std::size_t transferred;
    void* data;
    std::uint64_t timer;
};

template <typename Descriptor, typename Init>
struct Plugin {
    const char* name;
    Init init;
    int (*start_event)(void* context, void** handle, Descriptor* descriptor);
    int (*stop_event)(void* handle);
    int (*record_state)(void* handle, int state, StateArguments* arguments);
    int (*finalize)(void* context);
};

using Init4 = int (*)(void** context, int* mask, const char* name, std::uint64_t hash, int nodes, int ranks,
                      int rank, Logger logger);
using Init5 = int (*)(void** context, std::uint64_t id, int* mask, const char* name, int nodes, int ranks,
                      int rank, Logger logger);
using Plugin4 = Plugin<Descriptor4, Init4>;
using Plugin5 = Plugin<Descriptor5, Init5>;

static_assert(sizeof(Coll) == 80 && sizeof(P2p) == 40);
static_assert(offsetof(Coll, function) == 8 && offsetof(Coll, count) == 32 && offsetof(Coll, root) == 40);
static_assert(offsetof(Coll, datatype) == 48 && offsetof(Coll, channels) == 56 &&
              offsetof(Coll, warps) == 57);
static_assert(offsetof(Coll, algorithm) == 64 && offsetof(Coll, protocol) == 72);
static_assert(offsetof(P2p, datatype) == 16 && offsetof(P2p, count) == 24 && offsetof(P2p, peer) == 32);
static_assert(offsetof(P2p, channels) == 36 && offsetof(KernelCh, timer) == 8);
static_assert(sizeof(Coll5) == 88 && sizeof(P2p5) == 48);
static_assert(sizeof(Descriptor4) == 104 && sizeof(Descriptor5) == 112);
static_assert(offsetof(Descriptor4, parent) == 8 && offsetof(Descriptor4, rank) == 16);
static_assert(offsetof(Descriptor4, coll) == 24 && offsetof(Descriptor5, coll) == 24);
static_assert(sizeof(StateArguments) == 8 && sizeof(Plugin4) == 48 && sizeof(Plugin5) == 48);

}  // namespace rankscope::nccl::abi
