// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/nvml/device_values.h>

namespace rankscope::nvml {
namespace {

constexpr unsigned char kAskAgain = 60;  // rounds: MIG may be switched, a link may come up
constexpr unsigned kMostProcesses = 256;
constexpr unsigned long long kNotKnown = ~0ULL;

struct Asking {
    const Library& library;
    Gpu& gpu;
    LineWriter& out;

    void value(const char* key, std::uint64_t number) const {
        out.word("value").number(gpu.index).word(key).number(number).end_line();
    }
    void text(const char* key, const char* words) const {
        out.word("text").number(gpu.index).word(key).word(words).end_line();
    }
};

// A function that fills one number.
template <typename Number, typename... Parameters, typename... Arguments>
Return one(const Asking& asking, const char* key, Return (*function)(Parameters...), Number unset,
           Arguments... arguments) {
    Number number = unset;
    const Return result = ask(function, asking.gpu.device, arguments..., &number);
    if (result == kSuccess) {
        asking.value(key, static_cast<std::uint64_t>(number));
    }
    return result;
}

Return utilization(const Asking& asking) {
    Utilization share{};
    const Return result = ask(asking.library.utilization, asking.gpu.device, &share);
    if (result == kSuccess) {
        asking.value("util", share.gpu);
        asking.value("mem_util", share.memory);
    }
    return result;
}

Return memory(const Asking& asking) {
    MemoryV2 newer{};
    newer.version = kMemoryV2;
    Return result = ask(asking.library.memory_v2, asking.gpu.device, &newer);
    unsigned long long used = newer.used;
    unsigned long long total = newer.total;
    if (result != kSuccess && result != kGpuIsLost) {
        Memory older{};
        result = ask(asking.library.memory, asking.gpu.device, &older);
        used = older.used;
        total = older.total;
    }
    if (result == kSuccess) {
        asking.value("mem_used", used);
        asking.value("mem_total", total);
    }
    return result;
}

Return clocks_max(const Asking& asking) {
    const Return result = one(asking, "sm_clock_max", asking.library.clock_max, 0U, kClockSm);
    return result == kSuccess ? one(asking, "mem_clock_max", asking.library.clock_max, 0U, kClockMemory)
                              : result;
}

Return pcie_throughput(const Asking& asking) {
    const Return result = one(asking, "pcie_tx_rate", asking.library.pcie_throughput, 0U, kPcieSent);
    return result == kSuccess ? one(asking, "pcie_rx_rate", asking.library.pcie_throughput, 0U, kPcieReceived)
                              : result;
}

void write_process(const Asking& asking, unsigned pid, unsigned long long bytes) {
    asking.out.word("process").number(asking.gpu.index).number(pid);
    asking.out.number(bytes == kNotKnown ? 0 : bytes).end_line();
}

Return processes(const Asking& asking) {
    unsigned count = kMostProcesses;
    if (asking.library.processes != nullptr) {
        static constinit std::array<Process, kMostProcesses> list{};
        const Return result = asking.library.processes(asking.gpu.device, &count, list.data());
        for (unsigned i = 0; result == kSuccess && i < count && i < kMostProcesses; ++i) {
            write_process(asking, list[i].pid, list[i].memory);
        }
        return result == kInsufficientSize ? kSuccess : result;
    }
    static constinit std::array<ProcessV1, kMostProcesses> list{};
    const Return result = ask(asking.library.processes_v1, asking.gpu.device, &count, list.data());
    for (unsigned i = 0; result == kSuccess && i < count && i < kMostProcesses; ++i) {
        write_process(asking, list[i].pid, list[i].memory);
    }
    return result == kInsufficientSize ? kSuccess : result;
}

std::uint64_t number_of(const FieldValue& field) {
    switch (field.type) {
        case ValueType::Double:
            return field.value.real > 0 ? static_cast<std::uint64_t>(field.value.real) : 0;
        case ValueType::UnsignedInt:
            return field.value.unsigned_int;
        case ValueType::UnsignedLong:
            return field.value.unsigned_long;
        case ValueType::UnsignedLongLong:
            return field.value.unsigned_long_long;
        case ValueType::SignedLongLong:
            return field.value.signed_long_long > 0 ? static_cast<std::uint64_t>(field.value.signed_long_long)
                                                    : 0;
        case ValueType::SignedInt:
            return field.value.signed_int > 0 ? static_cast<std::uint64_t>(field.value.signed_int) : 0;
        case ValueType::UnsignedShort:
            return field.value.unsigned_short;
    }
    return 0;
}

bool has_field(const Asking& asking, unsigned id, unsigned scope, std::uint64_t* number = nullptr) {
    FieldValue field{};
    field.field = id;
    field.scope = scope;
    field.result = kNotSupported;
    if (asking.library.field_values(asking.gpu.device, 1, &field) != kSuccess || field.result != kSuccess) {
        return false;
    }
    if (number != nullptr) {
        *number = number_of(field);
    }
    return true;
}

bool add_field(const Asking& asking, unsigned id, unsigned scope) {
    Gpu& gpu = asking.gpu;
    if (gpu.field_count == Gpu::kMostFields || !has_field(asking, id, scope)) {
        return false;
    }
    FieldValue& field = gpu.fields[gpu.field_count++];
    field = {};
    field.field = id;
    field.scope = scope;
    return true;
}

// Which of the counters this GPU has: each generation of NVLink brought its own.
void choose_fields(const Asking& asking) {
    Gpu& gpu = asking.gpu;
    gpu.field_count = 0;
    gpu.fields_due = kAskAgain;
    add_field(asking, kPcieSentBytes, 0);
    add_field(asking, kPcieReceivedBytes, 0);
    std::uint64_t count = 0;
    has_field(asking, kNvlinkCount, 0, &count);
    const unsigned links = count < kMostLinks ? static_cast<unsigned>(count) : kMostLinks;
    if (links == 0) {
        return;
    }
    const bool traffic =
        add_field(asking, kNvlinkSent, kAllLinks) && add_field(asking, kNvlinkReceived, kAllLinks);
    bool errors = false;
    for (const unsigned id :
         {kNvlinkCrcFlitErrors, kNvlinkCrcDataErrors, kNvlinkReplayErrors, kNvlinkRecoveryErrors}) {
        errors = add_field(asking, id, 0) || errors;
    }
    for (unsigned link = 0; link < links; ++link) {
        if (!traffic) {
            add_field(asking, kNvlinkLinkSentBytes, link);
            add_field(asking, kNvlinkLinkReceivedBytes, link);
        }
        for (const unsigned id : {kNvlinkLinkReplays, kNvlinkLinkRecoveries, kNvlinkLinkCrcErrors,
                                  kNvlinkLinkReceiveErrors, kNvlinkLinkRecoveryEvents}) {
            if (!errors) {
                add_field(asking, id, link);
            }
        }
    }
}

// Sums of what was asked for; a counter that no field has brought has no line.
struct Counters {
    struct Sum {
        std::uint64_t number = 0;
        bool known = false;

        void add(std::uint64_t more) {
            number += more;
            known = true;
        }
    };
    Sum pcie_sent;
    Sum pcie_received;
    Sum sent;
    Sum received;
    Sum errors;

    void add(unsigned id, std::uint64_t number) {
        switch (id) {
            case kPcieSentBytes:
                return pcie_sent.add(number);
            case kPcieReceivedBytes:
                return pcie_received.add(number);
            case kNvlinkSent:
                return sent.add(number * 1024);
            case kNvlinkReceived:
                return received.add(number * 1024);
            case kNvlinkLinkSentBytes:
                return sent.add(number);
            case kNvlinkLinkReceivedBytes:
                return received.add(number);
            default:
                return errors.add(number);
        }
    }
};

// true: PCIe's counters are among them.
bool write_fields(const Asking& asking) {
    Gpu& gpu = asking.gpu;
    if (asking.library.field_values == nullptr) {
        return false;
    }
    if (gpu.fields_due == 0) {
        choose_fields(asking);
    }
    --gpu.fields_due;
    if (gpu.field_count == 0) {
        return false;
    }
    Counters counters;
    if (asking.library.field_values(gpu.device, static_cast<int>(gpu.field_count), gpu.fields.data()) ==
        kSuccess) {
        for (std::size_t i = 0; i < gpu.field_count; ++i) {
            const FieldValue& field = gpu.fields[i];
            if (field.result == kSuccess) {
                counters.add(field.field, number_of(field));
            }
        }
    }
    const auto write = [&asking](const char* key, const Counters::Sum& sum) {
        if (sum.known) {
            asking.value(key, sum.number);
        }
    };
    write("pcie_tx_bytes", counters.pcie_sent);
    write("pcie_rx_bytes", counters.pcie_received);
    write("nvlink_tx_bytes", counters.sent);
    write("nvlink_rx_bytes", counters.received);
    write("nvlink_errors", counters.errors);
    return counters.pcie_sent.known;
}

// A group that is not supported rests for some rounds. false: the GPU is lost.
template <typename Ask>
bool group(Gpu& gpu, std::size_t place, Ask question) {
    if (gpu.skip[place] > 0) {
        --gpu.skip[place];
        return true;
    }
    const Return result = question();
    if (result == kNotSupported || result == kFunctionNotFound) {
        gpu.skip[place] = kAskAgain;
    }
    return result != kGpuIsLost;
}

const char* compute_mode_name(unsigned mode) {
    return mode == 0   ? "Default"
           : mode == 1 ? "Exclusive_Thread"
           : mode == 2 ? "Prohibited"
                       : "Exclusive_Process";
}

const char* fabric_name(unsigned state) {
    return state == 1 ? "Not Started" : state == 2 ? "In Progress" : state == 3 ? "Completed" : "N/A";
}

}  // namespace

void write_values(const Library& library, Gpu& gpu, bool slow, LineWriter& out) {
    const Asking asking{library, gpu, out};
    std::size_t place = 0;
    const auto number = [&](const char* key, auto function, auto unset, auto... arguments) {
        return group(gpu, place++, [&] { return one(asking, key, function, unset, arguments...); });
    };
    const bool answers =
        group(gpu, place++, [&] { return utilization(asking); }) &&
        group(gpu, place++, [&] { return memory(asking); }) && number("power", library.power, 0U) &&
        number("power_limit", library.power_limit, 0U) &&
        number("temp", library.temperature, 0U, kTemperatureOfGpu) &&
        number("sm_clock", library.clock, 0U, kClockSm) &&
        number("mem_clock", library.clock, 0U, kClockMemory) &&
        group(gpu, place++, [&] { return clocks_max(asking); }) &&
        number("throttle", library.clock_reasons, 0ULL) &&
        number("ecc", library.ecc_errors, 0ULL, kErrorsUncorrected, kSinceDriverLoad) &&
        number("ecc_corrected", library.ecc_errors, 0ULL, kErrorsCorrected, kSinceDriverLoad) &&
        number("pcie_gen", library.pcie_generation, 0U) && number("pcie_width", library.pcie_width, 0U) &&
        number("pcie_replays", library.pcie_replays, 0U) &&
        group(gpu, place++, [&] { return processes(asking); });
    if (answers && !write_fields(asking) && slow) {
        group(gpu, place, [&] { return pcie_throughput(asking); });
    }
    if (!answers && !gpu.lost) {
        out.word("lost").number(gpu.index).end_line();
    }
    gpu.lost = !answers;
}

void write_facts(const Library& library, Gpu& gpu, LineWriter& out) {
    const Asking asking{library, gpu, out};
    std::array<char, 128> text{};
    const auto words = [&](const char* key, Return (*function)(Device, char*, unsigned)) {
        text.fill('\0');
        if (ask(function, gpu.device, text.data(), static_cast<unsigned>(text.size() - 1)) == kSuccess) {
            asking.text(key, text.data());
        }
    };
    words("name", library.name);
    words("uuid", library.uuid);
    if (Pci pci{}; ask(library.pci, gpu.device, &pci) == kSuccess) {
        pci.id[sizeof pci.id - 1] = '\0';
        asking.text("pci", pci.id);
    }
    int major = 0;
    int minor = 0;
    if (ask(library.capability, gpu.device, &major, &minor) == kSuccess && major > 0 && minor >= 0) {
        asking.value("compute", static_cast<std::uint64_t>(major) * 10 + static_cast<std::uint64_t>(minor));
    }
    unsigned current = 0;
    unsigned pending = 0;
    if (ask(library.compute_mode, gpu.device, &current) == kSuccess) {
        asking.text("compute_mode", compute_mode_name(current));
    }
    if (ask(library.persistence, gpu.device, &current) == kSuccess) {
        asking.value("persistence", current);
    }
    if (ask(library.mig, gpu.device, &current, &pending) == kSuccess) {
        asking.text("mig", current != 0 ? "Enabled" : "Disabled");
    }
    if (FabricInfo fabric{}; ask(library.fabric, gpu.device, &fabric) == kSuccess) {
        asking.text("fabric", fabric_name(fabric.state));
    }
    one(asking, "pcie_gen_max", library.pcie_generation_max, 0U);
    one(asking, "pcie_width_max", library.pcie_width_max, 0U);
    unsigned pages = 0;
    const Return retired = ask(library.retired_pages, gpu.device, kRetiredDoubleBit, &pages, nullptr);
    if (retired == kSuccess || retired == kInsufficientSize) {
        asking.value("retired_pages", pages);
    }
}

}  // namespace rankscope::nvml
