// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/scoped_environment.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/clock.h>
#include <base/fd.h>
#include <base/files.h>
#include <base/utf8.h>
#include <remote/agent/cleanup/leftovers.h>
#include <remote/agent/cleanup/live_runs.h>
#include <remote/agent/cleanup/run_registry.h>
#include <remote/agent/cleanup/shared_memory.h>
#include <remote/agent/node/line_buffer.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/spool/spool.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <set>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;
using test::wait_until;

TEST(LineBuffer, GivesWholeLinesAndKeepsTheRest) {
    LineBuffer lines;
    EXPECT_TRUE(lines.empty());
    lines.feed("one\ntw");
    EXPECT_EQ(lines.take(), "one\n");
    EXPECT_EQ(lines.take(), "");
    EXPECT_FALSE(lines.empty());
    lines.feed("o\nthree\n\nfo");
    EXPECT_EQ(lines.take(), "two\nthree\n\n");
    EXPECT_EQ(lines.take(), "");
    EXPECT_EQ(lines.take(true), "fo");
    EXPECT_EQ(lines.take(true), "");
}

TEST(LineBuffer, AnyPiecesAnySizesNothingIsLost) {
    std::mt19937 random(4);
    for (int round = 0; round < 30; ++round) {
        std::string text;
        while (text.size() < 300000) {
            text += std::string(random() % (round % 3 == 0 ? 200000 : 300),
                                static_cast<char>('a' + random() % 26)) +
                    '\n';
        }
        LineBuffer lines;
        std::string got;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = random() % 70000 + 1;
            lines.feed(std::string_view(text).substr(at, size));
            at += size;
            for (std::string chunk = lines.take(); !chunk.empty(); chunk = lines.take()) {
                ASSERT_LE(chunk.size(), LineBuffer::kMaxChunk);
                ASSERT_TRUE(chunk.back() == '\n' || chunk.size() == LineBuffer::kMaxChunk);
                got += chunk;
            }
        }
        ASSERT_EQ(got + lines.take(true), text);
    }
}

TEST(LastLines, KeepsTheLastTwentyShort) {
    LastLines last;
    for (int i = 0; i < 100; ++i) {
        last.add("line " + std::to_string(i) + (i % 2 == 0 ? "\n" : "\r\n"));
    }
    last.add("unfin");
    last.add("ished");
    const auto lines = last.lines();
    ASSERT_EQ(lines.size(), LastLines::kLines);
    EXPECT_EQ(lines.back(), "unfinished");
    EXPECT_EQ(lines[18], "line 99");
}

TEST(LastLines, LongLinesAreCutWhateverThePieces) {
    for (const std::size_t piece : {1U, 100U, 499U, 500U, 501U, 100000U}) {
        LastLines last;
        const std::string text =
            std::string(3000, 'a') + "\n" + std::string(600, 'b') + "\nshort\n" + std::string(700, 'c');
        for (std::size_t at = 0; at < text.size(); at += piece) {
            last.add(std::string_view(text).substr(at, piece));
        }
        const auto lines = last.lines();
        ASSERT_EQ(lines.size(), 4U) << piece;
        EXPECT_EQ(lines[0], std::string(LastLines::kLineLength, 'a')) << piece;
        EXPECT_EQ(lines[2], "short");
        EXPECT_EQ(lines[3], std::string(LastLines::kLineLength, 'c')) << piece;
    }
}

UniqueFd listener_on(std::uint16_t& port, in_addr_t address, bool listening = true) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(address);
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    if (listening) {
        EXPECT_EQ(::listen(fd.get(), 1), 0);
    }
    socklen_t size = sizeof name;
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &size);
    port = ntohs(name.sin_port);
    return fd;
}

TEST(Ports, AHeldPortNamesItsHolder) {
    for (const in_addr_t address : {INADDR_ANY, INADDR_LOOPBACK}) {
        std::uint16_t port = 0;
        std::string held_by;
        {
            const UniqueFd listener = listener_on(port, address);
            EXPECT_FALSE(port_is_free(port, held_by));
            EXPECT_NE(held_by.find("(pid " + std::to_string(::getpid())), std::string::npos) << held_by;
            EXPECT_NE(held_by.find("_test"), std::string::npos) << held_by;
        }
        EXPECT_TRUE(port_is_free(port, held_by));
    }
}

TEST(Ports, APortBoundButNotListeningIsHeldToo) {
    std::uint16_t port = 0;
    const UniqueFd bound = listener_on(port, INADDR_ANY, false);
    std::string held_by;
    EXPECT_FALSE(port_is_free(port, held_by));
    EXPECT_EQ(held_by, "Address already in use");
}

TEST(Ports, AFreePortIsFree) {
    std::string held_by;
    const auto port = pick_free_port();
    ASSERT_NE(port, 0);
    EXPECT_TRUE(port_is_free(port, held_by)) << held_by;
}

/// As the store of rank 0: names the port.
bool can_listen_on(std::uint16_t port) {
    const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    return ::bind(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 &&
           ::listen(fd.get(), 1) == 0;
}

TEST(Ports, AHeldPortIsOnlyForWhoNamesIt) {
    enum Result { kFine, kNoNamespace, kNotHeld, kGiven, kNoneLeft };
    const pid_t child = ::fork();
    if (child == 0) {  // in a network of its own with ten ports
        std::ofstream range;
        if (::unshare(CLONE_NEWNET) == 0) {
            range.open("/proc/sys/net/ipv4/ip_local_port_range");
            range << "40000 40009" << std::flush;
        }
        if (!range.is_open() || !range) {
            ::_exit(kNoNamespace);
        }
        const HeldPort held = hold_port(0);
        std::string held_by;
        if (held.port == 0 || !port_is_free(held.port, held_by) || !can_listen_on(held.port)) {
            ::_exit(kNotHeld);
        }
        std::vector<UniqueFd> others;
        for (int i = 0; i < 20; ++i) {
            UniqueFd fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
            sockaddr_in6 any{};
            any.sin6_family = AF_INET6;
            socklen_t size = sizeof any;
            if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&any), size) != 0) {
                break;
            }
            ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&any), &size);
            if (ntohs(any.sin6_port) == held.port) {
                ::_exit(kGiven);
            }
            others.push_back(std::move(fd));
        }
        ::_exit(others.size() == 9 && can_listen_on(held.port) ? kFine : kNoneLeft);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kNoNamespace) {
        GTEST_SKIP() << "needs root, for a network namespace of its own";
    }
    EXPECT_EQ(WEXITSTATUS(status), kFine);
}

TEST(Utf8, KnowsTextFromBytes) {
    EXPECT_EQ(first_bad_byte("plain é层😀"), std::string_view::npos);
    EXPECT_EQ(first_bad_byte(std::string_view("a\0b", 3)), std::string_view::npos);
    for (const char* bad :
         {"ab\xff", "ab\xc3", "ab\xc0\xaf", "ab\xed\xa0\x80", "ab\xf4\x90\x80\x80", "ab\xe5\xb1", "ab\x80"}) {
        EXPECT_EQ(first_bad_byte(bad), 2U) << bad;
    }
    EXPECT_EQ(as_utf8("a\xff\xe5\xb1\xe5\xb1\x82z\xc3"), "a???层z?");
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes(random() % 20, '\0');
        for (auto& byte : bytes) {
            byte = static_cast<char>(random() % 3 == 0 ? 'a' : random());
        }
        ASSERT_EQ(first_bad_byte(as_utf8(bytes)), std::string_view::npos);
    }
}

class ProcessTree : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
    void TearDown() override {
        EXPECT_EQ(kill_descendants(::getpid(), 10), 0);
        ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    }
    static pid_t shell(const char* script) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::execl("/bin/sh", "sh", "-c", script, nullptr);
            ::_exit(127);
        }
        return pid;
    }
};

TEST_F(ProcessTree, ADaemonThatForkedTwiceIsFoundAndEnded) {
    const pid_t pid = shell("(setsid sh -c 'sleep 1000 & sleep 1000' &) ; exit 0");
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(wait_until([] { return descendants_of(::getpid()).size() >= 3; }))
        << "its parent is gone, we adopted it";
    EXPECT_EQ(kill_descendants(::getpid(), 30), 0);
    EXPECT_TRUE(descendants_of(::getpid()).empty());
}

TEST_F(ProcessTree, ForkBombsOfModestSizeEnd) {
    shell(
        "trap '' TERM INT HUP; for i in 1 2 3 4 5; do (trap '' TERM; while :; do sleep 1000; done) & done; "
        "wait");
    ASSERT_TRUE(wait_until([] { return descendants_of(::getpid()).size() >= 11; }));
    EXPECT_GE(signal_descendants(::getpid(), SIGTERM), 11);
    EXPECT_EQ(kill_descendants(::getpid(), 30), 0);
}

TEST_F(ProcessTree, ZombiesDoNotCount) {
    const pid_t pid = shell("exit 0");
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
    EXPECT_TRUE(descendants_of(::getpid()).empty());
}

TEST_F(ProcessTree, AParentOfAChildStoppedWithinVforkIsSuspended) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
        // The parent sleeps in vfork(2), uninterruptible, until this child execs or exits.
        if (::vfork() == 0) {  // NOLINT(clang-analyzer-security.insecureAPI.vfork): the state under test
            ::kill(::getpid(), SIGSTOP);
            ::_exit(0);
        }
        ::_exit(0);
    }
    ASSERT_TRUE(wait_until([&] { return is_suspended(pid); }));
    EXPECT_FALSE(is_stopped(pid)) << "its state is D";
    const double before = monotonic_s();
    stop_descendants(::getpid(), 60);
    EXPECT_LT(monotonic_s() - before, 30) << "the process in vfork counts as stopped";
    signal_descendants(::getpid(), SIGCONT);
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
}

TEST_F(ProcessTree, FindsProcessesByTheirEnvironment) {
    const std::string mark = "RANKSCOPE_TEST_MARK=" + std::to_string(::getpid()) + "-x";
    pid_t pid = -1;
    {
        const test::ScopedEnvironment variable("RANKSCOPE_TEST_MARK", std::to_string(::getpid()) + "-x");
        pid = shell("exec sleep 1000");
    }
    ASSERT_TRUE(wait_until([&] { return processes_with_environment(mark).size() == 1; }));
    EXPECT_EQ(processes_with_environment(mark).front(), pid);
    EXPECT_TRUE(processes_with_environment(mark + "y").empty()) << "the whole value counts";
    EXPECT_TRUE(processes_with_environment(mark.substr(1)).empty()) << "the whole name counts";
    ASSERT_TRUE(wait_until(
        [&] { return describe_process(pid).starts_with("sleep 1000 (pid " + std::to_string(pid)); }));
}

TEST_F(ProcessTree, AProcessInsideExecKeepsItsEnvironment) {
    test::TemporaryFolder folder;
    const std::string script = folder / "again.sh";
    test::write_text(script, "exec /bin/sh " + script + "\n");
    const pid_t pid = shell(("RANKSCOPE_TEST_EXEC=17 exec /bin/sh " + script).c_str());
    ASSERT_TRUE(test::wait_until([&] { return !environment_of(pid).empty(); }));
    const std::string entry = "RANKSCOPE_TEST_EXEC=17";
    ASSERT_TRUE(test::wait_until([&] { return environment_of(pid).find(entry) != std::string::npos; }));
    int missed_by_one_look = 0;
    for (int i = 0; i < 20000; ++i) {
        missed_by_one_look +=
            read_file("/proc/" + std::to_string(pid) + "/environ").value_or("").empty() ? 1 : 0;
        ASSERT_NE(environment_of(pid).find(entry), std::string::npos) << "at look " << i;
    }
    RecordProperty("missed_by_one_look", missed_by_one_look);
    EXPECT_EQ(processes_with_environment(entry), std::vector<pid_t>{pid});
    ::kill(pid, SIGKILL);
}

TEST_F(ProcessTree, ALargeEnvironmentIsFoundWhileAnExecCopiesIt) {
    // The more variables, the longer the environment has equal bounds within execve(2).
    test::TemporaryFolder folder;
    const std::string script = folder / "again.sh";
    test::write_text(script, "exec /bin/sh " + script + "\n");
    std::vector<std::string> variables{"RANKSCOPE_TEST_EXEC=18"};
    for (int i = 0; i < 5000; ++i) {
        variables.push_back("VARIABLE_" + std::to_string(i) + "=value");
    }
    std::vector<char*> environment;
    for (std::string& variable : variables) {
        environment.push_back(variable.data());
    }
    environment.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::execle("/bin/sh", "sh", script.c_str(), nullptr, environment.data());
        ::_exit(127);
    }
    ASSERT_TRUE(
        test::wait_until([&] { return environment_of(pid).find(variables[0]) != std::string::npos; }));
    for (int i = 0; i < 1000; ++i) {
        ASSERT_NE(environment_of(pid).find(variables[0]), std::string::npos) << "at look " << i;
    }
    ::kill(pid, SIGKILL);
}

TEST_F(ProcessTree, AnEmptyEnvironmentIsReportedWithoutWaiting) {
    const pid_t pid = shell("exec env -i sleep 1000");
    ASSERT_TRUE(test::wait_until([&] { return command_of(pid).starts_with("sleep"); }));
    const double begin = monotonic_s();
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(environment_of(pid).empty());
    }
    EXPECT_LT(monotonic_s() - begin, 2) << "the patience for an exec would be 20 s";
    EXPECT_TRUE(environment_of(2).empty()) << "a kernel thread, or a process of another user";
}

TEST_F(ProcessTree, AnInterpreterIsNamedWithoutItsFolder) {
    const std::string folder(100, 'f');
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::execl("/bin/sleep", ("/opt/" + folder + "/bin/python3").c_str(), "1000", nullptr);
        ::_exit(127);
    }
    EXPECT_TRUE(wait_until([&] { return command_of(pid) == "python3 1000"; })) << command_of(pid);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

TEST_F(ProcessTree, DescriptionsAreAlwaysText) {
    // 80 bytes end in the middle of a character.
    const pid_t pid = ::fork();
    if (pid == 0) {
        const std::string name = "ab层层层层层层层层层层层层层层层层层层层层层层层层层层层层层层\xff";
        ::execl("/bin/sleep", name.c_str(), "1000", nullptr);
        ::_exit(127);
    }
    ASSERT_TRUE(wait_until([&] { return describe_process(pid).starts_with("ab"); }));
    EXPECT_EQ(first_bad_byte(describe_process(pid)), std::string::npos) << describe_process(pid);
    EXPECT_EQ(describe_process(1 << 29), "");
}

TEST(NodePaths, NamesFromTheDeskStayBelowTheirFolder) {
    for (const char* name : {"run-1", "a", "A.b_c+d-0", "20260101-120000-ab12"}) {
        EXPECT_TRUE(is_safe_name(name)) << name;
    }
    for (const std::string name :
         {"", ".", "..", ".hidden", "../x", "a/b", "/etc", "a b", "a\nb", "é", "a;b", "$x", "~"}) {
        EXPECT_FALSE(is_safe_name(name)) << name;
    }
    EXPECT_FALSE(is_safe_name(std::string("a\0b", 3)));
    EXPECT_FALSE(is_safe_name(std::string(201, 'a')));
    const test::ScopedEnvironment cache("RANKSCOPE_CACHE_DIR", "/scratch/me");
    EXPECT_EQ(NodePaths::from_environment().run("r"), "/scratch/me/runs/r");
    const test::ScopedEnvironment relative("RANKSCOPE_CACHE_DIR", "scratch");
    const test::ScopedEnvironment home("XDG_CACHE_HOME", "/c");
    EXPECT_EQ(NodePaths::from_environment().root(), "/c/rankscope");
}

class Registry : public ::testing::Test {
protected:
    RunDir make_run(const std::string& id, std::optional<wire::Outcome> outcome) const {
        const RunDir dir{paths_.run(id)};
        fs::create_directories(dir.dir);
        test::write_text(dir.lock(), "");
        wire::StartRun run;
        run.set_run_id(id);
        run.set_name("name of " + id);
        run.set_desk("me@desk");
        test::write_text(dir.spec(), run.SerializeAsString());
        auto spool = std::move(*SpoolWriter::open(dir.spool()));
        wire::Event first;
        first.mutable_log()->set_text("hello\n");
        spool.add(first);
        if (outcome) {
            wire::Event end;
            end.mutable_end()->set_outcome(*outcome);
            spool.add(end);
        }
        EXPECT_TRUE(spool.flush());
        return dir;
    }
    static UniqueFd hold_lock(const RunDir& dir) {
        UniqueFd lock(::open(dir.lock().c_str(), O_RDWR | O_CLOEXEC));
        EXPECT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
        return lock;
    }
    wire::Cleaned clean_all(bool dry_run = false, bool caches = false) const {
        wire::Clean request;
        request.set_all_runs(true);
        request.set_dry_run(dry_run);
        request.set_caches(caches);
        return clean(paths_, request);
    }

    // Runs of other Rankscopes of this account are listed, too.
    std::map<std::string, wire::RunEntry> own_runs() const {
        std::map<std::string, wire::RunEntry> runs;
        const wire::RunList list = list_runs(paths_);
        for (const auto& entry : list.runs()) {
            if (!entry.elsewhere()) {
                runs[entry.run_id()] = entry;
            }
        }
        return runs;
    }
    fs::path make_segment(const std::string& name) const {
        fs::create_directories(shm_);
        const fs::path path = shm_ / name;
        test::write_text(path, "x");
        return path;
    }

    test::TemporaryFolder folder_;
    fs::path shm_ = folder_ / "shm";
    test::ScopedEnvironment shared_memory_{"RANKSCOPE_SHM_DIR",
                                           shm_.string()};  // the account's own is not touched
    NodePaths paths_{folder_.path()};
};

TEST_F(Registry, ListsRunsWithTheirState) {
    EXPECT_TRUE(own_runs().empty());
    make_run("done", wire::OUTCOME_DONE);
    make_run("lost", std::nullopt);
    const auto live = make_run("live", std::nullopt);
    const UniqueFd lock = hold_lock(live);
    auto runs = own_runs();
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs["done"].state(), wire::OUTCOME_DONE);
    EXPECT_EQ(runs["done"].last_seq(), 2U);
    EXPECT_EQ(runs["done"].name(), "name of done");
    EXPECT_EQ(runs["done"].desk(), "me@desk");
    EXPECT_GT(runs["done"].started_us(), 0);
    EXPECT_EQ(runs["lost"].state(), wire::OUTCOME_LOST);
    EXPECT_EQ(runs["live"].state(), wire::OUTCOME_RUNNING);
    EXPECT_GE(runs["done"].ended_us(), runs["done"].started_us());
    EXPECT_GT(runs["lost"].ended_us(), 0) << "its last sign of life";
    EXPECT_EQ(runs["live"].ended_us(), 0);
}

TEST_F(Registry, CleanNeverTouchesALiveRun) {
    const auto done = make_run("done", wire::OUTCOME_DONE);
    const auto live = make_run("live", std::nullopt);
    fs::create_directories(paths_.bundle("abc"));
    UniqueFd lock = hold_lock(live);
    auto cleaned = clean_all(true, true);
    EXPECT_TRUE(fs::exists(done.dir)) << "a dry run only reports";
    EXPECT_EQ(cleaned.removed_size(), 1);
    cleaned = clean_all(false, true);
    EXPECT_FALSE(fs::exists(done.dir));
    EXPECT_TRUE(fs::exists(live.spool()));
    EXPECT_TRUE(fs::exists(paths_.bundle("abc"))) << "the live run may use it";
    ASSERT_EQ(cleaned.removed_size(), 1);
    EXPECT_GT(cleaned.bytes(), 0U);
    EXPECT_EQ(cleaned.kept_size(), 2);
    wire::Clean by_name;
    by_name.set_run_id("live");
    EXPECT_EQ(clean(paths_, by_name).removed_size(), 0);
    lock.reset();
    by_name.set_run_id("other");
    EXPECT_EQ(clean(paths_, by_name).removed_size(), 0);
    by_name.set_run_id("live");
    EXPECT_EQ(clean(paths_, by_name).removed_size(), 1);
    clean_all(false, true);
    EXPECT_FALSE(fs::exists(paths_.bundle("abc")));
}

TEST_F(Registry, SharedMemoryOfAnUnknownNameIsReportedAndNotRemoved) {
    const fs::path segment = make_segment("my-trainer-1");
    const auto left = find_leftovers(paths_, {});
    const auto entry = std::find_if(left.entries().begin(), left.entries().end(),
                                    [](const auto& candidate) { return candidate.what() == "my-trainer-1"; });
    ASSERT_NE(entry, left.entries().end());
    EXPECT_EQ(entry->kind(), "other-shared-memory");
    EXPECT_TRUE(entry->own());
    clean_all();
    EXPECT_TRUE(fs::exists(segment));
}

TEST_F(Registry, SharedMemoryIsFreedOnceNobodyCanNeedIt) {
    const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    const fs::path abandoned = make_segment("nccl-abc");
    fs::last_write_time(abandoned, hour_ago);
    const fs::path open = make_segment("psm_open");
    const fs::path mapped = make_segment("psm_mapped");
    const fs::path made_by_us = make_segment("torch_" + std::to_string(::getpid()) + "_1_2");
    UniqueFd fd(::open(open.c_str(), O_RDONLY | O_CLOEXEC));
    void* page = nullptr;
    {
        const UniqueFd file(::open(mapped.c_str(), O_RDONLY | O_CLOEXEC));
        page = ::mmap(nullptr, 1, PROT_READ, MAP_SHARED, file.get(), 0);
    }
    ASSERT_NE(page, MAP_FAILED);
    const auto names = [](const std::vector<UnusedSegment>& segments) {
        std::set<std::string> all;
        for (const auto& segment : segments) {
            all.insert(segment.path.filename().string());
        }
        return all;
    };
    EXPECT_EQ(names(unused_segments(shm_, {})), std::set<std::string>{"nccl-abc"});
    fd.reset();
    ::munmap(page, 1);
    EXPECT_EQ(names(unused_segments(shm_, {})),
              (std::set<std::string>{"nccl-abc", "psm_open", "psm_mapped"}));
    EXPECT_EQ(free_shared_memory(shm_, {}, true).removed.size(), 3U);
    EXPECT_TRUE(fs::exists(abandoned)) << "a dry run only reports";
    EXPECT_EQ(free_shared_memory(shm_, {}, false).removed.size(), 3U);
    EXPECT_FALSE(fs::exists(abandoned));
    EXPECT_TRUE(fs::exists(made_by_us)) << "its maker lives";
}

TEST_F(Registry, SharedMemoryOfMpiIsATrainers) {
    const std::vector<std::string> names{"mpich_shm_mGEeQ9", "Intel_MPI_AbCdEf",
                                         "vader_segment.node1.1000.e1c40001.0", "sm_segment.node1.1000.1.0"};
    for (const auto& name : names) {
        make_segment(name);
    }
    EXPECT_EQ(free_shared_memory(shm_, {}, false).removed.size(), names.size());
}

TEST(LiveRuns, ReadsTheFolderOfASupervisor) {
    using namespace std::string_literals;
    EXPECT_EQ(supervised_folder("rankscope-agent\0supervise\0/c/runs/r\0005\0"s), fs::path("/c/runs/r"));
    EXPECT_EQ(supervised_folder("/c/bin/rankscope-agent-01ab\0slurm-supervise\0/c/runs/r/node-1\0"s),
              fs::path("/c/runs/r/node-1"));
    EXPECT_EQ(supervised_folder("rankscope-agent\0serve\0"s), std::nullopt);
    EXPECT_EQ(supervised_folder("vim\0supervise\0/c/runs/r\0"s), std::nullopt);
    EXPECT_EQ(supervised_folder("rankscope-agent\0supervise"s), std::nullopt);
    EXPECT_EQ(supervised_folder(""), std::nullopt);
    EXPECT_EQ(run_of_folder("/c/runs/r"), "r");
    EXPECT_EQ(run_of_folder("/c/runs/r/"), "r");
    EXPECT_EQ(run_of_folder("/c/runs/r/node-12"), "r") << "of a Slurm run";
    EXPECT_EQ(run_of_folder("/c/runs/node-x"), "node-x");
}

TEST_F(Registry, ARunThatIsJustBeingStartedIsLive) {
    fs::create_directories(paths_.run("starting"));  // no lock yet
    EXPECT_EQ(clean_all().removed_size(), 0);
    const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time(paths_.run("starting"), hour_ago);
    EXPECT_EQ(clean_all().removed_size(), 1) << "what never came to life is not";
}

}  // namespace
}  // namespace rankscope::agent
