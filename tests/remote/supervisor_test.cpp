// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a rank says and how it ends, as the real agent reports it.

#include "support/agent_fixture.h"
#include "support/run_program.h"

#include <base/files.h>
#include <remote/agent/link/cause.h>
#include <remote/agent/link/peer_link.h>
#include <remote/agent/spool/spool.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <iterator>
#include <map>
#include <sstream>

namespace rankscope {
namespace {

using test::write_text;

class Supervisor : public test::AgentFixture {
protected:
    void run_to_end(const wire::StartRun& run) {
        start_and_attach(run);
        ASSERT_TRUE(client_->wait_for_end()) << history();
        EXPECT_TRUE(wait_until_gone(run));
        EXPECT_EQ(end().left_processes(), 0);
        for (std::size_t i = 0; i < client_->events().size(); ++i) {
            ASSERT_EQ(client_->events()[i].seq(), i + 1) << "no gap, none twice";
        }
    }
};

TEST_F(Supervisor, ExitCodesArrive) {
    run_to_end(run_of({"exit 0"}));
    EXPECT_EQ(exit_of(0).code(), 0);
    EXPECT_FALSE(exit_of(0).requested());
    EXPECT_EQ(exit_of(0).last_lines_size(), 0);
    EXPECT_EQ(end().outcome(), wire::OUTCOME_DONE);
    EXPECT_EQ(stages_of(0, wire::STAGE_START).size(), 1U);
}

TEST_F(Supervisor, AFailureCarriesItsLastWords) {
    run_to_end(run_of(
        {"for i in $(seq 100); do echo line $i; done; echo oops >&2; printf 'no line break'; exit 7"}));
    EXPECT_EQ(exit_of(0).code(), 7);
    EXPECT_EQ(exit_of(0).signal(), 0);
    ASSERT_EQ(exit_of(0).last_lines_size(), 20);
    std::string all;
    const wire::Exit exit = exit_of(0);
    for (const auto& line : exit.last_lines()) {
        all += line + '\n';
    }
    EXPECT_NE(all.find("no line break"), std::string::npos) << all;
    EXPECT_NE(all.find("line 99"), std::string::npos) << all;
    EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
}

TEST_F(Supervisor, SignalsArrive) {
    run_to_end(run_of({"kill -SEGV $$"}));
    EXPECT_EQ(exit_of(0).code(), -1);
    EXPECT_EQ(exit_of(0).signal(), SIGSEGV);
    EXPECT_FALSE(exit_of(0).requested());
    EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
}

TEST_F(Supervisor, TheErrorFileOfTorchrunIsTheReason) {
    run_to_end(run_of(
        {R"(printf '{"message":{"message":"RuntimeError: boom","extraInfo":{}}}' > "$TORCHELASTIC_ERROR_FILE"; exit 1)"}));
    EXPECT_EQ(exit_of(0).reason(), "RuntimeError: boom");
}

TEST_F(Supervisor, AFailureBeforeTheStopIsTheRanksOwn) {
    // Its peer sees its sockets close, and fails, while it is still on its way out.
    const std::string marker = (folder_ / "failed").string();
    const std::string peer =
        "until [ -e " + marker + " ]; do sleep 0.02; done; echo Connection closed by peer >&2; exit 1";
    run_to_end(
        run_of({R"(printf '{"message":"ValueError: no labels"}' > "$TORCHELASTIC_ERROR_FILE"; touch )" +
                    marker + "; while :; do sleep 0.1; done",
                peer}));
    EXPECT_EQ(exit_of(0).signal(), SIGTERM);
    EXPECT_FALSE(exit_of(0).requested());
    EXPECT_EQ(exit_of(0).reason(), "ValueError: no labels");
    EXPECT_FALSE(exit_of(0).lost_peer());
    EXPECT_TRUE(exit_of(1).lost_peer());
}

TEST_F(Supervisor, WhatARankRecordsForOurSignalIsNoFailureOfItsOwn) {
    const std::string marker = (folder_ / "ready").string();
    run_to_end(run_of(
        {R"(trap 'printf "{\"message\":\"stopped by SIGTERM\"}" > "$TORCHELASTIC_ERROR_FILE"; exit 143' TERM; touch )" +
             marker + "; while :; do sleep 0.05; done",
         "until [ -e " + marker + " ]; do sleep 0.02; done; exit 3"}));
    EXPECT_EQ(exit_of(0).code(), 143);
    EXPECT_EQ(exit_of(0).reason(), "stopped by SIGTERM");
    EXPECT_TRUE(exit_of(0).requested());
}

/// Rank 0 writes this to stderr and waits; rank 1 fails once the supervisor has read it; rank 0 then ends for SIGTERM
/// with status 1.
class FailureOfAPeer : public Supervisor {
protected:
    void fails_after(const std::string& message) {
        const std::string marker = (folder_ / "read").string();
        run_to_end(run_of({R"(exec python3 -c '
import array, fcntl, os, signal, sys, termios, time
signal.signal(signal.SIGTERM, lambda *_: os._exit(1))
sys.stderr.write(")" + message +
                               R"(\n")
sys.stderr.flush()
left = array.array("i", [1])
while left[0]:
    fcntl.ioctl(2, termios.FIONREAD, left)
    time.sleep(0.01)
open(")" + marker + R"(", "w")
time.sleep(600)')",
                           "until [ -e " + marker +
                               " ]; do sleep 0.02; done; echo Connection closed by peer >&2; exit 1"}));
    }
};

TEST_F(FailureOfAPeer, AfterAnExceptionIsAConsequence) {
    fails_after(R"(Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\nKeyError: 1)");
    EXPECT_EQ(exit_of(0).code(), 1);
    EXPECT_FALSE(exit_of(0).requested());
    EXPECT_FALSE(exit_of(0).lost_peer());
}

TEST_F(FailureOfAPeer, StopsARankThatHasNotFailed) {
    fails_after("a warning");
    EXPECT_EQ(exit_of(0).code(), 1);
    EXPECT_TRUE(exit_of(0).requested()) << "it ended for our signal";
}

TEST_F(Supervisor, ABrokenErrorFileIsNoHarm) {
    run_to_end(run_of({R"(printf '{"message":[1' > "$TORCHELASTIC_ERROR_FILE"; exit 1)"}));
    EXPECT_EQ(exit_of(0).reason(), "");
    EXPECT_EQ(exit_of(0).code(), 1);
}

// A file in the node's folder, and a rank that is to run it.
struct ExecCase {
    const char* title;
    std::string program;
    std::string reason;  ///< part of it
};

TEST_F(Supervisor, WhatCannotBeStartedSaysWhy) {
    const auto at = [this](const char* name) { return (folder_ / name).string(); };
    write_text(folder_ / "no-exec.sh", "#!/bin/sh\nexit 0\n");
    write_text(folder_ / "no-interpreter.sh", "#!/no/such/python\nexit 0\n");
    write_text(folder_ / "no-shebang.sh", "exit 0\n");
    std::string elf = read_file("/bin/true").value_or("");
    ASSERT_GT(elf.size(), 64U);
    elf[18] = '\x16';  // e_machine: s390
    elf[19] = '\0';
    write_text(folder_ / "other-machine", elf);
    for (const char* name : {"no-interpreter.sh", "no-shebang.sh", "other-machine"}) {
        ::chmod((folder_ / name).c_str(), 0755);
    }
    const std::vector<ExecCase> cases{
        {"absent path", at("absent"), "No such file or directory (not found in workdir)"},
        {"absent name", "rankscope-no-such-program", "No such file or directory (not found in PATH)"},
        {"no x bit", at("no-exec.sh"),
         "Permission denied (not executable, or on a file system mounted noexec)"},
        {"folder", at("."), "Permission denied"},
        {"interpreter", at("no-interpreter.sh"), "the file is there: its interpreter or loader is missing"},
        {"relative interpreter", "./no-interpreter.sh",
         "the file is there: its interpreter or loader is missing"},
        {"shebang", at("no-shebang.sh"), "no script that names its interpreter with #!"},
        {"machine", at("other-machine"), "Exec format error (built for another kind of machine)"},
        {"empty", "", "no command is given"},
    };
    for (const auto& row : cases) {
        SCOPED_TRACE(row.title);
        client_ = std::make_unique<test::AgentClient>(folder_.path().string());
        auto run = run_of({""});
        run.mutable_ranks(0)->clear_argv();
        run.mutable_ranks(0)->add_argv(row.program);
        run_to_end(run);
        EXPECT_EQ(exit_of(0).code(), 127);
        EXPECT_NE(exit_of(0).reason().find(row.reason), std::string::npos) << exit_of(0).reason();
        EXPECT_FALSE(exit_of(0).requested());
        EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
    }
}

TEST_F(Supervisor, AMissingWorkdirSaysSo) {
    auto run = run_of({"exit 0"});
    run.mutable_ranks(0)->set_workdir("/no/such/folder");
    run_to_end(run);
    EXPECT_EQ(exit_of(0).reason(), "workdir /no/such/folder: No such file or directory");
}

TEST_F(Supervisor, ARankWithoutACommandSaysSo) {
    auto run = run_of({"exit 0"});
    run.mutable_ranks(0)->clear_argv();
    run_to_end(run);
    EXPECT_EQ(exit_of(0).reason(), "no command is given");
}

TEST_F(Supervisor, OneThatCannotBeStartedEndsTheOthers) {
    auto run = run_of({"sleep 1000", "", "sleep 1000"});
    run.mutable_ranks(1)->set_argv(0, "/no/such/program");
    run_to_end(run);
    EXPECT_TRUE(exit_of(0).requested());
    EXPECT_EQ(exit_of(0).signal(), SIGTERM);
    EXPECT_EQ(exit_of(1).code(), 127);
    EXPECT_FALSE(exit_of(1).requested());
    EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
}

TEST_F(Supervisor, ProgramsAreFoundInTheRanksOwnPath) {
    std::filesystem::create_directories(folder_ / "tools");
    write_text(folder_ / "tools/mytool", "#!/bin/sh\necho mine $1\n");
    ::chmod((folder_ / "tools/mytool").c_str(), 0755);
    auto run = run_of({""});
    run.mutable_ranks(0)->clear_argv();
    run.mutable_ranks(0)->add_argv("mytool");
    run.mutable_ranks(0)->add_argv("arg");
    (*run.mutable_ranks(0)->mutable_env())["PATH"] =
        "/nowhere:" + (folder_ / "tools").string() + ":/usr/bin:/bin";
    run_to_end(run);
    EXPECT_EQ(log_of(0), "mine arg\n") << history();
}

TEST_F(Supervisor, EnvironmentAndPlaceOfARank) {
    auto run =
        run_of({"echo $RANK/$MINE/$PYTHONUNBUFFERED/$RANKSCOPE_RUN_ID; echo $RANKSCOPE_TOKEN; pwd; "
                "test -p \"$RANKSCOPE_METRICS\" && echo pipe; cat; echo $0 $1; ls /proc/self/fd | wc -l"});
    (*run.mutable_ranks(0)->mutable_env())["RANK"] = "0";
    (*run.mutable_ranks(0)->mutable_env())["MINE"] = "two words";
    run.mutable_ranks(0)->add_argv("{config}");
    run.mutable_ranks(0)->add_argv("x");
    run.set_train_config("{\"a\":1}");
    run_to_end(run);
    // stdin ends at once, and nothing of the supervisor's is inherited but the three streams (one more is
    // ls's own).
    EXPECT_EQ(log_of(0), "0/two words/1/" + run.run_id() + '\n' + std::string(64, 'a') + '\n' +
                             std::filesystem::canonical(folder_.path()).string() + "\npipe\n" +
                             dir_of(run).train_config().string() + " x\n4\n");
    EXPECT_EQ(read_file(dir_of(run).train_config()), "{\"a\":1}");
}

// Variables that load code into a program: those of a job are for its ranks, and for nothing that Rankscope starts itself.
TEST_F(Supervisor, TheJobsEnvironmentIsTheRanksAlone) {
    const auto mark = folder_ / "mark";
    const auto script = folder_ / "attack.sh";
    test::write_text(script, "echo $PPID >> '" + mark.string() + "'\n");
    auto run = run_of({"env; tr '\\0' '\\n' < /proc/$PPID/environ | sed 's/^/parent /'"});
    auto& env = *run.mutable_ranks(0)->mutable_env();
    for (const char* name : {"BASH_ENV", "ENV", "PYTHONSTARTUP", "LD_PRELOAD", "LD_AUDIT", "PYTHONPATH",
                             "GIT_SSH_COMMAND", "PERL5OPT", "SSH_ASKPASS", "RANKSCOPE_CACHE_DIR"}) {
        env[name] = script.string();
    }
    run_to_end(run);
    const std::string log = log_of(0);
    EXPECT_NE(log.find("BASH_ENV=" + script.string()), std::string::npos) << log;
    EXPECT_NE(log.find("parent "), std::string::npos);
    for (std::size_t at = log.find("parent "); at != std::string::npos; at = log.find("parent ", at + 1)) {
        const std::string line = log.substr(at, log.find('\n', at) - at);
        EXPECT_EQ(line.find("attack.sh"), std::string::npos) << line;
    }
    EXPECT_FALSE(std::filesystem::exists(mark));
}

// As the same program would find them in a shell of the node: signals, umask, limits, priority.
TEST_F(Supervisor, ARankInheritsNothingOfTheSupervisorsOwn) {
    const mode_t before = ::umask(0026);
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    ::umask(before);
    run_to_end(
        run_of({"umask; grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; cat /proc/self/limits; nice; "
                "cat /proc/self/oom_score_adj /proc/self/timerslack_ns; grep NoNewPrivs /proc/self/status"}));
    std::istringstream lines(log_of(0));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "0026") << "files of the user's are as accessible as the user wants them";
    constexpr std::uint64_t kOurs = 1ULL << (SIGHUP - 1) | 1ULL << (SIGINT - 1) | 1ULL << (SIGQUIT - 1) |
                                    1ULL << (SIGUSR1 - 1) | 1ULL << (SIGUSR2 - 1) | 1ULL << (SIGPIPE - 1) |
                                    1ULL << (SIGTERM - 1) | 1ULL << (SIGCHLD - 1) | 1ULL << (SIGURG - 1);
    for (const char* name : {"SigBlk:", "SigIgn:", "SigCgt:"}) {
        std::getline(lines, line);
        EXPECT_EQ(line.substr(0, 7), name);
        EXPECT_EQ(std::stoull(line.substr(7), nullptr, 16) & kOurs, 0U) << line;
    }
    const auto rest = std::string(std::istreambuf_iterator<char>(lines), {});
    const auto own = test::run_program({"/bin/sh", "-c",
                                        "cat /proc/self/limits; nice; cat /proc/self/oom_score_adj "
                                        "/proc/self/timerslack_ns; grep NoNewPrivs /proc/self/status"});
    EXPECT_EQ(rest, own.output);
}

TEST_F(Supervisor, BothStreamsOfARankArriveWhole) {
    run_to_end(run_of(
        {"i=0; while [ $i -lt 3000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done", "echo other"}));
    std::string out;
    std::string err;
    for (int i = 0; i < 3000; ++i) {
        out += "out " + std::to_string(i) + '\n';
        err += "err " + std::to_string(i) + '\n';
    }
    EXPECT_EQ(log_of(0), out);
    EXPECT_EQ(log_of(0, true), err);
    EXPECT_EQ(log_of(1), "other\n");
}

TEST_F(Supervisor, LinesOfAnyLengthAndAnyBytesArrive) {
    run_to_end(run_of(
        {"head -c 1000000 /dev/zero | tr '\\0' x; echo; printf '\\377\\000\\200bytes\\n'; printf end"}));
    EXPECT_EQ(log_of(0), std::string(1000000, 'x') + '\n' +
                             std::string("\xff\0\x80"
                                         "bytes\n",
                                         9) +
                             "end");
}

TEST_F(Supervisor, AnUnfinishedLineIsShownWhileTheRankWaits) {
    const auto run = run_of({"printf 'Continue? '; while [ ! -e go ]; do sleep 0.02; done; echo yes"});
    start_and_attach(run);
    ASSERT_TRUE(client_->wait_for([this] { return log_of(0) == "Continue? "; })) << history();
    write_text(folder_ / "go", "");
    ASSERT_TRUE(client_->wait_for_end());
    EXPECT_EQ(log_of(0), "Continue? yes\n");
}

TEST_F(Supervisor, MetricsArrive) {
    run_to_end(run_of({R"(exec 3>"$RANKSCOPE_METRICS"
echo '{"stage":"rendezvous","detail":"waiting","done":1,"total":4}' >&3
echo '{"epochs":2,"steps_per_epoch":50}' >&3
echo '{"step":1,"epoch":1,"loss":2.5,"params":"sha256:ab"}' >&3
echo '{"step":2,"epoch":1,"loss":NaN}' >&3)"}));
    const auto stages = stages_of(0, wire::STAGE_RENDEZVOUS);
    ASSERT_EQ(stages.size(), 1U) << history();
    EXPECT_EQ(stages[0].progress(), 0.25);
    EXPECT_EQ(stages[0].detail(), "waiting");
    EXPECT_EQ(stages_of(0, wire::STAGE_FIRST_STEP).size(), 1U);
    const auto metrics = metrics_of(0);
    ASSERT_EQ(metrics.size(), 3U) << history();
    EXPECT_EQ(metrics[0].step(), -1);
    EXPECT_EQ(metrics[1].step(), 1);
    EXPECT_EQ(metrics[1].values(0), 2.5);
    EXPECT_EQ(metrics[1].text_values(0), "sha256:ab");
    EXPECT_TRUE(std::isnan(metrics[2].values(0)));
}

TEST_F(Supervisor, ReportsParametersThatDifferFromThoseOfTheOtherRanks) {
    run_to_end(run_of({R"(echo '{"step":120,"params_differ":"conv1.weight"}' > "$RANKSCOPE_METRICS")"}));
    std::vector<std::string> told;
    for (const wire::Event& event : client_->events()) {
        if (event.has_notice() && event.notice().id() == "parameters-differ") {
            EXPECT_EQ(event.rank(), 0);
            told.assign(event.notice().args().begin(), event.notice().args().end());
        }
    }
    EXPECT_EQ(told, (std::vector<std::string>{"conv1.weight", "120"})) << history();
}

TEST_F(Supervisor, BadMetricsAreReportedOnceAndHarmNothing) {
    run_to_end(run_of({R"(exec 3>"$RANKSCOPE_METRICS"
echo 'loss=0.5' >&3
echo '{"step":"one"}' >&3
head -c 300000 /dev/zero | tr '\0' '[' >&3
echo >&3
echo >&3
printf '{"step":3,' >&3
printf '"loss":1}\n' >&3
printf '{"step":4,"loss":1}' >&3)"}));
    const auto notes = stages_of(0, wire::STAGE_NOTE);
    ASSERT_EQ(notes.size(), 1U) << history();
    EXPECT_NE(notes[0].detail().find("loss=0.5"), std::string::npos);
    EXPECT_EQ(notes[0].status(), wire::STATUS_FAILED);
    const auto metrics = metrics_of(0);
    ASSERT_GE(metrics.size(), 1U) << history();
    EXPECT_EQ(metrics[0].step(), 3);
    EXPECT_EQ(exit_of(0).code(), 0);
}

TEST_F(Supervisor, WhatAUsersProgramPrintsBecomesMetrics) {
    auto run = run_of({R"(echo 'Epoch [1/2], Step [5/10], Loss: 0.5'
printf 'Epoch 2/2:  50%%|#| 5/10 [00:05<00:05, 1.0it/s, acc=91.2%%]\r' >&2
echo 'mine 20 0.25')"});
    run.mutable_own()->set_read_lines(true);
    run.mutable_own()->add_line_patterns("mine {step} {margin}");
    run_to_end(run);
    std::map<std::string, std::pair<std::int64_t, double>> seen;
    for (const auto& metric : metrics_of(0)) {
        seen[metric.keys(0)] = {metric.step(), metric.values(0)};
    }
    EXPECT_EQ(seen["loss"], std::pair(std::int64_t{5}, 0.5)) << history();
    EXPECT_EQ(seen["acc1"].first, 15);
    EXPECT_EQ(seen["margin"], std::pair(std::int64_t{20}, 0.25));
    EXPECT_EQ(stages_of(0, wire::STAGE_FIRST_STEP).size(), 1U);
    EXPECT_EQ(log_of(0), "Epoch [1/2], Step [5/10], Loss: 0.5\nmine 20 0.25\n")
        << "the log has it all the same";
}

TEST_F(Supervisor, WhatIsOnThePipeIsNotReadAgainFromTheOutput) {
    auto run = run_of({R"(exec 3>"$RANKSCOPE_METRICS"
for i in 1 2 3; do echo "{\"step\":$i,\"loss\":$i}" >&3; echo "Epoch [1/2], Step [$i/10], Loss: $i"; done)"});
    run.mutable_own()->set_read_lines(true);
    run_to_end(run);
    EXPECT_EQ(metrics_of(0).size(), 3U) << history();
}

TEST_F(Supervisor, TheNativeEnginesOutputIsNotReadForMetrics) {
    run_to_end(run_of({"echo 'Epoch [1/2], Step [5/10], Loss: 0.5'"}));
    EXPECT_TRUE(metrics_of(0).empty());
}

TEST_F(Supervisor, AThousandMetricsASecondAreNoTrouble) {
    run_to_end(run_of(
        {R"(i=1; while [ $i -le 5000 ]; do echo "{\"step\":$i,\"loss\":1}"; i=$((i+1)); done > "$RANKSCOPE_METRICS")"}));
    const auto metrics = metrics_of(0);
    ASSERT_EQ(metrics.size(), 5000U);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        ASSERT_EQ(metrics[i].step(), static_cast<std::int64_t>(i + 1));
    }
}

TEST_F(Supervisor, ManyRanks) {
    auto run = run_of(std::vector<std::string>(64, "echo rank $RANK"));
    for (auto& rank : *run.mutable_ranks()) {
        (*rank.mutable_env())["RANK"] = std::to_string(rank.rank());
    }
    run_to_end(run);
    for (int rank = 0; rank < 64; ++rank) {
        EXPECT_EQ(exit_of(rank).code(), 0);
        EXPECT_EQ(log_of(rank), "rank " + std::to_string(rank) + '\n');
    }
    EXPECT_EQ(end().outcome(), wire::OUTCOME_DONE);
}

TEST_F(Supervisor, WhatAGrandchildHoldsOpenDoesNotDelayTheEnd) {
    // It keeps the rank's stdout open and would write to it for ever.
    run_to_end(run_of({"(while :; do echo still here; sleep 0.01; done) & exit 0"}));
    EXPECT_EQ(end().outcome(), wire::OUTCOME_DONE);
    EXPECT_EQ(exit_of(0).code(), 0);
}

/// One of two nodes; the test plays the other.
class EarlyFailure : public Supervisor {
protected:
    wire::StartRun run_as(std::uint32_t index) {
        wire::StartRun run = run_of({"exit 3"});
        run.add_peers("node1");
        run.add_peers("node2");
        run.set_peer_index(index);
        run.set_peer_address("127.0.0.1");
        return run;
    }
    static agent::PeerLink::Options other(const wire::StartRun& run) {
        agent::PeerLink::Options options;
        options.run_id = run.run_id();
        options.token = run.token();
        options.nodes = {run.peers().begin(), run.peers().end()};
        options.index = 1 - run.peer_index();
        return options;
    }
    static bool is_told(agent::PeerLink& link) {
        return test::wait_until([&] {
            const auto news = link.take_news();
            return !news.empty() && news[0].cause &&
                   agent::describe(*news[0].cause).find("code 3") != std::string::npos;
        });
    }
    bool rank_has_ended() {
        return client_->wait_for([&] { return !exits_of(0).empty(); });
    }
};

TEST_F(EarlyFailure, IsReportedToANodeThatLinksAfterwards) {
    const auto run = run_as(0);
    const auto reply = start(run);
    ASSERT_NE(reply.started().peer_port(), 0U) << reply.failure().detail();
    attach(*client_, run);
    ASSERT_TRUE(rank_has_ended()) << history();
    agent::PeerLink spoke(other(run));
    spoke.connect({"127.0.0.1"}, static_cast<std::uint16_t>(reply.started().peer_port()));
    EXPECT_TRUE(is_told(spoke));
    EXPECT_TRUE(client_->wait_for_end()) << history();
}

TEST_F(EarlyFailure, IsReportedToTheHubImmediately) {
    const auto run = run_as(1);
    start_and_attach(run);
    ASSERT_TRUE(rank_has_ended()) << history();
    agent::PeerLink hub(other(run));
    const auto port = hub.listen("127.0.0.1");
    ASSERT_TRUE(port) << port.failure().detail;
    hub.start();
    wire::Request request;
    request.mutable_link_peers()->set_run_id(run.run_id());
    request.mutable_link_peers()->add_addresses("127.0.0.1");
    request.mutable_link_peers()->set_port(*port);
    client_->call(request);
    EXPECT_TRUE(is_told(hub));
    EXPECT_TRUE(client_->wait_for_end()) << history();
}

TEST_F(EarlyFailure, DoesNotWaitForeverForANodeThatNeverLinks) {
    start_and_attach(run_as(1));
    EXPECT_TRUE(client_->wait_for_end()) << history();
    EXPECT_EQ(end().outcome(), wire::OUTCOME_FAILED);
}

}  // namespace
}  // namespace rankscope
