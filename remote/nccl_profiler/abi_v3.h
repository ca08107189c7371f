// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/abi_v2.h>

/// Version 3: NCCL 2.26. Kernel channels, without the GPU's clock.
namespace rankscope::nccl::abi::v3 {

struct Coll {
    const char* name;
    std::uint64_t hash;
    std::uint64_t sequence;
    const char* function;
    const void* send;
    void* receive;
    std::size_t count;
    std::int32_t root;
    const char* datatype;
    std::uint8_t channels;
    std::uint8_t warps;
    const char* algorithm;
    const char* protocol;
};

using P2p = v2::P2p;

struct KernelCh {
    std::uint8_t channel;
};

struct Descriptor {
    std::uint8_t type;
    void* parent;
    std::int32_t rank;
    union {
        Coll coll;
        P2p p2p;
        ProxyOp proxy_op;
        ProxyStep proxy_step;
        KernelCh kernel;
        NetPlugin net_plugin;
    };
};

using Plugin = abi::Plugin<Descriptor, StateArguments3, Init1>;

static_assert(sizeof(Descriptor) == 120 && offsetof(Descriptor, parent) == 8 &&
              offsetof(Descriptor, rank) == 16);
static_assert(offsetof(Descriptor, type) == 0 && sizeof(Descriptor::type) == 1);
static_assert(offsetof(Descriptor, coll) == 24 && offsetof(Descriptor, p2p) == 24);
static_assert(offsetof(Descriptor, proxy_op) == 24 && offsetof(Descriptor, proxy_step) == 24);
static_assert(offsetof(Descriptor, kernel) == 24 && offsetof(Descriptor, net_plugin) == 24);
static_assert(offsetof(Coll, name) == 0 && offsetof(Coll, hash) == 8 && offsetof(Coll, sequence) == 16);
static_assert(offsetof(Coll, function) == 24 && offsetof(Coll, send) == 32 && offsetof(Coll, receive) == 40);
static_assert(offsetof(Coll, count) == 48 && offsetof(Coll, root) == 56 && offsetof(Coll, datatype) == 64);
static_assert(offsetof(Coll, channels) == 72 && offsetof(Coll, warps) == 73);
static_assert(offsetof(Coll, algorithm) == 80 && offsetof(Coll, protocol) == 88);
static_assert(offsetof(KernelCh, channel) == 0 && sizeof(Plugin) == 48);

}  // namespace rankscope::nccl::abi::v3
