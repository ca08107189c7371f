// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A script as what a shell starts for it: its programs become the lines that the readers of launchers know.

#include <base/files.h>
#include <base/foreign_yaml.h>
#include <base/text.h>
#include <remote/desk/jobs/launch_lines/batch_script.h>
#include <remote/desk/jobs/launch_lines/sandbox_shell.h>
#include <remote/desk/jobs/launch_lines/script.h>
#include <remote/desk/jobs/launch_lines/script_text.h>
#include <remote/desk/jobs/launch_lines/script_values.h>
#include <remote/desk/nodes/inventory/node_import.h>
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

// "$ torchrun …", "user@host:~$ torchrun …": copied with the prompt.
std::string without_prompts(const std::string& text) {
    std::string kept;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        const std::size_t prompt = line.find("$ ");
        const std::string before = prompt == std::string::npos ? "-" : line.substr(0, prompt);
        if (before.find_first_not_of(" \t") == std::string::npos ||
            (has_text(before, "@") && has_text(before, ":") &&
             before.find_first_of(" \"'") == std::string::npos)) {
            line.erase(0, prompt + 2);
        }
        kept += line + '\n';
        at = end + 1;
    }
    return kept;
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

class Evaluated {
public:
    Evaluated(const PastedText& pasted, EvaluatedScript script)
        : pasted_(pasted), script_(std::move(script)) {}

    const std::vector<std::string>& missing() const { return missing_; }
    Result<PastedLine> line() {
        const auto script = read_script(pasted_.text, commands());
        if (!script) {
            return script.failure();
        }
        auto line = script->launchers.empty() ? program() : read_chosen(*script);
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
            if (!reads_another_file()) {
                return ask_for(missing, *line);
            }
            for (const auto& name : missing) {
                line->notes.push_back(
                    text(kContext, "%1: it may come from the file that the script reads; write the value.",
                         {name}));
            }
        }
        add_notes(*line);
        line->job.name = line->job.name.empty() ? name_for(line->job.command) : line->job.name;
        return line;
    }

private:
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
            const Words program = with_its_files(as_known_launcher(start.words), start.folder);
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

    // The value of an option, which is taken out: "--config_file x", "--config-file=x".
    static std::string take_option(Words& words, std::initializer_list<std::string_view> names) {
        for (std::size_t i = 1; i < words.size(); ++i) {
            std::string name = words[i].substr(0, words[i].find('='));
            std::replace(name.begin(), name.end(), '-', '_');
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                continue;
            }
            const bool joined = has_text(words[i], "=");
            const std::string value = joined                 ? words[i].substr(words[i].find('=') + 1)
                                      : i + 1 < words.size() ? words[i + 1]
                                                             : "";
            words.erase(
                words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), i + (joined ? 1 : 2))));
            return value;
        }
        return {};
    }

    static bool has_option(const Words& words, const std::string& wanted) {
        return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            std::string name = word.substr(0, word.find('='));
            std::replace(name.begin(), name.end(), '-', '_');
            return name == "__" + wanted;
        });
    }

    std::optional<std::string> file_at(const std::string& name, const std::string& folder) const {
        if (pasted_.folder.empty() || name.empty()) {
            return std::nullopt;
        }
        for (const auto& base : {pasted_.folder / folder, pasted_.folder}) {
            if (auto content = read_file(base / name); content) {
                return content;
            }
        }
        return std::nullopt;
    }

    // What the files say that the line names, as options of the line.
    Words with_its_files(Words words, const std::string& folder) {
        const std::string program = words.empty() ? "" : base_name(words.front());
        if (program == "accelerate" && words.size() > 1 && words[1] == "launch") {
            Words without = words;
            const std::string name = take_option(without, {"__config_file"});
            if (const auto content = file_at(name, folder)) {
                return with_accelerate_file(std::move(without), name, *content);
            }
        } else if (program == "deepspeed" || program == "ds") {
            Words without = words;
            const std::string name = take_option(without, {"__hostfile", "_H"});
            if (const auto content = file_at(name, folder)) {
                return with_hostfile(std::move(without), name, *content);
            }
        }
        return words;
    }

    Words with_accelerate_file(Words words, const std::string& name, const std::string& content) {
        std::string read;
        try {
            const YAML::Node file = load_yaml(content);
            for (const char* key :
                 {"num_machines", "num_processes", "main_process_port", "gpu_ids", "mixed_precision"}) {
                if (!file.IsMap() || !file[key] || !file[key].IsScalar() || has_option(words, key)) {
                    continue;
                }
                read += (read.empty() ? "" : ", ") + std::string(key);
                words.insert(words.begin() + 2, "--" + std::string(key) + '=' + file[key].Scalar());
            }
        } catch (const YAML::Exception& error) {
            notes_.push_back(text(kContext, "--config_file %1 cannot be read: %2.", {name, error.what()}));
            return words;
        }
        notes_.push_back(text(kContext, "--config_file %1: read (%2); what else it says is accelerate's own.",
                              {name, read}));
        return words;
    }

    Words with_hostfile(Words words, const std::string& name, const std::string& content) {
        const NodeImport list = import_nodes(content, name, ImportFormat::Auto, {});
        std::string hosts;
        int slots = 0;
        for (const auto& entry : list.nodes) {
            hosts += (hosts.empty() ? "" : "@") + entry.node.name;
            slots = std::max(slots, entry.node.cpu_slots);
        }
        if (hosts.empty() || !list.problems.empty()) {
            notes_.push_back(text(kContext, "--hostfile %1 cannot be read.", {name}));
            return words;
        }
        if (!has_option(words, "include")) {
            words.insert(words.begin() + 1, "--include=" + hosts);
        }
        if (!has_option(words, "num_gpus") && slots > 0) {
            words.insert(words.begin() + 1, "--num_gpus=" + std::to_string(slots));
        }
        return words;
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

    // torchtune's launcher takes torchrun's options; its recipe starts without them.
    static Words as_known_launcher(const Words& words) {
        if (words.size() < 3 || base_name(words[0]) != "tune" || words[1] != "run") {
            return words;
        }
        std::size_t recipe = 2;
        while (recipe < words.size() && words[recipe].starts_with("-")) {
            recipe += has_text(words[recipe], "=") || words[recipe] == "--standalone" ? 1 : 2;
        }
        recipe = std::min(recipe, words.size());
        Words launcher{"torchrun"};
        launcher.insert(launcher.end(), words.begin() + 2,
                        words.begin() + static_cast<std::ptrdiff_t>(recipe));
        launcher.insert(launcher.end(), {"--no-python", words[0], words[1]});
        launcher.insert(launcher.end(), words.begin() + static_cast<std::ptrdiff_t>(recipe), words.end());
        return launcher;
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

    // A program without a launcher starts its ranks itself, or is the only one of its node.
    Result<PastedLine> program() {
        const auto first = std::find_if(script_.starts.begin(), script_.starts.end(), trains);
        if (first == script_.starts.end()) {
            return Failure{"bad-command-line", "",
                           text(kContext, "There is no launcher in the text, and no program that trains."),
                           text(kContext, "Write the program into command: as it is."), ""};
        }
        PastedLine line;
        line.tool = LauncherTool::Program;
        for (const auto& word : first->words) {
            line.job.command.push_back(from_its_folder(word));
        }
        line.job.procs_per_node = 1;
        line.job.workdir = first->folder;
        take_environment(*first, line);
        // The same program for another node: its line differs by its rank.
        int alike = 0;
        for (const auto& other : script_.starts) {
            alike += trains(other) && other.words.front() == first->words.front() &&
                             (other.words == first->words || other.words.size() == first->words.size())
                         ? 1
                         : 0;
        }
        line.nodes = std::max({line.nodes, alike, 1});
        line.notes.push_back(
            text(kContext,
                 "%1: one is started on each node, as if by hand; ranks that it starts itself are its own.",
                 {base_name(first->words.front())}));
        std::string left;
        for (const auto& other : script_.starts) {
            if (&other != &*first && !trains(other)) {
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

    // Those in the lines that start programs, where the job cannot be read without them.
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
        for (const std::string form : {"=$" + number, "=${" + number + '}', "=\"$" + number + '"'}) {
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

    std::vector<std::string> wrapper_notes() const {
        std::vector<std::string> notes;
        for (const auto& start : script_.starts) {
            for (const auto& wrapper : start.wrappers) {
                const std::string program = wrapper.substr(0, wrapper.find(' '));
                const bool container = program == "docker" || program == "podman" || program == "nerdctl" ||
                                       program == "singularity" || program == "apptainer";
                const std::string note =
                    container
                        ? text(kContext,
                               "%1: the ranks start outside of the container; say with venv: or conda: where "
                               "their programs are.",
                               {wrapper})
                        : text(kContext,
                               "%1: left out; say with venv: or conda: where the programs of the ranks are.",
                               {wrapper});
                if (trains(start) && std::find(notes.begin(), notes.end(), note) == notes.end()) {
                    notes.push_back(note);
                }
            }
        }
        return notes;
    }

    void add_notes(PastedLine& line) const {
        for (auto& note : wrapper_notes()) {
            line.notes.push_back(std::move(note));
        }
        line.notes.insert(line.notes.end(), notes_.begin(), notes_.end());
        if (script_.takes_arguments) {
            line.notes.push_back(
                text(kContext, "$@: arguments of the script itself come behind the command."));
        }
    }

    // Its variables may come from a file that is not here: "source ./settings.sh".
    bool reads_another_file() const {
        return std::any_of(script_.starts.begin(), script_.starts.end(), [](const RecordedStart& start) {
            return start.words.front() == "source" && start.words.size() > 1 &&
                   !start.words[1].ends_with("/activate");
        });
    }

    const PastedText& pasted_;
    EvaluatedScript script_;
    std::vector<std::string> notes_;
    std::vector<std::string> missing_;
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
    return std::any_of(split.commands.begin(), split.commands.end(), [&](const WrittenCommand& command) {
        return !command.words.empty() &&
               (kWords.count(base_name(command.words.front())) > 0 || has_text(command.words.front(), "("));
    });
}

ReadText read_script_text(const PastedText& pasted) {
    auto plain = read_launch_line(pasted.text);
    if ((plain && !needs_a_shell(pasted.text)) || split_shell_text(pasted.text).commands.empty()) {
        return {std::move(plain)};
    }
    if (!has_script_sandbox()) {
        if (plain) {
            plain->notes.push_back(text(
                kContext,
                "Variables and branches are read as text: install bubblewrap, and a shell evaluates them."));
        }
        return {std::move(plain)};
    }
    auto script = evaluate_script(request_of(pasted));
    if (!script || script->starts.empty()) {
        return {plain || script ? std::move(plain) : Result<PastedLine>(script.failure())};
    }
    Evaluated evaluated(pasted, std::move(*script));
    auto line = evaluated.line();
    return {std::move(line), evaluated.missing()};
}

}  // namespace rankscope::inline jobs
