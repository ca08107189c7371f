// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>

/// What all versions of NCCL's profiler plugin interface have in common (x86-64, aarch64), written down from the
/// public headers: nothing of NCCL is needed to build. One file for each version has the layout of its structures.
namespace rankscope::nccl::abi {

enum EventType : std::uint32_t {
    kGroup = 1,
    kColl = 2,
    kP2p = 4,
    kProxyOp = 8,
    kProxyStep = 16,
    kKernelCh = 64,
    kNetPlugin = 128,
    kGroupApi = 256,
    kCollApi = 512,
    kP2pApi = 1024,
    kCeColl = 4096,
    kCeSync = 8192,
    kCeBatch = 16384,
};

enum State : std::uint8_t {
    kSendPosted = 0,  // 0 to 7: of a ProxyOp, up to version 3
    kSendRemFifoWait = 1,
    kSendTransmitted = 2,
    kSendDone = 3,
    kRecvPosted = 4,
    kRecvReceived = 5,
    kRecvTransmitted = 6,
    kRecvDone = 7,
    kStepSendGpuWait = 8,  // 8 to 12, 20: of a ProxyStep
    kStepSendWait = 9,
    kStepRecvWait = 10,
    kStepRecvFlushWait = 11,
    kStepRecvGpuWait = 12,
    kProxyOpInProgress = 19,
    kStepSendPeerWait = 20,
    kKernelChStop = 22,
};

inline constexpr int kSuccess = 0;

/// level 3 is INFO; flag 1 is the subsystem INIT.
using Logger = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);
inline constexpr int kLogInfo = 3;
inline constexpr unsigned long kLogInit = 1;

/// The same in all versions.
struct ProxyOp {
    std::int32_t pid;  ///< of the process whose operation it is
    std::uint8_t channel;
    std::int32_t peer;
    std::int32_t steps;
    std::int32_t chunk_bytes;
    std::int32_t send;
};
struct ProxyStep {
    std::int32_t step;
};
struct NetPlugin {
    std::int64_t id;
    void* data;
};
struct KernelCh {  ///< from version 4
    std::uint8_t channel;
    std::uint64_t timer;  ///< GPU clock at the start, ns
};

/// Point to point, from version 4; 5 and 6 add the group.
struct P2p4 {
    const char* function;
    void* buffer;
    const char* datatype;
    std::size_t count;
    std::int32_t peer;
    std::uint8_t channels;
};

/// Collective, from version 4; 5 and 6 add the group.
struct Coll4 {
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

/// Arguments of recordEventState: 16 bytes up to version 3, one slot of 8 bytes from 4. Only the GPU's time (4 and
/// later) and a step's bytes are used.
union StateArguments3 {
    struct {
        std::size_t transferred;
        std::int32_t steps;
    } proxy_op;
    std::int32_t appended;
};
union StateArguments4 {
    std::size_t transferred;
    std::int32_t appended;
    void* data;
    std::uint64_t timer;
};

template <typename Descriptor, typename Arguments, typename Init>
struct Plugin {
    const char* name;
    Init init;
    int (*start_event)(void* context, void** handle, Descriptor* descriptor);
    int (*stop_event)(void* handle);
    int (*record_state)(void* handle, int state, Arguments* arguments);
    int (*finalize)(void* context);
};

using Init1 = int (*)(void** context, int* mask);
using Init4 = int (*)(void** context, int* mask, const char* name, std::uint64_t hash, int nodes, int ranks,
                      int rank, Logger logger);
using Init5 = int (*)(void** context, std::uint64_t id, int* mask, const char* name, int nodes, int ranks,
                      int rank, Logger logger);

/// Offsets inside the union, which begins at 24 in every version.
static_assert(sizeof(ProxyOp) == 24 && offsetof(ProxyOp, pid) == 0 && offsetof(ProxyOp, channel) == 4);
static_assert(offsetof(ProxyOp, peer) == 8 && offsetof(ProxyOp, steps) == 12 &&
              offsetof(ProxyOp, chunk_bytes) == 16);
static_assert(offsetof(ProxyOp, send) == 20 && offsetof(ProxyStep, step) == 0);
static_assert(sizeof(NetPlugin) == 16 && offsetof(NetPlugin, id) == 0 && offsetof(NetPlugin, data) == 8);
static_assert(sizeof(KernelCh) == 16 && offsetof(KernelCh, channel) == 0 && offsetof(KernelCh, timer) == 8);
static_assert(sizeof(P2p4) == 40 && offsetof(P2p4, function) == 0 && offsetof(P2p4, buffer) == 8);
static_assert(offsetof(P2p4, datatype) == 16 && offsetof(P2p4, count) == 24 && offsetof(P2p4, peer) == 32);
static_assert(offsetof(P2p4, channels) == 36);
static_assert(sizeof(Coll4) == 80 && offsetof(Coll4, sequence) == 0 && offsetof(Coll4, function) == 8);
static_assert(offsetof(Coll4, send) == 16 && offsetof(Coll4, receive) == 24 && offsetof(Coll4, count) == 32);
static_assert(offsetof(Coll4, root) == 40 && offsetof(Coll4, datatype) == 48 &&
              offsetof(Coll4, channels) == 56);
static_assert(offsetof(Coll4, warps) == 57 && offsetof(Coll4, algorithm) == 64 &&
              offsetof(Coll4, protocol) == 72);
static_assert(sizeof(StateArguments3) == 16 && sizeof(StateArguments4) == 8);

}  // namespace rankscope::nccl::abi
