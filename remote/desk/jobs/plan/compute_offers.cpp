// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/compute_offers.h>
#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "LaunchPlan";

struct PrecisionNeed {
    const char* name;
    int compute;  ///< capability × 10 of a GPU
    bool on_cpus;
};
// NVIDIA's tensor cores: 16-bit floats since Volta, bfloat16 and TF32 since Ampere.
constexpr std::array<PrecisionNeed, 4> kPrecisions{
    {{"fp32", 0, true}, {"tf32", 80, true}, {"bf16", 80, true}, {"fp16", 70, false}}};

std::string capability(int compute) {
    return std::to_string(compute / 10) + '.' + std::to_string(compute % 10);
}

struct NodeGpus {
    const NodeSpec* node = nullptr;
    const NodeFacts* facts = nullptr;
    std::vector<int> gpus;
    bool known = false;
};

std::vector<NodeGpus> look_at(const std::vector<NodeSpec>& nodes, const Job& job, const KnownFacts& facts) {
    std::vector<NodeGpus> all;
    for (const auto& node : nodes) {
        const auto known = facts.find(node.name);
        const NodeFacts* of_node = known == facts.end() ? nullptr : &known->second;
        all.push_back({&node, of_node, gpus_of(node, job, of_node),
                       of_node != nullptr || !node.gpus_auto || job.devices.contains(node.name)});
    }
    return all;
}

// The first GPU that cannot compute so.
std::string too_old(const std::vector<NodeGpus>& nodes, const PrecisionNeed& need) {
    for (const auto& entry : nodes) {
        for (const int gpu : entry.gpus) {
            if (entry.facts == nullptr) {
                continue;
            }
            const auto found = entry.facts->sample.find(sample_key::gpu(gpu, "compute"));
            const int compute = found == entry.facts->sample.end() ? 0 : static_cast<int>(found->second);
            if (compute > 0 && compute < need.compute) {
                return text(kContext, "GPU %1 of %2 has compute capability %3; %4 needs %5",
                            {std::to_string(gpu), entry.node->name, capability(compute), need.name,
                             capability(need.compute)});
            }
        }
    }
    return {};
}

std::string no_cuda() {
    return text(kContext, "this build of Rankscope has no CUDA engine");
}

}  // namespace

EngineParts EngineParts::of_bundle(const std::string& machine) {
    constexpr const char* kCudaPlugin = "librankscope-cuda.so";
    const auto bundle = find_worker_bundle(machine);
    return {.cuda = bundle && std::any_of(bundle->files.begin(), bundle->files.end(),
                                          [](const BundleFile& file) { return file.name == kCudaPlugin; }),
            .cuda_version = bundle ? bundle->cuda : std::string()};
}

EngineParts EngineParts::of_nodes(const Inventory& inventory, const Job& job, const KnownFacts& facts) {
    EngineParts parts = of_bundle();
    const auto nodes = resolve_nodes(inventory, job);
    for (const auto& node : nodes ? *nodes : std::vector<NodeSpec>()) {
        const auto known = facts.find(node.name);
        if (known != facts.end() && !known->second.machine.empty() &&
            known->second.machine != own_machine()) {
            parts.cuda = parts.cuda && of_bundle(known->second.machine).cuda;
        }
    }
    return parts;
}

std::string ComputeOffers::why_not(const std::vector<ComputeOffer>& offers, const std::string& value) {
    const auto found = std::find_if(offers.begin(), offers.end(),
                                    [&value](const ComputeOffer& offer) { return offer.value == value; });
    return found == offers.end() ? std::string() : found->why_not;
}

std::string train_word(const Job& job, const std::string& key) {
    if (!job.train || !job.train->is_object()) {
        return "";
    }
    const auto found = job.train->find(key);
    return found != job.train->end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<int> gpus_of(const NodeSpec& node, const Job& job, const NodeFacts* facts) {
    if (const auto chosen = job.devices.find(node.name); chosen != job.devices.end()) {
        return chosen->second;
    }
    if (!node.gpus_auto) {
        return node.gpus;
    }
    std::vector<int> gpus;
    if (facts != nullptr) {
        for (const auto& gpu : facts->gpus) {
            gpus.push_back(gpu.index);
        }
    }
    return gpus;
}

ComputeOffers compute_offers(const std::vector<NodeSpec>& nodes, const Job& job, const KnownFacts& facts,
                             const EngineParts& engine) {
    const auto all = look_at(nodes, job, facts);
    std::string without;  // a node that is known to have no GPU
    std::string unknown;
    bool any = false;
    for (const auto& entry : all) {
        any = any || !entry.gpus.empty();
        if (!entry.known && unknown.empty()) {
            unknown = text(kContext, "%1 has not been probed: its GPUs are not known", {entry.node->name});
        } else if (entry.known && entry.gpus.empty() && without.empty()) {
            without = text(kContext, "%1 has no GPU", {entry.node->name});
        }
    }
    const std::string asked = train_word(job, "device");
    const bool nccl = job.backend == BackendChoice::Nccl;
    const bool gloo = job.backend == BackendChoice::Gloo;

    ComputeOffers offers;
    const std::string no_gpu = !without.empty() ? without : job.train && !engine.cuda ? no_cuda() : "";
    offers.devices = {{"auto", ""},
                      {"cpu", nccl ? text(kContext, "backend: nccl needs GPUs") : ""},
                      {"cuda", gloo ? text(kContext, "backend: gloo is for CPUs") : no_gpu}};
    const bool cpu = job.train && asked == "cpu";
    offers.backends = {{"auto", ""},
                       {"nccl", cpu ? text(kContext, "train.device: cpu asks for CPUs") : no_gpu},
                       {"gloo", job.train && asked == "cuda"
                                    ? text(kContext, "train.device: cuda averages gradients by NCCL")
                                    : ""}};

    const bool chosen = asked == "cpu" || asked == "cuda" || nccl || gloo;
    if (chosen) {
        offers.device = asked == "cuda" || (nccl && asked != "cpu") ? "cuda" : "cpu";
    } else {
        const bool gpus = any && without.empty() && unknown.empty();
        offers.device = gpus && engine.cuda ? "cuda" : "cpu";
        offers.why = offers.device == "cuda" ? text(kContext, "every node has a GPU")
                     : gpus                  ? no_cuda()
                     : !unknown.empty()      ? unknown
                     : any                   ? without
                                             : "";  // there is nothing to choose
    }
    const bool on_gpus = offers.device == "cuda";
    for (const auto& need : kPrecisions) {
        offers.precisions.push_back({need.name, on_gpus ? too_old(all, need)
                                                : need.on_cpus
                                                    ? ""
                                                    : text(kContext, "%1 needs GPUs", {need.name})});
    }
    return offers;
}

void add_device_notes(const Job& job, const ComputeOffers& offers, std::vector<std::string>& notes) {
    if (!job.train) {
        return;
    }
    if (!offers.why.empty()) {
        notes.push_back(offers.device == "cuda"
                            ? text(kContext, "The ranks train on GPUs: %1. train.device: cpu trains on CPUs.",
                                   {offers.why})
                            : text(kContext, "The ranks train on CPUs: %1.", {offers.why}));
    }
    if (offers.device == "cpu" && train_word(job, "precision") == "tf32") {
        notes.push_back(text(kContext, "tf32 is a precision of GPUs: CPUs compute in fp32."));
    }
}

}  // namespace rankscope::inline jobs
