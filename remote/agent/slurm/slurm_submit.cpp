// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/paths.h>
#include <base/shell_quote.h>
#include <base/text.h>
#include <remote/agent/node/command.h>
#include <remote/agent/slurm/slurm_job.h>
#include <remote/agent/slurm/slurm_submit.h>
#include <remote/wire/slurm_exit.h>

#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr double kSbatchTimeout = 60;
constexpr double kScancelTimeout = 20;
constexpr int kForce = SIGINT;  // what the supervisor takes for "at once"

// Of supervisors of an earlier version: SIGTERM.
int stop_signal(const wire::SlurmAllocation& allocation) {
    return allocation.stop_signal() != 0 ? static_cast<int>(allocation.stop_signal()) : SIGTERM;
}

// By its exit status the script says what it lacks (remote/wire/slurm_exit.h).
std::string script_of(const wire::StartRun& run, const SlurmDir& dir, const std::string& sbatch) {
    const std::string nodes = std::to_string(run.slurm().nodes());
    std::ostringstream script;
    script << "#!/bin/sh\n"
           << "# Run " << run.run_id() << ": a supervisor on each node, which starts the ranks there.\n"
           << "agent=" << shell_quote(fs::read_symlink("/proc/self/exe").string()) << '\n'
           << "run=" << shell_quote(dir.run.dir.string()) << '\n'
           << "PATH=$PATH:" << shell_quote(fs::path(sbatch).parent_path().string()) << '\n'
           << "[ -r \"$run/spec\" ] || exit " << kSlurmExitNotShared << "\n"
           << "exec >>\"$run/slurm.out\" 2>&1\n"
           << "[ -x \"$agent\" ] || exit " << kSlurmExitNoExec << "\n"
           << "srun --nodes=" << nodes << " --ntasks=" << nodes
           << " --ntasks-per-node=1 --mpi=none --cpu-bind=none --input=none --kill-on-bad-exit=1 /bin/sh -c "
           << shell_quote(
                  "if [ ! -r \"$2/spec\" ]; then echo \"rankscope: $(hostname) does not see $2\" >&2; exit " +
                  std::to_string(kSlurmExitNotShared) + "; fi; exec \"$1\" slurm-supervise \"$2\"")
           << " rankscope \"$agent\" \"$run\"\n"
           << "status=$?\n"
           // The others were killed for it: srun's status is theirs.
           << "if grep -q '^rankscope: .* does not see ' \"$run/slurm.out\"; then status="
           << kSlurmExitNotShared
           << "; fi\n"
           // What was stopped is for the accounting a cancelled job, what failed a failed one.
           << "if [ -e \"$run/stopped\" ]; then scancel \"$SLURM_JOB_ID\"; sleep 60; fi\n"
           << "if [ $status -eq 0 ] && [ -e \"$run/failed\" ]; then status=1; fi\n"
           << "exit $status\n";
    return script.str();
}

AgentResult<void> prepare(const wire::StartRun& run, const SlurmDir& dir, const std::string& sbatch) {
    std::error_code error;
    fs::create_directories(dir.run.dir.parent_path(), error);
    if (!error && ::mkdir(dir.run.dir.c_str(), 0700) != 0) {
        error.assign(errno, std::generic_category());
    }
    if (error.value() == EEXIST) {
        return AgentFailure{"run-exists", dir.run.dir.string()};
    }
    if (error) {
        return failure_from_errno(error.value(), dir.run.dir.string());
    }
    int failed = write_file_atomically(dir.run.spec(), run.SerializeAsString());
    if (failed == 0) {
        failed = write_file_atomically(dir.script(), script_of(run, dir, sbatch));
    }
    if (failed != 0) {
        fs::remove_all(dir.run.dir, error);
        return failure_from_errno(failed, dir.run.dir.string());
    }
    return {};
}

// A question about anything else fails as well where the controller is down: then nothing was refused.
bool controller_answers() {
    const std::string program = find_slurm_program("sinfo");
    auto command =
        program.empty() ? std::nullopt : Command::start({program, "-h", "-o", "%P"}, kScancelTimeout);
    if (!command) {
        return true;
    }
    command->wait();
    return command->status() == 0;
}

// true: it said yes. `said`: what it complained of.
bool scancel(const std::vector<std::string>& arguments, std::string& said) {
    const std::string program = find_slurm_program("scancel");
    std::vector<std::string> argv{program};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    auto command = program.empty() ? std::nullopt : Command::start(argv, kScancelTimeout);
    if (!command) {
        said = "scancel: not found";
        return false;
    }
    command->wait();
    said = std::string(trimmed(command->errors()));
    return command->status() == 0 && said.find("error") == std::string::npos;
}

}  // namespace

AgentResult<wire::SlurmSubmitted> submit_slurm(const wire::SubmitSlurm& submit, const NodePaths& paths) {
    const wire::StartRun& run = submit.run();
    const auto nodes = run.slurm().nodes();
    if (!is_safe_name(run.run_id()) || (!run.bundle().empty() && !is_safe_name(run.bundle())) || nodes == 0 ||
        static_cast<std::uint64_t>(nodes) * run.slurm().ranks_per_node() !=
            static_cast<std::uint64_t>(run.ranks_size())) {
        return AgentFailure{"bad-request",
                            "unsafe run id or bundle name, or ranks that are not those of the nodes"};
    }
    const std::string sbatch = find_slurm_program("sbatch");
    if (sbatch.empty()) {
        return AgentFailure{"slurm-missing", "sbatch"};
    }
    const SlurmDir dir{RunDir{paths.run(run.run_id())}};
    if (auto prepared = prepare(run, dir, sbatch); !prepared) {
        return std::move(prepared.failure());
    }
    std::vector<std::string> argv{sbatch};
    argv.insert(argv.end(), submit.sbatch().begin(), submit.sbatch().end());
    for (const char* word : {"--parsable", "--output=/dev/null"}) {  // the script sees to its output itself
        argv.emplace_back(word);
    }
    argv.push_back(dir.script().string());
    auto command = Command::start(argv, kSbatchTimeout);
    if (command) {
        command->wait();
    }
    const auto id =
        command && command->status() == 0 ? std::strtoull(command->output().c_str(), nullptr, 10) : 0;
    std::error_code ignored;
    if (id == 0) {
        fs::remove_all(dir.run.dir, ignored);
        if (command && (command->timed_out() || !controller_answers())) {
            return AgentFailure{"slurm-silent", std::string(trimmed(command->errors()))};
        }
        return AgentFailure{"slurm-refused", command ? std::string(trimmed(command->errors()))
                                                     : "sbatch could not be started"};
    }
    const int failed = write_file_atomically(dir.job_id(), std::to_string(id) + '\n');
    if (failed != 0) {
        std::string said;
        scancel({std::to_string(id)}, said);  // no desk would find it again
        fs::remove_all(dir.run.dir, ignored);
        return failure_from_errno(failed, dir.job_id().string());
    }
    wire::SlurmSubmitted submitted;
    submitted.set_job_id(id);
    return submitted;
}

void write_stop_cause(const RunDir& run, const std::string& cause) {
    wire::StartRun spec;
    std::ifstream file(run.spec(), std::ios::binary);
    if (!spec.ParseFromIstream(&file)) {
        return;
    }
    for (int index = 0; index < static_cast<int>(spec.slurm().nodes()); ++index) {
        const RunDir node = SlurmDir{run}.node(index);
        std::error_code error;
        if (fs::is_directory(node.dir, error)) {
            write_file_atomically(node.stop_cause(), cause);
        }
    }
}

namespace {

// For every desk that follows the run: a user stopped it, and not Slurm.
void note_stop(const wire::CancelSlurm& cancel, const SlurmDir& dir) {
    if (cancel.by_user()) {
        write_file_atomically(dir.stopped(), cancel.cause());
    }
}

}  // namespace

AgentResult<wire::Stopping> cancel_slurm(const wire::CancelSlurm& cancel, const SlurmDir& dir) {
    const auto id = slurm_job_of(dir);
    if (!id) {
        return AgentFailure{"no-such-run", cancel.run_id()};
    }
    const std::string job = std::to_string(*id);
    std::string said;
    bool delivered = false;
    if (const auto allocation = read_allocation(dir)) {
        write_stop_cause(dir.run, cancel.cause());
        note_stop(cancel, dir);
        const int signal = cancel.force() ? kForce : stop_signal(*allocation);
        delivered = scancel({"--signal=" + std::to_string(signal), job + ".0"}, said);
    }
    // It is still pending, or its step does not exist yet or any more.
    if (!delivered && !scancel({job}, said)) {
        return AgentFailure{"slurm-cancel", said};
    }
    if (!delivered) {
        note_stop(cancel, dir);
    }
    wire::Stopping stopping;
    stopping.set_slurm_job(*id);
    stopping.set_was_running(delivered);
    return stopping;
}

}  // namespace rankscope::agent
