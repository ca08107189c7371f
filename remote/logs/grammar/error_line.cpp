// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/grammar/error_line.h>
#include <remote/logs/grammar/exception_shape.h>
#include <remote/logs/grammar/scan.h>

#include <algorithm>
#include <array>
#include <span>

namespace rankscope::logs {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLongest = 4000;

struct LayerWords {
    ErrorLayer layer;
    std::span<const std::string_view> words;
};

constexpr std::array kNvshmem = {"nvshmem"sv, "NVSHMEM"sv, "ibgda"sv};
constexpr std::array kDeepEp = {"deep_ep"sv, "DeepEP"sv, "deepep"sv, "deep-ep"sv};
constexpr std::array kLibfabric = {"NET/OFI"sv,   "aws-ofi"sv,  "libfabric"sv,
                                   "Libfabric"sv, "OFI NCCL"sv, "fi_"sv};
constexpr std::array kUcx = {"UCX "sv, "ucp_"sv, "uct_"sv, "ucs_"sv, " ucx"sv, "ib_mlx5_log.c"sv};
constexpr std::array kRccl = {"rccl"sv,       "RCCL"sv, "HIP error"sv, "hipError"sv,
                              "HSA_STATUS"sv, "rocm"sv, "ROCm"sv,      "amdgpu"sv};
constexpr std::array kNccl = {"NCCL"sv,          "nccl"sv,          "include/socket.h:"sv,
                              "bootstrap.cu:"sv, "transport/net"sv, "misc/socket.cc:"sv,
                              "misc/ibvwrap"sv};
constexpr std::array kGloo = {"gloo"sv, "Gloo"sv};
constexpr std::array kMpi = {"MPI_"sv,  "ORTE"sv,  "orted"sv,   "orte_"sv,  "PMIx"sv,    "PMIX"sv,
                             "PRTE"sv,  "prted"sv, "prterun"sv, "mpirun"sv, "mpiexec"sv, "Open MPI"sv,
                             "hydra"sv, "btl_"sv,  "mtl_"sv,    "pml_"sv,   "MPICH"sv};
constexpr std::array kRay = {
    "ray::"sv, "ray."sv, "raylet"sv, "Ray "sv, "GCS "sv, "Worker exit"sv, "worker process has died"sv};
constexpr std::array kSlurm = {"srun: "sv,   "slurmstepd: "sv, "sbatch: "sv,
                               "salloc: "sv, "slurmd"sv,       "SLURM"sv};
constexpr std::array kKubernetes = {
    "kubelet"sv,  "Kubernetes"sv,  "kubectl"sv,    "pod "sv,        "Pod "sv,
    "docker: "sv, "OCI runtime"sv, "containerd"sv, "podman"sv,      "nvidia-container-cli"sv,
    "BackOff"sv,  "enroot"sv,      "pyxis"sv,      "singularity"sv, "apptainer"sv};
constexpr std::array kDriver = {
    "NVRM"sv, "Xid"sv, "nvidia-smi"sv, "NVML"sv, "nvidia-nvswitch"sv, "fabricmanager"sv, "FabricManager"sv};
constexpr std::array kCuda = {"CUDA"sv,  "Cuda"sv,   "cuda"sv,   "cuDNN"sv,
                              "CUDNN"sv, "CUBLAS"sv, "cublas"sv, "cudnn"sv};
constexpr std::array kTorchWords = {"torch."sv,   "c10"sv,     "ProcessGroup"sv,
                                    "TCPStore"sv, "elastic"sv, "Watchdog"sv};
constexpr std::array kHorovod = {"horovod"sv, "Horovod"sv};
constexpr std::array kSsh = {"ssh: "sv, "pdsh"sv, "kex_exchange"sv, "scp: "sv};

// The order decides: a layer above another one names it, too.
constexpr std::array kLayers = {
    LayerWords{ErrorLayer::DeepEp, kDeepEp},
    LayerWords{ErrorLayer::Nvshmem, kNvshmem},
    LayerWords{ErrorLayer::Libfabric, kLibfabric},
    LayerWords{ErrorLayer::Ucx, kUcx},
    LayerWords{ErrorLayer::Rccl, kRccl},
    LayerWords{ErrorLayer::Slurm, kSlurm},
    LayerWords{ErrorLayer::Ssh, kSsh},
    LayerWords{ErrorLayer::Ray, kRay},
    LayerWords{ErrorLayer::Horovod, kHorovod},
    LayerWords{ErrorLayer::Mpi, kMpi},
    LayerWords{ErrorLayer::Driver, kDriver},
    LayerWords{ErrorLayer::Nccl, kNccl},
    LayerWords{ErrorLayer::Gloo, kGloo},
    LayerWords{ErrorLayer::Kubernetes, kKubernetes},
    LayerWords{ErrorLayer::Cuda, kCuda},
    LayerWords{ErrorLayer::Torch, kTorchWords},
};

ErrorLayer layer_of(const LogLine& line) {
    if (line.speaker == Speaker::Kernel) {
        return ErrorLayer::Driver;
    }
    const WordFinder finder(line.text.substr(0, kLongest));
    for (const auto& layer : kLayers) {
        if (finder.has_one(layer.words)) {
            return layer.layer;
        }
    }
    return ErrorLayer::Program;
}

// Layers that print little: what they call a warning is seldom harmless.
bool warns_of_faults(ErrorLayer layer) {
    return layer == ErrorLayer::Nvshmem || layer == ErrorLayer::DeepEp || layer == ErrorLayer::Libfabric ||
           layer == ErrorLayer::Ucx;
}

constexpr std::array kFailures = {
    "failed"sv,        "Failed"sv,       "FAILED"sv,   "annot "sv,    "ould not "sv, "ouldn't "sv,
    "nable to "sv,     "error:"sv,       "Error:"sv,   "ERROR"sv,     "error in"sv,  "NULL "sv,
    " denied"sv,       "unexpectedly"sv, "borted"sv,   "has died"sv,  " is dead"sv,  "atal"sv,
    "FATAL"sv,         "panic"sv,        "no such"sv,  "not found"sv, "nvalid "sv,   "WARN"sv,
    "not supported"sv, "xceeded"sv,      "rejected"sv, "refused"sv};

// What layers write before an error, in whatever place of the line.
constexpr std::array kShouted = {"ERROR"sv, "FATAL"sv, "Fatal error"sv, " error: "sv};

// "transport/ibgda.cpp:1889: …", "common.cu:892 …": a place in C or C++ at the start. What follows it.
std::string_view after_c_place(std::string_view message) {
    const auto colon = message.substr(0, 200).find(':');
    if (colon == std::string_view::npos) {
        return {};
    }
    const auto file = message.substr(0, colon);
    constexpr std::array kEnds = {".c"sv, ".cc"sv, ".cpp"sv, ".cu"sv, ".h"sv, ".cxx"sv, ".hpp"sv, ".cuh"sv};
    const bool c_file =
        std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) { return file.ends_with(end); });
    auto rest = message.substr(colon + 1);
    if (!c_file || file.find(' ') != std::string_view::npos) {
        return {};
    }
    if (!take_number<std::int64_t>(rest)) {  // "transport.cpp:nvshmemi_transport_init:275: …"
        const auto end = rest.substr(0, 100).find(':');
        auto number = rest.substr(end == std::string_view::npos ? rest.size() : end + 1);
        if (rest.substr(0, 100).find(' ') < end || !take_number<std::int64_t>(number)) {
            return {};
        }
        rest = number;
    }
    take(rest, ":");
    take(rest, " ");
    return rest;
}

// "Failed to open …", "Unable to …", "error while …": the first words say it.
bool begins_with_failure(std::string_view message) {
    constexpr std::array kStarts = {
        "Failed"sv,     "failed"sv,          "FAILED"sv,    "Cannot "sv,    "cannot "sv,
        "Could not "sv, "could not "sv,      "Couldn't "sv, "Unable to "sv, "unable to "sv,
        "Error"sv,      "error"sv,           "ERROR"sv,     "FATAL"sv,      "Fatal"sv,
        "fatal"sv,      "panic"sv,           "Aborted"sv,   "Assertion "sv, "Segmentation fault"sv,
        "Bus error"sv,  "terminate called"sv};
    return starts_with_one(message, kStarts);
}

// "error rate: 0.1", "errors: 0", "Failed tests: 0".
bool is_count(std::string_view message) {
    const auto separator = message.find_first_of(":=");
    if (separator == std::string_view::npos || separator > 40) {
        return false;
    }
    const auto value = trimmed(message.substr(separator + 1));
    return !value.empty() && (is_digit(value[0]) || value[0] == '.') && value.size() < 24;
}

}  // namespace

std::optional<ErrorLine> error_line(const LogLine& line) {
    const auto message = trimmed(line.message.substr(0, kLongest));
    if (message.size() < 4 || line.level == LineLevel::Info || line.speaker == Speaker::Nccl) {
        return std::nullopt;
    }
    if (const auto exception = exception_at(message)) {
        return ErrorLine{ErrorLayer::Python, message};
    }
    // The layer costs a hundred words: it is looked for where the line may be taken.
    if (line.level == LineLevel::Error) {
        return is_count(message) ? std::nullopt : std::optional(ErrorLine{layer_of(line), message});
    }
    const bool warning = line.level == LineLevel::Warn;
    if (const auto rest = after_c_place(message); !rest.empty() && !warning) {
        if (rest.starts_with("INFO") || rest.starts_with("DEBUG") || rest.starts_with("TRACE")) {
            return std::nullopt;
        }
        const auto layer = layer_of(line);
        return layer == ErrorLayer::Program && !WordFinder(rest).has_one(kFailures)
                   ? std::nullopt
                   : std::optional(ErrorLine{layer, message});
    }
    const bool begins = begins_with_failure(message) || message.starts_with("what(): ");
    const WordFinder finder(message);
    const bool fails = finder.has_one(kFailures);
    const bool shouts = finder.has_one(kShouted);
    if (!warning && ((!begins && !fails && !shouts) || is_count(message))) {
        return std::nullopt;
    }
    const auto layer = layer_of(line);
    const bool known = layer != ErrorLayer::Program && layer != ErrorLayer::Cuda &&
                       layer != ErrorLayer::Torch && layer != ErrorLayer::Kubernetes;
    const bool of_ray =
        layer == ErrorLayer::Ray && fails && message.find("Worker exit") != std::string_view::npos;
    const bool taken = warning ? warns_of_faults(layer)
                               : begins || (known && fails && line.speaker != Speaker::Program) ||
                                     (warns_of_faults(layer) && fails) || (known && shouts) || of_ray;
    return taken ? std::optional(ErrorLine{layer, message}) : std::nullopt;
}

}  // namespace rankscope::logs
