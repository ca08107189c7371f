// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/paths.h>
#include <base/utf8.h>
#include <base/wait_fd.h>
#include <remote/agent/node/command.h>
#include <remote/agent/probes/hook_question.h>
#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/rank_stacks.h>
#include <remote/agent/probes/stack_text.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 1.7;  // of a program that reads stacks
constexpr double kAtMost = 2.8;    // with the hook asked before
constexpr double kLookAgain = 0.01;
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

/// The stacks of one process.
class Reader {
public:
    explicit Reader(const StackRequest& request)
        : request_(request),
          process_("/proc/" + std::to_string(request.pid)),
          below_(process_.link("cwd")),
          hook_(request.pid, request.hook_folder) {
        if (request.stopped) {
            start_py_spy("the process can answer no signal");
        } else if (hook_.ask(monotonic_s())) {
            asked_ = true;
        } else {
            start_py_spy(hook_.why_not());
        }
        if (request.native) {
            start_eu_stack();
        }
    }

    /// true: the stacks are here, or cannot be had.
    bool step() {
        if (asked_ && hook_.step(monotonic_s())) {
            take_answer();
        }
        if (py_spy_ && py_spy_->step()) {
            take_py_spy();
        }
        if (eu_stack_ && eu_stack_->step()) {
            take_eu_stack();
        }
        return !asked_ && !py_spy_ && !eu_stack_;
    }

    /// Out of time.
    void run_out_of_time() {
        if (eu_stack_) {
            eu_stack_.reset();  // kills it
            release();
        }
        if (py_spy_ || asked_) {
            missing("python_stack", why_not_ + (why_not_.empty() ? "" : "; ") + "out of time");
        }
        py_spy_.reset();
    }

    RankStacks take() { return std::move(stacks_); }

private:
    void take_answer() {
        asked_ = false;
        stacks_.python = parse_interpreter(hook_.answer(), below_);
        if (stacks_.python.empty()) {
            start_py_spy(hook_.why_not().empty() ? "its answer is not understood" : hook_.why_not());
        } else {
            stacks_.python_from = "interpreter";
        }
    }

    // Without a stop: what it reads while the program runs may be torn, and is read again.
    void start_py_spy(const std::string& why_not) {
        why_not_ = why_not;
        if (!hook_.is_python() && !is_python(process_)) {
            return;
        }
        const auto program = find_program("py-spy", request_.programs);
        if (program.empty()) {
            missing("python_stack", why_not_ + "; py-spy is not installed");
            return;
        }
        ++attempts_;
        py_spy_ = Command::start(
            {program, "dump", "--json", "--nonblocking", "--pid", std::to_string(request_.pid)}, kPatience);
        if (!py_spy_) {
            missing("python_stack", why_not_ + "; py-spy cannot be started");
        }
    }

    void take_py_spy() {
        stacks_.python = parse_py_spy(py_spy_->output(), request_.pid, below_);
        const auto& said = py_spy_->errors();
        const std::string problem =
            py_spy_->timed_out() ? "py-spy: out of time" : "py-spy: " + said.substr(0, said.find('\n'));
        const bool again = stacks_.python.empty() && !py_spy_->timed_out() && attempts_ < kAttempts &&
                           said.find("ermission") == std::string::npos;
        py_spy_.reset();
        if (!stacks_.python.empty()) {
            stacks_.python_from = "py-spy";
        } else if (again) {
            start_py_spy(why_not_);
        } else {
            missing("python_stack", why_not_ + "; " + problem);
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
    HookQuestion hook_;
    bool asked_ = false;
    std::string why_not_;  ///< why the hook does not say it
    int attempts_ = 0;
    std::optional<Command> py_spy_;
    std::optional<Command> eu_stack_;
    RankStacks stacks_;
};

}  // namespace

std::vector<RankStacks> read_stacks(const std::vector<StackRequest>& requests, const std::stop_token& stop) {
    std::vector<Reader> readers;
    readers.reserve(requests.size());
    for (const auto& request : requests) {
        readers.emplace_back(request);
    }
    const double until = monotonic_s() + kAtMost;
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
