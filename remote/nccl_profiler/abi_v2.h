// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/abi.h>

/// Version 2: NCCL 2.24 and 2.25. Names instead of numbers.
namespace rankscope::nccl::abi::v2 {

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
    std::size_t traffic_bytes;
    std::uint8_t channels;
    std::uint8_t warps;
    const char* algorithm;
    const char* protocol;
};

struct P2p {
    const char* name;
    std::uint64_t hash;
    const char* function;
    void* buffer;
    const char* datatype;
    std::size_t count;
    std::int32_t peer;
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
    };
};

using Plugin = abi::Plugin<Descriptor, StateArguments3, Init1>;

static_assert(sizeof(Descriptor) == 128 && offsetof(Descriptor, parent) == 8 &&
              offsetof(Descriptor, rank) == 16);
static_assert(offsetof(Descriptor, type) == 0 && sizeof(Descriptor::type) == 1);
static_assert(offsetof(Descriptor, coll) == 24 && offsetof(Descriptor, p2p) == 24);
static_assert(offsetof(Descriptor, proxy_op) == 24 && offsetof(Descriptor, proxy_step) == 24);
static_assert(offsetof(Coll, name) == 0 && offsetof(Coll, hash) == 8 && offsetof(Coll, sequence) == 16);
static_assert(offsetof(Coll, function) == 24 && offsetof(Coll, send) == 32 && offsetof(Coll, receive) == 40);
static_assert(offsetof(Coll, count) == 48 && offsetof(Coll, root) == 56 && offsetof(Coll, datatype) == 64);
static_assert(offsetof(Coll, traffic_bytes) == 72 && offsetof(Coll, channels) == 80);
static_assert(offsetof(Coll, warps) == 81 && offsetof(Coll, algorithm) == 88 &&
              offsetof(Coll, protocol) == 96);
static_assert(offsetof(P2p, name) == 0 && offsetof(P2p, hash) == 8 && offsetof(P2p, function) == 16);
static_assert(offsetof(P2p, buffer) == 24 && offsetof(P2p, datatype) == 32 && offsetof(P2p, count) == 40);
static_assert(offsetof(P2p, peer) == 48 && sizeof(Plugin) == 48);

}  // namespace rankscope::nccl::abi::v2
