// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/ask_launcher.h>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace rankscope {
namespace {

/// Replies within ask(), or keeps the questions.
class TestLauncher : public RunLauncher {
public:
    explicit TestLauncher(bool at_once) : at_once_(at_once) {}

    void start() override {}
    Result<void> attach() override { return {}; }
    void recall(const Event& /*event*/) override {}
    void stop(const StopOrder& /*order*/) override {}
    void pause(PauseAction /*action*/) override {}
    void report_failure(const std::string& /*cause*/, int /*attempt*/) override {}
    void presume_lost(const std::string& /*node*/) override {}
    void conclude_lost(const std::string& /*node*/, const std::string& /*detail*/) override {}
    void ask(const std::string& node, wire::Request /*request*/, double /*timeout_s*/,
             OnReply on_reply) override {
        if (at_once_) {
            on_reply(Failure{.code = "look-unavailable", .where = node});
        } else {
            kept.push_back(std::move(on_reply));
        }
    }
    void leave() override {}
    std::vector<NodeStatus> nodes() const override { return {}; }
    double stop_allowance_s() const override { return 0; }

    std::vector<OnReply> kept;

private:
    bool at_once_;
};

// A callback that asks again would wait for the mutex for ever.
TEST(AskLauncher, AReplyThatIsKnownAtOnceComesWithoutTheMutex) {
    for (const bool connected : {true, false}) {
        std::mutex mutex;
        const std::unique_ptr<RunLauncher> launcher =
            connected ? std::make_unique<TestLauncher>(true) : nullptr;
        int replies = 0;
        bool was_free = false;
        ask_launcher(mutex, launcher, "node1", {}, 1, [&](const Result<wire::Reply>& first) {
            EXPECT_FALSE(first);
            was_free = mutex.try_lock();
            if (was_free) {
                mutex.unlock();
                ask_launcher(mutex, launcher, "node1", {}, 1, [&](const Result<wire::Reply>&) { ++replies; });
            }
            ++replies;
        });
        EXPECT_TRUE(was_free);
        EXPECT_EQ(replies, 2);
    }
}

TEST(AskLauncher, ALaterReplyPassesOnAnyThread) {
    std::mutex mutex;
    auto made = std::make_unique<TestLauncher>(false);
    TestLauncher& test = *made;
    const std::unique_ptr<RunLauncher> launcher = std::move(made);
    int replies = 0;
    const auto count = [&](const Result<wire::Reply>& reply) { replies += reply ? 1 : 0; };
    ask_launcher(mutex, launcher, "node1", {}, 1, count);
    ask_launcher(mutex, launcher, "node1", {}, 1, count);
    EXPECT_EQ(replies, 0);
    test.kept[0](wire::Reply());
    std::thread other([&] { test.kept[1](wire::Reply()); });
    other.join();
    EXPECT_EQ(replies, 2);
}

}  // namespace
}  // namespace rankscope
