// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/abi_v5.h>

/// Version 6: NCCL 2.29 and 2.30. Collectives of the copy engines.
namespace rankscope::nccl::abi::v6 {

using v5::Coll;
using v5::CollApi;
using v5::GroupApi;
using v5::KernelLaunch;
using v5::P2p;
using v5::P2pApi;

struct CeColl {
    std::uint64_t sequence;
    const char* function;
    const void* send;
    void* receive;
    std::size_t count;
    std::int32_t root;
    const char* datatype;
    const char* synchronisation;
    bool intra_batch;
    std::uint32_t batch_size;
    std::uint32_t batches;
    std::uint32_t ce_sequence;
    void* stream;
};

struct CeSync {
    bool is_complete;
    std::int32_t ranks;
};

struct CeBatch {
    std::int32_t operations;
    std::size_t bytes;
    bool intra;
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
        CeColl ce_coll;
        CeSync ce_sync;
        CeBatch ce_batch;
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
static_assert(offsetof(Descriptor, ce_coll) == 24 && offsetof(Descriptor, ce_sync) == 24);
static_assert(offsetof(CeColl, sequence) == 0 && offsetof(CeColl, function) == 8 &&
              offsetof(CeColl, send) == 16);
static_assert(offsetof(CeColl, receive) == 24 && offsetof(CeColl, count) == 32 &&
              offsetof(CeColl, root) == 40);
static_assert(offsetof(CeColl, datatype) == 48 && offsetof(CeColl, synchronisation) == 56);
static_assert(offsetof(CeColl, intra_batch) == 64 && offsetof(CeColl, batch_size) == 68);
static_assert(offsetof(CeColl, batches) == 72 && offsetof(CeColl, ce_sequence) == 76 &&
              offsetof(CeColl, stream) == 80);
static_assert(offsetof(CeSync, is_complete) == 0 && offsetof(CeSync, ranks) == 4);
static_assert(offsetof(CeBatch, operations) == 0 && offsetof(CeBatch, bytes) == 8 &&
              offsetof(CeBatch, intra) == 16);
static_assert(sizeof(Plugin) == 48);

}  // namespace rankscope::nccl::abi::v6
