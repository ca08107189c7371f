// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/paths.h>
#include <base/utf8.h>
#include <base/wait_fd.h>
#include <remote/agent/node/command.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/proc_text.h>
#include <remote/agent/probes/rank_stacks.h>
#include <remote/agent/probes/stack_text.h>
#include <remote/agent/ranks/stack_hook.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 2;  // of a program that reads stacks
constexpr double kAnswer = 0.5;  // of a signal handler
constexpr double kLookAgain = 0.02;
constexpr std::size_t kMostTasks = 1024;
constexpr int kAttempts = 3;  // py-spy reads memory that changes meanwhile

std::string find_program(const std::string& name, const std::string& first) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(first + ':' + (path != nullptr ? path : "/usr/bin:/bin") + ':' +
                               (home_dir() / ".local/bin").string());
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string file = folder + '/' + name;
        if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) {
            return file;
        }
    }
    return {};
}

bool is_python(const ProcFolder& process) {
    const auto name = fs::path(process.link("exe")).filename().string();
    return name.starts_with("python") || name.starts_with("pypy");
}

bool catches(const ProcFolder& process, int signal) {
    const auto mask = number_of(field_of_status(process.read("status"), "SigCgt"), 16).value_or(0);
    return ((mask >> static_cast<unsigned>(signal - 1)) & 1U) != 0;
}

bool has_file_open(const ProcFolder& process, const std::string& file) {
    const ProcFolder folder(process, "fd");
    const auto fds = folder ? folder.numbers(256) : std::vector<int>();
    return std::any_of(fds.begin(), fds.end(),
                       [&](int fd) { return folder.link(std::to_string(fd)) == file; });
}

// 0: the program has none of ours.
pid_t stack_thread(const ProcFolder& process) {
    const ProcFolder tasks(process, "task");
    const auto threads = tasks ? tasks.numbers(kMostTasks) : std::vector<int>();
    const auto found = std::find_if(threads.begin(), threads.end(), [&](int thread) {
        auto name = tasks.read(std::to_string(thread) + "/comm");
        return name.substr(0, name.find('\n')) == kStackThread;
    });
    return found == threads.end() ? 0 : *found;
}

/// The stacks of one process.
class Reader {
public:
    explicit Reader(const StackRequest& request)
        : request_(request),
          process_("/proc/" + std::to_string(request.pid)),
          below_(process_.link("cwd")),
          python_(is_python(process_)) {
        if (python_) {
            start_py_spy();
        }
        start_eu_stack();
    }

    /// true: both stacks are here, or cannot be had.
    bool step() {
        if (py_spy_ && py_spy_->step()) {
            take_py_spy();
        }
        if (asked_until_ > 0) {
            take_answer();
        }
        if (eu_stack_ && eu_stack_->step()) {
            take_eu_stack();
        }
        return !py_spy_ && !eu_stack_ && asked_until_ == 0;
    }

    /// Out of time.
    void run_out_of_time() {
        if (eu_stack_) {
            eu_stack_.reset();  // kills it
            release();
        }
        if (py_spy_ || asked_until_ > 0) {
            missing("python_stack", "out of time");
        }
        py_spy_.reset();
    }

    RankStacks take() { return std::move(stacks_); }

private:
    void start_py_spy() {
        const auto program = find_program("py-spy", request_.programs);
        if (program.empty()) {
            py_spy_problem_ = "py-spy is not installed";
            ask_faulthandler();
            return;
        }
        ++attempts_;
        py_spy_ = Command::start(
            {program, "dump", "--json", "--nonblocking", "--pid", std::to_string(request_.pid)}, kPatience);
        if (!py_spy_) {
            py_spy_problem_ = "py-spy cannot be started";
            ask_faulthandler();
        }
    }

    void take_py_spy() {
        stacks_.python = parse_py_spy(py_spy_->output(), request_.pid, below_);
        const auto& said = py_spy_->errors();
        py_spy_problem_ =
            py_spy_->timed_out() ? "py-spy: out of time" : "py-spy: " + said.substr(0, said.find('\n'));
        const bool again = stacks_.python.empty() && !py_spy_->timed_out() && attempts_ < kAttempts &&
                           said.find("ermission") == std::string::npos;
        py_spy_.reset();
        if (!stacks_.python.empty()) {
            stacks_.python_from = "py-spy";
        } else if (again) {
            start_py_spy();
        } else {
            ask_faulthandler();
        }
    }

    // Only a program that has the handler, the thread and the file: the hook may have been left out, or replaced by its
    // own. The main thread may be in uninterruptible sleep.
    void ask_faulthandler() {
        const auto file = request_.stack_file.string();
        const pid_t thread = stack_thread(process_);
        if (request_.stopped) {
            missing("python_stack", py_spy_problem_ + "; the process can answer no signal");
        } else if (thread == 0 || !catches(process_, kStackSignal) || !has_file_open(process_, file)) {
            missing("python_stack", py_spy_problem_ + "; the program has no faulthandler of ours");
        } else if (::truncate(file.c_str(), 0) != 0 ||
                   ::syscall(SYS_tgkill, request_.pid, thread, kStackSignal) != 0) {
            missing("python_stack", py_spy_problem_ + "; the program cannot be asked");
        } else {
            asked_until_ = monotonic_s() + kAnswer;
        }
    }

    // The handler writes in small pieces: the stack is whole when it has not grown between two looks.
    void take_answer() {
        const auto text = read_file(request_.stack_file).value_or(std::string());
        const bool whole = !text.empty() && text.back() == '\n' && text == answer_;
        answer_ = text;
        if (!whole && monotonic_s() < asked_until_) {
            return;
        }
        asked_until_ = 0;
        stacks_.python = parse_faulthandler(text, below_);
        if (stacks_.python.empty()) {
            missing("python_stack", py_spy_problem_ + "; the program has not answered");
        } else {
            stacks_.python_from = "faulthandler";
        }
    }

    void start_eu_stack() {
        const auto program = find_program("eu-stack", {});
        if (program.empty()) {
            missing("native_stack", "eu-stack is not installed");
        } else if (request_.held) {
            missing("native_stack", "the process cannot be stopped for it");
        } else {
            eu_stack_ = Command::start({program, "-1", "-p", std::to_string(request_.pid)}, kPatience);
        }
    }

    void take_eu_stack() {
        stacks_.native = parse_eu_stack(eu_stack_->output());
        if (stacks_.native.empty()) {
            const auto& said = eu_stack_->errors();
            missing(
                "native_stack",
                "eu-stack: " + (eu_stack_->timed_out() ? "out of time" : said.substr(0, said.find('\n'))));
        }
        const bool killed = eu_stack_->timed_out();
        eu_stack_.reset();
        if (killed) {
            release();
        }
    }

    // It attaches by SIGSTOP, which may arrive after its own end.
    void release() const { ::kill(request_.pid, SIGCONT); }

    void missing(const std::string& what, const std::string& why) {
        stacks_.unseen.emplace_back(what, as_utf8(why));
    }

    const StackRequest& request_;
    ProcFolder process_;
    std::string below_;
    bool python_;
    int attempts_ = 0;
    std::optional<Command> py_spy_;
    std::optional<Command> eu_stack_;
    std::string py_spy_problem_;
    double asked_until_ = 0;  ///< 0: faulthandler was not asked
    std::string answer_;
    RankStacks stacks_;
};

}  // namespace

std::vector<RankStacks> read_stacks(const std::vector<StackRequest>& requests, const std::stop_token& stop) {
    std::vector<Reader> readers;
    readers.reserve(requests.size());
    for (const auto& request : requests) {
        readers.emplace_back(request);
    }
    const double until = monotonic_s() + kPatience + kAnswer;
    std::vector<bool> done(readers.size(), false);
    const auto all_done = [&] {
        for (std::size_t i = 0; i < readers.size(); ++i) {
            done[i] = done[i] || readers[i].step();
        }
        return std::all_of(done.begin(), done.end(), [](bool one) { return one; });
    };
    while (!all_done()) {
        if (stop.stop_requested() || monotonic_s() >= until) {
            for (std::size_t i = 0; i < readers.size(); ++i) {
                if (!done[i]) {
                    readers[i].run_out_of_time();
                }
            }
            break;
        }
        sleep_s(kLookAgain);
    }
    std::vector<RankStacks> stacks;
    stacks.reserve(readers.size());
    for (auto& reader : readers) {
        stacks.push_back(reader.take());
    }
    return stacks;
}

}  // namespace rankscope::agent
