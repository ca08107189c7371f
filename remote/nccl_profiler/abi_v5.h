// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/abi.h>

/// Version 5: NCCL 2.28. The program's own calls; the type has 8 bytes; init has another order.
namespace rankscope::nccl::abi::v5 {

struct GroupApi {
    bool captured;
    std::int32_t depth;
};

struct CollApi {
    const char* function;
    std::size_t count;
    const char* datatype;
    std::int32_t root;
    void* stream;
    bool captured;
};

struct P2pApi {
    const char* function;
    std::size_t count;
    const char* datatype;
    void* stream;
    bool captured;
};

struct KernelLaunch {
    void* stream;
};

struct Coll {
    Coll4 fields;
    void* group;
};

struct P2p {
    P2p4 fields;
    void* group;
};

struct Descriptor {
    std::uint64_t type;
    void* parent;
    std::int32_t rank;
    union {
        GroupApi group_api;
        CollApi coll_api;
        P2pApi p2p_api;
        KernelLaunch kernel_launch;
        Coll coll;
        P2p p2p;
        ProxyOp proxy_op;
        ProxyStep proxy_step;
        KernelCh kernel;
        NetPlugin net_plugin;
    };
};

using Plugin = abi::Plugin<Descriptor, StateArguments4, Init5>;

static_assert(sizeof(Descriptor) == 112 && offsetof(Descriptor, parent) == 8 &&
              offsetof(Descriptor, rank) == 16);
static_assert(offsetof(Descriptor, type) == 0 && sizeof(Descriptor::type) == 8);
static_assert(offsetof(Descriptor, group_api) == 24 && offsetof(Descriptor, coll_api) == 24);
static_assert(offsetof(Descriptor, p2p_api) == 24 && offsetof(Descriptor, kernel_launch) == 24);
static_assert(offsetof(Descriptor, coll) == 24 && offsetof(Descriptor, p2p) == 24);
static_assert(offsetof(Descriptor, proxy_op) == 24 && offsetof(Descriptor, proxy_step) == 24);
static_assert(offsetof(Descriptor, kernel) == 24 && offsetof(Descriptor, net_plugin) == 24);
static_assert(offsetof(GroupApi, captured) == 0 && offsetof(GroupApi, depth) == 4 && sizeof(bool) == 1);
static_assert(offsetof(CollApi, function) == 0 && offsetof(CollApi, count) == 8 &&
              offsetof(CollApi, datatype) == 16);
static_assert(offsetof(CollApi, root) == 24 && offsetof(CollApi, stream) == 32 &&
              offsetof(CollApi, captured) == 40);
static_assert(offsetof(P2pApi, function) == 0 && offsetof(P2pApi, count) == 8 &&
              offsetof(P2pApi, datatype) == 16);
static_assert(offsetof(P2pApi, stream) == 24 && offsetof(P2pApi, captured) == 32);
static_assert(sizeof(Coll) == 88 && offsetof(Coll, fields) == 0 && offsetof(Coll, group) == 80);
static_assert(sizeof(P2p) == 48 && offsetof(P2p, fields) == 0 && offsetof(P2p, group) == 40 &&
              sizeof(Plugin) == 48);

}  // namespace rankscope::nccl::abi::v5
