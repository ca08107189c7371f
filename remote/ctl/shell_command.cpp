// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/session/node_shell.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "ShellCommand";

int shell(const GlobalOptions& options, const std::string& name, bool print) {
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    Job job;
    job.nodes = {name};
    job.file = inventory->file;
    const auto nodes = resolve_nodes(*inventory, job);
    if (!nodes) {
        report(nodes.failure(), options.json);
        return kUsage;
    }
    const std::vector<std::string> command = node_shell(nodes->front());
    if (options.json) {
        print_json(nlohmann::ordered_json{{"node", name}, {"command", command}});
        return kDone;
    }
    if (print) {
        std::string line;
        for (const std::string& word : command) {
            line += (line.empty() ? "" : " ") + shell_quote(word);
        }
        std::printf("%s\n", line.c_str());
        return kDone;
    }
    std::vector<char*> argv;
    std::vector<std::string> words = command;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    ::execvp(argv.front(), argv.data());
    std::fprintf(stderr, "%s\n",
                 text(kContext, "%1 cannot be started: %2. Install the package openssh-client.",
                      {command.front(), std::strerror(errno)})
                     .c_str());
    return kUsage;
}

}  // namespace

void add_shell_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command =
        app.add_subcommand("shell", text(kContext, "Log in on a node by ssh, as the inventory says"));
    auto name = std::make_shared<std::string>();
    command->add_option("node", *name, "Name (\"local\" is this computer)")->required();
    auto print = std::make_shared<bool>(false);
    command->add_flag("--print", *print, "Print the ssh command line instead of running it");
    command->callback([&options, &code, name, print] { code = shell(options, *name, *print); });
}

}  // namespace rankscope::ctl
