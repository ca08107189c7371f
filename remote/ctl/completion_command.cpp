// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/shell_completion.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace rankscope::ctl {
namespace {

// A line that begins with '.' or '\'' is a request to troff; a plain '-' may become a typographic hyphen.
std::string roff(const std::string& text) {
    std::string escaped;
    bool line_begins = true;
    for (const char c : text) {
        if (line_begins && (c == '.' || c == '\'')) {
            escaped += "\\&";
        }
        line_begins = c == '\n';
        if (c == '\\') {
            escaped += "\\e";
        } else if (c == '-') {
            escaped += "\\-";
        } else {
            escaped += c;
        }
    }
    return escaped;
}

void append_options(const CLI::App& app, std::string& page) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) {
            continue;
        }
        const bool is_positional = option->get_lnames().empty() && option->get_snames().empty();
        page += ".TP\n.B " + roff(option->get_name(is_positional, true));
        const std::string type = option->get_type_name();
        if (!is_positional && option->get_items_expected_max() > 0 && !type.empty()) {
            page += " \\fI" + roff(type) + "\\fR";
        }
        page += '\n' + roff(option->get_description()) + '\n';
    }
}

void append_commands(const CLI::App& app, const std::string& path, std::string& page) {
    for (const CLI::App* command : app.get_subcommands(std::function<bool(const CLI::App*)>())) {
        if (command->get_name().empty() || command->get_group().empty()) {
            continue;
        }
        const std::string name = path + ' ' + command->get_name();
        page += ".SS " + roff(name) + '\n' + roff(command->get_description()) + '\n';
        append_options(*command, page);
        append_commands(*command, name, page);
    }
}

/// The manual page of `app` (man(7)): every command with its options, from the same descriptions as --help.
std::string manual_page(const CLI::App& app, const std::string& version) {
    const std::string& name = app.get_name();
    const std::string description = app.get_description();
    std::string page = ".TH \"" + roff(name) + "\" 1 \"\" \"rankscope " + roff(version) +
                       "\" \"User Commands\"\n.SH NAME\n" + roff(name) +
                       " \\- launch, watch and diagnose distributed training\n.SH SYNOPSIS\n.B " +
                       roff(name) +
                       "\n[\\fIOPTION\\fR...] \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n" +
                       roff(description) + "\n.SH OPTIONS\n";
    append_options(app, page);
    page += ".SH COMMANDS\n";
    append_commands(app, name, page);
    page += ".SH SEE ALSO\n.BR rankscope (1),\n.BR rankscope\\-worker (1)\n";
    return page;
}

}  // namespace

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
