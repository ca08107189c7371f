// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/sha256.h>
#include <engine/error.h>
#include <engine/models/initialise.h>
#include <engine/models/training_cost.h>
#include <engine/train/model_setup.h>
#include <engine/train/sum_over_ranks.h>

#include <algorithm>
#include <span>
#include <vector>

namespace rankscope::engine {
namespace {

using nlohmann::json;

std::string digest(const std::string& text) {
    return sha256_hex(std::as_bytes(std::span(text)));
}

std::string describe(const Graph& graph) {
    std::string text;
    for (const Parameter& parameter : graph.parameters) {
        text += parameter.name + to_string(parameter.shape) + "\n";
    }
    for (const Statistic& statistic : graph.statistics) {
        text += statistic.name + to_string(statistic.shape) + "\n";
    }
    return text;
}

/// The lowest rank whose text is not rank 0's, or −1.
int first_different(const std::vector<std::string>& texts) {
    const auto other =
        std::find_if(texts.begin(), texts.end(), [&](const auto& text) { return text != texts[0]; });
    return other == texts.end() ? -1 : static_cast<int>(other - texts.begin());
}

/// Texts of any length, by rank.
std::vector<std::string> gather_texts(const std::string& mine, ProcessGroup& group) {
    constexpr std::size_t kDigits = 20;
    std::string length = std::to_string(mine.size());
    length.insert(0, kDigits - length.size(), '0');
    std::vector<std::size_t> sizes;
    for (const std::string& text : group.all_gather(length)) {
        sizes.push_back(std::stoull(text));
    }
    std::string padded = mine;
    padded.resize(*std::max_element(sizes.begin(), sizes.end()), ' ');
    std::vector<std::string> texts = group.all_gather(padded);
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
        texts[rank].resize(sizes[rank]);
    }
    return texts;
}

/// The keys whose values differ, "epochs is 3, not 2".
void list_differences(const json& theirs, const json& ours, const std::string& path, std::string& text) {
    if (theirs.is_object() && ours.is_object()) {
        json keys = theirs;
        keys.update(ours);
        for (const auto& [key, unused] : keys.items()) {
            list_differences(theirs.value(key, json()), ours.value(key, json()),
                             path.empty() ? key : path + "." + key, text);
        }
    } else if (theirs != ours) {
        text += (text.empty() ? "" : ", ") + path + " is " + config::shown(theirs) + ", not " +
                config::shown(ours);
    }
}

Precision precision_of(const std::string& name) {
    return name == "tf32"   ? Precision::tf32
           : name == "bf16" ? Precision::bf16
           : name == "fp16" ? Precision::fp16
                            : Precision::fp32;
}

/// Collectives between the kernels of a step, on the device's own queue.
void use_queue(const config::TrainConfig& config, ProcessGroup& group, CompileOptions& options) {
    options.allocate = [&group](std::size_t floats) { return group.allocate(floats); };
    options.while_waiting = [&group](std::chrono::milliseconds waited) { group.healthy(waited); };
    if (config.sync_bn) {
        options.enqueue_sum = [&group](std::span<double> values, void* queue) {
            const Piece piece{values.data(), values.size()};
            group.enqueue({.pieces = {&piece, 1}, .type = ElementType::f64}, queue);
        };
        options.announce = [&group](std::size_t bytes, std::function<bool()> ended) {
            group.enqueued(bytes, std::move(ended));
        };
    }
}

}  // namespace

CompileOptions compile_options(const config::TrainConfig& config, ProcessGroup* group,
                               ProcessGroup* device_group) {
    CompileOptions options;
    options.batch_size = config.batch_size;
    options.precision = precision_of(config.precision);
    options.label_smoothing = config.label_smoothing;
    options.topk = config.topk;
    options.deterministic = config.deterministic;
    options.recompute = config.parallel.recompute == "blocks";
    if (device_group != nullptr) {
        use_queue(config, *device_group, options);
    } else if (group != nullptr) {
        // Reduced where they are computed.
        options.allocate = [group](std::size_t floats) { return group->allocate(floats); };
    }
    if (config.parallel.zero > 0 && group != nullptr) {
        options.sharding = Sharding{.stage = static_cast<ZeroStage>(config.parallel.zero),
                                    .rank = group->rank(),
                                    .ranks = group->size(),
                                    .limits = bucket_limits(config.ddp)};
        options.gather_shares = [group](std::span<const Piece> pieces, Shares shares, When when) {
            return group->gather_shares(pieces, shares, when);
        };
    }
    if (config.sync_bn && group != nullptr && device_group == nullptr) {
        options.sum_across_ranks = [group](std::span<double> values) { sum_over_ranks(group, values); };
    }
    return options;
}

json common_settings(config::TrainConfig config) {
    config.dataset.root.clear();
    config.dataset.workers.reset();
    config.threads.reset();
    config.log_every = 1;
    config.checkpoint.folder.clear();
    config.checkpoint.init_from.clear();
    return config::to_json(config);
}

void check_common_settings(const json& mine, ProcessGroup* group) {
    if (group == nullptr || first_different(group->all_gather(digest(mine.dump()))) < 0) {
        return;
    }
    const std::vector<std::string> texts = gather_texts(mine.dump(), *group);
    const int stranger = first_different(texts);
    std::string differences;
    list_differences(read_json(texts[static_cast<std::size_t>(stranger)]), read_json(texts[0]), "",
                     differences);
    throw Error("rank " + std::to_string(stranger) + " has another configuration than rank 0: " +
                differences + ". All ranks must be given the same train section.");
}

void check_same(const std::string& what, const std::string& mine, ProcessGroup* group) {
    if (group == nullptr || first_different(group->all_gather(digest(mine))) < 0) {
        return;
    }
    const std::vector<std::string> texts = gather_texts(mine, *group);
    const int stranger = first_different(texts);
    throw Error("rank " + std::to_string(stranger) + " has " + what +
                " than rank 0: " + texts[static_cast<std::size_t>(stranger)] + ", not " + texts[0]);
}

std::unique_ptr<CompiledModel> synchronised_model(const CompileModel& compile, const Graph& graph,
                                                  CompileOptions options, std::uint64_t seed,
                                                  ProcessGroup* group, ProcessGroup* device_group) {
    std::unique_ptr<CompiledModel> model = compile(options);
    if (group != nullptr) {
        check_same("another network", describe(graph), group);
        if (first_different(group->all_gather(digest(model->layout().fingerprint))) >= 0) {
            options.order = StorageOrder::canonical;
            model = compile(options);
        }
    }
    const bool divided = model->shards() != nullptr && model->shards()->gathers();
    if (group == nullptr || group->rank() == 0 || divided) {
        initialise(graph, seed,
                   [&](ParameterId id, std::span<const float> values) { model->set_weight(id, values); });
    }
    if (group != nullptr && !divided) {
        (device_group != nullptr ? device_group : group)->broadcast(model->weights(), 0);
    }
    return model;
}

void check_batch_norms(const Graph& graph, std::int64_t smallest_batch) {
    for (const Node& node : graph.nodes) {
        if (!std::holds_alternative<BatchNorm2d>(node.operation)) {
            continue;
        }
        const Shape& shape = graph.values[node.output].shape;
        if (smallest_batch * element_count(shape) / shape[0] == 1) {
            throw ConfigError("an epoch has a batch of one sample, of which " + node.name +
                              " gets one value per channel (" + to_string(shape) +
                              "): there is no variance. Set drop_last: true, or another batch_size.");
        }
    }
}

std::string parameter_checksum(CompiledModel& model, const Graph& graph) {
    std::vector<float> all;
    for (const ParameterId id : graph.parameters.indices()) {
        const std::vector<float> values = model.weight(id);
        all.insert(all.end(), values.begin(), values.end());
    }
    return "sha256:" + sha256_hex(std::as_bytes(std::span(all)));
}

}  // namespace rankscope::engine
