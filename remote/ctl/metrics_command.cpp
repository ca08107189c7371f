// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/desk/shared/text.h>
#include <remote/observe/metric_lines/learn_pattern.h>
#include <remote/observe/metric_lines/line_metrics.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "MetricsCommand";

int refuse(const GlobalOptions& options, const std::string& what) {
    report(Failure{"no-pattern", "", what,
                   text(kContext,
                        "Give the line as the program printed it, and each field as NAME=NUMBER with the "
                        "number as it stands there: --field loss=0.31."),
                   ""},
           options.json);
    return kUsage;
}

// In single quotes, for YAML.
std::string yaml_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return quoted + '\'';
}

int learn(const GlobalOptions& options, const std::string& line, const std::vector<std::string>& fields) {
    std::vector<metric_lines::Mark> marks;
    std::string why;
    for (const auto& field : fields) {
        const auto equals = field.find('=');
        if (equals == std::string::npos) {
            return refuse(options, text(kContext, "--field %1 has no '='.", {field}));
        }
        const auto mark =
            metric_lines::find_mark(line, field.substr(0, equals), field.substr(equals + 1), why);
        if (!mark) {
            return refuse(options, "--field " + field + ": " + why + '.');
        }
        marks.push_back(*mark);
    }
    const auto pattern = metric_lines::learn_pattern(line, marks, why);
    if (!pattern) {
        return refuse(options, why + '.');
    }
    if (options.json) {
        print_json(nlohmann::json{{"pattern", *pattern}});
    } else {
        std::printf("metrics: { patterns: [%s] }\n", yaml_quoted(*pattern).c_str());
    }
    return kDone;
}

}  // namespace

void add_metrics_commands(CLI::App& app, GlobalOptions& options, int& code) {
    auto* metrics = app.add_subcommand("metrics", "Metrics from what a program prints");
    metrics->require_subcommand(1);
    auto* command = metrics->add_subcommand(
        "learn", "Make a pattern for metrics: in the job file from one line that the program printed");
    auto line = std::make_shared<std::string>();
    auto fields = std::make_shared<std::vector<std::string>>();
    command->add_option("--line", *line, "The line")->required();
    command
        ->add_option(
            "--field", *fields,
            "NAME=NUMBER: a number of the line and the series it becomes; step and epoch place the line; "
            "NAME=NUMBER@2 is the second of several")
        ->required();
    command->callback([&options, &code, line, fields] { code = learn(options, *line, *fields); });
}

}  // namespace rankscope::ctl
