// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/metrics_line.h>
#include <base/nccl_plugin_variables.h>
#include <base/paths.h>
#include <remote/agent/node/users_umask.h>
#include <remote/agent/ranks/flight_environment.h>
#include <remote/agent/ranks/nccl_plugin.h>
#include <remote/agent/ranks/rank_process.h>
#include <remote/agent/ranks/ras_environment.h>
#include <remote/agent/ranks/stack_hook.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

extern char** environ;

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPathWithoutLogin = "/usr/local/bin:/usr/bin:/bin";

// What another launcher has left in the login shell would be taken for ours.
bool is_leftover(const std::string& key) {
    return key.starts_with("PET_") || key.starts_with("TORCHELASTIC_");
}

std::map<std::string, std::string> environment_of(const RankProcess& rank, const wire::StartRun& run,
                                                  const RunDir& dir, const PythonEnvironment& python) {
    std::map<std::string, std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const auto equals = text.find('=');
        if (equals != std::string::npos && !is_leftover(text.substr(0, equals))) {
            all[text.substr(0, equals)] = text.substr(equals + 1);
        }
    }
    python.apply(all);
    all.insert_or_assign("PYTHONUNBUFFERED",
                         std::string("1"));  // torchrun runs `python -u`: a log must not lag behind by 8 KiB
    for (const auto& [key, value] : rank.spec.default_env()) {
        all.try_emplace(key, value);
    }
    const auto login_plugin = all.find(kNcclPluginVariable);
    const std::string users_plugin = login_plugin == all.end() ? "" : login_plugin->second;
    for (const auto& [key, value] : rank.spec.env()) {
        all[key] = value;
    }
    if (wants_nccl_plugin(rank.spec)) {
        place_nccl_plugin(all, users_plugin, rank.nccl_plugin, rank.nccl_folder);
    }
    all["TORCHELASTIC_ERROR_FILE"] = error_file_of(dir, rank.spec.rank()).string();
    all[kMetricsPipeVariable] = (dir.rank_dir(rank.spec.rank()) / "metrics").string();
    all[kTokenVariable] = run.token();
    all["RANKSCOPE_RUN_ID"] = run.run_id();
    if (run.has_own()) {
        add_stack_hook(all, dir, rank.spec.rank());
    }
    if (run.nccl().ras()) {
        add_ras_address(all, rank.ras_port);
    }
    if (run.nccl().flight_recorder() &&
        !starts_container({rank.spec.argv().begin(), rank.spec.argv().end()})) {
        add_flight_recorder(all, dir);
    }
    return all;
}

std::vector<std::string> arguments_of(const RankProcess& rank, const wire::StartRun& run, const RunDir& dir,
                                      const NodePaths& paths) {
    std::vector<std::string> arguments;
    if (rank.spec.has_mpi()) {
        const auto& mpi = rank.spec.mpi();
        std::error_code error;
        arguments.push_back(fs::read_symlink("/proc/self/exe", error).string());
        if (rank.spec.rank() != 0) {
            arguments.insert(arguments.end(), {"mpi-node", mpi.endpoint(), mpi.address()});
            return arguments;
        }
        arguments.insert(arguments.end(), {"mpi-head", mpi.endpoint(), mpi.hosts(), "--"});
    }
    for (const auto& argument : rank.spec.argv()) {
        if (argument == "{worker}") {
            arguments.push_back((paths.bundle(run.bundle()) / run.entry()).string());
        } else if (argument == "{config}") {
            arguments.push_back(dir.train_config().string());
        } else {
            arguments.push_back(argument);
        }
    }
    return arguments;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (auto& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

enum class Step : int { Workdir, Exec };
struct ChildError {
    Step step;
    int error;
};

struct Launch {
    std::string program;  ///< file to execute, as seen from workdir
    std::string workdir;
    char* const* argv;
    char* const* envp;
    pid_t supervisor;
};

// Whatever the supervisor, or who started it, has open is not the rank's: a pipe that lives on in a rank
// never ends.
void keep_only_streams() {
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {  // Linux before 5.11
        for (int fd = 3; fd < 1024; ++fd) {
            ::fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
    }
}

// Between fork and exec: only async-signal-safe calls. Another thread may hold any lock.
[[noreturn]] void become_rank(const Launch& launch, int out, int err, int report) {
    const auto fail = [report](Step step) {
        const ChildError error{step, errno};
        [[maybe_unused]] const auto put = ::write(report, &error, sizeof error);
        ::_exit(127);
    };
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launch.supervisor) {
        ::_exit(127);  // it died before the signal was asked for
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGPIPE, SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGCHLD, SIGUSR1, SIGUSR2}) {
        ::signal(signal, SIG_DFL);
    }
    ::umask(users_umask());
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(null, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    keep_only_streams();
    if (::chdir(launch.workdir.c_str()) != 0) {
        fail(Step::Workdir);
    }
    // Not execvpe: it looks in the supervisor's PATH instead of the rank's, and hands what the kernel cannot
    // execute (a program for another kind of machine) to sh, whose complaint says nothing.
    ::execve(launch.program.c_str(), launch.argv, launch.envp);
    fail(Step::Exec);
    ::_exit(127);
}

std::string explain(const ChildError& error, const Launch& launch) {
    const std::string reason = std::strerror(error.error);
    if (error.step == Step::Workdir) {
        return "workdir " + launch.workdir + ": " + reason;
    }
    std::string said = launch.program + ": " + reason;
    const fs::path file = fs::path(launch.workdir) / launch.program;
    std::error_code ignored;
    switch (error.error) {
        case ENOENT:
            return said + (fs::exists(file, ignored)
                               ? " (the file is there: its interpreter or loader is missing)"
                               : " (not found in workdir)");
        case EACCES:
            return said + " (not executable, or on a file system mounted noexec)";
        case ENOEXEC:
            return said + (read_file(file).value_or("").starts_with("\x7f"
                                                                    "ELF")
                               ? " (built for another kind of machine)"
                               : " (no program, and no script that names its interpreter with #!)");
        default:
            return said;
    }
}

AgentResult<void> open_metrics_pipe(RankProcess& rank, const RunDir& dir) {
    const std::string path = (dir.rank_dir(rank.spec.rank()) / "metrics").string();
    if (::mkfifo(path.c_str(), 0600) != 0 && errno != EEXIST) {
        return failure_from_errno(errno, path);
    }
    rank.metrics.reset(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (!rank.metrics) {
        return failure_from_errno(errno, path);
    }
    // Room for some thousand lines: a supervisor that is busy for a moment must not hold up a rank.
    ::fcntl(rank.metrics.get(), F_SETPIPE_SZ, 1 << 20);
    return {};
}

}  // namespace

AgentResult<pid_t> fork_rank(const RankProcess& rank, const wire::StartRun& run, const RunDir& dir,
                             const NodePaths& paths, const PythonEnvironment& python, int out, int err) {
    auto arguments = arguments_of(rank, run, dir, paths);
    const auto variables = environment_of(rank, run, dir, python);
    std::vector<std::string> environment;
    environment.reserve(variables.size());
    for (const auto& [key, value] : variables) {
        environment.push_back(key + '=' + value);
    }
    const auto argv = pointers_to(arguments);
    const auto envp = pointers_to(environment);
    Launch launch{"", "", argv.data(), envp.data(), ::getpid()};
    launch.workdir =
        rank.spec.workdir().empty() ? home_dir().string() : expand_home(rank.spec.workdir()).string();
    if (arguments.empty() || arguments.front().empty()) {
        return AgentFailure{.code = "cannot-start", .detail = "no command is given"};
    }
    const auto path = variables.find("PATH");
    launch.program = find_program(arguments.front(),
                                  path == variables.end() ? kPathWithoutLogin : path->second, launch.workdir);
    if (launch.program.empty()) {
        return AgentFailure{
            .code = "cannot-start",
            .detail = arguments.front() + ": " + std::strerror(ENOENT) + " (not found in PATH)",
            .error = ENOENT};
    }
    Pipe report = make_pipe();
    note_streams(dir, rank.spec.rank(), out, err);
    const pid_t pid = ::fork();
    if (pid == 0) {
        become_rank(launch, out, err, report.write_end.get());
    }
    if (pid < 0) {
        return failure_from_errno(errno, "fork");
    }
    report.write_end.reset();
    ChildError child{};
    if (::read(report.read_end.get(), &child, sizeof child) == static_cast<ssize_t>(sizeof child)) {
        // The process ends by itself with 127 and is reaped like any other.
        const bool no_folder = child.step == Step::Workdir && child.error == ENOENT;
        return AgentFailure{.code = no_folder ? "workdir-missing" : "cannot-start",
                            .detail = explain(child, launch),
                            .error = child.error};
    }
    return pid;
}

AgentResult<void> start_rank(RankProcess& rank, const RunDir& dir, const StartProgram& start) {
    std::error_code error;
    fs::create_directories(dir.rank_dir(rank.spec.rank()), error);
    if (error) {
        return failure_from_errno(error.value(), dir.rank_dir(rank.spec.rank()).string());
    }
    if (auto opened = open_metrics_pipe(rank, dir); !opened) {
        return opened;
    }
    fs::remove(error_file_of(dir, rank.spec.rank()), error);  // an earlier attempt's
    Pipe out = make_pipe();
    Pipe err = make_pipe();
    const auto pid = start(rank, out.write_end.get(), err.write_end.get());
    if (!pid) {
        return pid.failure();
    }
    rank.pid = *pid;
    std::ofstream(dir.rank_pid(rank.spec.rank())) << rank.pid;
    set_nonblocking(out.read_end.get(), true);
    set_nonblocking(err.read_end.get(), true);
    rank.out = std::move(out.read_end);
    rank.err = std::move(err.read_end);
    return {};
}

std::string find_program(const std::string& name, const std::string& path, const fs::path& workdir) {
    if (name.find('/') != std::string::npos) {
        return name;
    }
    std::string denied;
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path file = workdir / (folder.empty() ? "." : folder) / name;
        std::error_code error;
        if (!fs::is_regular_file(file, error)) {
            continue;
        }
        if (::access(file.c_str(), X_OK) == 0) {
            return file.string();
        }
        denied = file.string();
    }
    return denied;
}

fs::path error_file_of(const RunDir& dir, int rank) {
    return dir.rank_dir(rank) / "error.json";
}

}  // namespace rankscope::agent
