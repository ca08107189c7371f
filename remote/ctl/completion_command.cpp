// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/manual_page.h>
#include <remote/ctl/shell_completion.h>

#include <cstdio>
#include <map>
#include <memory>

namespace rankscope::ctl {

void add_completion_commands(CLI::App& app, int& code) {
    const auto shell = std::make_shared<Shell>(Shell::Bash);
    CLI::App* completion = app.add_subcommand(
        "completion", "Print the completion script of a shell: source <(rankscopectl completion bash)");
    completion->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Shell>{{"bash", Shell::Bash}, {"zsh", Shell::Zsh}, {"fish", Shell::Fish}}));
    completion->callback([&app, &code, shell] {
        std::fputs(shell_completion(app, *shell).c_str(), stdout);
        code = kDone;
    });
    CLI::App* manual = app.add_subcommand("manual", "Print the manual page: rankscopectl manual | man -l -");
    manual->callback([&app, &code] {
        std::fputs(manual_page(app, RANKSCOPE_VERSION).c_str(), stdout);
        code = kDone;
    });
}

}  // namespace rankscope::ctl
