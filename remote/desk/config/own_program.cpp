// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/config/own_program.h>
#include <remote/desk/config/yaml_reader.h>
#include <remote/desk/text.h>
#include <remote/observe/metric_lines/pattern.h>

#include <nlohmann/json.hpp>

namespace rankscope {
namespace {

constexpr const char* kContext = "OwnProgram";

void read_local_rank_argument(YamlMapping& map, OwnProgram& own) {
    std::string word;
    if (!map.text("local_rank_argument", word)) {
        return;
    }
    for (const auto argument :
         {LocalRankArgument::None, LocalRankArgument::Dash, LocalRankArgument::Underscore}) {
        if (word == to_string(argument)) {
            own.local_rank_argument = argument;
            return;
        }
    }
    map.problems().add(map.at("local_rank_argument"), map.path_of("local_rank_argument"),
                       text(kContext, "\"%1\" is not known", {word}),
                       text(kContext, "Write one of: %1.", {"none, --local-rank, --local_rank"}));
}

void read_metrics(YamlMapping& map, MetricSources& metrics, YamlProblems& problems) {
    const YAML::Node node = map.take("metrics");
    if (!node.IsDefined()) {
        return;
    }
    if (!node.IsMap()) {
        problems.add(node, "metrics", text(kContext, "must be a mapping"),
                     "metrics: { patterns: ['step {step} loss {loss}'] }");
        return;
    }
    YamlMapping inner(node, "metrics", problems);
    if (inner.text("tensorboard", metrics.tensorboard)) {
        metrics.lines = false;  // the same numbers twice, and with other steps
        if (metrics.tensorboard.empty()) {
            problems.add(inner.at("tensorboard"), "metrics.tensorboard", text(kContext, "names no folder"),
                         text(kContext,
                              "Write the folder that the program gives its SummaryWriter, such as "
                              "runs or ~/logs/{rank}."));
        }
    }
    std::string lines;
    if (inner.text("lines", lines)) {
        metrics.lines = lines != "false";
        if (lines != "true" && lines != "false") {
            problems.add(inner.at("lines"), "metrics.lines",
                         text(kContext, "\"%1\" is neither true nor false", {lines}),
                         text(kContext, "false: lines of known shapes are not read."));
        }
    }
    inner.texts("patterns", metrics.patterns);
    if (metrics.patterns.size() > metric_lines::kMaxPatterns) {
        problems.add(inner.at("patterns"), "metrics.patterns",
                     text(kContext, "more than %1 patterns", {std::to_string(metric_lines::kMaxPatterns)}),
                     "");
    }
    for (const auto& pattern : metrics.patterns) {
        std::string why;
        if (!metric_lines::Pattern::compile(pattern, &why)) {
            problems.add(inner.at("patterns"), "metrics.patterns",
                         text(kContext, "\"%1\" is not a pattern: %2", {pattern, why}),
                         text(kContext,
                              "Make it from a line of your program: `rankscopectl metrics learn "
                              "--line 'step 5 loss 0.31' --field step=5 --field loss=0.31`."));
        }
    }
    inner.finish();
}

}  // namespace

const char* to_string(LocalRankArgument argument) {
    switch (argument) {
        case LocalRankArgument::None:
            return "none";
        case LocalRankArgument::Dash:
            return "--local-rank";
        case LocalRankArgument::Underscore:
            return "--local_rank";
    }
    return "none";
}

void read_own_program(YamlMapping& map, OwnProgram& own, YamlProblems& problems) {
    read_local_rank_argument(map, own);
    map.text("venv", own.venv);
    map.text("conda", own.conda);
    map.text("log_dir", own.log_dir);
    read_metrics(map, own.metrics, problems);
    if (!own.venv.empty() && !own.conda.empty()) {
        problems.add(map.at("conda"), "conda", text(kContext, "there is a venv as well"),
                     text(kContext, "Keep one: venv for a virtual environment, conda for one of conda's."));
    }
}

std::string to_yaml(const OwnProgram& own) {
    std::string yaml;
    const auto add = [&yaml](const char* key, const std::string& value) {
        if (!value.empty()) {
            yaml += std::string(key) + ": " + nlohmann::json(value).dump() + '\n';
        }
    };
    if (own.local_rank_argument != LocalRankArgument::None) {
        add("local_rank_argument", to_string(own.local_rank_argument));
    }
    add("venv", own.venv);
    add("conda", own.conda);
    add("log_dir", own.log_dir);
    if (own.metrics != MetricSources()) {
        nlohmann::json metrics = nlohmann::json::object();
        if (own.metrics.lines != own.metrics.tensorboard.empty()) {
            metrics["lines"] = own.metrics.lines;
        }
        if (!own.metrics.tensorboard.empty()) {
            metrics["tensorboard"] = own.metrics.tensorboard;
        }
        if (!own.metrics.patterns.empty()) {
            metrics["patterns"] = own.metrics.patterns;
        }
        yaml += "metrics: " + metrics.dump() + '\n';
    }
    return yaml;
}

}  // namespace rankscope
