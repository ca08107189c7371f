// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/nccl_ring/codes.h>
#include <remote/nccl_profiler/abi_v1.h>
#include <remote/nccl_profiler/abi_v2.h>
#include <remote/nccl_profiler/abi_v3.h>
#include <remote/nccl_profiler/abi_v4.h>
#include <remote/nccl_profiler/abi_v5.h>
#include <remote/nccl_profiler/abi_v6.h>
#include <remote/nccl_profiler/event.h>

/// A descriptor of each version → StartEvent. Nothing else knows the versions' layouts.
namespace rankscope::nccl {
namespace adapter {

/// Version 1's numbers → our codes.
template <std::size_t N>
std::uint8_t code_at(const std::array<std::uint8_t, N>& codes, std::size_t number) {
    return number < N ? codes[number] : std::uint8_t{0};
}
inline constexpr std::array<std::uint8_t, 8> kFunctions1{4, 7, 1, 8, 2, 10, 11, 6};
inline constexpr std::array<std::uint8_t, 10> kDatatypes1{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
inline constexpr std::array<std::uint8_t, 7> kAlgorithms1{1, 2, 3, 4, 5, 6, 7};
inline constexpr std::array<std::uint8_t, 3> kProtocols1{1, 2, 3};
static_assert(nccl_ring::kFunctions.size() > 11 && nccl_ring::kDatatypes.size() > 10);

inline std::uint8_t function_code(const char* name) {
    return nccl_ring::code_of(nccl_ring::kFunctions, name);
}
inline std::uint8_t function_code(std::uint8_t number) {
    return code_at(kFunctions1, number);
}
inline std::uint8_t datatype_code(const char* name) {
    return nccl_ring::code_of(nccl_ring::kDatatypes, name);
}
inline std::uint8_t datatype_code(std::uint8_t number) {
    return code_at(kDatatypes1, number);
}
inline std::uint8_t algorithm_code(const char* name) {
    return nccl_ring::code_of(nccl_ring::kAlgorithms, name);
}
inline std::uint8_t algorithm_code(std::uint8_t number) {
    return code_at(kAlgorithms1, number);
}
inline std::uint8_t protocol_code(const char* name) {
    return nccl_ring::code_of(nccl_ring::kProtocols, name);
}
inline std::uint8_t protocol_code(std::uint8_t number) {
    return code_at(kProtocols1, number);
}

template <typename Coll>
void take_coll(StartEvent& event, const Coll& coll) {
    event.sequence = coll.sequence;
    event.function = function_code(coll.function);
    event.count = coll.count;
    event.root_or_peer = coll.root;
    event.datatype = datatype_code(coll.datatype);
    if constexpr (requires { coll.hash; }) {
        event.communicator = coll.hash;
        event.communicator_name = coll.name;
    }
    if constexpr (requires { coll.channels; }) {  // not of the copy engines
        event.channels = coll.channels;
        event.warps = coll.warps;
        event.algorithm = algorithm_code(coll.algorithm);
        event.protocol = protocol_code(coll.protocol);
    }
}

template <typename P2p>
void take_p2p(StartEvent& event, const P2p& p2p) {
    event.function = function_code(p2p.function);
    event.count = p2p.count;
    event.root_or_peer = p2p.peer;
    event.datatype = datatype_code(p2p.datatype);
    event.send = event.function == nccl_ring::code_of(nccl_ring::kFunctions, "Send");
    if constexpr (requires { p2p.hash; }) {
        event.communicator = p2p.hash;
        event.communicator_name = p2p.name;
    }
    if constexpr (requires { p2p.channels; }) {
        event.channels = p2p.channels;
    }
}

inline const abi::Coll4& fields(const abi::Coll4& coll) {
    return coll;
}
inline const abi::P2p4& fields(const abi::P2p4& p2p) {
    return p2p;
}
inline const abi::Coll4& fields(const abi::v5::Coll& coll) {
    return coll.fields;
}
inline const abi::P2p4& fields(const abi::v5::P2p& p2p) {
    return p2p.fields;
}
template <typename Old>
requires requires(const Old& old) {
    old.hash;
}
const Old& fields(const Old& old) {
    return old;
}

/// The calls of the program: collective, send or receive.
template <typename Call>
void take_call(StartEvent& event, const Call& call) {
    event.function = function_code(call.function);
    event.count = call.count;
    event.datatype = datatype_code(call.datatype);
    event.captured = call.captured;
    if constexpr (requires { call.root; }) {
        event.root_or_peer = call.root;
    } else {
        event.root_or_peer = -1;
        event.send = event.function == nccl_ring::code_of(nccl_ring::kFunctions, "Send");
    }
}

}  // namespace adapter

template <typename Descriptor>
StartEvent to_event(const Descriptor& descriptor, std::uint8_t version) {
    using adapter::take_p2p;
    StartEvent event;
    event.type = descriptor.type;
    event.version = version;
    event.parent = descriptor.parent;
    event.rank = descriptor.rank;
    switch (descriptor.type) {
        case abi::kColl:
            adapter::take_coll(event, adapter::fields(descriptor.coll));
            break;
        case abi::kP2p:
            take_p2p(event, adapter::fields(descriptor.p2p));
            break;
        case abi::kProxyOp:
            event.pid = descriptor.proxy_op.pid;
            event.channel = descriptor.proxy_op.channel;
            event.root_or_peer = descriptor.proxy_op.peer;
            event.steps = descriptor.proxy_op.steps;
            event.chunk_bytes = descriptor.proxy_op.chunk_bytes;
            event.send = descriptor.proxy_op.send != 0;
            break;
        case abi::kProxyStep:
            event.step = descriptor.proxy_step.step;
            break;
        default:
            break;
    }
    if constexpr (requires { descriptor.kernel; }) {
        if (descriptor.type == abi::kKernelCh) {
            event.channel = descriptor.kernel.channel;
            if constexpr (requires { descriptor.kernel.timer; }) {
                event.has_timer = true;
                event.timer = descriptor.kernel.timer;
            }
        }
    }
    if constexpr (requires { descriptor.coll_api; }) {
        if (descriptor.type == abi::kCollApi) {
            adapter::take_call(event, descriptor.coll_api);
        } else if (descriptor.type == abi::kP2pApi) {
            adapter::take_call(event, descriptor.p2p_api);
        } else if (descriptor.type == abi::kGroupApi) {
            event.captured = descriptor.group_api.captured;
        }
    }
    if constexpr (requires { descriptor.ce_coll; }) {
        if (descriptor.type == abi::kCeColl) {
            adapter::take_coll(event, descriptor.ce_coll);
        }
    }
    return event;
}

}  // namespace rankscope::nccl
