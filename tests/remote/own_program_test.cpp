// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A program of the user's, as the real agent starts it: environment, activation, log files, error file.

#include "support/agent_fixture.h"
#include "support/scoped_environment.h"

#include <base/files.h>
#include <remote/agent/ranks/rank_process.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::write_text;

class OwnProgram : public test::AgentFixture {
protected:
    void run_to_end(const wire::StartRun& run) {
        start_and_attach(run);
        ASSERT_TRUE(client_->wait_for_end()) << history();
        EXPECT_TRUE(wait_until_gone(run));
    }
    void make_python(const fs::path& bin) {
        fs::create_directories(bin);
        write_text(bin / "python", "#!/bin/sh\necho \"mine $*\"\n");
        ::chmod((bin / "python").c_str(), 0755);
    }
    wire::StartRun own_run(const std::vector<std::string>& scripts) {
        auto run = run_of(scripts);
        run.mutable_own();
        return run;
    }
    wire::Failure refused(const wire::StartRun& run) {
        const auto reply = start(run);
        EXPECT_TRUE(reply.has_failure());
        EXPECT_FALSE(fs::exists(dir_of(run).dir)) << "a run that was refused leaves nothing";
        return reply.failure();
    }
};

TEST_F(OwnProgram, LeftoversOfAnotherLauncherAreGone) {
    const test::ScopedEnvironment pet("PET_NNODES", "7");
    const test::ScopedEnvironment elastic("TORCHELASTIC_USE_AGENT_STORE", "True");
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    run_to_end(own_run({"echo \"[$PET_NNODES][$TORCHELASTIC_USE_AGENT_STORE]\""}));
    EXPECT_EQ(log_of(0), "[][]\n");
}

TEST_F(OwnProgram, SomeVariablesGiveWayToTheNodesOwn) {
    const test::ScopedEnvironment threads("OMP_NUM_THREADS", "6");
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    auto run = own_run({"echo $OMP_NUM_THREADS $TORCH_NCCL_ASYNC_ERROR_HANDLING", "echo $OMP_NUM_THREADS"});
    for (auto& rank : *run.mutable_ranks()) {
        (*rank.mutable_default_env())["OMP_NUM_THREADS"] = "1";
        (*rank.mutable_default_env())["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "1";
    }
    (*run.mutable_ranks(1)->mutable_env())["OMP_NUM_THREADS"] = "3";
    run_to_end(run);
    EXPECT_EQ(log_of(0), "6 1\n");
    EXPECT_EQ(log_of(1), "3\n");
}

TEST_F(OwnProgram, AVirtualEnvironmentIsActivated) {
    const test::ScopedEnvironment conda("CONDA_PREFIX", "/elsewhere");
    const test::ScopedEnvironment home("PYTHONHOME", "/elsewhere");
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    const fs::path venv = folder_ / "my venv";
    make_python(venv / "bin");
    write_text(venv / "pyvenv.cfg", "home = /usr/bin\n");
    auto run = own_run({"echo \"$VIRTUAL_ENV|$CONDA_PREFIX|$PYTHONHOME|${PATH%%:*}\"; python x"});
    run.mutable_own()->set_venv(venv.string());
    run_to_end(run);
    EXPECT_EQ(log_of(0), venv.string() + "|||" + (venv / "bin").string() + "\nmine x\n") << history();
}

TEST_F(OwnProgram, AMissingOrBrokenVirtualEnvironmentIsNamed) {
    auto run = own_run({"true"});
    run.mutable_own()->set_venv((folder_ / "absent").string());
    auto failure = refused(run);
    EXPECT_EQ(failure.code(), "no-venv");
    EXPECT_EQ(failure.args(0), (folder_ / "absent").string());
    EXPECT_EQ(failure.detail(), "there is no such folder");

    fs::create_directories(folder_ / "broken/bin");
    write_text(folder_ / "broken/pyvenv.cfg", "");
    fs::create_symlink("/no/such/python3.9", folder_ / "broken/bin/python");
    run = own_run({"true"});
    run.mutable_own()->set_venv((folder_ / "broken").string());
    failure = refused(run);
    EXPECT_EQ(failure.code(), "broken-venv");
    EXPECT_EQ(failure.detail(), "bin/python leads to /no/such/python3.9");
}

TEST_F(OwnProgram, CondaEnvironmentsAreFoundByNameAndFolder) {
    const test::ScopedEnvironment home("HOME", folder_.path().string());
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    const fs::path folder = folder_ / "miniforge3/envs/train";
    make_python(folder / "bin");
    fs::create_directories(folder / "conda-meta");
    write_text(folder / "conda-meta/state", R"({"env_vars": {"FROM_STATE": "yes"}})");
    fs::create_directories(folder / "etc/conda/activate.d");
    write_text(folder / "etc/conda/activate.d/gxx.sh", "");
    for (const std::string& name :
         {std::string("train"), folder.string(), std::string("~/miniforge3/envs/train")}) {
        SCOPED_TRACE(name);
        client_ = std::make_unique<test::AgentClient>(folder_.path().string());
        auto run = own_run({"echo $CONDA_PREFIX $CONDA_DEFAULT_ENV $FROM_STATE; python x"});
        run.mutable_own()->set_conda(name);
        run_to_end(run);
        EXPECT_EQ(log_of(0), folder.string() + " train yes\nmine x\n") << history();
        const auto notes = stages_of(-1, wire::STAGE_NOTE);
        ASSERT_EQ(notes.size(), 1U);
        EXPECT_NE(notes[0].detail().find("gxx.sh"), std::string::npos) << notes[0].detail();
    }
    auto run = own_run({"true"});
    run.mutable_own()->set_conda("other");
    const auto failure = refused(run);
    EXPECT_EQ(failure.code(), "no-conda");
    EXPECT_NE(failure.detail().find("miniforge3/envs/other"), std::string::npos) << failure.detail();
}

TEST_F(OwnProgram, LogFilesLieAsTorchrunLaysThem) {
    auto run = own_run(
        {"echo to stdout; echo to stderr >&2",
         R"(printf '{"message":"boom"}' > "$TORCHELASTIC_ERROR_FILE"; printf 'no line break'; exit 3)"});
    run.mutable_own()->set_log_dir("logs");  // from workdir
    (*run.mutable_ranks(1)->mutable_env())["TORCHELASTIC_RESTART_COUNT"] = "2";
    run_to_end(run);
    const fs::path base = folder_ / "logs" / run.run_id();
    EXPECT_EQ(read_file(base / "attempt_0/0/stdout.log"), "to stdout\n");
    EXPECT_EQ(read_file(base / "attempt_0/0/stderr.log"), "to stderr\n");
    EXPECT_EQ(read_file(base / "attempt_2/1/stdout.log"), "no line break");
    EXPECT_EQ(read_file(base / "attempt_2/1/error.json"), R"({"message":"boom"})");
    EXPECT_EQ(exit_of(1).reason(), "boom");
    EXPECT_GT(exit_of(1).failed_us(), 0);
}

TEST_F(OwnProgram, NodesThatShareAFolderDoNotShareFiles) {
    auto run = own_run({"echo second"});
    run.mutable_own()->set_log_dir((folder_ / "logs").string());
    fs::create_directories(folder_ / "logs" / run.run_id() / "attempt_0/0");
    write_text(folder_ / "logs" / run.run_id() / "attempt_0/0/stdout.log", "first\n");
    run_to_end(run);
    EXPECT_EQ(read_file(folder_ / "logs" / run.run_id() / "attempt_0/0/stdout.log"), "first\n");
    std::string host(256, '\0');
    ::gethostname(host.data(), host.size());
    host.resize(host.find('\0'));
    EXPECT_EQ(read_file(folder_ / "logs" / (run.run_id() + '_' + host) / "attempt_0/0/stdout.log"),
              "second\n");
}

TEST_F(OwnProgram, AFolderForLogsThatCannotBeMadeIsNamed) {
    write_text(folder_ / "file", "");
    auto run = own_run({"true"});
    run.mutable_own()->set_log_dir((folder_ / "file/logs").string());
    const auto failure = refused(run);
    EXPECT_EQ(failure.code(), "log-dir");
    EXPECT_EQ(failure.detail(), "Not a directory");
}

TEST_F(OwnProgram, DevNullMeansNoLogFiles) {
    auto run = own_run({"echo fine"});
    run.mutable_own()->set_log_dir("/dev/null");
    run_to_end(run);
    EXPECT_EQ(log_of(0), "fine\n");
}

TEST(RankLogs, AFileThatCannotGrowIsGivenUpOnce) {
    const test::TemporaryFolder folder;
    agent::RankLogs logs;
    ASSERT_EQ(logs.open(folder / "attempt_0/0"), 0);
    const auto before = ::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small{4, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const int first = logs.write(false, "too long");
    const int second = logs.write(false, "more");
    const int other = logs.write(true, "err");
    ::setrlimit(RLIMIT_FSIZE, &old);
    ::signal(SIGXFSZ, before);
    EXPECT_EQ(first, EFBIG);
    EXPECT_EQ(second, 0);
    EXPECT_EQ(other, 0);
    EXPECT_EQ(read_file(folder / "attempt_0/0/stdout.log"), "too ");
    EXPECT_EQ(read_file(folder / "attempt_0/0/stderr.log"), "err");
}

}  // namespace
}  // namespace rankscope
