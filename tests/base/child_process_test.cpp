// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/child_process.h>
#include <base/clock.h>
#include <base/wait_fd.h>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace rankscope {
namespace {

using Stream = ChildProcess::Stream;
constexpr double kPatience = 60;

std::string read_all(const UniqueFd& fd) {
    std::string text;
    std::array<char, 4096> bytes{};
    while (wait_readable(fd.get(), monotonic_s() + kPatience)) {
        const auto got = ::read(fd.get(), bytes.data(), bytes.size());
        if (got <= 0) {
            break;
        }
        text.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return text;
}

ChildProcess shell(const std::string& script, ChildProcess::Options options = {}) {
    auto child = ChildProcess::start({"sh", "-c", script}, options);
    EXPECT_TRUE(child);
    return std::move(*child);
}

TEST(ChildProcess, ItsStreamsAndItsStatus) {
    auto child = shell("cat; echo problem >&2; exit 3",
                       {.input = Stream::Pipe, .output = Stream::Pipe, .error = Stream::Pipe});
    ASSERT_EQ(::write(child.input().get(), "hello\n", 6), 6);
    child.input().reset();
    EXPECT_EQ(read_all(child.output()), "hello\n");
    EXPECT_EQ(read_all(child.error()), "problem\n");
    child.wait();
    EXPECT_TRUE(child.has_ended());
    EXPECT_EQ(child.status(), 3);
}

TEST(ChildProcess, StreamsAreNullUnlessAskedFor) {
    auto child = shell("cat; a=$(readlink /proc/$$/fd/1); echo \"$a\" >&2", {.error = Stream::Pipe});
    EXPECT_EQ(read_all(child.error()), "/dev/null\n");
    EXPECT_FALSE(child.output());
}

TEST(ChildProcess, AMissingProgramIsReported) {
    errno = 0;
    EXPECT_FALSE(ChildProcess::start({"no-such-program-here"}, {}));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_FALSE(ChildProcess::start({}, {}));
    EXPECT_EQ(errno, EINVAL);
}

TEST(ChildProcess, ASignalIsNoStatus) {
    auto child = shell("kill -9 $$");
    child.wait();
    EXPECT_FALSE(child.status());
}

TEST(ChildProcess, IsKilledWithItsOwner) {
    auto child = shell("echo $$; exec sleep 1000", {.output = Stream::Pipe});
    ASSERT_TRUE(wait_readable(child.output().get(), monotonic_s() + kPatience));
    std::array<char, 32> text{};
    ASSERT_GT(::read(child.output().get(), text.data(), text.size() - 1), 0);
    const auto pid = static_cast<pid_t>(std::atol(text.data()));
    EXPECT_EQ(::kill(pid, 0), 0);
    EXPECT_FALSE(child.has_ended());
    { const ChildProcess last_owner = std::move(child); }
    EXPECT_EQ(::kill(pid, 0), -1) << "killed and reaped";
}

TEST(ChildProcess, InheritsNoBlockedOrIgnoredSignal) {
    sigset_t set;
    sigset_t before;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &set, &before);
    const auto pipe_before = ::signal(SIGPIPE, SIG_IGN);
    auto child = shell("grep -E '^Sig(Blk|Ign)' /proc/self/status", {.output = Stream::Pipe});
    const std::string text = read_all(child.output());
    ::signal(SIGPIPE, pipe_before);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    EXPECT_NE(text.find("SigBlk:\t0000000000000000"), std::string::npos) << text;
    const auto ignored = std::stoull(text.substr(text.find("SigIgn:") + 8), nullptr, 16);
    EXPECT_EQ(ignored & (1ULL << (SIGPIPE - 1)), 0U) << text;
}

TEST(ChildProcess, AddsToTheEnvironment) {
    ::setenv("RANKSCOPE_TEST_A", "ours", 1);
    auto child = shell("echo $RANKSCOPE_TEST_A $RANKSCOPE_TEST_B; env | grep -c ^RANKSCOPE_TEST_A=",
                       {.output = Stream::Pipe,
                        .environment = {{"RANKSCOPE_TEST_A", "replaced"}, {"RANKSCOPE_TEST_B", "added"}}});
    EXPECT_EQ(read_all(child.output()), "replaced added\n1\n");
    ::unsetenv("RANKSCOPE_TEST_A");
}

TEST(ChildProcess, ASessionOfItsOwnIsKilledAsAGroup) {
    auto child = shell("sleep 1000 & echo started; wait", {.output = Stream::Pipe, .own_session = true});
    ASSERT_TRUE(wait_readable(child.output().get(), monotonic_s() + kPatience));
    child.kill();
    child.wait();
    EXPECT_EQ(read_all(child.output()), "started\n") << "ends: no process holds the pipe any more";
}

TEST(ChildProcess, OneDescriptorAsInputAndOutput) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    auto child = shell("read line; echo \"got $line\"", {.stdio = theirs.get()});
    theirs.reset();
    ASSERT_EQ(::write(ours.get(), "it\n", 3), 3);
    EXPECT_EQ(read_all(ours), "got it\n");
}

TEST(ChildProcess, InheritsNoOtherDescriptor) {
    const Pipe pipe = make_pipe();
    const std::string ours = std::to_string(pipe.read_end.get());
    auto child =
        shell("test -e /proc/$$/fd/" + ours + " && echo inherited; echo end", {.output = Stream::Pipe});
    EXPECT_EQ(read_all(child.output()), "end\n");
}

TEST(ChildProcess, AnAbandonedOneEndsWithoutBeingWaitedFor) {
    auto child = ChildProcess::start({"sleep", "600"}, {.output = ChildProcess::Stream::Pipe});
    ASSERT_TRUE(child);
    child->abandon();
    EXPECT_TRUE(child->has_ended()) << "it is no longer ours";
    EXPECT_FALSE(child->status());
    char byte = 0;
    EXPECT_TRUE(wait_readable(child->output().get(), monotonic_s() + 60));
    EXPECT_EQ(::read(child->output().get(), &byte, 1), 0) << "its streams are closed: it was killed";
}

}  // namespace
}  // namespace rankscope
