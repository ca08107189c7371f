// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <base/files.h>
#include <base/metrics_line.h>
#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/nodes/session/agent_link.h>
#include <remote/desk/nodes/session/bundle_push.h>
#include <remote/desk/nodes/transport/local_transport.h>

#include <gtest/gtest.h>

#include <csignal>
#include <random>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

class Deploy : public ::testing::Test {
protected:
    Deploy() {
        ::signal(SIGPIPE, SIG_IGN);
        fs::create_directories(source_);
    }
    std::unique_ptr<AgentLink> link() {
        auto link = AgentLink::open(local_node(), std::move(*open_local_transport()), wake_, {}, {});
        EXPECT_TRUE(link) << (link ? "" : to_line(link.failure()));
        return link ? std::move(*link) : nullptr;
    }
    std::string manifest_entry(const std::string& name, const std::string& content) const {
        test::write_text(source_ / name, content);
        return R"({"name":")" + name + R"(","size":)" + std::to_string(content.size()) + R"(,"sha256":")" +
               to_hex(*sha256_of_file(source_ / name)) + R"("})";
    }
    WorkerBundle bundle() const {
        std::mt19937 random(9);
        std::string large(3 << 20, '\0');
        for (auto& byte : large) {
            byte = static_cast<char>(random() % 7 == 0 ? random() : 'a');
        }
        const auto parsed =
            parse_manifest(source_, R"({"entry":"worker","files":[)" + manifest_entry("worker", large) + ',' +
                                        manifest_entry("empty", "") + ',' +
                                        manifest_entry("libx.so.1", std::string(512 << 10, 'x')) + "]}");
        EXPECT_TRUE(parsed);
        return parsed.value_or(WorkerBundle{});
    }

    test::TemporaryFolder folder_;
    fs::path source_ = folder_ / "source";
    test::ScopedEnvironment home_{"HOME", folder_.path().string()};
    test::ScopedEnvironment cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
    test::ScopedEnvironment direct_{"RANKSCOPE_CACHE_DIR", std::nullopt};
    WakeFd wake_;
};

TEST_F(Deploy, ABundleIsPushedOnceAndWhole) {
    const auto files = bundle();
    auto agent = link();
    ASSERT_TRUE(agent);
    double last = 0;
    const auto pushed = push_bundle(*agent, files, [&](const std::string&, double share) {
        EXPECT_GE(share, last);
        last = share;
    });
    ASSERT_TRUE(pushed) << to_line(pushed.failure());
    EXPECT_EQ(*pushed, files.total_bytes);
    EXPECT_EQ(last, 1);
    const fs::path there = folder_ / "cache/rankscope/bundles" / files.hash;
    for (const auto& file : files.files) {
        EXPECT_EQ(read_file(there / file.name), read_file(file.path)) << file.name;
    }
    EXPECT_EQ(*push_bundle(*agent, files, {}), 0U);
    fs::remove(there / "libx.so.1");
    EXPECT_EQ(*push_bundle(*agent, files, {}), 512U << 10U) << "only what is missing";
}

TEST_F(Deploy, FilesThatChangedMeanwhileAreRefused) {
    const auto files = bundle();
    auto agent = link();
    ASSERT_TRUE(agent);
    test::write_text(source_ / "libx.so.1", std::string(512 << 10, 'y'));
    auto pushed = push_bundle(*agent, files, {});
    ASSERT_FALSE(pushed);
    EXPECT_EQ(pushed.failure().code, FailureId("damaged"));
    test::write_text(source_ / "libx.so.1", "short");
    pushed = push_bundle(*agent, files, {});
    ASSERT_FALSE(pushed);
    EXPECT_EQ(pushed.failure().code, FailureId("incomplete-install"));
    fs::remove(source_ / "libx.so.1");
    EXPECT_FALSE(push_bundle(*agent, files, {}));
}

TEST_F(Deploy, ManifestsThatAreNoneAreRefused) {
    const std::string good = manifest_entry("worker", "x");
    EXPECT_TRUE(parse_manifest(source_, R"({"files":[)" + good + "]}"));
    EXPECT_EQ(parse_manifest(source_, R"({"files":[)" + good + "]}")->entry, "rankscope-worker");
    const std::string zeros(64, '0');
    for (const std::string& bad :
         {std::string(), std::string("[]"), std::string("{}"), std::string(R"({"files":5})"),
          std::string(R"({"files":[]})"), std::string(R"({"files":[5]})"),
          R"({"entry":7,"files":[)" + good + "]}",
          R"({"files":[{"name":7,"size":1,"sha256":")" + zeros + R"("}]})",
          R"({"files":[{"name":"absent","size":1,"sha256":")" + zeros + R"("}]})",
          R"({"files":[{"name":"worker","size":2,"sha256":")" + zeros + R"("}]})",
          R"({"files":[{"name":"../source/worker","size":1,"sha256":")" + zeros + R"("}]})",
          R"({"files":[{"name":"worker","size":"1","sha256":")" + zeros + R"("}]})",
          std::string(R"({"files":[{"name":"worker","size":1,"sha256":"00"}]})")}) {
        EXPECT_FALSE(parse_manifest(source_, bad)) << bad;
    }
}

TEST_F(Deploy, TheHashChangesWithAnyFile) {
    const std::string worker = manifest_entry("worker", "one");
    const auto first = parse_manifest(source_, R"({"files":[)" + worker + "]}")->hash;
    const std::string changed = manifest_entry("worker", "two");
    EXPECT_NE(parse_manifest(source_, R"({"files":[)" + changed + "]}")->hash, first);
    EXPECT_EQ(first.size(), 32U);
}

TEST(Artifacts, TheAgentLiesBesideThisProgram) {
    const auto agent = find_agent_binary();
    ASSERT_TRUE(agent);
    EXPECT_EQ(agent->size, fs::file_size(agent->file));
    EXPECT_EQ(agent->hash.size(), 64U);
}

ExitEvent exit_with(int code, int signal = 0, const std::string& reason = {},
                    std::vector<std::string> lines = {}) {
    ExitEvent exit;
    exit.code = code;
    exit.signal = signal;
    exit.reason = reason;
    exit.last_lines = std::move(lines);
    return exit;
}

TEST(AgentFailures, EndsOfRanksAreSentences) {
    EXPECT_EQ(describe_exit(exit_with(3)), "exited with code 3");
    EXPECT_EQ(describe_exit(exit_with(1, 0, "RuntimeError: boom")), "exited with code 1: RuntimeError: boom");
    EXPECT_EQ(describe_exit(exit_with(-1, SIGKILL)), "was killed by signal 9 (SIGKILL)");
    ExitEvent core = exit_with(-1, SIGSEGV);
    core.core_dumped = true;
    EXPECT_EQ(describe_exit(core), "was killed by signal 11 (SIGSEGV), core dumped");
    core.reason = "Segmentation fault (train.py:41 in step)";
    EXPECT_EQ(describe_exit(core),
              "was killed by signal 11 (SIGSEGV), core dumped: Segmentation fault (train.py:41 in step)");
    EXPECT_EQ(describe_exit(exit_with(-1, SIGABRT, "Aborted (a.py:1 in f)")),
              "was killed by signal 6 (SIGABRT): Aborted (a.py:1 in f)");
    EXPECT_EQ(describe_exit(exit_with(-1, SIGKILL, "what it said before")),
              "was killed by signal 9 (SIGKILL)");
    ExitEvent on_its_way_out = exit_with(-1, SIGTERM, "ValueError: no labels");
    on_its_way_out.failed_us = 1;
    EXPECT_EQ(describe_exit(on_its_way_out), "failed: ValueError: no labels");
    EXPECT_EQ(describe_exit(exit_with(-1, 200)), "was killed by signal 200");
    EXPECT_EQ(describe_exit(exit_with(127, 0, "x: No such file or directory")),
              "could not be started: x: No such file or directory");
}

TEST(AgentFailures, EndsAreExplained) {
    EXPECT_EQ(hint_for_exit("n", exit_with(127, 0, "",
                                           {"worker: error while loading shared libraries: libdnnl.so.2: …"}))
                  .id.text(),
              "worker-missing-library");
    EXPECT_EQ(
        hint_for_exit("n", exit_with(1, 0, "", {"./worker: /lib/libc.so.6: version `GLIBC_2.36' not found"}))
            .id.text(),
        "worker-old-libc");
    EXPECT_EQ(hint_for_exit("n", exit_with(127, 0, "x: Permission denied (…, mounted noexec)")).id.text(),
              "no-exec");
    EXPECT_EQ(hint_for_exit("n", exit_with(-1, SIGKILL)).id.text(), "killed-external");
    EXPECT_EQ(hint_for_exit("n", exit_with(kExitPeerLost)).id.text(), "peer-lost");
    EXPECT_EQ(hint_for_exit("n", exit_with(1)).id.text(), "");
    ExitEvent requested = exit_with(-1, SIGKILL);
    requested.requested = true;
    EXPECT_EQ(hint_for_exit("n", requested).id.text(), "");
}

TEST(AgentFailures, EveryCodeHasItsSentence) {
    NodeSpec node;
    node.name = "node1";
    for (const char* code :
         {"disk-full", "no-permission", "read-only", "port-in-use", "damaged", "run-exists", "no-such-run",
          "supervisor-died", "io-error", "bad-request", "of-the-future"}) {
        wire::Failure failure;
        failure.set_code(code);
        failure.set_detail("raw \xff evidence");
        const auto explained = explain_agent_failure(node, failure);
        EXPECT_EQ(explained.code.text(), code);
        EXPECT_EQ(explained.where, "node1");
        EXPECT_FALSE(explained.what.empty());
        EXPECT_EQ(explained.detail, "raw \xff evidence");
    }
}

}  // namespace
}  // namespace rankscope
