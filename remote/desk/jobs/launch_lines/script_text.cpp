// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A script as what a shell starts for it: its programs become the lines that the readers of launchers know.

#include <base/files.h>
#include <base/text.h>
#include <remote/desk/jobs/launch_lines/batch_script.h>
#include <remote/desk/jobs/launch_lines/container_line.h>
#include <remote/desk/jobs/launch_lines/environment_line.h>
#include <remote/desk/jobs/launch_lines/named_files.h>
#include <remote/desk/jobs/launch_lines/program_line.h>
#include <remote/desk/jobs/launch_lines/sandbox_shell.h>
#include <remote/desk/jobs/launch_lines/script.h>
#include <remote/desk/jobs/launch_lines/script_text.h>
#include <remote/desk/jobs/launch_lines/script_values.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace rankscope::inline jobs {
namespace {

using namespace launch_lines;

constexpr const char* kContext = "LaunchLines";

bool has_text(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// "-N 2", "--nodes=2": what sbatch gives the job.
int number_of(const Words& options, std::initializer_list<const char*> names) {
    for (std::size_t i = 0; i < options.size(); ++i) {
        for (const std::string name : names) {
            std::string value;
            if (options[i] == name && i + 1 < options.size()) {
                value = options[i + 1];
            } else if (options[i].starts_with(name + '=')) {
                value = options[i].substr(name.size() + 1);
            } else if (name.size() == 2 && options[i].starts_with(name) && options[i].size() > 2) {
                value = options[i].substr(2);
            }
            if (const auto number = parse_number<int>(value); number && *number > 0) {
                return *number;
            }
        }
    }
    return 0;
}

// What Slurm would tell the script of the job that its #SBATCH lines ask for.
std::map<std::string, std::string> slurm_numbers(const PastedText& pasted) {
    const Words options = batch_options(pasted.text);
    const int nodes =
        !pasted.nodes.empty() ? static_cast<int>(pasted.nodes.size()) : number_of(options, {"-N", "--nodes"});
    const int each = number_of(options, {"--ntasks-per-node"});
    const int tasks = number_of(options, {"-n", "--ntasks"});
    std::map<std::string, std::string> values;
    const auto put = [&](std::initializer_list<const char*> names, int number) {
        for (const char* name : names) {
            if (number > 0) {
                values[name] = std::to_string(number);
            }
        }
    };
    put({"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}, nodes);
    put({"SLURM_NTASKS_PER_NODE"}, each);
    put({"SLURM_NTASKS", "SLURM_NPROCS"}, tasks > 0 ? tasks : nodes * each);
    put({"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"}, number_of(options, {"--gpus-per-node"}));
    put({"SLURM_CPUS_PER_TASK"}, number_of(options, {"-c", "--cpus-per-task"}));
    return values;
}

ScriptRequest request_of(const PastedText& pasted) {
    ScriptRequest request;
    request.text = without_prompts(pasted.text);
    request.nodes = pasted.nodes;
    request.folder = pasted.folder;
    request.variables = slurm_numbers(pasted);
    const auto nodes = request.variables.find("SLURM_NNODES");
    const int count = nodes == request.variables.end() ? 1 : parse_number<int>(nodes->second).value_or(1);
    for (int i = static_cast<int>(request.nodes.size()); i < std::min(count, 64); ++i) {
        request.nodes.push_back("node" + std::to_string(i + 1));
    }
    request.gpus = number_of(batch_options(pasted.text), {"--gpus-per-node", "--ntasks-per-node"});
    for (const auto& [name, value] : pasted.values) {
        request.variables[name] = value;
    }
    return request;
}

// Paths below the folder where the script began, as seen from there.
std::string from_its_folder(std::string text) {
    for (std::size_t at = 0; (at = text.find("/job", at)) != std::string::npos;) {
        const std::size_t end = at + 4;
        const bool begins = at == 0 || std::string_view(":=, ").find(text[at - 1]) != std::string_view::npos;
        const bool ends = end == text.size() || text[end] == '/' ||
                          std::string_view(":, ").find(text[end]) != std::string_view::npos;
        if (begins && ends) {
            text.replace(at, end < text.size() && text[end] == '/' ? 5 : 4,
                         end < text.size() && text[end] == '/' ? "" : ".");
        } else {
            at = end;
        }
    }
    return text;
}

Failure no_such_start(std::size_t wanted, std::size_t have) {
    return {"bad-command-line", "",
            text(kContext, "The text starts %1 jobs: there is no number %2.",
                 {std::to_string(have), std::to_string(wanted + 1)}),
            text(kContext, "Choose one of them (rankscopectl: --start)."), ""};
}

Result<PastedLine> chosen_start(const Script& script, std::size_t wanted, std::vector<std::string>& titles) {
    const auto starts = starts_of(script);
    for (const auto& lines : starts) {
        titles.push_back(title_of(script, lines));
    }
    return wanted < starts.size() ? read_start(script, starts[wanted])
                                  : Result<PastedLine>(no_such_start(wanted, starts.size()));
}

// As read_launch_line(), which is the first start.
Result<PastedLine> read_plain_text(const PastedText& pasted, std::vector<std::string>& titles) {
    auto first = read_launch_line(pasted.text);
    const auto script = read_script(pasted.text, split_shell_text(pasted.text).commands);
    if (!script || script->launchers.empty()) {
        return first;
    }
    auto line = chosen_start(*script, pasted.start, titles);
    if (pasted.start == 0 || !line) {
        return pasted.start == 0 ? std::move(first) : std::move(line);
    }
    line->job.name = line->job.name.empty() ? name_for(line->job.command) : line->job.name;
    return line;
}

class Evaluated {
public:
    Evaluated(const PastedText& pasted, EvaluatedScript script)
        : pasted_(pasted), script_(std::move(script)) {
        for (auto& start : script_.starts) {
            take_wrapper(start);
        }
    }

    ReadText read() {
        auto read = line();
        return {std::move(read), std::move(missing_), std::move(starts_)};
    }

private:
    Result<PastedLine> line() {
        const auto written = commands();
        const auto script = read_script(pasted_.text, written);
        if (!script) {
            return script.failure();
        }
        auto line = script->launchers.empty() ? program() : chosen_start(*script, pasted_.start, starts_);
        if (!line) {
            PastedLine nothing;
            const auto missing = missing_in_lines();
            return missing.empty() ? line : Result<PastedLine>(ask_for(missing, nothing));
        }
        auto missing = missing_in(*line);
        for (auto& name : missing_in_lines()) {  // numbers that the line's own options have
            if (name.starts_with("SLURM_") &&
                std::find(missing.begin(), missing.end(), name) == missing.end()) {
                missing.push_back(std::move(name));
            }
        }
        if (!missing.empty()) {
            return ask_for(missing, *line);
        }
        take_mpi(source_of_script(line->job.command, folders_of(line->job.workdir)), written, *line);
        add_notes(*line);
        line->job.name = line->job.name.empty() ? name_for(line->job.command) : line->job.name;
        return line;
    }

    // Where files are that the script names.
    std::vector<std::filesystem::path> folders_of(const std::string& workdir) const {
        return pasted_.folder.empty()
                   ? std::vector<std::filesystem::path>{}
                   : std::vector<std::filesystem::path>{pasted_.folder / workdir, pasted_.folder};
    }

    // "nsys profile -o x torchrun …", "ray job submit -- python …": a program around the one that starts the ranks.
    static void take_wrapper(RecordedStart& start) {
        const auto starts_ranks = [&](std::size_t at) {
            return find_known_launcher(start.words, at) ||
                   (start.words[at - 1] == "--" && base_name(start.words[at]).starts_with("python"));
        };
        if (start.kind == RecordedStart::Kind::Tool || find_launcher(start.words, 0) ||
            base_name(start.words.front()).starts_with("python")) {
            return;
        }
        for (std::size_t at = 1; at < start.words.size(); ++at) {
            if (!starts_ranks(at)) {
                continue;
            }
            const auto program = start.words.begin() + static_cast<std::ptrdiff_t>(at);
            std::string wrapper;
            for (auto word = start.words.begin(); word != program; ++word) {
                wrapper += (wrapper.empty() || *word == "--" ? "" : " ") + (*word == "--" ? "" : *word);
            }
            start.wrappers.push_back(std::move(wrapper));
            start.words.erase(start.words.begin(), program);
            start.kind = RecordedStart::Kind::Start;
            return;
        }
    }

    std::vector<WrittenCommand> commands() {
        std::vector<WrittenCommand> commands;
        std::string folder;
        for (const auto& start : script_.starts) {
            if (start.folder != folder && !start.folder.empty()) {
                folder = start.folder;
                commands.push_back(written({"cd", folder}));
            }
            Words words;
            if (start.kind == RecordedStart::Kind::Start) {
                for (const auto& [name, value] : start.environment) {
                    if (!is_the_scripts_own(name, value)) {
                        words.push_back(name + '=' + without_the_rest(name, value));
                    }
                }
            }
            words.insert(words.end(), start.before.begin(), start.before.end());
            const Words program =
                with_named_files(as_known_launcher(start.words), folders_of(start.folder), notes_);
            words.insert(words.end(), program.begin(), program.end());
            for (auto& word : words) {
                word = from_its_folder(word);
            }
            commands.push_back(written(std::move(words)));
        }
        return commands;
    }

    static WrittenCommand written(Words words) {
        WrittenCommand command;
        for (const auto& word : words) {
            if (word.find_first_of("$`") != std::string::npos) {
                command.unfilled.push_back(word);
                command.quoted.push_back(word);
            }
        }
        command.words = std::move(words);
        return command;
    }

    // "export CMD=…; srun bash -c "$CMD"": it has done its work.
    bool is_the_scripts_own(const std::string& name, const std::string& value) const {
        return has_text(value, " ") &&
               (has_text(pasted_.text, '$' + name) || has_text(pasted_.text, "${" + name));
    }

    // "/opt/lib:$LD_LIBRARY_PATH": what the node has besides stays the node's.
    std::string without_the_rest(const std::string& name, std::string value) {
        const std::string rest = '$' + name;
        for (const std::string& form : {':' + rest, rest + ':'}) {
            if (const std::size_t at = value.find(form); at != std::string::npos && name != "PATH") {
                value.erase(at, form.size());
                notes_.push_back(text(kContext,
                                      "%1: it is %2 alone; what a node has in it already is not added.",
                                      {name, value}));
            }
        }
        return value;
    }

    static bool trains(const RecordedStart& start) {
        const std::string name = base_name(start.words.front());
        const bool has_script =
            std::any_of(start.words.begin() + 1, start.words.end(), [](const std::string& word) {
                return word.ends_with(".py") || word.ends_with(".yaml") || word.ends_with(".yml") ||
                       word.ends_with(".toml");
            });
        return start.kind == RecordedStart::Kind::Start ||
               (start.kind == RecordedStart::Kind::Other && has_script && name != "pip" && name != "git");
    }

    // A single program is what the text is for, whatever it is called: "litgpt finetune --devices 4".
    const RecordedStart* only_program() const {
        static const std::set<std::string> kPrepares{"pip",     "pip3",  "git",  "apt",
                                                     "apt-get", "conda", "mamba"};
        const RecordedStart* only = nullptr;
        for (const auto& start : script_.starts) {
            if (start.kind == RecordedStart::Kind::Tool ||
                kPrepares.count(base_name(start.words.front())) > 0) {
                continue;
            }
            if (only != nullptr) {
                return nullptr;
            }
            only = &start;
        }
        return only;
    }

    // A program without a launcher starts its ranks itself, or is the only one of its node.
    Result<PastedLine> program() {
        std::vector<std::vector<RecordedStart>> programs;  // lines of one are typed on one node each
        for (const auto& start : script_.starts) {
            if (!trains(start)) {
                continue;
            }
            const auto program = std::find_if(programs.begin(), programs.end(), [&](const auto& lines) {
                return is_line_of_next_node(lines, start);
            });
            if (program != programs.end()) {
                program->push_back(start);
            } else if (std::none_of(programs.begin(), programs.end(),
                                    [&](const auto& lines) { return starts_the_same(lines, start); })) {
                programs.push_back({start});
                starts_.push_back(joined(start.words, " "));
            }
        }
        if (const auto* only = programs.empty() ? only_program() : nullptr) {
            programs.push_back({*only});
            starts_.push_back(joined(only->words, " "));
        }
        if (programs.empty()) {
            return Failure{"bad-command-line", "",
                           text(kContext, "There is no launcher in the text, and no program that trains."),
                           text(kContext, "Write the program into command: as it is."), ""};
        }
        if (pasted_.start >= programs.size()) {
            return no_such_start(pasted_.start, programs.size());
        }
        PastedLine line;
        line.tool = LauncherTool::Program;
        const auto& lines = programs[pasted_.start];
        const RecordedStart* first = &lines.front();
        std::vector<Words> alike;
        for (const auto& other : lines) {
            alike.push_back(other.words);
        }
        for (const auto& word : words_for_all_nodes(alike, line.notes)) {
            line.job.command.push_back(from_its_folder(word));
        }
        line.job.procs_per_node = 1;
        line.job.workdir = first->folder;
        take_environment(*first, line);
        line.nodes = std::max({line.nodes, alike.size() > 1 ? static_cast<int>(alike.size()) : 0,
                               nodes_in_options(first->words)});
        if (line.nodes == 0) {  // the line is any node's
            line.nodes = std::max(static_cast<int>(pasted_.nodes.size()), 1);
        }
        if (first->words.size() > 1 && base_name(first->words[1]).ends_with(".sh")) {
            line.notes.push_back(
                text(kContext, "%1 is not here, so what it starts is not known: each node runs it as it is.",
                     {first->words[1]}));
        }
        const auto source = source_of_script(first->words, folders_of(first->folder));
        take_rank_start(rank_start_of(source), first->environment, line);
        std::string left;
        for (const auto& other : script_.starts) {
            if (!trains(other) && other.words != first->words) {
                left += (left.empty() ? "" : ", ") + other.words.front();
            }
        }
        if (!left.empty()) {
            line.notes.push_back(
                text(kContext, "%1: left out; only the line that starts the ranks becomes the job.", {left}));
        }
        return line;
    }

    void take_environment(const RecordedStart& start, PastedLine& line) {
        for (const auto& [name, value] : start.environment) {
            if (name == "MASTER_PORT") {
                line.job.master_port = parse_number<int>(value).value_or(line.job.master_port);
            } else if (name == "NNODES" || name == "NUM_NODES") {
                line.nodes = std::max(line.nodes, parse_number<int>(value).value_or(0));
            } else if (name == "CUDA_VISIBLE_DEVICES") {
                static_cast<void>(take_gpus(value, line));
            } else if (!is_set_by_rankscope(name) && name != "PATH" && !is_the_scripts_own(name, value)) {
                line.job.env[name] = from_its_folder(without_the_rest(name, value));
            }
            if (is_set_by_rankscope(name) && name != "NPROC_PER_NODE") {
                line.notes.push_back(text(kContext, "%1: Rankscope sets it for each rank.", {name}));
            }
            if (name == "NPROC_PER_NODE") {  // read by a program that starts its own ranks
                line.job.env[name] = value;
            }
        }
    }

    // Those of the lines that start programs.
    std::vector<std::string> missing_in_lines() const {
        PastedLine words;
        for (const auto& start : script_.starts) {
            if (start.kind == RecordedStart::Kind::Start) {
                words.job.command.insert(words.job.command.end(), start.before.begin(), start.before.end());
                words.job.command.insert(words.job.command.end(), start.words.begin(), start.words.end());
            }
        }
        return missing_in(words);
    }

    // Those of the script's open values that are part of the job.
    std::vector<std::string> missing_in(const PastedLine& line) const {
        std::vector<std::string> missing;
        for (const auto& name : script_.missing) {
            const bool is_argument = parse_number<int>(name).has_value();
            const std::string open = is_argument ? '$' + name : "${" + name + '}';
            const auto has = [&](const std::string& word) { return has_text(word, open); };
            const auto has_value = [&](const auto& entry) { return has(entry.second); };
            if (std::any_of(line.job.command.begin(), line.job.command.end(), has) ||
                std::any_of(line.allocation_extra.begin(), line.allocation_extra.end(), has) ||
                std::any_of(line.allocation.begin(), line.allocation.end(), has_value) ||
                std::any_of(line.notes.begin(), line.notes.end(), has) || has(line.job.workdir) ||
                has(line.job.name)) {
                missing.push_back(name);
            }
        }
        return missing;
    }

    Failure ask_for(const std::vector<std::string>& missing, PastedLine& line) {
        missing_ = missing;
        std::string names;
        std::string example;
        for (const auto& name : missing) {
            const bool is_argument = parse_number<int>(name).has_value();
            names += (names.empty() ? "" : ", ") + (is_argument ? '$' + name : name) + said_of(name);
            example += " --value " + name + "=…";
        }
        add_notes(line);
        std::string notes;
        if (const std::string file = file_not_read(); !file.empty()) {
            notes =
                "\n" + text(kContext,
                            "Variables may come from %1, which is not here: open the script in its folder.",
                            {file});
        }
        for (const auto& note : line.notes) {
            const bool asks = note.starts_with("$");  // what is asked for
            notes += asks ? "" : "\n" + note;
        }
        return {"bad-command-line", "",
                text(kContext, "The script needs values that it does not have: %1.%2", {names, notes}),
                text(kContext, "Give each one (rankscopectl:%1).", {example}), ""};
    }

    // "$1 (QUEUE)": the script gives its argument a name.
    std::string said_of(const std::string& number) const {
        if (!parse_number<int>(number)) {
            return {};
        }
        for (const std::string& form : {"=$" + number, "=${" + number + '}', "=\"$" + number + '"'}) {
            const std::size_t at = pasted_.text.find(form);
            if (at != std::string::npos &&
                (at + form.size() >= pasted_.text.size() ||
                 !std::isdigit(static_cast<unsigned char>(pasted_.text[at + form.size()])))) {
                const std::size_t begin = pasted_.text.find_last_of(" \n\t;", at == 0 ? 0 : at - 1);
                return " (" +
                       pasted_.text.substr(begin == std::string::npos ? 0 : begin + 1,
                                           at - (begin == std::string::npos ? 0 : begin + 1)) +
                       ')';
            }
        }
        return {};
    }

    std::vector<std::string> wrapper_notes(PastedLine& line) const {
        std::vector<std::string> notes;
        for (const auto& start : script_.starts) {
            for (const auto& wrapper : start.wrappers) {
                const std::string note = text(
                    kContext, "%1: left out; say with venv: or conda: where the programs of the ranks are.",
                    {wrapper});
                if (!read_container_line(wrapper) && trains(start) &&
                    std::find(notes.begin(), notes.end(), note) == notes.end() &&
                    (line.job.environment.wanted() ||
                     !take_uv_environment(wrapper, folders_of(line.job.workdir), line))) {
                    notes.push_back(note);
                }
            }
        }
        return notes;
    }

    void add_notes(PastedLine& line) const {
        for (const auto& start : script_.starts) {
            for (const auto& wrapper : trains(start) ? start.wrappers : Words()) {
                take_container(from_its_folder(wrapper), line);
            }
        }
        for (auto& note : wrapper_notes(line)) {
            line.notes.push_back(std::move(note));
        }
        line.notes.insert(line.notes.end(), notes_.begin(), notes_.end());
        if (script_.takes_arguments) {
            line.notes.push_back(
                text(kContext, "$@: arguments of the script itself come behind the command."));
        }
    }

    // "source ./settings.sh": its variables may come from there. Empty: every file was found.
    std::string file_not_read() const {
        const auto source =
            std::find_if(script_.starts.begin(), script_.starts.end(), [](const RecordedStart& start) {
                return start.words.front() == "source" && start.words.size() > 1 &&
                       !start.words[1].ends_with("/activate");
            });
        return source == script_.starts.end() ? std::string() : source->words[1];
    }

    const PastedText& pasted_;
    EvaluatedScript script_;
    std::vector<std::string> notes_;
    std::vector<std::string> missing_;
    std::vector<std::string> starts_;
};

}  // namespace

bool needs_a_shell(const std::string& text) {
    if (text.find_first_of("$`") != std::string::npos || has_text(text, "config_file") ||
        has_text(text, "hostfile")) {
        return true;
    }
    static const std::set<std::string> kWords{
        "if",   "for",    "while",   "until",   "case", "function", "eval",   "source",      ".",
        "bash", "sh",     "{",       "(",       "uv",   "conda",    "mamba",  "micromamba",  "poetry",
        "pixi", "pipenv", "numactl", "taskset", "sudo", "docker",   "podman", "singularity", "apptainer",
        "ssh",  "tune",   "timeout", "stdbuf",  "nice", "setsid"};
    const auto split = split_shell_text(text);
    static const std::set<std::string> kContainers{"docker", "podman", "singularity", "apptainer"};
    return std::any_of(split.commands.begin(), split.commands.end(), [&](const WrittenCommand& command) {
        const bool container =
            std::any_of(command.words.begin(), command.words.end(),
                        [](const std::string& word) { return kContainers.count(base_name(word)) > 0; });
        return !command.words.empty() && (container || kWords.count(base_name(command.words.front())) > 0 ||
                                          has_text(command.words.front(), "("));
    });
}

ReadText read_text_as_written(const PastedText& pasted) {
    std::vector<std::string> starts;
    auto line = read_plain_text(pasted, starts);
    return {std::move(line), {}, std::move(starts)};
}

ReadText read_script_text(const PastedText& pasted) {
    std::vector<std::string> starts;
    auto plain = read_plain_text(pasted, starts);
    const auto split = split_shell_text(without_prompts(pasted.text));
    if ((plain && !needs_a_shell(pasted.text)) || split.commands.empty()) {
        if (plain && !pasted.folder.empty()) {
            take_mpi(
                source_of_script(plain->job.command, {pasted.folder / plain->job.workdir, pasted.folder}),
                split.commands, *plain);
        }
        return {std::move(plain), {}, std::move(starts)};
    }
    const bool as_written = !plain && !needs_a_shell(pasted.text) && split.problem.empty();
    if (!has_script_sandbox()) {
        if (plain) {
            plain->notes.push_back(text(
                kContext,
                "Variables and branches are read as text: install bubblewrap, and a shell evaluates them."));
        }
        if (!as_written) {
            return {std::move(plain), {}, std::move(starts)};
        }
    }
    auto script = has_script_sandbox() ? evaluate_script(request_of(pasted)) : EvaluatedScript{};
    // No sandbox, or it has the program: "/usr/bin/python3 a.py".
    if (as_written && script && script->starts.empty()) {
        script = starts_as_written(split.commands);
    }
    if (!script || script->starts.empty()) {
        return {plain || script ? std::move(plain) : Result<PastedLine>(script.failure())};
    }
    return Evaluated(pasted, std::move(*script)).read();
}

}  // namespace rankscope::inline jobs
