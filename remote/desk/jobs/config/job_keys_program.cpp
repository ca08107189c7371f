// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <remote/desk/jobs/config/job_key_parts.h>
#include <remote/desk/shared/text.h>
#include <remote/observe/metric_lines/pattern.h>

namespace rankscope::inline jobs::job_key_parts {
namespace {

using config::kChosenNodes;
using config::KeyInfo;
using config::KeyReader;
using config::kNamedNodes;
using config::kNative;
using config::kOwnProgram;
using config::Scope;
using nlohmann::json;

constexpr const char* kWhat = "What";
constexpr const char* kProgram = "Your own program";
constexpr const char* kThroughput = "Throughput";
constexpr const char* kOnlyOwn = "Leave it out: it is for programs of your own.";

void read_train(const KeyReader& reader, Job& job) {
    job.train = config::to_json(reader.node);
    for (auto& problem : config::check_train_config(reader.node, reader.path)) {
        reader.problems.push_back(std::move(problem));
    }
}

void read_tensorboard(const KeyReader& reader, Job& job) {
    MetricSources& metrics = job.own.metrics;
    if (!read_value(reader, metrics.tensorboard)) {
        return;
    }
    metrics.lines = false;  // the same numbers twice, and with other steps
    if (metrics.tensorboard.empty()) {
        reader.add(text(kJobContext, "names no folder"),
                   text(kJobContext,
                        "Write the folder that the program gives its SummaryWriter, such as runs or "
                        "~/logs/{rank}."));
    }
}

void read_patterns(const KeyReader& reader, Job& job) {
    auto& patterns = job.own.metrics.patterns;
    read_value(reader, patterns);
    if (patterns.size() > metric_lines::kMaxPatterns) {
        reader.add(text(kJobContext, "more than %1 patterns", {std::to_string(metric_lines::kMaxPatterns)}),
                   text(kJobContext, "Leave out the ones that you need least."));
    }
    for (const auto& pattern : patterns) {
        std::string why;
        if (!metric_lines::Pattern::compile(pattern, &why)) {
            reader.add(text(kJobContext, "\"%1\" is not a pattern: %2", {pattern, why}),
                       text(kJobContext,
                            "Make it from a line of your program: `rankscopectl metrics learn "
                            "--line 'step 5 loss 0.31' --field step=5 --field loss=0.31`."));
        }
    }
}

/// Only with `command`.
KeyInfo own(KeyInfo info) {
    info.group = kProgram;
    info.applies = kNamedNodes | kChosenNodes | kOwnProgram;
    info.refusal = kOnlyOwn;
    return info;
}

KeyInfo size(KeyInfo info) {
    info.range = {0, config::kNoLimit, true};
    info.rare = true;
    info = own(std::move(info));
    info.group = kThroughput;
    return info;
}

void add_throughput(JobKeyTable& table) {
    table.sections.push_back(
        {.path = "throughput", .example = "throughput: { batch: 256, flops_per_sample: 12.3e9 }"});
    add(table, "throughput.batch", RANKSCOPE_JOB_MEMBER(own.throughput.batch),
        size({.label = "Batch of all ranks",
              .help = "Samples of all ranks together in one step.",
              .absent = "as output and command say",
              .example = "batch: 256"}));
    add(table, "throughput.batch_per_rank", RANKSCOPE_JOB_MEMBER(own.throughput.batch_per_rank),
        size({.label = "Batch of a rank",
              .help = "Samples of one rank in one step.",
              .absent = "as output and command say",
              .example = "batch_per_rank: 32"}));
    add(table, "throughput.tokens_per_sample", RANKSCOPE_JOB_MEMBER(own.throughput.tokens_per_sample),
        size({.label = "Tokens of a sample",
              .help = "Length of the sequences that the model is trained with.",
              .absent = "as output and command say",
              .example = "tokens_per_sample: 2048"}));
    add(table, "throughput.flops_per_sample", RANKSCOPE_JOB_MEMBER(own.throughput.flops_per_sample),
        size({.label = "FLOPs of a sample",
              .help = "Of the model, forward and backward, for MFU.",
              .absent = "6 for each parameter and token",
              .example = "flops_per_sample: 12.3e9"}));
    add(table, "throughput.parameters", RANKSCOPE_JOB_MEMBER(own.throughput.parameters),
        size({.label = "Parameters",
              .help = "That a token passes in a transformer, for MFU.",
              .absent = "as the output says",
              .example = "parameters: 7e9"}));
    add(table, "throughput.peak_tflops", RANKSCOPE_JOB_MEMBER(own.throughput.peak_tflops),
        size({.label = "Peak of a GPU (TFLOPS)",
              .help = "What one GPU computes at most with the numbers that are used.",
              .absent = "dense BF16, by the name of the GPU",
              .example = "peak_tflops: 989"}));
}

}  // namespace

void add_what(JobKeyTable& table) {
    add_special(table, "train",
                {.help = "What the native engine trains; its keys are below.",
                 .absent = "command runs instead",
                 .example = "train: { model: convnet, dataset: mnist }",
                 .group = kWhat,
                 .applies = kNamedNodes | kChosenNodes | kNative},
                read_train, [](const Job& job) -> json { return job.train ? *job.train : json(); });
    add(table, "command", RANKSCOPE_JOB_MEMBER(command),
        {.label = "Co&mmand",
         .help = "Your own program, instead of train; every rank runs it with torchrun's environment.",
         .absent = "train runs instead",
         .example = "command: [python3, train.py]",
         .group = kWhat,
         .applies = kNamedNodes | kChosenNodes | kOwnProgram,
         .scope = Scope::Rank});
    add(table, "workdir", RANKSCOPE_JOB_MEMBER(workdir),
        {.label = "Wor&king folder",
         .help = "On the nodes.",
         .absent = "the home folder, or that of the pushed files",
         .group = kProgram,
         .applies = kNamedNodes | kChosenNodes | kOwnProgram,
         .scope = Scope::Node});
    table.sections.push_back(
        {.path = "metrics", .example = "metrics: { patterns: ['step {step} loss {loss}'] }"});
    add(table, "push", RANKSCOPE_JOB_MEMBER(push),
        own({.label = "P&ush",
             .help = "Files and folders next to the job file; only changes travel.",
             .absent = "nothing: it is on the nodes already",
             .example = "push: [./train.py]",
             .scope = Scope::Node}));
    table.keys.push_back(config::choice_key<Job, LocalRankArgument>(
        "local_rank_argument", RANKSCOPE_JOB_MEMBER(own.local_rank_argument),
        {{"none", LocalRankArgument::None},
         {"--local-rank", LocalRankArgument::Dash},
         {"--local_rank", LocalRankArgument::Underscore}},
        own({.label = "Local rank as",
             .help = "Argument for scripts written for torch.distributed.launch.",
             .rare = true,
             .scope = Scope::Rank})));
    add(table, "own_ranks", RANKSCOPE_JOB_MEMBER(own.own_ranks),
        own({.label = "Starts its own ranks",
             .help = "The program starts its ranks itself (Lightning, Ultralytics): one process on each "
                     "node, without RANK and "
                     "its kin.",
             .rare = true,
             .scope = Scope::Node}));
    add(table, "mpi", RANKSCOPE_JOB_MEMBER(own.mpi),
        {.label = "Command is mpirun",
         .help = "The command is mpirun or mpiexec: it starts on the first node, and its daemons on the "
                 "others, without "
                 "ssh between them. procs_per_node: its slots.",
         .group = kProgram,
         .rare = true,
         .applies = kNamedNodes | kOwnProgram,
         .scope = Scope::Node});
    add(table, "venv", RANKSCOPE_JOB_MEMBER(own.venv),
        own({.label = "Python &of",
             .help = "Folder of a virtual environment on the nodes.",
             .absent = "the node's Python",
             .example = "venv: ~/venvs/torch",
             .scope = Scope::Node}));
    add(table, "conda", RANKSCOPE_JOB_MEMBER(own.conda),
        own({.help = "Name or folder of an environment of conda on the nodes.",
             .absent = "the node's Python",
             .scope = Scope::Node}));
    table.sections.push_back({.path = "environment", .example = "environment: { uv: uv.lock }"});
    add(table, "environment.uv", RANKSCOPE_JOB_MEMBER(environment.uv),
        own({.label = "Lock file of uv",
             .help = "A uv.lock next to the job file: every node makes a Python environment with exactly its "
                     "packages before the start and keeps it. Nodes without a package index get wheels from "
                     "this computer.",
             .absent = "the node's Python",
             .example = "uv: uv.lock",
             .scope = Scope::Node}));
    add(table, "environment.requirements", RANKSCOPE_JOB_MEMBER(environment.requirements),
        own({.label = "Requirements file",
             .help = "The same from a requirements file of pip. Write NAME==VERSION in each line: else nodes "
                     "may take other versions.",
             .absent = "the node's Python",
             .example = "requirements: requirements.txt",
             .scope = Scope::Node}));
    add(table, "environment.extras", RANKSCOPE_JOB_MEMBER(environment.extras),
        own({.label = "Extras",
             .help = "Extras of the project of uv.lock.",
             .absent = "none",
             .example = "extras: [cu128]",
             .rare = true,
             .scope = Scope::Node}));
    add(table, "environment.python", RANKSCOPE_JOB_MEMBER(environment.python),
        own({.label = "Python of the environment",
             .help = "Interpreter of the nodes: a path, a name in PATH, or a version.",
             .absent = "python3",
             .example = "python: python3.11",
             .rare = true,
             .scope = Scope::Node}));
    add(table, "log_dir", RANKSCOPE_JOB_MEMBER(own.log_dir),
        own({.label = "Lo&g folder",
             .help = "On the nodes: a file per rank as well, as torchrun lays them out.",
             .absent = "none: the output comes here",
             .rare = true,
             .scope = Scope::Node}));
    add_special(table, "metrics.tensorboard",
                own({.kind = config::KeyKind::Text,
                     .label = "TensorBoard folder",
                     .help = "Folder of event files on the node, from workdir, with placeholders: "
                             "runs/{rank}. metrics.lines is then false unless the job says otherwise.",
                     .absent = "none",
                     .rare = true,
                     .scope = Scope::Rank}),
                read_tensorboard, [](const Job& job) -> json { return job.own.metrics.tensorboard; });
    table.keys.back().info.kind = config::KeyKind::Text;
    add(table, "metrics.lines", RANKSCOPE_JOB_MEMBER(own.metrics.lines),
        own({.label = "Known lines",
             .help = "Read curves from lines of known shapes: PyTorch's examples, Lightning, Hugging Face, "
                     "tqdm, Megatron-LM and others.",
             .written = true,
             .scope = Scope::Rank}));
    add(table, "metrics.files", RANKSCOPE_JOB_MEMBER(own.metrics.files),
        own({.label = "Known files",
             .help = "Find the files that the program writes its numbers to (TensorBoard, wandb, MLflow, "
                     "CSV, JSON "
                     "lines), and read curves from them. metrics.tensorboard names a folder instead.",
             .rare = true,
             .scope = Scope::Rank}));
    add_special(table, "metrics.patterns",
                own({.kind = config::KeyKind::Words,
                     .label = "Own l&ines",
                     .help = "{name} is a number that becomes a curve, {} any number, {*} any text.",
                     .absent = "none",
                     .example = "patterns: ['it {step} margin {margin}']",
                     .scope = Scope::Rank}),
                read_patterns, [](const Job& job) -> json { return job.own.metrics.patterns; });
    add_throughput(table);
}

}  // namespace rankscope::inline jobs::job_key_parts
