// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/abi.h>

/// Version 4: NCCL 2.27. The communicator comes with init, the GPU's clock with the kernel's channels.
namespace rankscope::nccl::abi::v4 {

struct Descriptor {
    std::uint8_t type;
    void* parent;
    std::int32_t rank;
    union {
        Coll4 coll;
        P2p4 p2p;
        ProxyOp proxy_op;
        ProxyStep proxy_step;
        KernelCh kernel;
        NetPlugin net_plugin;
    };
};

using Plugin = abi::Plugin<Descriptor, StateArguments4, Init4>;

static_assert(sizeof(Descriptor) == 104 && offsetof(Descriptor, parent) == 8 &&
              offsetof(Descriptor, rank) == 16);
static_assert(offsetof(Descriptor, type) == 0 && sizeof(Descriptor::type) == 1);
static_assert(offsetof(Descriptor, coll) == 24 && offsetof(Descriptor, p2p) == 24);
static_assert(offsetof(Descriptor, proxy_op) == 24 && offsetof(Descriptor, proxy_step) == 24);
static_assert(offsetof(Descriptor, kernel) == 24 && offsetof(Descriptor, net_plugin) == 24);
static_assert(sizeof(Plugin) == 48);

}  // namespace rankscope::nccl::abi::v4
