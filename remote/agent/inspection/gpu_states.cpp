// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/gpu_states.h>
#include <remote/agent/node/ask_program.h>
#include <remote/agent/node/kernel_log.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/nvml/nvml_program.h>

#include <fcntl.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>

namespace rankscope::agent {
namespace {

constexpr double kPatience = 3;
constexpr double kQuickGpuPatience = 0.2;
constexpr int kMostUnknownFields = 6;
constexpr int kMostErrors = 64;
constexpr std::uint32_t kMostGpus = 1024;
constexpr std::uint64_t kMostMebibytes = 1ULL << 40U;

std::string_view take_field(std::string_view& line, bool is_last) {
    const auto comma = is_last ? line.npos : line.find(',');
    const auto field = trimmed(line.substr(0, comma));
    line.remove_prefix(comma == line.npos ? line.size() : comma + 1);
    return field;
}

// "[N/A]", "[Not Supported]", "[Unknown Error]".
bool is_known(std::string_view value) {
    return !value.empty() && value.front() != '[' && value != "N/A";
}

std::uint64_t bytes_of_mebibytes(std::string_view value) {
    const auto mebibytes = parse_number<std::uint64_t>(value).value_or(0);
    return mebibytes < kMostMebibytes ? mebibytes << 20U : 0;
}

void set_field(wire::GpuState& gpu, const std::string& field, std::string_view value) {
    if (!is_known(value)) {
        return;
    }
    const std::string text = as_utf8(std::string(value));
    const auto number = parse_number<std::uint32_t>(value).value_or(0);
    if (field == "uuid") {
        gpu.set_uuid(text);
    } else if (field == "memory.total") {
        gpu.set_memory_total(bytes_of_mebibytes(value));
    } else if (field == "memory.used") {
        gpu.set_memory_used(bytes_of_mebibytes(value));
    } else if (field == "compute_mode") {
        gpu.set_compute_mode(text);
    } else if (field == "persistence_mode") {
        gpu.set_persistence(value == "Enabled");
    } else if (field == "mig.mode.current") {
        gpu.set_mig(text);
    } else if (field == "pcie.link.width.current") {
        gpu.set_pcie_width(number);
    } else if (field == "pcie.link.width.max") {
        gpu.set_pcie_width_max(number);
    } else if (field == "pcie.link.gen.current") {
        gpu.set_pcie_generation(number);
    } else if (field == "pcie.link.gen.max") {
        gpu.set_pcie_generation_max(number);
    } else if (field == "ecc.errors.uncorrected.volatile.total") {
        gpu.set_ecc_errors(number);
    } else if (field == "retired_pages.double_bit.count") {
        gpu.set_retired_pages(number);
    } else if (field == "clocks_throttle_reasons.active") {
        gpu.set_throttle_reasons(text);
    } else if (field == "fabric.state") {
        gpu.set_fabric_state(text);
    } else if (field == "pci.bus_id") {
        gpu.set_pci(text);
    } else if (field == "name") {
        gpu.set_name(text);
    }
}

// A driver that is older or newer knows fewer fields and refuses the whole question for one of them.
ProgramAnswer ask_for_gpus(const std::string& program, const InspectionScope& scope,
                           std::vector<std::string>& fields, wire::HostInspection& found) {
    const double until = monotonic_s() + scope.patience(kPatience, kQuickGpuPatience);
    for (int attempt = 0;; ++attempt) {
        auto answer = ask_program(
            {.argv = {program, "--query-gpu=" + joined(fields, ","), "--format=csv,noheader,nounits"},
             .seconds = std::max(0.01, until - monotonic_s())},
            scope.stop);
        const std::string unknown = unknown_field(answer.output + answer.errors);
        const auto place = std::find(fields.begin(), fields.end(), unknown);
        if (answer.good() || answer.late || place == fields.end() || attempt == kMostUnknownFields) {
            return answer;
        }
        add_unseen(found, "gpus." + unknown, "this driver does not report it");
        fields.erase(place);
    }
}

std::uint32_t small(std::uint64_t number) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
}

std::string hexadecimal(std::uint64_t number) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%016llx", static_cast<unsigned long long>(number));
    return text.data();
}

void add_owners(wire::GpuState& gpu) {
    for (auto& process : *gpu.mutable_processes()) {
        process.set_user(owner_of(static_cast<pid_t>(process.pid())));
        process.set_command(command_of(static_cast<pid_t>(process.pid())));
    }
}

void add_version(wire::HostInspection& found, const std::string& name, std::uint64_t major,
                 std::uint64_t minor) {
    auto* version = found.add_versions();
    version->set_name(name);
    version->set_value(std::to_string(major) + '.' + std::to_string(minor));
}

void add_gpus(const NvmlLines& lines, wire::HostInspection& found) {
    for (const auto& [index, from] : lines.gpus()) {
        auto& gpu = *found.add_gpus();
        gpu.set_index(static_cast<std::uint32_t>(index));
        gpu.set_name(from.text("name"));
        gpu.set_uuid(from.text("uuid"));
        gpu.set_pci(from.text("pci"));
        gpu.set_memory_total(from.value("mem_total"));
        gpu.set_memory_used(from.value("mem_used"));
        gpu.set_compute_mode(from.text("compute_mode"));
        gpu.set_persistence(from.value("persistence") != 0);
        gpu.set_mig(from.text("mig"));
        gpu.set_pcie_width(small(from.value("pcie_width")));
        gpu.set_pcie_width_max(small(from.value("pcie_width_max")));
        gpu.set_pcie_generation(small(from.value("pcie_gen")));
        gpu.set_pcie_generation_max(small(from.value("pcie_gen_max")));
        gpu.set_ecc_errors(from.value("ecc"));
        gpu.set_retired_pages(from.value("retired_pages"));
        gpu.set_fabric_state(from.text("fabric"));
        if (from.values.contains("throttle")) {
            gpu.set_throttle_reasons(hexadecimal(from.value("throttle")));
        }
        for (const auto& process : from.processes) {
            auto* entry = gpu.add_processes();
            entry->set_pid(process.pid);
            entry->set_memory_bytes(process.bytes);
        }
        add_owners(gpu);
        if (const auto compute = from.value("compute"); compute > 0) {
            add_version(found, "compute." + std::to_string(index), compute / 10, compute % 10);
        }
    }
    if (lines.cuda() > 0) {
        add_version(found, "driver.cuda", lines.cuda() / 1000, lines.cuda() % 1000 / 10);
    }
}

void add_processes(const std::string& program, const InspectionScope& scope,
                   std::vector<wire::GpuState>& gpus, wire::HostInspection& found) {
    const auto answer = ask_program(
        {.argv = {program, "--query-compute-apps=gpu_uuid,pid,used_memory", "--format=csv,noheader,nounits"},
         .seconds = scope.patience(kPatience, kQuickGpuPatience)},
        scope.stop);
    if (!answer.good()) {
        return add_unseen(found, "gpus.processes", answer.why());
    }
    read_gpu_processes(answer.output, gpus);
    for (auto& gpu : gpus) {
        add_owners(gpu);
    }
}

void add_errors(wire::HostInspection& found) {
    const UniqueFd log(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!log) {
        return add_unseen(found, "gpu_errors", "this user may not read the kernel log");
    }
    timespec since_boot{};
    ::clock_gettime(CLOCK_MONOTONIC, &since_boot);
    const std::int64_t booted =
        now_us() - (static_cast<std::int64_t>(since_boot.tv_sec) * 1000000 + since_boot.tv_nsec / 1000);
    std::array<char, 8192> record;  // the kernel gives one record a read, and no more than this
    for (;;) {
        const auto got = ::read(log.get(), record.data(), record.size());
        if (got < 0 && (errno == EPIPE || errno == EINTR)) {
            continue;  // it was overwritten meanwhile
        }
        if (got <= 0) {
            return;
        }
        wire::GpuError error;
        if (read_xid({record.data(), static_cast<std::size_t>(got)}, error)) {
            error.set_t_us(error.t_us() + booted);
            if (found.gpu_errors_size() == kMostErrors) {
                found.mutable_gpu_errors()->DeleteSubrange(0, 1);  // the last ones matter
            }
            *found.add_gpu_errors() = std::move(error);
        }
    }
}

void add_gpus_of_nvidia_smi(const std::string& program, const InspectionScope& scope,
                            wire::HostInspection& found) {
    auto fields = gpu_fields();
    const auto answer = ask_for_gpus(program, scope, fields, found);
    auto gpus = read_gpus(answer.output, fields);
    if (!answer.good()) {
        // It prints the reason on stdout.
        const auto line = answer.output.substr(0, answer.output.find('\n'));
        add_unseen(found, "gpus", answer.late || line.empty() || !gpus.empty() ? answer.why() : line);
    }
    if (!gpus.empty()) {
        add_processes(program, scope, gpus, found);
    }
    found.mutable_gpus()->Assign(gpus.begin(), gpus.end());
}

}  // namespace

const std::vector<std::string>& gpu_fields() {
    static const std::vector<std::string> fields{"index",
                                                 "uuid",
                                                 "pci.bus_id",
                                                 "memory.total",
                                                 "memory.used",
                                                 "compute_mode",
                                                 "persistence_mode",
                                                 "mig.mode.current",
                                                 "pcie.link.width.current",
                                                 "pcie.link.width.max",
                                                 "pcie.link.gen.current",
                                                 "pcie.link.gen.max",
                                                 "ecc.errors.uncorrected.volatile.total",
                                                 "retired_pages.double_bit.count",
                                                 "clocks_throttle_reasons.active",
                                                 "fabric.state",
                                                 "name"};
    return fields;
}

std::vector<wire::GpuState> read_gpus(std::string_view csv, const std::vector<std::string>& fields) {
    std::vector<wire::GpuState> gpus;
    for (auto line : split(csv, '\n')) {
        const auto index = parse_number<std::uint32_t>(take_field(line, false));
        if (!index || *index >= kMostGpus || line.empty() || gpus.size() >= kMostGpus) {
            continue;
        }
        auto& gpu = gpus.emplace_back();
        gpu.set_index(*index);
        for (std::size_t i = 1; i < fields.size(); ++i) {
            set_field(gpu, fields[i], take_field(line, i + 1 == fields.size()));
        }
    }
    return gpus;
}

std::string unknown_field(std::string_view output) {
    constexpr std::string_view kBegin = "Field \"";
    const auto begin = output.find(kBegin);
    const auto end =
        output.find("\" is not a valid field", begin == output.npos ? begin : begin + kBegin.size());
    return end == output.npos
               ? std::string()
               : std::string(output.substr(begin + kBegin.size(), end - begin - kBegin.size()));
}

void read_gpu_processes(std::string_view csv, std::vector<wire::GpuState>& gpus) {
    for (auto line : split(csv, '\n')) {
        const auto uuid = take_field(line, false);
        const auto pid = parse_number<std::int32_t>(take_field(line, false));
        const auto gpu = std::find_if(gpus.begin(), gpus.end(), [uuid](const auto& entry) {
            return !uuid.empty() && entry.uuid() == uuid;
        });
        if (gpu == gpus.end() || !pid || *pid <= 0) {
            continue;
        }
        auto* process = gpu->add_processes();
        process->set_pid(*pid);
        process->set_memory_bytes(bytes_of_mebibytes(take_field(line, true)));
    }
}

wire::HostInspection inspect_gpus(const InspectionScope& scope, const Tools& tools) {
    wire::HostInspection found;
    const NvmlPlace place = NvmlPlace::of_this_node();
    const auto program = tools.find("nvidia-smi");
    NvmlAnswer answer;
    if (place.has_driver()) {
        answer = ask_nvml(place, scope.patience(kPatience, kQuickGpuPatience), scope.stop);
    }
    if (answer.opened) {
        add_gpus(answer.lines, found);
        if (!answer.good()) {
            add_unseen(found, "gpus", answer.why);
        }
    } else if (program != tools.end()) {
        add_gpus_of_nvidia_smi(program->second, scope, found);
    } else if (place.has_driver()) {
        add_unseen(found, "gpus", answer.why + ", and nvidia-smi is not installed");
    }
    if (place.has_driver()) {
        add_errors(found);
    }
    return found;
}

}  // namespace rankscope::agent
