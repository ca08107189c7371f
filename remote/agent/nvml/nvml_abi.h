// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::nvml {

/// The part of NVML's binary interface that is used here, after NVIDIA's "NVML API Reference Guide" (releases 450 to
/// 580): names, numbers and layouts. NVML keeps them; what changes gets a new name (…_v2, …_v3).

using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kInsufficientSize = 7;
inline constexpr Return kTimeout = 10;
inline constexpr Return kFunctionNotFound = 13;
inline constexpr Return kGpuIsLost = 15;
inline constexpr Return kVersionMismatch = 18;  ///< of this library and the driver in the kernel

using Device = struct DeviceHandle*;
using EventSet = struct EventSetHandle*;

inline constexpr unsigned kClockSm = 1;
inline constexpr unsigned kClockMemory = 2;
inline constexpr unsigned kTemperatureOfGpu = 0;
inline constexpr unsigned kErrorsCorrected = 0;
inline constexpr unsigned kErrorsUncorrected = 1;
inline constexpr unsigned kSinceDriverLoad = 0;
inline constexpr unsigned kRetiredDoubleBit = 1;
inline constexpr unsigned kPcieSent = 0;
inline constexpr unsigned kPcieReceived = 1;
inline constexpr unsigned long long kEventXid = 8;
inline constexpr unsigned kAllLinks = 0xFFFFFFFFU;
inline constexpr unsigned kMostLinks = 18;

struct Utilization {
    unsigned gpu;     ///< %
    unsigned memory;  ///< %
};

struct Memory {
    unsigned long long total;  ///< bytes
    unsigned long long free;
    unsigned long long used;  ///< with what the driver keeps for itself
};

struct MemoryV2 {
    unsigned version;  ///< kMemoryV2
    unsigned long long total;
    unsigned long long reserved;
    unsigned long long free;
    unsigned long long used;  ///< without it
};
inline constexpr unsigned kMemoryV2 = sizeof(MemoryV2) | (2U << 24U);

/// Of nvmlDeviceGetComputeRunningProcesses: releases before 450.
struct ProcessV1 {
    unsigned pid;
    unsigned long long memory;
};

/// Of …_v2 and …_v3.
struct Process {
    unsigned pid;
    unsigned long long memory;  ///< bytes; ~0: not known
    unsigned gpu_instance;
    unsigned compute_instance;
};

struct Pci {
    char legacy_id[16];
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned device_id;
    unsigned subsystem_id;
    char id[32];
};

union Value {
    double real;
    int signed_int;
    unsigned unsigned_int;
    unsigned long unsigned_long;
    unsigned long long unsigned_long_long;
    long long signed_long_long;
    unsigned short unsigned_short;
};

enum class ValueType : unsigned {
    Double = 0,
    UnsignedInt = 1,
    UnsignedLong = 2,
    UnsignedLongLong = 3,
    SignedLongLong = 4,
    SignedInt = 5,
    UnsignedShort = 6
};

struct FieldValue {
    unsigned field;
    unsigned scope;
    long long timestamp;
    long long latency_us;
    ValueType type;
    Return result;
    Value value;
};

/// Fields of nvmlDeviceGetFieldValues.
enum Field : unsigned {
    kNvlinkCrcFlitErrors = 38,  ///< of all links, until Ampere
    kNvlinkCrcDataErrors = 45,
    kNvlinkReplayErrors = 52,
    kNvlinkRecoveryErrors = 59,
    kNvlinkCount = 91,
    kNvlinkSent = 138,  ///< KiB of a link, or of kAllLinks
    kNvlinkReceived = 139,
    kNvlinkLinkReplays = 161,  ///< of a link, Hopper
    kNvlinkLinkRecoveries = 162,
    kNvlinkLinkCrcErrors = 163,
    kPcieSentBytes = 197,
    kPcieReceivedBytes = 198,
    kNvlinkLinkSentBytes = 202,  ///< of a link, from Blackwell on
    kNvlinkLinkReceivedBytes = 204,
    kNvlinkLinkReceiveErrors = 208,
    kNvlinkLinkRecoveryEvents = 215
};

struct EventData {
    Device device;
    unsigned long long type;
    unsigned long long data;  ///< the Xid
    unsigned gpu_instance;
    unsigned compute_instance;
};

struct FabricInfo {
    unsigned char cluster[16];
    Return status;
    unsigned clique;
    unsigned char state;  ///< 0: none, 1: not started, 2: in progress, 3: completed
};

#if defined(__LP64__)
static_assert(sizeof(MemoryV2) == 40 && sizeof(Process) == 24 && sizeof(ProcessV1) == 16);
static_assert(sizeof(Pci) == 68 && sizeof(FieldValue) == 40 && sizeof(EventData) == 32);
static_assert(offsetof(FieldValue, value) == 32 && sizeof(FabricInfo) == 28);
#endif

}  // namespace rankscope::nvml
