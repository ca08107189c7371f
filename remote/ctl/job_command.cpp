// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/visible_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/desk/jobs/config/distribuuuu_job.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launch_lines/launch_line.h>
#include <remote/desk/jobs/launch_lines/script_text.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "JobCommand";

struct FromOptions {
    std::string line;
    std::vector<std::string> nodes;
    std::string login;                ///< where the job is submitted; empty: it is not
    std::vector<std::string> values;  ///< "CODE=/data/code": what a script asks for
    int start = 1;                    ///< which of the jobs that a script starts
    std::string output;
    bool force = false;
};

// The script of the command, where it lies on this computer and every node would need a copy.
std::string local_script(const Job& job) {
    const bool only_here = job.nodes == std::vector<std::string>{kLocalNodeName};
    if (only_here || !job.workdir.empty()) {
        return {};
    }
    for (const auto& word : job.command) {
        std::error_code ignored;
        const std::filesystem::path path(word);
        const bool is_script = path.extension() == ".py" || path.extension() == ".sh";
        if (is_script && path.is_relative() && std::filesystem::is_regular_file(path, ignored)) {
            return word;
        }
    }
    return {};
}

int write_job(const GlobalOptions& options, const FromOptions& from, const std::string& yaml) {
    if (from.output.empty()) {
        std::printf("%s", yaml.c_str());
        return kDone;
    }
    std::error_code ignored;
    if (!from.force && std::filesystem::exists(from.output, ignored)) {
        report(Failure{"file-exists", from.output, text(kContext, "The file exists already."),
                       text(kContext, "Choose another name, or overwrite it with --force."), ""},
               options.json);
        return kUsage;
    }
    if (const int error = write_file_atomically(from.output, yaml); error != 0) {
        report(Failure{"cannot-write", from.output,
                       text(kContext, "The job file cannot be written: %1.", {std::strerror(error)}),
                       text(kContext, "Check the folder's permissions and free space."), ""},
               options.json);
        return kUsage;
    }
    std::fprintf(stderr, "%s\n", from.output.c_str());
    return kDone;
}

/// The launcher that submits command lines of this program; empty: none does.
std::string launcher_for(const std::string& program) {
    for (const JobLauncher& launcher : job_launchers()) {
        if (launcher.chooses_nodes && launcher.command == program) {
            return launcher.name;
        }
    }
    return {};
}

int job_from_line(const GlobalOptions& options, const FromOptions& from) {
    const auto inventory = load_inventory(options);
    if (!inventory) {
        return kUsage;
    }
    const std::string pasted = from.line == "-" ? std::string(std::istreambuf_iterator<char>(std::cin),
                                                              std::istreambuf_iterator<char>())
                                                : from.line;
    PastedText text_of_line{
        pasted, std::filesystem::current_path(), from.nodes, {}, static_cast<std::size_t>(from.start - 1)};
    for (const auto& value : from.values) {
        const std::size_t equals = value.find('=');
        if (equals == std::string::npos || equals == 0) {
            report(Failure{"bad-command-line", "--value",
                           text(kContext, "\"%1\" has no name and value.", {value}),
                           text(kContext, "Write NAME=VALUE."), ""},
                   options.json);
            return kUsage;
        }
        text_of_line.values[value.substr(0, equals)] = value.substr(equals + 1);
    }
    const ReadText read = read_script_text(text_of_line);
    const auto& line = read.line;
    if (!line) {
        report(line.failure(), options.json);
        return kUsage;
    }
    const std::string submits = from.login.empty() ? std::string() : launcher_for(to_string(line->tool));
    if (!from.login.empty() && submits.empty()) {
        report(Failure{"bad-command-line", "--submit-on",
                       text(kContext, "No launcher submits lines of %1.", {to_string(line->tool)}),
                       text(kContext, "Leave --submit-on out, or give a line of srun or sbatch."), ""},
               options.json);
        return kUsage;
    }
    auto job = submits.empty() ? job_from(*line, *inventory, from.nodes)
                               : Result<Job>(submitted_job(*line, submits, from.login));
    if (!job) {
        report(job.failure(), options.json);
        return kUsage;
    }
    std::vector<std::string> notes;
    for (const std::string& note : line->notes) {
        const auto& left = line->allocation_notes;
        if (from.login.empty() || std::find(left.begin(), left.end(), note) == left.end()) {
            notes.push_back(note);
        }
    }
    if (const std::string script = local_script(*job); !script.empty()) {
        job->push = {script};
        notes.push_back(
            text(kContext, "push: copies %1 to the nodes; add the files that it needs.", {script}));
    }
    const std::string yaml = to_yaml(*job);
    if (options.json) {
        print_json(nlohmann::json{
            {"launcher", to_string(line->tool)}, {"job", yaml}, {"notes", notes}, {"starts", read.starts}});
        return kDone;
    }
    if (read.starts.size() > 1) {
        std::fprintf(stderr, "%s\n",
                     text(kContext, "The text starts %1 jobs; this is number %2 (--start N takes another):",
                          {std::to_string(read.starts.size()), std::to_string(from.start)})
                         .c_str());
        for (std::size_t i = 0; i < read.starts.size(); ++i) {
            std::fprintf(stderr, "  %zu  %s\n", i + 1, visible_line(read.starts[i]).c_str());
        }
    }
    for (const auto& note : notes) {
        std::fprintf(stderr, "note: %s\n", note.c_str());
    }
    return write_job(options, from, yaml);
}

struct DistribuuuuOptions {
    std::string file;
    std::vector<std::string> overrides;
    std::vector<std::string> nodes;
};

int job_from_distribuuuu(const GlobalOptions& options, const DistribuuuuOptions& given,
                         const FromOptions& from) {
    const auto yaml = read_file(given.file);
    if (!yaml) {
        report(Failure{"bad-file", given.file,
                       text(kContext, "The file cannot be read: %1.", {std::strerror(errno)}),
                       text(kContext, "Check the path."), ""},
               options.json);
        return kUsage;
    }
    const auto job = job_of_distribuuuu(*yaml, given.file, given.overrides, given.nodes);
    if (!job) {
        report(job.failure(), options.json);
        return kUsage;
    }
    if (options.json) {
        print_json(nlohmann::json{{"job", *job}});
        return kDone;
    }
    return write_job(options, from, *job);
}

}  // namespace

void add_job_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand("job", "Create a job file from the command line of another launcher");
    auto from = std::make_shared<FromOptions>();
    command->add_option("--from", from->line,
                        "The command line of torchrun, srun, deepspeed, accelerate, horovodrun, mpirun, … in "
                        "one word; -: from the standard input");
    command->add_option("--nodes", from->nodes, "Nodes for a line that names none")->delimiter(',');
    command
        ->add_option("--value", from->values,
                     "NAME=VALUE for a variable that a script of --from asks for, or 1=VALUE for its first "
                     "argument; repeat it")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->option_text("NAME=VALUE");
    command
        ->add_option("--start", from->start, "Which job of a script of --from that starts several: 1, 2, …")
        ->check(CLI::Range(1, 500));
    command->add_option(
        "--submit-on", from->login,
        "Make a job that Slurm runs: the node to submit a line of srun or sbatch on, or local");
    command->add_option("-o,--output", from->output, "File to write (default: the standard output)");
    command->add_flag("--force", from->force, "Overwrite the file");
    auto* keys = command->add_subcommand("keys", "List every key of a job file: type, default, meaning");
    auto markdown = std::make_shared<bool>(false);
    keys->add_flag("--markdown", *markdown, "As docs/job-keys.md");
    auto* theirs = command->add_subcommand("distribuuuu", "Make a job of a configuration of Distribuuuu");
    auto given = std::make_shared<DistribuuuuOptions>();
    theirs->add_option("file", given->file, "Its YAML file")->required();
    theirs->add_option("override", given->overrides, "KEY VALUE pairs, for example TRAIN.BATCH_SIZE 64");
    theirs->add_option("--nodes", given->nodes, "Nodes of the job (default: all)")->delimiter(',');
    theirs->add_option("-o,--output", from->output, "File to write (default: the standard output)");
    theirs->add_flag("--force", from->force, "Overwrite the file");
    command->callback([&options, &code, from, command, keys, markdown, theirs, given] {
        if (command->got_subcommand(theirs)) {
            code = job_from_distribuuuu(options, *given, *from);
            return;
        }
        if (command->got_subcommand(keys)) {
            const std::string list = options.json ? job_keys_json().dump(2) + '\n'
                                     : *markdown  ? job_keys_markdown()
                                                  : job_keys_text();
            std::fputs(list.c_str(), stdout);
            code = kDone;
            return;
        }
        if (from->line.empty()) {
            throw CLI::RequiredError("--from");
        }
        code = job_from_line(options, *from);
    });
}

}  // namespace rankscope::ctl
