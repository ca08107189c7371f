// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/phrase.h>
#include <base/config/train_keys.h>

namespace rankscope::config {
namespace {

using nlohmann::json;
using Table = KeyTable<TrainConfig>;

constexpr double kMostBuckets = 4096.0;  // MiB
constexpr Range kBuckets{.min = 0, .max = kMostBuckets, .above = true, .below = true};
constexpr Range kStages{.min = 1, .max = 1024};
constexpr Range kSlices{.min = 1, .max = 1024};
constexpr Range kMicroBatches{.min = 1, .max = 65536};

constexpr const char* kDdp = "Gradients between ranks";
constexpr const char* kParallel = "Parallelism";

// clang-format off
// NOLINTNEXTLINE(bugprone-macro-parentheses): a lambda as an argument
#define MEMBER(path) [](auto& config) -> auto& { return config.path; }
// clang-format on

template <typename Get>
void add_key(Table& table, std::string path, Get get, KeyInfo info) {
    table.keys.push_back(key<TrainConfig>(std::move(path), get, std::move(info)));
}

void add_ddp(Table& table) {
    table.sections.push_back({.path = "ddp", .example = "ddp: { bucket_mb: 25, compression: bf16 }"});
    KeyInfo older{.range = kBuckets,
                  .label = "",
                  .help = "Older name of ddp.bucket_mb.",
                  .absent = "ddp.bucket_mb",
                  .group = kDdp,
                  .rare = true};
    older.kind = KeyKind::Number;
    table.keys.push_back(special_key<TrainConfig>(
        "bucket_mb", older,
        [](const KeyReader& reader, TrainConfig& config) { read_value(reader, config.ddp.bucket_mb); },
        [](const TrainConfig&) -> json { return nullptr; }));
    add_key(table, "ddp.first_bucket_mb", MEMBER(ddp.first_bucket_mb),
            {.range = kBuckets,
             .label = "First bucket (MiB)",
             .help = "Size of the first gradient bucket.",
             .absent = "chosen from the size of the model",
             .group = kDdp,
             .rare = true});
    KeyInfo bucket{.range = kBuckets,
                   .label = "Buckets (MiB)",
                   .help = "Size of the other gradient buckets.",
                   .absent = "chosen from the size of the model",
                   .group = kDdp,
                   .rare = true};
    bucket.kind = KeyKind::Number;
    table.keys.push_back(special_key<TrainConfig>(
        "ddp.bucket_mb", bucket,
        [](const KeyReader& reader, TrainConfig& config) {
            const auto older_value = config.ddp.bucket_mb;
            if (read_value(reader, config.ddp.bucket_mb) && older_value &&
                older_value != config.ddp.bucket_mb) {
                reader.add(phrase("differs from bucket_mb beside ddp, its older name"),
                           phrase("Keep one of the two."));
            }
        },
        [](const TrainConfig& config) { return value_to_json(config.ddp.bucket_mb); }));
    add_key(table, "ddp.compression", MEMBER(ddp.compression),
            {.choices = {"none", "bf16", "fp16"},
             .label = "Compression",
             .help = "Of gradients on the network.",
             .group = kDdp,
             .rare = true});
    add_key(table, "ddp.broadcast_buffers", MEMBER(ddp.broadcast_buffers),
            {.label = "Broadcast buffers",
             .help = "Rank 0's running statistics go to all ranks.",
             .group = kDdp,
             .rare = true});
    add_key(table, "ddp.find_unused_parameters", MEMBER(ddp.find_unused_parameters),
            {.label = "Unused parameters",
             .help = "Accepted and not needed: every parameter of a native model takes part in every step.",
             .group = kDdp,
             .rare = true});
    add_key(table, "ddp.collective_timeout_s", MEMBER(ddp.collective_timeout_s),
            {.range = {.min = 0, .max = 1e9, .above = true, .below = true},
             .label = "Collective time-out (s)",
             .help = "A collective operation that takes longer ends the run.",
             .absent = "the process group's own",
             .group = kDdp,
             .rare = true});
    add_key(table, "ddp.heartbeat_s", MEMBER(ddp.heartbeat_s),
            {.range = {.min = 0, .max = 1e6, .above = true, .below = true},
             .label = "Heartbeat (s)",
             .help = "How often ranks report to each other that they are alive.",
             .absent = "the process group's own",
             .group = kDdp,
             .rare = true});
    add_key(table, "ddp.rendezvous_timeout_s", MEMBER(ddp.rendezvous_timeout_s),
            {.range = {.min = 0.1, .max = 86400, .above = true, .below = true},
             .label = "Rendezvous time-out (s)",
             .help = "Time for all ranks to arrive.",
             .absent = "120",
             .group = kDdp,
             .rare = true});
}

void add_parallel(Table& table) {
    table.sections.push_back({.path = "parallel", .example = "parallel: { zero: 2, recompute: blocks }"});
    table.sections.push_back(
        {.path = "parallel.pipeline", .example = "pipeline: { stages: 2, micro_batches: 8 }"});
    add_key(
        table, "parallel.zero", MEMBER(parallel.zero),
        {.range = {.min = 0, .max = 3},
         .label = "&ZeRO stage",
         .help =
             "0: every rank keeps everything; 1: its share of the optimizer's state; 2: of the gradients, "
             "too; 3: of the weights, too, which are gathered when they are needed. The results are the "
             "same. Needs device: cpu.",
         .group = kParallel,
         .rare = true});
    add_key(
        table, "parallel.recompute", MEMBER(parallel.recompute),
        {.choices = {"none", "blocks"},
         .label = "Recomputation",
         .help =
             "blocks: keep only the values between the blocks of the network and compute the others again in "
             "the backward pass. Less memory, a longer step, the same results.",
         .group = kParallel,
         .rare = true});
    add_key(
        table, "parallel.pipeline.stages", MEMBER(parallel.pipeline.stages),
        {.range = kStages,
         .label = "Pipeline stages",
         .help =
             "The network is cut into so many parts, each on a rank of its own. Must divide the number of "
             "ranks: the others train further batches at the same time. Needs device: cpu.",
         .group = kParallel,
         .rare = true});
    add_key(
        table, "parallel.pipeline.micro_batches", MEMBER(parallel.pipeline.micro_batches),
        {.range = kMicroBatches,
         .label = "Micro-batches",
         .help =
             "A batch is divided into so many, which the stages of a pipeline compute one after another. The "
             "more, the less the stages wait. Batch norms see a micro-batch.",
         .absent = "four for each stage, at most batch_size",
         .group = kParallel,
         .rare = true});
    add_key(table, "parallel.pipeline.schedule", MEMBER(parallel.pipeline.schedule),
            {.choices = {"1f1b", "gpipe"},
             .label = "Pipeline schedule",
             .help = "gpipe: all forward passes, then all backward passes. 1f1b: in turns, which keeps the "
                     "activations of at most as many micro-batches as there are stages.",
             .group = kParallel,
             .rare = true});
    add_key(
        table, "parallel.tensor", MEMBER(parallel.tensor),
        {.range = kSlices,
         .label = "Tensor slices",
         .help =
             "So many ranks that follow one another compute a slice of each layer and add up their results: "
             "heads of attentions, features of pairs of layers. They have the same batches. Must divide the "
             "number of ranks, with the stages of a pipeline. Needs device: cpu.",
         .group = kParallel,
         .rare = true});
}

#undef MEMBER

}  // namespace

void add_parallel_keys(KeyTable<TrainConfig>& table) {
    add_ddp(table);
    add_parallel(table);
}

}  // namespace rankscope::config
