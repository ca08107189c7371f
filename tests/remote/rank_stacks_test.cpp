// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Stacks of ranks that run, and of what other programs print about them.

#include "support/agent_fixture.h"
#include "support/run_program.h"
#include "support/scoped_environment.h"
#include "support/wait_until.h"

#include <base/fd.h>
#include <base/files.h>
#include <base/paths.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/probes/stack_text.h>
#include <remote/agent/ranks/stack_hook.h>
#include <remote/diagnosis/rank_activity.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::write_text;
using Frames = std::vector<std::string>;

TEST(StackText, PySpy) {
    const std::string text = R"([
      {"thread_name": "Thread-1", "os_thread_id": 12, "frames": [{"name": "other", "filename": "x.py", "line": 1}]},
      {"thread_name": "MainThread", "os_thread_id": 11, "frames": [
        {"name": "step", "filename": "/home/u/job/train.py", "short_filename": "train.py", "line": 41},
        {"name": "<module>", "filename": "/usr/lib/python3/site-packages/a.py", "line": 60}, 5, {}]}])";
    EXPECT_EQ(agent::parse_py_spy(text, 11, "/home/u/job"),
              (Frames{"train.py:41 in step", "/usr/lib/python3/site-packages/a.py:60 in <module>"}));
    EXPECT_EQ(agent::parse_py_spy(text, 12, ""), Frames{"x.py:1 in other"});
    EXPECT_EQ(agent::parse_py_spy(text, 99, "").size(), 2U) << "the main thread, by its name";
    for (const char* bad :
         {"", "{}", "[]", "[1]", "[{\"frames\": 5}]", "Error: Permission denied", "[{\"frames\": [[]]}]"}) {
        EXPECT_TRUE(agent::parse_py_spy(bad, 1, "").empty()) << bad;
    }
}

TEST(StackText, Interpreter) {
    EXPECT_EQ(agent::parse_interpreter(
                  "41 step /a/b/my train.py\n7 <module> /lib/x.py\n60 main =0\n1 run =1\n", "/a/b"),
              (Frames{"my train.py:41 in step", "/lib/x.py:7 in <module>", "my train.py:60 in main",
                      "/lib/x.py:1 in run"}));
    EXPECT_EQ(agent::parse_interpreter("41 step /a.py\n7 f", ""), Frames{"/a.py:41 in step"}) << "cut off";
    for (const char* bad : {"", "\n", "x step /a.py", "1  /a.py", "1 step", "1 step =0", "-1 f /a.py"}) {
        EXPECT_TRUE(agent::parse_interpreter(bad, "").empty()) << bad;
    }
}

TEST(StackText, EuStack) {
    EXPECT_EQ(agent::parse_eu_stack(
                  "PID 4711 - process\nTID 4711:\n#0  0x00007f9d2b2d3a3d     __read\n"
                  "#1  0x0000000000401136     std::vector<int, a b>::at(int)\n#2  0x0000000000401136\n"
                  "TID 4712:\n#0  0x0 other\n"),
              (Frames{"__read", "std::vector<int, a b>::at(int)", "?"}));
    EXPECT_TRUE(
        agent::parse_eu_stack("eu-stack: dwfl_linux_proc_attach pid 1: Operation not permitted\n").empty());
}

class RankStacks : public test::AgentFixture {
protected:
    void SetUp() override {
        python_ = test::find_on_path("python3");
        if (python_.empty()) {
            GTEST_SKIP() << "needs python3";
        }
        fs::create_directories(folder_ / "programs");
    }
    /// The node's programs, in front of all others; the agent starts with them.
    void install(const std::string& name, const std::string& script) {
        write_text(folder_ / "programs" / name, "#!/bin/sh\n" + script);
        ::chmod((folder_ / "programs" / name).c_str(), 0755);
        path_ = std::make_unique<test::ScopedEnvironment>(
            "PATH", (folder_ / "programs").string() + ':' + std::getenv("PATH"));
        client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    }
    void without_py_spy() { install("py-spy", "echo 'Error: Permission denied' >&2; exit 1\n"); }
    wire::StartRun begin(const std::string& program,
                         const std::map<std::string, std::string>& variables = {}) {
        write_text(folder_ / "train.py", program);
        auto run = run_of({"exec '" + python_ + "' " + options_ + " train.py"});
        run.mutable_own();
        for (const auto& [key, value] : variables) {
            (*run.mutable_ranks(0)->mutable_env())[key] = value;
        }
        start_and_attach(run);
        return run;
    }
    wire::RankInspection look(const wire::StartRun& run, bool stacks = true) {
        wire::Request request;
        request.mutable_inspect_ranks()->set_run_id(run.run_id());
        request.mutable_inspect_ranks()->set_stacks(stacks);
        request.mutable_inspect_ranks()->set_native_stacks(native_);
        const auto seen = client_->call(request).rank_states();
        return seen.ranks_size() == 1 ? seen.ranks(0) : wire::RankInspection();
    }
    wire::RankInspection look_when_printed(const wire::StartRun& run, const std::string& text) {
        EXPECT_TRUE(client_->wait_for([&] { return log_of(0).find(text) != std::string::npos; }))
            << history();
        return look(run);
    }
    static std::string why_not(const wire::RankInspection& rank, const std::string& what) {
        const auto found = std::find_if(rank.unseen().begin(), rank.unseen().end(),
                                        [&](const auto& unseen) { return unseen.what() == what; });
        return found == rank.unseen().end() ? std::string() : found->why();
    }
    static Frames python_stack(const wire::RankInspection& rank) {
        return {rank.python_stack().begin(), rank.python_stack().end()};
    }
    void end_all(const wire::StartRun& run) {
        stop(run, true);
        ASSERT_TRUE(client_->wait_for_end());
    }

    std::string python_;
    std::string options_;
    bool native_ = false;
    std::unique_ptr<test::ScopedEnvironment> path_;
    const std::string sleeps_ =
        // In one line: whoever reads "ready" may look before the program waits.
        "import select\ndef step():\n    poll = select.poll()\n    print('ready', flush=True); "
        "poll.poll(1000000)\n"
        "    print('woken', flush=True)\nstep()\n";
};

TEST_F(RankStacks, AProgramWritesItsOwn) {
    without_py_spy();
    const auto run = begin(sleeps_);
    auto rank = look_when_printed(run, "ready");
    EXPECT_EQ(rank.python_stack_from(), "interpreter") << why_not(rank, "python_stack");
    EXPECT_EQ(python_stack(rank), (Frames{"train.py:4 in step", "train.py:6 in <module>"}));
    rank = look(run);
    EXPECT_EQ(python_stack(rank), (Frames{"train.py:4 in step", "train.py:6 in <module>"})) << "each time";
    EXPECT_TRUE(look(run, false).python_stack().empty()) << "it was not asked for";
    EXPECT_EQ(log_of(0), "ready\n") << "its wait continues";
    end_all(run);
}

// What is not Python's own is not repeated when a signal interrupts it: PyTorch fails where its store connects.
TEST_F(RankStacks, NoSystemCallOfTheProgramIsInterrupted) {
    without_py_spy();
    const auto run = begin(
        "import ctypes, threading\nlibc = ctypes.CDLL(None)\ndef wait(name):\n"
        // In one line: whoever reads "ready" may look before the program waits.
        "    name == 'main' and print('ready', flush=True); libc.poll(None, 0, 100000)\n"
        "    print(name, 'was interrupted', flush=True)\n"
        "threading.Thread(target=wait, args=('thread',)).start()\nwait('main')\n");
    for (int i = 0; i < 3; ++i) {
        const auto rank = look_when_printed(run, "ready");
        EXPECT_EQ(python_stack(rank), (Frames{"train.py:4 in wait", "train.py:7 in <module>"}))
            << why_not(rank, "python_stack");
    }
    EXPECT_EQ(log_of(0), "ready\n");
    end_all(run);
}

TEST_F(RankStacks, PySpyReadsWhereTheProgramHasNoHook) {
    install("py-spy",
            "echo '[{\"os_thread_id\": '$5', \"frames\": [{\"name\": \"f\", \"filename\": \"a.py\", "
            "\"line\": 3}]}]'");
    const auto run = begin(sleeps_, {{agent::kStacksVariable, "0"}});
    const auto rank = look_when_printed(run, "ready");
    EXPECT_EQ(rank.python_stack_from(), "py-spy");
    EXPECT_EQ(python_stack(rank), Frames{"a.py:3 in f"});
    end_all(run);
}

// Frames are walked by a thread that owns the interpreter's lock, or not at all.
TEST_F(RankStacks, NativeCodeThatHoldsTheLockIsSaid) {
    without_py_spy();
    const std::string gate = folder_ / "gate";
    std::optional<UniqueFd> held(::open(gate.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::flock(held->get(), LOCK_EX), 0);
    struct stat status {};
    ASSERT_EQ(::stat(gate.c_str(), &status), 0);
    const auto run =
        begin("import ctypes, os, threading\nlibc = ctypes.PyDLL(None)\ngate = os.open('" + gate +
              "', os.O_RDWR)\nlibc.flock(gate, 2)\n"
              "print('over', flush=True)\nthreading.Event().wait()\n");
    // Between a line of the program and a native call the interpreter can answer: the kernel knows who waits.
    const std::string inode = ":" + std::to_string(status.st_ino) + " ";
    ASSERT_TRUE(client_->wait_for([&] {
        std::ifstream locks("/proc/locks");
        for (std::string line; std::getline(locks, line);) {
            if (line.find("-> FLOCK") != std::string::npos && line.find(inode) != std::string::npos) {
                return true;
            }
        }
        return false;
    })) << history();
    wire::RankInspection rank;
    // On a busy node the thread that answers may come to the lock late.
    EXPECT_TRUE(test::wait_until([&] {
        rank = look(run);
        EXPECT_TRUE(rank.python_stack().empty());
        return why_not(rank, "python_stack").find("holds the interpreter's lock") != std::string::npos;
    })) << why_not(rank, "python_stack");
    held.reset();
    rank = look_when_printed(run, "over");
    EXPECT_EQ(rank.python_stack_from(), "interpreter") << why_not(rank, "python_stack");
    end_all(run);
}

TEST_F(RankStacks, ABusyProgramIsReadAsWell) {
    without_py_spy();
    const auto run = begin(
        "def rec(n): return n and 1 + rec(n - 1)\nprint('ready', flush=True)\nwhile True: [rec(i) for i in "
        "range(30)]\n");
    look_when_printed(run, "ready");
    for (int i = 0; i < 50; ++i) {
        const auto rank = look(run);
        ASSERT_EQ(rank.python_stack_from(), "interpreter") << why_not(rank, "python_stack");
        ASSERT_EQ(python_stack(rank).back(), "train.py:3 in <module>");
    }
    end_all(run);
}

// A child has a thread of its own, and none is there while anybody forks: Python 3.12 warns of others.
TEST_F(RankStacks, AProgramThatForksAnswersForItself) {
    without_py_spy();
    const std::string forks =
        "import os, sys, time, warnings\nwarnings.simplefilter('error')\n"
        "for i in range(100):\n    pid = os.fork()\n    if pid == 0: "
        "os._exit(max(0, len(os.listdir('/proc/self/task')) - 2) + (os.waitpid(os.fork() or os._exit(0), "
        "0)[1] if i == 0 else 0))\n"
        "    assert os.waitpid(pid, 0)[1] == 0\n"
        "pid = os.fork()\nif pid == 0:\n    time.sleep(1000)\n";
    auto run = begin(forks + "print('ready', flush=True); time.sleep(1000)\n");
    auto rank = look_when_printed(run, "ready");
    EXPECT_EQ(python_stack(rank), Frames{"train.py:10 in <module>"}) << why_not(rank, "python_stack");
    EXPECT_EQ(log_of(0, true), "");
    end_all(run);
    // The process that works is the child then: one of very many is not looked at, one of few is.
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    run = begin(forks + "print('ready', flush=True); os.waitpid(pid, 0)\n");
    look_when_printed(run, "ready");
    // The parent is looked at until it waits for the child.
    EXPECT_TRUE(test::wait_until([&] {
        rank = look(run);
        return rank.python_stack().empty();
    }));
    EXPECT_NE(why_not(rank, "python_stack").find("no hook"), std::string::npos)
        << why_not(rank, "python_stack");
    end_all(run);
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    run = begin(
        "import os, time\npid = os.fork()\nif pid == 0:\n    time.sleep(1000)\nprint('ready', flush=True); "
        "os.waitpid(pid, 0)\n");
    look_when_printed(run, "ready");
    EXPECT_TRUE(
        test::wait_until([&] { return python_stack(look(run)) == Frames{"train.py:4 in <module>"}; }));
    end_all(run);
}

TEST_F(RankStacks, TheRealPySpy) {
    if (test::find_on_path("py-spy").empty()) {
        GTEST_SKIP() << "needs py-spy";
    }
    const auto run = begin(sleeps_, {{agent::kStacksVariable, "0"}});
    const auto rank = look_when_printed(run, "ready");
    if (why_not(rank, "python_stack").find("ermission") != std::string::npos) {
        end_all(run);
        GTEST_SKIP() << "no permission to trace";
    }
    EXPECT_EQ(rank.python_stack_from(), "py-spy") << why_not(rank, "python_stack");
    EXPECT_EQ(python_stack(rank), (Frames{"train.py:4 in step", "train.py:6 in <module>"}));
    end_all(run);
}

// The hook must not be seen by the program: neither the path, nor a sitecustomize of the user's, nor variables but for the
// folder in front of PYTHONPATH by which what the program starts finds it.
TEST_F(RankStacks, TheProgramSeesNoDifference) {
    without_py_spy();
    const std::string program =
        "import os, sys\nprint(sys.path,\n"
        "      [p for p in os.environ.get('PYTHONPATH', '').split(':') if p and not "
        "p.endswith('/python/inner')], "
        "os.environ.get('RANKSCOPE_STACK_FILE'),\n"
        "      getattr(sys.modules.get('sitecustomize'), 'MARK', None))\nprint('done', flush=True)\n"
        "import time; time.sleep(1000)\n";
    const std::string mine = folder_ / "mine";
    fs::create_directories(mine);
    write_text(fs::path(mine) / "sitecustomize.py", "MARK = 'mine'\nprint('my own hook')\n");
    const auto printed = [&](const std::map<std::string, std::string>& variables) {
        client_ = std::make_unique<test::AgentClient>(folder_.path().string());
        const auto run = begin(program, variables);
        EXPECT_TRUE(client_->wait_for([&] { return log_of(0).find("done\n") != std::string::npos; }))
            << history();
        const auto text = log_of(0) + log_of(0, true);
        end_all(run);
        return text;
    };
    for (const auto& path : {std::string(), mine, mine + ":/elsewhere"}) {
        std::map<std::string, std::string> variables;
        if (!path.empty()) {
            variables["PYTHONPATH"] = path;
        }
        const auto with = printed(variables);
        variables[agent::kStacksVariable] = "0";
        EXPECT_EQ(with, printed(variables));
        EXPECT_EQ(with.find("my own hook\n") != std::string::npos, !path.empty()) << with;
    }
}

// Isolated, without environment, without site: no hook is read, and nothing else changes.
TEST_F(RankStacks, OptionsOfTheInterpreterAreKept) {
    without_py_spy();
    for (const std::string option : {"-I", "-E", "-S"}) {
        options_ = option;
        client_ = std::make_unique<test::AgentClient>(folder_.path().string());
        const auto run = begin("import threading\nprint('ready', flush=True)\nthreading.Event().wait()\n");
        const auto rank = look_when_printed(run, "ready");
        EXPECT_NE(why_not(rank, "python_stack").find("no hook"), std::string::npos)
            << option << ' ' << why_not(rank, "python_stack");
        EXPECT_EQ(log_of(0, true), "");
        end_all(run);
    }
}

// Its frames change under a lock of its own.
TEST_F(RankStacks, ASecondInterpreterEndsTheLooks) {
    without_py_spy();
    const auto run = begin(
        "import time\ntry:\n    import _interpreters as more\nexcept ImportError:\n"
        "    import _xxsubinterpreters as more\n"
        "other = more.create()\nprint('ready', flush=True)\ntime.sleep(1000)\n");
    const auto rank = look_when_printed(run, "ready");
    EXPECT_TRUE(rank.python_stack().empty());
    EXPECT_NE(why_not(rank, "python_stack").find("no hook"), std::string::npos)
        << why_not(rank, "python_stack");
    end_all(run);
}

TEST_F(RankStacks, AnErrorInTheUsersHookIsStillReported) {
    without_py_spy();
    const std::string mine = folder_ / "mine";
    fs::create_directories(mine);
    write_text(fs::path(mine) / "sitecustomize.py", "import no_such_module\n");
    const auto run =
        begin("print('done', flush=True)\nimport time; time.sleep(1000)\n", {{"PYTHONPATH", mine}});
    EXPECT_TRUE(client_->wait_for([&] {
        return log_of(0, true).find("no_such_module") != std::string::npos;
    })) << history();
    EXPECT_TRUE(client_->wait_for([&] { return log_of(0).find("done") != std::string::npos; })) << history();
    end_all(run);
}

TEST_F(RankStacks, ACrashOfTheProgramsOwnHasItsLine) {
    const std::map<std::string, std::pair<int, std::string>> ways = {
        {"ctypes.string_at(1)", {SIGSEGV, "Segmentation fault"}}, {"os.abort()", {SIGABRT, "Aborted"}}};
    for (const auto& [call, expected] : ways) {
        client_ = std::make_unique<test::AgentClient>(folder_.path().string());
        begin("import ctypes, os\ndef step():\n    " + call + "\nstep()\n");
        ASSERT_TRUE(client_->wait_for_end()) << history();
        const auto exit = exit_of(0);
        EXPECT_EQ(exit.signal(), expected.first) << "as without us";
        EXPECT_EQ(exit.reason(), expected.second + " (train.py:3 in step)");
        ASSERT_GE(exit.traceback_size(), 2) << log_of(0, true);
        EXPECT_EQ(exit.traceback(0), "Fatal Python error: " + expected.second);
    }
}

TEST_F(RankStacks, AHandlerOfTheProgramsOwnStays) {
    begin("import ctypes, faulthandler\nfaulthandler.enable(open('own-dump', 'w'))\nctypes.string_at(1)\n");
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(exit_of(0).signal(), SIGSEGV);
    EXPECT_EQ(log_of(0, true), "");
    EXPECT_NE(read_file(folder_ / "own-dump").value_or("").find("Segmentation fault"), std::string::npos);
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    begin("import faulthandler; print(faulthandler.is_enabled(), flush=True)\n",
          {{agent::kStacksVariable, "0"}});
    ASSERT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(log_of(0), "False\n");
}

// The thread that answers gets no signal of the program's, and no file number of it.
TEST_F(RankStacks, SignalsAndFilesAreTheProgramsOwn) {
    without_py_spy();
    const auto run = begin(
        "import os, signal, sys\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM])\n"
        "os.kill(os.getpid(), signal.SIGUSR1)\nprint(signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1, "
        "os.open('/dev/null', os.O_RDONLY), flush=True)\nsignal.signal(signal.SIGURG, lambda *_: "
        "print('hit', flush=True))\n"
        "os.closerange(3, 1000)\nfile = open('mine', 'w')\nprint('ready', flush=True); "
        "signal.sigtimedwait([signal.SIGUSR1], 1000)\nprint('over')\n");
    for (int i = 0; i < 3; ++i) {
        const auto rank = look_when_printed(run, "ready");
        EXPECT_EQ(rank.python_stack_from(), "interpreter") << why_not(rank, "python_stack");
    }
    EXPECT_EQ(log_of(0), "True 3\nready\n");
    EXPECT_EQ(read_file(folder_ / "mine").value_or("?"), "");
    end_all(run);
}

TEST_F(RankStacks, WhoHasNoHookGetsNoSignal) {
    without_py_spy();
    const auto run = begin(
        "import signal, time\nsignal.signal(signal.SIGURG, lambda *_: print('hit', flush=True))\n"
        "print('ready', flush=True)\ntime.sleep(1000)\n",
        {{agent::kStacksVariable, "0"}});
    const auto rank = look_when_printed(run, "ready");
    EXPECT_TRUE(rank.python_stack().empty());
    EXPECT_NE(why_not(rank, "python_stack").find("no hook"), std::string::npos)
        << why_not(rank, "python_stack");
    EXPECT_EQ(log_of(0), "ready\n");
    end_all(run);
}

TEST_F(RankStacks, AStoppedProgramIsLeftAlone) {
    without_py_spy();
    const auto run =
        begin("import os, signal\nprint('ready', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)\n");
    EXPECT_TRUE(client_->wait_for([&] { return log_of(0).find("ready") != std::string::npos; })) << history();
    ASSERT_TRUE(test::wait_until([&] { return look(run, false).state() == "T"; }));
    const auto rank = look(run);
    EXPECT_NE(why_not(rank, "python_stack").find("no signal"), std::string::npos)
        << why_not(rank, "python_stack");
    EXPECT_EQ(look(run, false).state(), "T");
    end_all(run);
}

// The rank that has not come, and the one that waits for it: told apart by one look, after which both end
// normally.
TEST_F(RankStacks, APyTorchProgram) {
    python_ = "/usr/bin/python3";
    if (test::run_program({python_, "-c", "import torch; assert torch.distributed.is_gloo_available()"})
            .status != 0) {
        GTEST_SKIP() << python_ << " has no torch with Gloo";
    }
    without_py_spy();
    write_text(folder_ / "train.py",
               "import os, time, torch, torch.distributed as dist\n"
               "def step(number):\n"
               "    if number == 3 and dist.get_rank() == 1:\n"
               "        print('late', flush=True)\n"
               "        while not os.path.exists('go'):\n"
               "            time.sleep(0.2)\n"
               "    dist.all_reduce(torch.ones(100000))\n"
               "dist.init_process_group('gloo')\n"
               "for number in range(5):\n"
               "    step(number)\n"
               // Else torch 1.13 may abort in a rank that ends after its peer: "terminate called without an
               // active exception".
               "dist.destroy_process_group()\n"
               "print('finished', flush=True)\n");
    auto run = run_of({"exec '" + python_ + "' train.py", "exec '" + python_ + "' train.py"});
    run.mutable_own();
    const auto port = std::to_string(agent::pick_free_port());
    for (auto& rank : *run.mutable_ranks()) {
        auto& variables = *rank.mutable_env();
        variables["MASTER_ADDR"] = "127.0.0.1";
        variables["MASTER_PORT"] = port;
        variables["WORLD_SIZE"] = "2";
        variables["RANK"] = std::to_string(rank.rank());
        variables["GLOO_SOCKET_IFNAME"] = "lo";
    }
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for([&] { return log_of(1).find("late") != std::string::npos; })) << history();
    std::vector<RankActivity> seen(2);
    EXPECT_TRUE(test::wait_until([&] {
        wire::Request request;
        request.mutable_inspect_ranks()->set_run_id(run.run_id());
        request.mutable_inspect_ranks()->set_stacks(true);
        const auto states = rank_snapshots_from(client_->call(request).rank_states());
        std::transform(states.begin(), states.end(), seen.begin(),
                       [](const auto& state) { return activity_of(state); });
        return seen[0].kind == Activity::WaitsInCollective && seen[0].certain &&
               seen[1].kind == Activity::Sleeps;
    })) << to_string(seen[0].kind)
        << ' ' << seen[0].line << ", " << to_string(seen[1].kind) << ' ' << seen[1].line;
    EXPECT_EQ(seen[0].line, "train.py:7 in step");
    EXPECT_EQ(seen[1].line, "train.py:6 in step");
    write_text(folder_ / "go", "");
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(end().outcome(), wire::OUTCOME_DONE) << history();
    EXPECT_NE(log_of(0).find("finished"), std::string::npos);
}

TEST_F(RankStacks, AStackProgramThatHangsLeavesNothingStopped) {
    native_ = true;
    install("eu-stack", "kill -STOP $3\nexec sleep 600\n");
    const auto run = begin(sleeps_);
    const auto rank = look_when_printed(run, "ready");
    EXPECT_EQ(why_not(rank, "native_stack"), "eu-stack: out of time");
    EXPECT_TRUE(test::wait_until([&] { return look(run, false).state() == "S"; }));
    EXPECT_EQ(log_of(0), "ready\n");
    end_all(run);
}

TEST_F(RankStacks, ANativeStackIsReadWhereItIsAskedFor) {
    install("eu-stack", "printf 'PID %s - process\\nTID %s:\\n#0  0x7f poll\\n#1  0x7f main\\n' $3 $3\n");
    const auto run = begin(sleeps_);
    auto rank = look_when_printed(run, "ready");
    EXPECT_TRUE(rank.native_stack().empty()) << "it would stop the process";
    native_ = true;
    rank = look(run);
    EXPECT_EQ((Frames{rank.native_stack().begin(), rank.native_stack().end()}), (Frames{"poll", "main"}));
    end_all(run);
}

}  // namespace
}  // namespace rankscope
