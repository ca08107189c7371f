// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A plan as text and as JSON: shown, and stored with the run.

#include <base/command_parts.h>
#include <base/json_number.h>
#include <base/number_text.h>
#include <base/shell_quote.h>
#include <base/text.h>
#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/jobs/plan/run_mesh.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "LaunchPlan";

// As it may be shown and stored.
std::map<std::string, std::string> masked_env(const LaunchPlan& plan, const RankPlan& rank) {
    std::map<std::string, std::string> env = rank.env;
    for (auto& [name, value] : env) {
        if (plan.secret_env.contains(name) || is_secret_name(name)) {
            value = kSecretMask;
        }
    }
    return env;
}

// What is set, by the keys of the job.
template <typename Keys, typename Visit>
void visit_throughput(Keys& keys, Visit visit) {
    visit("batch", keys.batch);
    visit("batch_per_rank", keys.batch_per_rank);
    visit("tokens_per_sample", keys.tokens_per_sample);
    visit("flops_per_sample", keys.flops_per_sample);
    visit("parameters", keys.parameters);
    visit("peak_tflops", keys.peak_tflops);
}

nlohmann::json memory_json(const engine::MemoryEstimate& memory) {
    return {{"activations", memory.activations}, {"parameters", memory.parameters()},
            {"weights", memory.weights},         {"gradients", memory.gradients},
            {"optimizer", memory.optimizer},     {"libraries", memory.libraries}};
}

engine::MemoryEstimate memory_from(const nlohmann::json& memory) {
    return {.activations = memory.at("activations"),
            .weights = memory.value("weights", memory.at("parameters").get<std::uint64_t>()),
            .gradients = memory.value("gradients", std::uint64_t{0}),
            .optimizer = memory.value("optimizer", std::uint64_t{0}),
            .libraries = memory.at("libraries")};
}

nlohmann::json pipeline_json(const engine::PipelineCost& pipeline) {
    nlohmann::json json{{"micro_batches", pipeline.micro_batches},
                        {"bubble", pipeline.bubble},
                        {"stages", nlohmann::json::array()}};
    for (const engine::StageCost& stage : pipeline.stages) {
        json["stages"].push_back({{"layers", stage.layers},
                                  {"share", stage.share},
                                  {"memory", memory_json(stage.memory)},
                                  {"sent_per_update", stage.sent}});
    }
    return json;
}

engine::PipelineCost pipeline_from(const nlohmann::json& json) {
    engine::PipelineCost pipeline{
        .micro_batches = json.at("micro_batches"), .bubble = json.at("bubble"), .stages = {}};
    for (const auto& stage : json.at("stages")) {
        pipeline.stages.push_back({.layers = stage.at("layers"),
                                   .share = stage.at("share"),
                                   .memory = memory_from(stage.at("memory")),
                                   .sent = stage.at("sent_per_update")});
    }
    return pipeline;
}

std::optional<engine::SliceCost> slice_from(const nlohmann::json& json) {
    if (!json.contains("slice")) {
        return std::nullopt;
    }
    const nlohmann::json& slice = json.at("slice");
    const engine::SliceCost cost{.slices = slice.at("slices"),
                                 .parameters = slice.at("parameters"),
                                 .sums = slice.at("sums_per_update")};
    return cost.slices > 0 ? std::optional(cost) : std::nullopt;
}

nlohmann::json cost_json(const engine::TrainingCost& cost) {
    nlohmann::json json = {{"model", cost.model},
                           {"batch_size", cost.batch_size},
                           {"tokens", cost.tokens},
                           {"parameters", cost.parameters},
                           {"forward_flops", cost.forward_flops},
                           {"training_flops", cost.training_flops},
                           {"memory", memory_json(cost.memory)},
                           {"sent_per_update", cost.sent}};
    if (cost.published_accuracy) {
        json["published_accuracy"] = *cost.published_accuracy;
    }
    if (cost.pipeline) {
        json["pipeline"] = pipeline_json(*cost.pipeline);
    }
    if (cost.slice) {
        json["slice"] = {{"slices", cost.slice->slices},
                         {"parameters", cost.slice->parameters},
                         {"sums_per_update", cost.slice->sums}};
    }
    return json;
}

engine::TrainingCost cost_from(const nlohmann::json& json) {
    return {.model = json.at("model"),
            .batch_size = json.at("batch_size"),
            .tokens = json.at("tokens"),
            .parameters = json.at("parameters"),
            .forward_flops = json.at("forward_flops"),
            .training_flops = json.at("training_flops"),
            .published_accuracy = json.contains("published_accuracy")
                                      ? std::optional<double>(json.at("published_accuracy"))
                                      : std::nullopt,
            .memory = memory_from(json.at("memory")),
            .sent = json.value("sent_per_update", std::uint64_t{0}),
            .pipeline = json.contains("pipeline")
                            ? std::optional<engine::PipelineCost>(pipeline_from(json.at("pipeline")))
                            : std::nullopt,
            .slice = slice_from(json)};
}

nlohmann::json training_json(const TrainingAdvice& training) {
    nlohmann::json json{{"batch_size", training.batch_size},
                        {"accumulate_steps", training.accumulated},
                        {"world_size", training.world_size},
                        {"global_batch", training.global_batch},
                        {"lr", training.lr},
                        {"highest_lr", training.highest_lr}};
    if (training.scaled_lr) {
        json["scaled_lr"] = *training.scaled_lr;
    }
    if (training.steps_per_epoch) {
        json["updates_per_epoch"] = *training.steps_per_epoch;
    }
    return json;
}

TrainingAdvice training_from(const nlohmann::json& json) {
    TrainingAdvice training;
    training.batch_size = json.at("batch_size");
    training.accumulated = json.at("accumulate_steps");
    training.world_size = json.at("world_size");
    training.global_batch = json.at("global_batch");
    training.lr = json.at("lr");
    training.highest_lr = json.at("highest_lr");
    if (json.contains("scaled_lr")) {
        training.scaled_lr = json.at("scaled_lr").get<double>();
    }
    if (json.contains("updates_per_epoch")) {
        training.steps_per_epoch = json.at("updates_per_epoch").get<std::int64_t>();
    }
    return training;
}

nlohmann::json rank_json(const LaunchPlan& plan, const RankPlan& rank) {
    nlohmann::json json{{"rank", rank.rank},     {"local_rank", rank.local_rank}, {"node", rank.node},
                        {"device", rank.device}, {"env", masked_env(plan, rank)}, {"command", rank.command}};
    if (!rank.event_folder.empty()) {
        json["event_folder"] = rank.event_folder;
    }
    if (!rank.gpu.empty()) {
        json["gpu"] = rank.gpu;
    }
    if (rank.mpi) {
        json["mpi"] = {
            {"endpoint", rank.mpi->endpoint}, {"address", rank.mpi->address}, {"hosts", rank.mpi->hosts}};
    }
    if (rank.outer_rank >= 0) {
        json["outer_rank"] = rank.outer_rank;
        json["pid"] = rank.pid;
    }
    return json;
}

std::string kinds_text(const engine::MemoryEstimate& memory) {
    return text(kContext, "weights %1, gradients %2, optimizer %3, activations %4",
                {size_text(memory.weights), size_text(memory.gradients), size_text(memory.optimizer),
                 size_text(memory.activations)});
}

}  // namespace

nlohmann::json to_json(const LaunchPlan& plan) {
    nlohmann::json json{{"job", plan.job_name},
                        {"backend", plan.backend},
                        {"world_size", plan.world_size},
                        {"master_node", plan.master_node},
                        {"master_addr", plan.master_addr},
                        {"master_port", plan.master_port},
                        {"notes", plan.notes},
                        {"nodes", nlohmann::json::array()},
                        {"ranks", nlohmann::json::array()}};
    for (const auto& node : plan.nodes) {
        json["nodes"].push_back({{"node", node.node},
                                 {"group_rank", node.group_rank},
                                 {"local_world_size", node.local_world_size},
                                 {"address", node.address},
                                 {"interface", node.interface_name}});
    }
    const RunMesh mesh = mesh_of(plan);
    for (const auto& rank : plan.ranks) {
        json["ranks"].push_back(rank_json(plan, rank));
        if (const std::string place = place_text(mesh, rank.rank); !place.empty()) {
            json["ranks"].back()["place"] = place;
        }
    }
    if (!mesh.empty()) {
        json["mesh"] = mesh_text(mesh);
    }
    for (const auto& rank : plan.programs) {
        json["programs"].push_back(rank_json(plan, rank));
    }
    if (plan.cost) {
        json["cost"] = cost_json(*plan.cost);
    }
    if (plan.training) {
        json["training"] = training_json(*plan.training);
    }
    if (plan.code) {
        json["code"] = to_json(*plan.code);
    }
    visit_throughput(plan.throughput, [&json](const char* name, const std::optional<double>& value) {
        if (value) {
            json["throughput"][name] = *value;
        }
    });
    return json;
}

Result<LaunchPlan> plan_from_json(const nlohmann::json& json) {
    const auto whole = [](const nlohmann::json& value) { return whole_number<int>(value).value(); };
    const auto rank_from = [&whole](const nlohmann::json& rank) {
        RankPlan entry;
        entry.rank = whole(rank.at("rank"));
        entry.local_rank = whole(rank.at("local_rank"));
        entry.node = rank.at("node");
        entry.device = rank.at("device");
        entry.env = rank.at("env").get<std::map<std::string, std::string>>();
        entry.command = rank.at("command").get<std::vector<std::string>>();
        entry.event_folder = rank.value("event_folder", std::string());
        entry.gpu = rank.value("gpu", std::string());
        if (rank.contains("mpi")) {
            const auto& mpi = rank.at("mpi");
            entry.mpi = MpiPlan{mpi.at("endpoint"), mpi.at("address"), mpi.at("hosts")};
        }
        if (rank.contains("outer_rank")) {
            entry.outer_rank = whole(rank.at("outer_rank"));
            entry.pid = whole_number<std::int64_t>(rank.at("pid")).value();
        }
        return entry;
    };
    LaunchPlan plan;
    try {
        plan.job_name = json.at("job");
        plan.backend = json.at("backend");
        plan.world_size = whole(json.at("world_size"));
        plan.master_node = json.at("master_node");
        plan.master_addr = json.at("master_addr");
        plan.master_port = whole(json.at("master_port"));
        plan.notes = json.value("notes", std::vector<std::string>());
        for (const auto& node : json.at("nodes")) {
            plan.nodes.push_back({node.at("node"), whole(node.at("group_rank")),
                                  whole(node.at("local_world_size")), node.at("address"),
                                  node.value("interface", std::string())});
        }
        for (const auto& rank : json.at("ranks")) {
            plan.ranks.push_back(rank_from(rank));
        }
        for (const auto& rank : json.value("programs", nlohmann::json::array())) {
            plan.programs.push_back(rank_from(rank));
        }
        if (json.contains("cost")) {
            plan.cost = cost_from(json.at("cost"));
        }
        if (json.contains("training")) {
            plan.training = training_from(json.at("training"));
        }
        if (json.contains("code")) {
            plan.code = code_from_json(json.at("code"));
        }
        const auto keys = json.value("throughput", nlohmann::json::object());
        visit_throughput(plan.throughput, [&keys](const char* name, std::optional<double>& value) {
            if (keys.contains(name)) {
                value = keys.at(name).get<double>();
            }
        });
    } catch (const std::exception& error) {
        return Failure{"bad-plan", "", text(kContext, "A stored plan cannot be read."), "", error.what()};
    }
    return plan;
}

std::string cost_text(const engine::TrainingCost& cost) {
    constexpr double kGiga = 1e9;
    constexpr double kMega = 1e6;
    const double samples = cost.tokens > 0 ? static_cast<double>(cost.tokens) : 1.0;
    const std::string parameters = short_number_text(static_cast<double>(cost.parameters) / kMega, 3);
    const std::string flops = short_number_text(cost.training_flops / samples / kGiga, 3);
    return cost.tokens > 0 ? text(kContext, "%1: %2 million parameters, %3 GFLOP for each token of training",
                                  {cost.model, parameters, flops})
                           : text(kContext, "%1: %2 million parameters, %3 GFLOP for each sample of training",
                                  {cost.model, parameters, flops});
}

bool on_gpus(const LaunchPlan& plan) {
    return std::any_of(plan.ranks.begin(), plan.ranks.end(),
                       [](const RankPlan& rank) { return rank.device != "cpu"; });
}

std::string memory_text(const engine::TrainingCost& cost, bool gpu) {
    const std::string total = size_text(cost.memory.total() - (gpu ? 0 : cost.memory.libraries));
    return (gpu ? text(kContext, "about %1 of GPU memory for each rank", {total})
            : cost.pipeline
                ? text(kContext, "about %1 of memory for each rank of the stage that needs most", {total})
                : text(kContext, "about %1 of memory for each rank", {total})) +
           ": " + kinds_text(cost.memory);
}

std::string sent_text(const engine::TrainingCost& cost) {
    return cost.pipeline
               ? text(kContext, "a rank sends at most about %1 for an update", {size_text(cost.sent)})
               : text(kContext, "each rank sends about %1 for an update", {size_text(cost.sent)});
}

std::vector<std::string> division_texts(const LaunchPlan& plan) {
    std::vector<std::string> texts;
    const auto percent = [](double share) { return fixed_text(100 * share, 0); };
    const int slices = plan.cost && plan.cost->slice ? plan.cost->slice->slices : 1;
    if (plan.cost && plan.cost->slice) {
        const engine::SliceCost& slice = *plan.cost->slice;
        texts.push_back(text(
            kContext,
            "slices: %1 ranks have a part of each layer, %2 % of the parameters each; their sums take %3 of "
            "what a rank sends",
            {std::to_string(slices),
             percent(static_cast<double>(slice.parameters) / static_cast<double>(plan.cost->parameters)),
             size_text(slice.sums)}));
    }
    if (!plan.cost || !plan.cost->pipeline) {
        return texts;
    }
    const engine::PipelineCost& pipeline = *plan.cost->pipeline;
    const auto stages = static_cast<int>(pipeline.stages.size());
    const int in_stage = plan.world_size / stages;
    texts.push_back(text(
        kContext,
        "pipelines: %1 of %2 stages, %3 micro-batches; a stage waits for others %4 % of the time if all take "
        "equally long",
        {std::to_string(in_stage / slices), std::to_string(stages), std::to_string(pipeline.micro_batches),
         percent(pipeline.bubble)}));
    for (int i = 0; i < stages; ++i) {
        const engine::StageCost& stage = pipeline.stages[static_cast<std::size_t>(i)];
        const std::string ranks =
            std::to_string(i * in_stage) + (in_stage > 1 ? "–" + std::to_string((i + 1) * in_stage - 1) : "");
        texts.push_back(text(kContext,
                             "stage %1 (rank %2): %3, %4 % of the work; %5; sends about %6 for an update",
                             {std::to_string(i), ranks, stage.layers, percent(stage.share),
                              kinds_text(stage.memory), size_text(stage.sent)}));
    }
    return texts;
}

std::string published_text(double accuracy) {
    return text(kContext, "published accuracy on ImageNet-1k: %1 %", {fixed_text(accuracy * 100, 2)});
}

std::string to_text(const LaunchPlan& plan) {
    std::string out = plan.job_name + ": " + std::to_string(plan.world_size) + " rank" +
                      (plan.world_size == 1 ? "" : "s") + " on " + std::to_string(plan.nodes.size()) +
                      " node" + (plan.nodes.size() == 1 ? "" : "s") + ", backend " + plan.backend +
                      ", master " + plan.master_node + " at " + plan.master_addr + ':' +
                      (plan.master_port == 0 ? "(free port)" : std::to_string(plan.master_port)) + '\n';
    for (const auto& node : plan.nodes) {
        out += "  node " + std::to_string(node.group_rank) + ": " + node.node + " at " + node.address +
               (node.interface_name.empty() ? "" : " (" + node.interface_name + ")") + ", " +
               std::to_string(node.local_world_size) + " rank" + (node.local_world_size == 1 ? "" : "s") +
               '\n';
    }
    if (plan.training) {
        out += "  " + advice_text(*plan.training) + '\n';
    }
    if (plan.cost) {
        out += "  " + cost_text(*plan.cost) + '\n';
        if (plan.cost->published_accuracy) {
            out += "  " + published_text(*plan.cost->published_accuracy) + '\n';
        }
        out += "  " + memory_text(*plan.cost, on_gpus(plan)) + '\n';
        if (plan.cost->sent > 0) {
            out += "  " + sent_text(*plan.cost) + '\n';
        }
        for (const std::string& line : division_texts(plan)) {
            out += "  " + line + '\n';
        }
    }
    for (const auto& note : plan.notes) {
        out += "  note: " + note + '\n';
    }
    const RunMesh mesh = mesh_of(plan);
    if (!mesh.empty()) {
        out += "  mesh: " + mesh_text(mesh) + '\n';
    }
    for (const auto& rank : plan.ranks) {
        out += "\nrank " + std::to_string(rank.rank) + "  " + rank.node + "  " + rank.device +
               "  local rank " + std::to_string(rank.local_rank);
        if (const std::string place = place_text(mesh, rank.rank); !place.empty()) {
            out += "  " + place;
        }
        out += "\n ";
        for (const auto& [key, value] : masked_env(plan, rank)) {
            out += ' ' + (value == kSecretMask && VariableName::of(key) ? key + '=' + value
                                                                        : shell_assignment(key, value));
        }
        out += "\n ";
        for (const auto& word : rank.command) {
            out += ' ' + (word == "{worker}" || word == "{config}" ? word : shell_quote(word));
        }
        if (!rank.event_folder.empty()) {
            out += "\n  " + text(kContext, "event files below %1", {shell_quote(rank.event_folder)});
        }
        out += '\n';
    }
    return out;
}

}  // namespace rankscope::inline jobs
