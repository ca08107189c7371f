// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/phrase.h>
#include <base/config/train_keys.h>

#include <cmath>

namespace rankscope::config {
namespace {

using nlohmann::json;
using Table = KeyTable<TrainConfig>;

constexpr Range kFrom0{.min = 0, .max = kNoLimit, .below = true};
constexpr Range kAbove0{.min = 0, .max = kNoLimit, .above = true, .below = true};
constexpr Range kShare{.min = 0, .max = 1, .below = true};
constexpr Range kWholeFrom0{.min = 0, .max = kMaxWhole};
constexpr Range kPositiveWhole{.min = 1, .max = kMaxWhole};
constexpr Range kCount{.min = 1, .max = 1'000'000};

constexpr const char* kModel = "Model and data";
constexpr const char* kTraining = "Training";
constexpr const char* kOptimizer = "Optimizer";
constexpr const char* kSchedule = "Learning rate schedule";
constexpr const char* kCompute = "Device and precision";
constexpr const char* kValidation = "Validation";
constexpr const char* kCheckpoint = "Checkpoints";
constexpr const char* kOutput = "Output";

// clang-format off
// NOLINTNEXTLINE(bugprone-macro-parentheses): a lambda as an argument
#define MEMBER(path) [](auto& config) -> auto& { return config.path; }
// clang-format on

template <typename Get>
void add(Table& table, std::string path, Get get, KeyInfo info) {
    table.keys.push_back(key<TrainConfig>(std::move(path), get, std::move(info)));
}

void add_model(Table& table) {
    table.sections.push_back(
        {.path = "model", .example = "model: convnet", .shorthand = "name", .required = true});
    add(table, "model.name", MEMBER(model),
        {.choices = known_models(),
         .label = "&Model",
         .help = "The network. `model: convnet` is short for `model: { name: convnet }`.",
         .example = "name: convnet",
         .group = kModel,
         .required = true});
    add(table, "model.classes", MEMBER(classes),
        {.range = kCount,
         .label = "Classes",
         .help = "Outputs of the last layer.",
         .absent = "those of the data set",
         .group = kModel,
         .rare = true});
}

void add_training(Table& table) {
    add(table, "epochs", MEMBER(epochs),
        {.range = {1, 1e9}, .label = "&Epochs", .help = "Passes over the data set.", .group = kTraining});
    add(table, "batch_size", MEMBER(batch_size),
        {.range = kCount,
         .label = "B&atch size",
         .help = "Samples of a rank in one forward pass; of a replica where ranks divide the network.",
         .group = kTraining});
    add(table, "accumulate_steps", MEMBER(accumulate_steps),
        {.range = kCount,
         .label = "Batches per update",
         .help = "Batches before an update; the gradient is that of their mean loss.",
         .group = kTraining,
         .rare = true});
    add(table, "max_steps", MEMBER(max_steps),
        {.range = kPositiveWhole,
         .label = "Stop after updates",
         .help = "The run ends after this number of updates.",
         .absent = "no limit",
         .group = kTraining,
         .rare = true});
    add(table, "label_smoothing", MEMBER(label_smoothing),
        {.range = kShare,
         .label = "Label smoothing",
         .help = "Share of the target that is spread over all classes.",
         .group = kTraining,
         .rare = true});
    add(table, "dropout", MEMBER(dropout),
        {.range = kShare,
         .label = "Dropout",
         .help = "Share of elements that training sets to 0: GPTs, vision transformers, EfficientNet.",
         .group = kTraining,
         .rare = true});
    add(table, "drop_path", MEMBER(drop_path),
        {.range = kShare,
         .label = "Stochastic depth",
         .help = "Share of samples that leave out the last residual branch, fewer before it: vision "
                 "transformers, EfficientNet.",
         .group = kTraining,
         .rare = true});
    add(table, "clip_norm", MEMBER(clip_norm),
        {.range = kAbove0,
         .label = "Clip norm",
         .help = "Largest total norm of the gradients.",
         .absent = "no limit",
         .group = kTraining,
         .rare = true});
    add(table, "clip_value", MEMBER(clip_value),
        {.range = kAbove0,
         .label = "Clip value",
         .help = "Largest absolute value of a gradient.",
         .absent = "no limit",
         .group = kTraining,
         .rare = true});
    add(table, "shuffle", MEMBER(shuffle),
        {.label = "Shuffle",
         .help = "A new order of the samples in every epoch (seed + epoch, as PyTorch's "
                 "DistributedSampler).",
         .group = kTraining,
         .rare = true});
    add(table, "drop_last", MEMBER(drop_last),
        {.label = "Drop the rest",
         .help = "Leave out the samples that do not fill all ranks, and the last short batch.",
         .group = kTraining,
         .rare = true});
    add(table, "drop_short_batch", MEMBER(drop_short_batch),
        {.label = "Drop a short batch",
         .help = "Leave out only the last short batch, as PyTorch's DataLoader(drop_last=True).",
         .group = kTraining,
         .rare = true});
    add(table, "sync_bn", MEMBER(sync_bn),
        {.label = "Synchronise batch norms",
         .help = "Batch norms use the statistics of the batches of all ranks.",
         .group = kTraining,
         .rare = true});
    add(table, "seed", MEMBER(seed),
        {.range = kWholeFrom0,
         .label = "See&d",
         .help = "Of the initial parameters and the order of the samples.",
         .group = kTraining});
    add(table, "order_seed", MEMBER(order_seed),
        {.range = kWholeFrom0,
         .label = "Seed of the order",
         .help = "Of the order of the samples alone.",
         .absent = "seed",
         .group = kTraining,
         .rare = true});
}

/// Of the optimizer that is chosen: the other defaults of PyTorch with it.
void set_optimizer(OptimizerConfig& optimizer) {
    if (optimizer.name != "sgd") {
        optimizer.lr = 1e-3;
        optimizer.weight_decay = optimizer.name == "adamw" ? 0.01 : 0.0;
    }
}

void add_optimizer(Table& table) {
    table.sections.push_back(
        {.path = "optimizer", .example = "optimizer: { name: sgd, lr: 0.01, momentum: 0.9 }"});
    KeyInfo name{.label = "&Optimizer", .help = "What updates the parameters.", .group = kOptimizer};
    name.kind = KeyKind::Choice;
    name.choices = {"sgd", "adam", "adamw"};
    table.keys.push_back(special_key<TrainConfig>(
        "optimizer.name", name,
        [](const KeyReader& reader, TrainConfig& config) {
            if (read_value(reader, config.optimizer.name)) {
                set_optimizer(config.optimizer);
            }
        },
        [](const TrainConfig& config) -> json { return config.optimizer.name; }));
    add(table, "optimizer.lr", MEMBER(optimizer.lr),
        {.range = kFrom0,
         .label = "&Learning rate",
         .help = "With adam and adamw the default is 0.001.",
         .group = kOptimizer});
    add(table, "optimizer.momentum", MEMBER(optimizer.momentum),
        {.range = kShare,
         .label = "M&omentum",
         .group = kOptimizer,
         .when_key = "optimizer.name",
         .when = {"sgd"}});
    add(table, "optimizer.beta1", MEMBER(optimizer.beta1),
        {.range = kShare,
         .label = "Beta 1",
         .help = "Decay of the mean of the gradients.",
         .group = kOptimizer,
         .when_key = "optimizer.name",
         .when = {"adam", "adamw"}});
    add(table, "optimizer.beta2", MEMBER(optimizer.beta2),
        {.range = kShare,
         .label = "Beta 2",
         .help = "Decay of the mean of their squares.",
         .group = kOptimizer,
         .when_key = "optimizer.name",
         .when = {"adam", "adamw"}});
    add(table, "optimizer.weight_decay", MEMBER(optimizer.weight_decay),
        {.range = kFrom0,
         .label = "&Weight decay",
         .help = "With adamw the default is 0.01.",
         .group = kOptimizer});
    add(table, "optimizer.nesterov", MEMBER(optimizer.nesterov),
        {.label = "Nesterov",
         .help = "Nesterov's momentum; needs a momentum and no dampening.",
         .group = kOptimizer,
         .when_key = "optimizer.name",
         .when = {"sgd"}});
    add(table, "optimizer.dampening", MEMBER(optimizer.dampening),
        {.range = kFrom0,
         .label = "Dampening",
         .help = "Of the momentum.",
         .group = kOptimizer,
         .rare = true,
         .when_key = "optimizer.name",
         .when = {"sgd"}});
    add(table, "optimizer.eps", MEMBER(optimizer.eps),
        {.range = kAbove0,
         .label = "Epsilon",
         .help = "Added to the divisor.",
         .group = kOptimizer,
         .rare = true,
         .when_key = "optimizer.name",
         .when = {"adam", "adamw"}});
    add(table, "optimizer.no_decay_norm_bias", MEMBER(optimizer.no_decay_norm_bias),
        {.label = "No decay of norms",
         .help = "Biases and normalisation layers are not decayed.",
         .group = kOptimizer,
         .rare = true});
}

void read_milestones(const KeyReader& reader, TrainConfig& config) {
    const auto fault = [&](const std::string& message) {
        reader.add(message, phrase("Give epochs in ascending order, for example [30, 60, 90]."));
    };
    if (!reader.node.is_list()) {
        return fault(phrase("%1 is not a list", {shown(reader.node)}));
    }
    std::vector<double> milestones;
    for (const ConfigNode& item : reader.node.items) {
        const auto epoch = item.is_scalar() && item.plain ? to_number(item.text) : std::nullopt;
        if (!epoch || *epoch < 0 || *epoch >= kNoLimit ||
            (!milestones.empty() && *epoch <= milestones.back())) {
            return fault(phrase("%1 is in the list", {shown(item)}));
        }
        milestones.push_back(*epoch);
    }
    config.schedule.milestones = std::move(milestones);
}

WarmupConfig& warmup_of(TrainConfig& config) {
    return config.schedule.warmup ? *config.schedule.warmup : config.schedule.warmup.emplace();
}
const WarmupConfig& warmup_of(const TrainConfig& config) {
    static const WarmupConfig none{};
    return config.schedule.warmup ? *config.schedule.warmup : none;
}

void add_schedule(Table& table) {
    const std::vector<std::string> by_time{"constant", "cos", "steps"};
    const char* const chosen = "schedule.name";
    table.sections.push_back({.path = "schedule",
                              .example = "schedule: { name: cos, warmup: { epochs: 5 } }",
                              .shorthand = "name"});
    table.sections.push_back({.path = "schedule.warmup", .example = "warmup: { epochs: 5, factor: 0.1 }"});
    add(table, chosen, MEMBER(schedule.name),
        {.choices = {"constant", "cos", "steps", "onecycle"},
         .label = "Sche&dule",
         .help = "How the learning rate changes. `schedule: cos` is short for `schedule: { name: cos }`. "
                 "onecycle is PyTorch's OneCycleLR, and lr its max_lr.",
         .example = "name: cos",
         .group = kSchedule,
         .required = true});
    add(table, "schedule.by", MEMBER(schedule.by),
        {.choices = {"epoch", "step"},
         .label = "Changes by",
         .help = "Whether the rate changes after every epoch or after every step.",
         .group = kSchedule,
         .rare = true,
         .when_key = chosen,
         .when = by_time});
    add(table, "schedule.min_lr_factor", MEMBER(schedule.min_lr_factor),
        {.range = kFrom0,
         .label = "Ends at",
         .help = "The last rate as a share of lr.",
         .group = kSchedule,
         .when_key = chosen,
         .when = {"cos"}});
    KeyInfo milestones{.label = "Milestones",
                       .help = "Epochs after which the rate is multiplied by gamma.",
                       .example = "milestones: [30, 60, 90]",
                       .group = kSchedule,
                       .required = true,
                       .when_key = chosen,
                       .when = {"steps"}};
    milestones.kind = KeyKind::Special;
    table.keys.push_back(special_key<TrainConfig>(
        "schedule.milestones", milestones, read_milestones,
        [](const TrainConfig& config) -> json { return config.schedule.milestones; }));
    add(table, "schedule.gamma", MEMBER(schedule.gamma),
        {.range = kAbove0,
         .label = "Gamma",
         .help = "Factor at every milestone.",
         .group = kSchedule,
         .when_key = chosen,
         .when = {"steps"}});
    const auto warmup_key = [&](std::string path, auto get, KeyInfo info) {
        info.group = kSchedule;
        info.when_key = chosen;
        info.when = by_time;
        Key<TrainConfig> made = key<TrainConfig>(std::move(path), get, std::move(info));
        made.write = [inner = made.write](const TrainConfig& config) -> json {
            return config.schedule.warmup ? inner(config) : json(nullptr);
        };
        table.keys.push_back(std::move(made));
    };
    warmup_key("schedule.warmup.epochs", [](auto& config) -> auto& { return warmup_of(config).epochs; },
               {.range = {.min = 0, .max = 1e9, .below = true},
                .label = "Warm-up epochs",
                .help = "The rate rises to the schedule's in this time. Give epochs or steps.",
                .absent = "no warm-up"});
    warmup_key("schedule.warmup.steps", [](auto& config) -> auto& { return warmup_of(config).steps; },
               {.range = kWholeFrom0,
                .label = "Warm-up steps",
                .help = "The same in steps.",
                .absent = "no warm-up",
                .rare = true});
    warmup_key("schedule.warmup.factor", [](auto& config) -> auto& { return warmup_of(config).factor; },
               {.range = kFrom0,
                .label = "Warm-up starts at",
                .help = "The first rate as a share of the schedule's.",
                .rare = true});
    add(table, "schedule.reference_batch", MEMBER(schedule.reference_batch),
        {.range = kPositiveWhole,
         .label = "Reference batch",
         .help = "lr is for this number of samples per update and is scaled linearly to "
                 "batch_size · world size · accumulate_steps.",
         .absent = "lr is used as it is",
         .group = kSchedule,
         .rare = true});
    const auto one_cycle = [&](const char* path, auto get, KeyInfo info) {
        info.group = kSchedule;
        info.when_key = chosen;
        info.when = {"onecycle"};
        add(table, path, get, std::move(info));
    };
    one_cycle("schedule.pct_start", MEMBER(schedule.pct_start),
              {.range = kShare, .label = "Rising share", .help = "Share of the steps in which lr rises."});
    one_cycle("schedule.anneal", MEMBER(schedule.anneal),
              {.choices = {"cos", "linear"}, .label = "Anneal", .help = "Shape of the curve."});
    one_cycle("schedule.div_factor", MEMBER(schedule.div_factor),
              {.range = kAbove0, .label = "First divisor", .help = "The first rate is lr divided by it."});
    one_cycle("schedule.final_div_factor", MEMBER(schedule.final_div_factor),
              {.range = kAbove0,
               .label = "Last divisor",
               .help = "The last rate is the first divided by it.",
               .rare = true});
    one_cycle("schedule.three_phase", MEMBER(schedule.three_phase),
              {.label = "Three phases", .help = "A third phase brings lr to its minimum.", .rare = true});
    one_cycle("schedule.cycle_momentum", MEMBER(schedule.cycle_momentum),
              {.label = "Cycle momentum", .help = "The momentum changes against lr.", .rare = true});
    one_cycle("schedule.base_momentum", MEMBER(schedule.base_momentum),
              {.range = kShare, .label = "Base momentum", .rare = true});
    one_cycle("schedule.max_momentum", MEMBER(schedule.max_momentum),
              {.range = kShare, .label = "Largest momentum", .rare = true});
}

void add_compute(Table& table) {
    add(table, "device", MEMBER(device),
        {.choices = {"auto", "cuda", "cpu"},
         .label = "De&vice",
         .help = "What computes. auto: GPUs where every node of the run has one, else CPUs; the plan says "
                 "which. cuda takes one GPU per rank and NCCL.",
         .group = kCompute});
    add(table, "precision", MEMBER(precision),
        {.choices = {"fp32", "tf32", "bf16", "fp16"},
         .label = "&Precision",
         .help =
             "What multiplies; weights stay fp32. GPUs need compute capability 8.0 for tf32 and bf16, 7.0 "
             "for fp16. CPUs compute tf32 as fp32, need AVX512-BF16 for bf16, and have no fp16.",
         .group = kCompute});
    add(table, "deterministic", MEMBER(deterministic),
        {.label = "Deterministic",
         .help = "Only kernels that give the same bits in every run.",
         .group = kCompute,
         .rare = true});
    add(table, "threads", MEMBER(threads),
        {.range = {1, 1024},
         .label = "Threads per rank",
         .help = "Compute threads.",
         .absent = "OMP_NUM_THREADS, else 1",
         .group = kCompute,
         .rare = true,
         .scope = Scope::Rank});
}

void add_rest(Table& table) {
    table.sections.push_back({.path = "validation", .example = "validation: { batch_size: 200 }"});
    table.sections.push_back(
        {.path = "checkpoint", .example = "checkpoint: { folder: ./checkpoints, every_epochs: 1 }"});
    add(table, "validate", MEMBER(validate),
        {.label = "Validate",
         .help = "Validation over all ranks after every epoch.",
         .group = kValidation,
         .rare = true});
    add(table, "validation.batch_size", MEMBER(validation.batch_size),
        {.range = kCount,
         .label = "Validation batch",
         .help = "Samples of a rank in one pass.",
         .absent = "batch_size",
         .group = kValidation,
         .rare = true});
    add(table, "validation.pad", MEMBER(validation.pad),
        {.label = "Pad the ranks",
         .help = "Repeat samples until all ranks have the same number, as PyTorch's sampler does; some "
                 "count twice.",
         .group = kValidation,
         .rare = true});
    add(table, "validation.report_every", MEMBER(validation.report_every),
        {.range = kPositiveWhole,
         .label = "Report every",
         .help = "Batches between two results over all ranks.",
         .absent = "only the whole",
         .group = kValidation,
         .rare = true});
    add(table, "topk", MEMBER(topk),
        {.range = kCount,
         .label = "Top k",
         .help = "The k of the second accuracy.",
         .group = kValidation,
         .rare = true});
    add(table, "checkpoint.folder", MEMBER(checkpoint.folder),
        {.label = "Chec&kpoints in",
         .help = "Folder on the nodes. Empty: no checkpoints are written.",
         .absent = "none",
         .group = kCheckpoint});
    add(table, "checkpoint.every_epochs", MEMBER(checkpoint.every_epochs),
        {.range = {0, 1e9},
         .label = "Every epochs",
         .help = "Epochs between two checkpoints; 0: not by epoch.",
         .group = kCheckpoint,
         .rare = true});
    add(table, "checkpoint.every_steps", MEMBER(checkpoint.every_steps),
        {.range = kPositiveWhole,
         .label = "Every steps",
         .help = "Updates between two checkpoints.",
         .absent = "not by step",
         .group = kCheckpoint,
         .rare = true});
    add(table, "checkpoint.keep", MEMBER(checkpoint.keep),
        {.range = {0, 1e9},
         .label = "Keep newest",
         .help = "Older checkpoints are removed; 0: keep all.",
         .group = kCheckpoint,
         .rare = true});
    add(table, "checkpoint.resume", MEMBER(checkpoint.resume),
        {.label = "Resume from",
         .help = "auto: the newest good one, if there is one; never; or the path of one.",
         .group = kCheckpoint});
    add(table, "checkpoint.init_from", MEMBER(checkpoint.init_from),
        {.label = "Initial weights",
         .help = "A safetensors or PyTorch file.",
         .absent = "from seed",
         .group = kCheckpoint,
         .rare = true});
    add(table, "log_every", MEMBER(log_every),
        {.range = kPositiveWhole,
         .label = "Log every",
         .help = "Updates between two lines of the human log.",
         .group = kOutput,
         .rare = true});
    add(table, "metrics_every", MEMBER(metrics_every),
        {.range = kPositiveWhole,
         .label = "Metrics every",
         .help = "Updates between two metric lines over all ranks; rank 0 writes them.",
         .group = kOutput,
         .rare = true});
}

#undef MEMBER

}  // namespace

const KeyTable<TrainConfig>& train_keys() {
    static const Table table = [] {
        Table made;
        add_model(made);
        add_dataset_keys(made);
        add_training(made);
        add_optimizer(made);
        add_schedule(made);
        add_compute(made);
        add_parallel_keys(made);
        add_rest(made);
        return made;
    }();
    return table;
}

}  // namespace rankscope::config
