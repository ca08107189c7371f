// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/shell_completion.h>

#include <functional>
#include <vector>

namespace rankscope::ctl {
namespace {

/// One command of the tree: "", "runs", "runs attach".
struct CommandWords {
    std::string path;
    std::vector<const CLI::App*> commands;
    std::vector<const CLI::Option*> options;
};

void collect(const CLI::App& app, const std::string& path, std::vector<CommandWords>& all) {
    CommandWords words;
    words.path = path;
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_lnames().empty() || !option->get_snames().empty()) {
            words.options.push_back(option);
        }
    }
    for (const CLI::App* command : app.get_subcommands(std::function<bool(const CLI::App*)>())) {
        if (!command->get_name().empty() && !command->get_group().empty()) {
            words.commands.push_back(command);
        }
    }
    all.push_back(words);
    for (const CLI::App* command : words.commands) {
        collect(*command, path.empty() ? command->get_name() : path + ' ' + command->get_name(), all);
    }
}

std::vector<std::string> option_names(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const auto& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    for (const auto& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    return names;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string single_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + '\'';
}

// fish knows only \' and \\ within single quotes.
std::string fish_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') {
            quoted += '\\';
        }
        quoted += c;
    }
    return quoted + '\'';
}

std::string word_list(const CommandWords& words) {
    std::string list;
    for (const CLI::App* command : words.commands) {
        list += command->get_name() + ' ';
    }
    for (const CLI::Option* option : words.options) {
        for (const auto& name : option_names(*option)) {
            list += name + ' ';
        }
    }
    return list;
}

std::string command_names(const std::vector<CommandWords>& all) {
    std::string names;
    for (const auto& words : all) {
        if (!words.path.empty()) {
            names += (names.empty() ? "" : "|") + single_quoted(words.path);
        }
    }
    return names;
}

// The command so far is what of the line forms a known path; options and their values between are skipped.
std::string bash(const std::string& name, const std::vector<CommandWords>& all) {
    std::string script = "# bash completion of " + name + "; made by `" + name + " completion bash`\n_" +
                         name +
                         "() {\n"
                         "  local word path= next i current=${COMP_WORDS[COMP_CWORD]} words=\n"
                         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
                         "    word=${COMP_WORDS[i]}\n"
                         "    next=\"${path:+$path }$word\"\n"
                         "    case $next in\n      " +
                         command_names(all) + ") path=$next ;;\n    esac\n  done\n  case $path in\n";
    for (const auto& words : all) {
        script += "    " + single_quoted(words.path) + ") words=" + single_quoted(word_list(words)) + " ;;\n";
    }
    script +=
        "  esac\n"
        "  if [[ $current == -* ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
        "  else\n"
        "    local plain=\n"
        "    for word in $words; do [[ $word == -* ]] || plain+=\" $word\"; done\n"
        "    if [[ -n $plain ]]; then\n"
        "      mapfile -t COMPREPLY < <(compgen -W \"$plain\" -- \"$current\")\n"
        "    else\n"
        "      mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
        "    fi\n"
        "  fi\n"
        "}\n"
        "complete -o filenames -F _" +
        name + ' ' + name + '\n';
    return script;
}

std::string zsh_item(std::string name, const std::string& description) {
    std::string item;
    for (const char c : name) {
        item += c == ':' ? std::string("\\:") : std::string(1, c);
    }
    return single_quoted(item + ':' + description);
}

std::string zsh(const std::string& name, const std::vector<CommandWords>& all) {
    std::string script =
        "#compdef " + name + "\n# zsh completion; made by `" + name + " completion zsh`\n_" + name +
        "() {\n"
        "  local path_so_far= next word\n"
        "  local -a commands options\n"
        "  for word in ${words[2,CURRENT-1]}; do\n"
        "    next=\"${path_so_far:+$path_so_far }$word\"\n"
        "    case $next in\n      " +
        command_names(all) + ") path_so_far=$next ;;\n    esac\n  done\n  case $path_so_far in\n";
    for (const auto& words : all) {
        script += "    " + single_quoted(words.path) + ")\n      commands=(";
        for (const CLI::App* command : words.commands) {
            script += "\n        " + zsh_item(command->get_name(), first_line(command->get_description()));
        }
        script += ")\n      options=(";
        for (const CLI::Option* option : words.options) {
            for (const auto& option_name : option_names(*option)) {
                script += "\n        " + zsh_item(option_name, first_line(option->get_description()));
            }
        }
        script += ") ;;\n";
    }
    script +=
        "  esac\n"
        "  if [[ $PREFIX == -* ]]; then\n"
        "    _describe -o option options\n"
        "  elif (( $#commands )); then\n"
        "    _describe command commands\n"
        "  else\n"
        "    _files\n"
        "  fi\n"
        "}\n"
        "_" +
        name + " \"$@\"\n";
    return script;
}

std::string fish(const std::string& name, const std::vector<CommandWords>& all) {
    std::string script = "# fish completion of " + name + "; made by `" + name + " completion fish`\n";
    for (const auto& words : all) {
        // A path is complete when its words were seen and none of its own commands was.
        std::string condition;
        std::string word;
        for (const char c : words.path + ' ') {
            if (c != ' ') {
                word += c;
            } else if (!word.empty()) {
                condition += "__fish_seen_subcommand_from " + word + "; and ";
                word.clear();
            }
        }
        std::string children;
        for (const CLI::App* command : words.commands) {
            children += ' ' + command->get_name();
        }
        if (!children.empty()) {
            condition += "not __fish_seen_subcommand_from" + children;
        } else if (condition.size() > 6) {
            condition.resize(condition.size() - 6);  // the last "; and "
        }
        const std::string prefix =
            "complete -c " + name + (condition.empty() ? "" : " -n " + fish_quoted(condition));
        for (const CLI::App* command : words.commands) {
            script += prefix + " -f -a " + command->get_name() + " -d " +
                      fish_quoted(first_line(command->get_description())) + '\n';
        }
        for (const CLI::Option* option : words.options) {
            script += prefix;
            for (const auto& long_name : option->get_lnames()) {
                script += " -l " + long_name;
            }
            for (const auto& short_name : option->get_snames()) {
                script += " -s " + short_name;
            }
            script += (option->get_items_expected_max() > 0 ? " -r" : "") + std::string(" -d ") +
                      fish_quoted(first_line(option->get_description())) + '\n';
        }
    }
    return script;
}

}  // namespace

std::string shell_completion(const CLI::App& app, Shell shell) {
    std::vector<CommandWords> all;
    collect(app, "", all);
    switch (shell) {
        case Shell::Bash:
            return bash(app.get_name(), all);
        case Shell::Zsh:
            return zsh(app.get_name(), all);
        case Shell::Fish:
            break;
    }
    return fish(app.get_name(), all);
}

}  // namespace rankscope::ctl
