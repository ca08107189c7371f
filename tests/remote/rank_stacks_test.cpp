// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Stacks of ranks that run, and of what other programs print about them.

#include "support/agent_fixture.h"
#include "support/run_program.h"
#include "support/scoped_environment.h"

#include <base/paths.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/probes/stack_text.h>
#include <remote/agent/ranks/stack_hook.h>
#include <remote/diagnosis/rank_activity.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

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

TEST(StackText, Faulthandler) {
    EXPECT_EQ(
        agent::parse_faulthandler("Stack (most recent call first):\n  File \"/a/old.py\", line 1 in old\n"
                                  "Current thread 0x00007f (most recent call first):\n"
                                  "  File \"/a/train \", line 7.py\", line 41 in step\n"
                                  "  File \"/a/b/main.py\", line 60 in <module>\n  ...\n",
                                  "/a/b"),
        (Frames{"/a/train \", line 7.py:41 in step", "main.py:60 in <module>"}));
    EXPECT_TRUE(agent::parse_faulthandler(
                    "Thread 0x1 (most recent call first):\n  File \"a.py\", line 1 in f\n...\n", "")
                    .empty())
        << "more threads than it writes: that of the main thread is missing";
    for (const char* bad : {"", "  File \"x\"", "  File \"x\", line y in z\n", "  File \", line 3 in z"}) {
        EXPECT_TRUE(agent::parse_faulthandler(bad, "").empty()) << bad;
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
        auto run = run_of({"exec '" + python_ + "' train.py"});
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
    EXPECT_EQ(rank.python_stack_from(), "faulthandler") << why_not(rank, "python_stack");
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

TEST_F(RankStacks, PySpyComesFirst) {
    install("py-spy",
            "echo '[{\"os_thread_id\": '$5', \"frames\": [{\"name\": \"f\", \"filename\": \"a.py\", "
            "\"line\": 3}]}]'");
    const auto run = begin(sleeps_);
    const auto rank = look_when_printed(run, "ready");
    EXPECT_EQ(rank.python_stack_from(), "py-spy");
    EXPECT_EQ(python_stack(rank), Frames{"a.py:3 in f"});
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

// The hook must not be seen by the program: neither the variables, nor the path, nor a sitecustomize of the user's.
TEST_F(RankStacks, TheProgramSeesNoDifference) {
    without_py_spy();
    const std::string program =
        "import os, sys\nprint(sys.path, os.environ.get('PYTHONPATH'), "
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

TEST_F(RankStacks, WhoHasNoHandlerGetsNoSignal) {
    without_py_spy();
    const auto run = begin(
        "import signal, time\nsignal.signal(signal.SIGURG, lambda *_: print('hit', flush=True))\n"
        "print('ready', flush=True)\ntime.sleep(1000)\n",
        {{agent::kStacksVariable, "0"}});
    const auto rank = look_when_printed(run, "ready");
    EXPECT_TRUE(rank.python_stack().empty());
    EXPECT_NE(why_not(rank, "python_stack").find("faulthandler"), std::string::npos)
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
    install("eu-stack", "kill -STOP $3\nexec sleep 600\n");
    const auto run = begin(sleeps_);
    const auto rank = look_when_printed(run, "ready");
    EXPECT_EQ(why_not(rank, "native_stack"), "eu-stack: out of time");
    EXPECT_TRUE(test::wait_until([&] { return look(run, false).state() == "S"; }));
    EXPECT_EQ(log_of(0), "ready\n");
    end_all(run);
}

TEST_F(RankStacks, ANativeStack) {
    install("eu-stack", "printf 'PID %s - process\\nTID %s:\\n#0  0x7f poll\\n#1  0x7f main\\n' $3 $3\n");
    const auto run = begin(sleeps_);
    const auto rank = look_when_printed(run, "ready");
    EXPECT_EQ((Frames{rank.native_stack().begin(), rank.native_stack().end()}), (Frames{"poll", "main"}));
    end_all(run);
}

}  // namespace
}  // namespace rankscope
