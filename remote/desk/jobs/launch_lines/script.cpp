// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What people paste around a launcher: variables, cd, loops, other programs.

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/batch_script.h>
#include <remote/desk/jobs/launch_lines/script.h>
#include <remote/desk/jobs/launch_lines/script_values.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_assignment(const std::string& word) {
    const auto equals = word.find('=');
    return equals != std::string::npos && equals > 0 &&
           std::isdigit(static_cast<unsigned char>(word[0])) == 0 &&
           std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                       [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

void add_once(std::vector<std::string>& list, const std::string& entry) {
    if (std::find(list.begin(), list.end(), entry) == list.end()) {
        list.push_back(entry);
    }
}

/// Reads the commands of a script one after the other.
class Reader {
public:
    Reader(const std::string& text, Script& script)
        : text_(text), script_(script), values_(is_slurms(text)) {}

    Result<void> take(const WrittenCommand& written);

private:
    static bool is_slurms(const std::string& text) {
        return text.find("srun") != std::string::npos || text.find("sbatch") != std::string::npos ||
               text.find("#SBATCH") != std::string::npos;
    }
    void drop_keywords(WrittenCommand& command);
    std::size_t take_front(const WrittenCommand& command, PastedLine& line);
    void assign(const WrittenCommand& command, const std::string& word, PastedLine& line);
    bool take_preparation(const WrittenCommand& command);
    void take_folder(const WrittenCommand& command);
    bool is_open(const WrittenCommand& command, const std::string& word) const;
    bool is_used(const std::string& variable) const;

    const std::string& text_;
    Script& script_;
    ScriptValues values_;
    PastedLine line_;  ///< what was said so far
};

bool Reader::is_open(const WrittenCommand& command, const std::string& word) const {
    return std::find(command.unfilled.begin(), command.unfilled.end(), word) != command.unfilled.end();
}

bool Reader::is_used(const std::string& variable) const {
    return text_.find('$' + variable) != std::string::npos ||
           text_.find("${" + variable) != std::string::npos;
}

// "do srun …", "if srun …": the command below the words of the shell. What is only the shell's becomes empty.
void Reader::drop_keywords(WrittenCommand& command) {
    auto& words = command.words;
    while (!words.empty()) {
        if (is_one_of(words[0], {"for", "select", "case", "function"})) {
            if (words[0] == "for") {
                add_once(line_.notes,
                         text(kContext, "for: the line in it becomes one run; a shell would repeat it."));
            }
            words.clear();
        } else if (is_one_of(words[0], {"while", "until"})) {
            add_once(
                line_.notes,
                text(kContext, "%1: the line in it becomes one run; a shell would repeat it.", {words[0]}));
            words.erase(words.begin());
        } else if (is_one_of(words[0], {"if", "elif", "then", "else", "do", "{", "!"})) {
            words.erase(words.begin());
        } else if (is_one_of(words[0], {"fi", "done", "esac", "}", "[", "[[", "((", "test", ":", ";;"})) {
            words.clear();
        } else {
            break;
        }
    }
}

void Reader::assign(const WrittenCommand& command, const std::string& word, PastedLine& line) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (is_set_by_rankscope(name)) {
        if (const auto port = parse_number<int>(value); name == "MASTER_PORT" && port) {
            line.job.master_port = *port;
        }
        add_once(line.notes, text(kContext, "%1: Rankscope sets it for each rank.", {name}));
    } else if (is_open(command, word)) {
        line.job.env.erase(name);
        line.notes.push_back(text(
            kContext, "%1: a shell would fill that in, so it is left out. Write the value in env:.", {word}));
    } else if (name != "CUDA_VISIBLE_DEVICES" || !take_gpus(value, line).empty()) {
        line.job.env[name] = value;
    }
}

// Variables and words like nohup before the launcher.
std::size_t Reader::take_front(const WrittenCommand& command, PastedLine& line) {
    std::size_t at = 0;
    for (; at < command.words.size(); ++at) {
        if (is_assignment(command.words[at])) {
            assign(command, command.words[at], line);
        } else if (!is_one_of(command.words[at], {"env", "nohup", "time", "exec"})) {
            break;
        }
    }
    return at;
}

void Reader::take_folder(const WrittenCommand& command) {
    const std::string& folder = command.words[1];
    if (!is_open(command, folder)) {
        line_.job.workdir = folder;
        return;
    }
    for (const std::string_view home : {"$HOME/", "${HOME}/"}) {
        const std::string below = folder.starts_with(home) ? folder.substr(home.size()) : "$";
        if (below.find_first_of("$`*?") == std::string::npos) {
            line_.job.workdir = "~/" + below;
            return;
        }
    }
    line_.notes.push_back(
        text(kContext, "cd %1: a shell would fill that in, so it is left out. Write the folder in workdir:.",
             {folder}));
}

// What users type before the launcher: cd, export, activating an environment. false: something else.
bool Reader::take_preparation(const WrittenCommand& command) {
    const Words& words = command.words;
    if (std::all_of(words.begin(), words.end(), is_assignment)) {  // of the shell; not exported
        for (const auto& word : words) {
            const std::string name = word.substr(0, word.find('='));
            if (!is_open(command, word) && !is_set_by_rankscope(name)) {
                values_.set(name, word.substr(word.find('=') + 1));
            }
            if (!is_used(name) && !is_open(command, word)) {
                assign(command, word, line_);  // an export in all but name
            }
        }
        return true;
    }
    if (words[0] == "cd" && words.size() == 2) {
        take_folder(command);
        return true;
    }
    if (words[0] == "export") {
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (is_assignment(words[i])) {
                const std::string name = words[i].substr(0, words[i].find('='));
                if (!is_open(command, words[i]) && !is_set_by_rankscope(name)) {
                    values_.set(name, words[i].substr(words[i].find('=') + 1));
                }
                assign(command, words[i], line_);
            }
        }
        return true;
    }
    if (is_one_of(words[0], {"source", ".", "conda", "module", "ml"}) && words.size() >= 2) {
        std::string all;
        for (const auto& word : words) {
            all += (all.empty() ? "" : " ") + word;
        }
        line_.notes.push_back(
            text(kContext,
                 "%1: programs start without a shell; say it with venv: or conda:, or name the environment's "
                 "python in command:.",
                 {all}));
        return true;
    }
    return is_one_of(words[0], {"set", "ulimit", "echo", "sleep", "wait", "unset", "declare", "local", "date",
                                "shift", "exit", "true", "printf", "cat", "pwd", "hostname", "nvidia-smi"});
}

// A line that runs a program which trains: Python, or another launcher.
bool starts_training(const Words& words, const FoundLauncher& found) {
    if (found.tool != LauncherTool::Srun && found.tool != LauncherTool::Mpirun) {
        return true;
    }
    for (std::size_t i = found.at; i < words.size(); ++i) {
        const std::string name = base_name(words[i]);
        if (name.starts_with("python") || words[i].find(".py") != std::string::npos ||
            find_launcher(words, i)) {
            return true;
        }
    }
    return false;
}

Result<void> Reader::take(const WrittenCommand& written) {
    WrittenCommand command = written;
    drop_keywords(command);
    if (command.words.empty()) {
        return {};
    }
    values_.fill(command);
    if (command.words.empty()) {
        return {};
    }
    const auto words = without_sbatch(command.words);
    if (!words) {
        return words.failure();
    }
    command.words = *words;
    PastedLine ignored;
    const std::size_t front = take_front(command, ignored);
    auto found = find_launcher(command.words, front);
    // Below #SBATCH lines a launcher or a program of Python runs in the job's allocation also without srun.
    const bool python = front < command.words.size() && base_name(command.words[front]).starts_with("python");
    if (!script_.batch.empty() && (found || python) && (!found || found->tool != LauncherTool::Srun) &&
        command.words.size() > front + 1) {
        command.words.insert(command.words.begin() + static_cast<std::ptrdiff_t>(front), "srun");
        found = find_launcher(command.words, front);
    }
    if (found) {
        LauncherLine launcher{command, *found, line_, starts_training(command.words, *found)};
        take_front(command, launcher.before);
        for (const auto& program : script_.left_behind) {
            add_once(script_.left_out, program);
        }
        script_.left_behind.clear();
        script_.launchers.push_back(std::move(launcher));
    } else if (!take_preparation(command)) {
        const std::string& program = front < command.words.size() ? command.words[front] : command.words[0];
        add_once(script_.launchers.empty() ? script_.left_out : script_.left_behind, program);
    }
    return {};
}

// Whether what a shell would fill in is now part of the job.
bool is_kept(const std::string& word, const PastedLine& line) {
    const std::string open = word.substr(std::min(word.find_first_of("$`*?"), word.size()));
    const auto has = [&](const std::string& text) { return text.find(open) != std::string::npos; };
    const auto has_value = [&](const auto& entry) { return has(entry.second); };
    return std::any_of(line.job.command.begin(), line.job.command.end(), has) ||
           std::any_of(line.allocation_extra.begin(), line.allocation_extra.end(), has) ||
           std::any_of(line.allocation.begin(), line.allocation.end(), has_value) || has(line.job.name);
}

// The words of one line; its batch script's options come first, so that its own win.
Result<void> read_line(const Script& script, const LauncherLine& launcher, PastedLine& line) {
    Words words = launcher.command.words;
    if (launcher.found.tool == LauncherTool::Srun) {
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(launcher.found.at), script.batch.begin(),
                     script.batch.end());
    }
    return read_words(launcher.found, words, line);
}

// What is the same for the lines of one start: not the GPUs of each node.
std::string job_text(const PastedLine& line) {
    std::string text = to_yaml(line.job) + std::to_string(line.nodes);
    for (const auto& host : line.hosts) {
        text += ' ' + host;
    }
    for (const auto& [name, value] : line.allocation) {
        text += ' ' + name + '=' + value;
    }
    return text;
}

}  // namespace

Result<Script> read_script(const std::string& pasted, const std::vector<WrittenCommand>& commands) {
    Script script;
    script.batch = batch_options(pasted);
    Reader reader(pasted, script);
    for (const auto& command : commands) {
        if (auto taken = command.words.empty() ? Result<void>() : reader.take(command); !taken) {
            return taken.failure();
        }
    }
    return script;
}

std::vector<StartLines> starts_of(const Script& script) {
    const auto trains = [](const LauncherLine& line) { return line.trains; };
    const bool some_train = std::any_of(script.launchers.begin(), script.launchers.end(), trains);
    std::vector<StartLines> starts;
    std::vector<std::string> jobs;  // of the first line of each
    for (std::size_t i = 0; i < script.launchers.size(); ++i) {
        const LauncherLine& launcher = script.launchers[i];
        if (some_train ? !launcher.trains : i > 0) {
            continue;
        }
        PastedLine line = launcher.before;
        const std::string job =
            read_line(script, launcher, line) ? job_text(line) : joined(launcher.command.words);
        const auto number = node_number(launcher.command.words);
        std::size_t at = 0;
        for (; at < starts.size(); ++at) {
            const auto before = node_number(script.launchers[starts[at].back()].command.words);
            const bool next_node = number && before && *number == *before + 1 && line.nodes > *number;
            if (jobs[at] == job || next_node) {
                break;
            }
        }
        if (at == starts.size()) {
            starts.emplace_back();
            jobs.push_back(job);
        }
        starts[at].push_back(i);
    }
    return starts;
}

std::string title_of(const Script& script, const StartLines& lines) {
    const auto& words = script.launchers[lines.front()].command.words;
    std::string title;
    for (const auto& word : words) {
        title += (title.empty() ? "" : " ") + word;
    }
    return title;
}

std::optional<int> node_number(const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string name = words[i].substr(0, words[i].find('='));
        std::replace(name.begin(), name.end(), '_', '-');
        if (!is_one_of(name, {"--node-rank", "--machine-rank", "--noderank", "--nr", "-nr"})) {
            continue;
        }
        const std::string value = words[i].size() > name.size() ? words[i].substr(name.size() + 1)
                                  : i + 1 < words.size()        ? words[i + 1]
                                                                : std::string();
        return parse_number<int>(value);
    }
    return std::nullopt;
}

Result<PastedLine> read_start(const Script& script, const StartLines& lines) {
    const LauncherLine* chosen = &script.launchers[lines.front()];
    PastedLine line = chosen->before;
    line.tool = chosen->found.tool;
    if (lines.size() > 1) {
        line.notes.push_back(text(kContext, "%1 lines start this job: one job for all nodes.",
                                  {std::to_string(lines.size())}));
    }
    std::vector<std::string> left_out = script.left_out;
    for (const auto& other : script.launchers) {
        if (!other.trains && &other != chosen) {
            left_out.push_back(
                title_of(script, {static_cast<std::size_t>(&other - script.launchers.data())}));
        }
    }
    if (!left_out.empty()) {
        line.notes.push_back(text(kContext,
                                  "%1: left out; only the line that starts the ranks becomes the job.",
                                  {joined(left_out)}));
    }
    for (const auto& program : script.left_behind) {  // "… | tee log.txt"
        line.notes.push_back(text(kContext, "%1 …: what follows the launcher is left out.", {program}));
    }
    for (const auto& redirection : chosen->command.redirections) {
        line.notes.push_back(text(kContext, "%1: each rank's output is kept anyway.", {redirection}));
    }
    const auto before = static_cast<std::ptrdiff_t>(line.notes.size());
    if (auto read = read_line(script, *chosen, line); !read) {
        return read.failure();
    }
    line.launcher_notes.assign(line.notes.begin() + before, line.notes.end());
    std::vector<std::vector<int>> gpus;
    for (const std::size_t other : lines) {
        gpus.push_back(script.launchers[other].before.gpus);
    }
    if (std::any_of(gpus.begin(), gpus.end(), [&](const auto& of) { return of != gpus.front(); })) {
        line.gpus_of_lines = std::move(gpus);
        line.gpus.clear();
        if (can_be_one_node(line)) {
            line.notes.push_back(text(
                kContext, "The lines name different GPUs: choose %1 nodes, or one node that has them all.",
                {std::to_string(lines.size())}));
        }
    }
    for (const auto& word : chosen->command.unfilled) {
        if (is_kept(word, line)) {
            line.notes.push_back(
                text(kContext, "%1: a shell would fill that in; programs start without one. Write the value.",
                     {word}));
        }
    }
    return line;
}

}  // namespace rankscope::inline jobs::launch_lines
