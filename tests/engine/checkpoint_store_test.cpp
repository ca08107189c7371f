// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/checkpoint_store.h>
#include <engine/checkpoint/checkpoint_writer.h>
#include <engine/checkpoint/safetensors.h>
#include <engine/error.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tests/engine/checkpoint_samples.h>
#include <tests/engine/temporary_folder.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <future>
#include <numeric>
#include <random>
#include <string>
#include <thread>

namespace rankscope::engine::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

TEST(CheckpointStore, RoundTripNewestFirstAndOnlyTheNewestKept) {
    const TemporaryFolder folder;
    CheckpointStore store(folder / "run/checkpoints", 2);
    EXPECT_TRUE(store.list().empty());
    EXPECT_FALSE(store.load_newest_valid().snapshot.has_value());
    for (const std::int64_t step : {5, 20, 100, 123456789}) {
        const WrittenCheckpoint written = store.write(snapshot_at(step));
        EXPECT_EQ(digest_of(store.read(written.folder)), digest_of(snapshot_at(step)));
        std::uint64_t bytes = 0;
        for (const auto& file : fs::directory_iterator(written.folder)) {
            bytes += file.file_size();
        }
        EXPECT_EQ(written.bytes, bytes);
    }
    const auto list = store.list();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].filename(), "step_123456789");
    EXPECT_EQ(list[1].filename(), "step_00000100");
    const LoadedCheckpoint loaded = store.load_newest_valid();
    EXPECT_EQ(loaded.snapshot->position, snapshot_at(123456789).position);
    EXPECT_TRUE(loaded.rejected.empty());
    EXPECT_EQ(std::distance(fs::directory_iterator(store.folder()), {}), 2);
}

TEST(CheckpointStore, TheSameStepAgainReplacesIt) {
    const TemporaryFolder folder;
    CheckpointStore store(folder.path(), 3);
    store.write(snapshot_at(7));
    Snapshot other = snapshot_at(7);
    other.model[0].bytes[0] = std::byte{42};
    store.write(other);
    EXPECT_EQ(digest_of(*store.load_newest_valid().snapshot), digest_of(other));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(CheckpointStore, EveryFlippedByteIsFoundAndTheOneBeforeIsUsed) {
    const TemporaryFolder folder;
    CheckpointStore store(folder.path(), 3);
    store.write(snapshot_at(1));
    store.write(snapshot_at(2));
    const fs::path newest = store.list().front();
    for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
        const std::string whole = read_file(newest / name);
        std::fstream file(newest / name, std::ios::in | std::ios::out | std::ios::binary);
        const auto put = [&](std::size_t at, char byte) {
            file.seekp(static_cast<std::streamoff>(at));
            file.put(byte).flush();
        };
        for (std::size_t at = 0; at < whole.size(); ++at) {
            put(at, static_cast<char>(whole[at] ^ (1 << (at % 8))));
            const std::string reason = message_of([&] { store.read(newest); });
            ASSERT_NE(reason.find(name), std::string::npos) << "byte " << at << ": " << reason;
            if (at % 100 == 0) {
                const LoadedCheckpoint loaded = store.load_newest_valid();
                ASSERT_EQ(loaded.rejected.size(), 1U);
                ASSERT_EQ(loaded.rejected[0].reason, reason);
                ASSERT_EQ(digest_of(*loaded.snapshot), digest_of(snapshot_at(1)));
            }
            put(at, whole[at]);
        }
    }
    EXPECT_EQ(digest_of(*store.load_newest_valid().snapshot), digest_of(snapshot_at(2)));
}

TEST(CheckpointStore, CutOffGrownMissingSwappedAndRenamedAreRefused) {
    const TemporaryFolder folder;
    CheckpointStore store(folder.path(), 3);
    store.write(snapshot_at(1));
    store.write(snapshot_at(2));
    const fs::path newest = store.list().front();
    const auto reason = [&] {
        const LoadedCheckpoint loaded = store.load_newest_valid();
        EXPECT_EQ(loaded.snapshot->position.step, 1);
        return loaded.rejected.empty() ? std::string() : loaded.rejected[0].reason;
    };
    for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
        const std::string whole = read_file(newest / name);
        for (const std::size_t size :
             {std::size_t{0}, std::size_t{1}, std::size_t{8}, whole.size() / 2, whole.size() - 1}) {
            write_file(newest / name, whole.substr(0, size));
            EXPECT_NE(reason().find("cut off"), std::string::npos) << name << " " << size;
        }
        write_file(newest / name, whole + " ");
        EXPECT_NE(reason(), "");
        fs::remove(newest / name);
        EXPECT_NE(reason().find("is missing"), std::string::npos);
        fs::create_directory(newest / name);
        EXPECT_NE(reason(), "");
        fs::remove(newest / name);
        write_file(newest / name, read_file(folder.path() / "step_00000001" / name));
        EXPECT_NE(reason(), "") << "another checkpoint's " << name;
        write_file(newest / name, whole);
    }
    fs::rename(newest, folder / "step_00000009");
    EXPECT_NE(reason().find("renamed"), std::string::npos);
    nlohmann::json state = nlohmann::json::parse(read_file(folder / "step_00000009/state.json"));
    state["version"] = 2;
    write_file(folder / "step_00000009/state.json", state.dump());
    EXPECT_NE(reason().find("another version"), std::string::npos);
}

TEST(CheckpointStore, NothingElseInTheFolderCounts) {
    const TemporaryFolder folder;
    CheckpointStore store(folder.path(), 3);
    store.write(snapshot_at(1));
    for (const char* name :
         {"step_5", "step_-0000005", "step_00000005x", "step_", "other", ".partial-step_00000009"}) {
        fs::create_directory(folder / name);
    }
    write_file(folder / "notes.txt", "mine");
    EXPECT_EQ(store.list().size(), 1U);
    store.write(snapshot_at(2));
    EXPECT_EQ(store.list().size(), 2U);
    EXPECT_TRUE(fs::exists(folder / "notes.txt"));
    EXPECT_TRUE(fs::exists(folder / "step_5"));
    EXPECT_FALSE(fs::exists(folder / ".partial-step_00000009")) << "a dead writer's rest";
}

TEST(CheckpointStore, LaterStepsOfAnotherCourseAreSetAside) {
    const TemporaryFolder folder;
    CheckpointStore store(folder.path(), 2);
    for (const std::int64_t step : {10, 20, 30}) {
        store.write(snapshot_at(step));
    }
    write_file(folder.path() / "step_00000030" / "state.json", "damaged");
    const WrittenCheckpoint written = store.write(snapshot_at(25));  // resumed from 20
    ASSERT_EQ(written.abandoned.size(), 1U);
    EXPECT_EQ(written.abandoned[0].filename(), "abandoned_1_step_00000030");
    EXPECT_EQ(store.list().size(), 2U);
    EXPECT_EQ(store.load_newest_valid().snapshot->position.step, 25);
}

TEST(CheckpointStore, TwoWritersInOneFolderAreDetected) {
    const TemporaryFolder folder;
    CheckpointStore store(folder.path(), 2);
    std::atomic<bool> stop = false;
    std::atomic<int> refused = 0;
    const auto write = [&](std::int64_t from) {
        CheckpointStore mine(folder.path(), 2);
        for (std::int64_t step = from; !stop; step += 2) {
            const std::string message = message_of([&] { mine.write(snapshot_at(step, 3000)); });
            refused += message.find("another process") != std::string::npos ? 1 : 0;
        }
    };
    std::jthread a(write, 1);
    std::jthread b(write, 2);
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (refused == 0 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(1ms);
    }
    stop = true;
    EXPECT_GT(refused, 0);
}

TEST(CheckpointStore, NoPermissionSaysWhatToDo) {
    const TemporaryFolder folder;
    write_file(folder / "file", "in the way");
    const std::string in_the_way =
        message_of([&] { CheckpointStore(folder / "file" / "checkpoints", 1).write(snapshot_at(1)); });
    EXPECT_NE(in_the_way.find("cannot be written"), std::string::npos) << in_the_way;
    fs::create_directory(folder / "locked");
    fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
    const bool root = geteuid() == 0;  // who may write everywhere: be another user for a moment
    ASSERT_TRUE(!root || seteuid(65534) == 0);
    const std::string message =
        message_of([&] { CheckpointStore(folder / "locked/checkpoints", 1).write(snapshot_at(1)); });
    ASSERT_TRUE(!root || seteuid(0) == 0);
    EXPECT_NE(message.find("Permission denied"), std::string::npos) << message;
    EXPECT_NE(message.find("Choose a folder that this user may write to"), std::string::npos) << message;
}

/// Runs `body` in a child process that has a file system of `kilobytes` at `where`; its text. Empty: not
/// available here.
std::string on_small_disk(const fs::path& where, int kilobytes, const std::function<std::string()>& body) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) {
        return "";
    }
    const pid_t child = fork();
    if (child == 0) {
        const std::string size = "size=" + std::to_string(kilobytes) + "k";
        const int name_space = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS;
        if (unshare(name_space) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
            mount("none", where.c_str(), "tmpfs", 0, size.c_str()) == 0) {
            const std::string text = body();
            [[maybe_unused]] const auto put = write(pipe[1], text.data(), text.size());
        }
        _exit(0);
    }
    close(pipe[1]);
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = read(pipe[0], piece.data(), piece.size())) > 0;) {
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
    close(pipe[0]);
    waitpid(child, nullptr, 0);
    return text;
}

TEST(CheckpointStore, AFullDiskIsNamedAndTheLastGoodOneStays) {
    const TemporaryFolder folder;
    const std::string text = on_small_disk(folder.path(), 400, [&] {
        CheckpointStore store(folder.path(), 2);
        store.write(snapshot_at(1, 500));  // 72 KB
        const std::string error = message_of([&] { store.write(snapshot_at(2, 5000)); });
        const LoadedCheckpoint loaded = store.load_newest_valid();
        const bool good = loaded.snapshot && loaded.snapshot->position.step == 1 && loaded.rejected.empty();
        const auto entries = std::distance(fs::directory_iterator(folder.path()), {});
        return error + (good ? " GOOD" : " BAD") + " " + std::to_string(entries);
    });
    if (text.empty()) {
        GTEST_SKIP() << "no file system may be mounted here";
    }
    EXPECT_NE(text.find("model.safetensors cannot be written: No space left on device ("), std::string::npos)
        << text;
    EXPECT_NE(text.find("MB free). Make room there"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(" GOOD 1")) << text;
}

/// A process that writes one checkpoint after the other and says so before each.
class WriterProcess {
public:
    WriterProcess(const fs::path& folder, std::int64_t first) {
        std::array<int, 2> pipe{};
        if (::pipe(pipe.data()) != 0) {
            throw std::runtime_error("no pipe");
        }
        child_ = fork();
        if (child_ == 0) {
            CheckpointStore store(folder, 2);
            for (std::int64_t step = first;; ++step) {
                [[maybe_unused]] const auto said = ::write(pipe[1], "w", 1);
                store.write(content(step));
            }
        }
        ::close(pipe[1]);
        begins_ = pipe[0];
    }
    ~WriterProcess() {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        ::close(begins_);
    }
    WriterProcess(const WriterProcess&) = delete;
    WriterProcess& operator=(const WriterProcess&) = delete;

    static Snapshot content(std::int64_t step) { return snapshot_at(step, 200 + step % 7 * 300); }
    /// Returns when the next one begins.
    void wait_for_begin() const {
        char byte = 0;
        ASSERT_EQ(::read(begins_, &byte, 1), 1);
    }

private:
    pid_t child_ = -1;
    int begins_ = -1;
};

TEST(CheckpointStore, KilledWhileWritingLeavesTheOneBefore) {
    const TemporaryFolder folder;
    std::mt19937 random(20240601);
    std::int64_t seen = 0;
    int interrupted = 0;
    constexpr int kRounds = 40;
    std::chrono::microseconds one_write{1000};
    for (int round = 0; round < kRounds; ++round) {
        {
            const WriterProcess writer(folder.path(), seen + 1);
            writer.wait_for_begin();
            if (round % 3 == 0) {
                const auto begin = std::chrono::steady_clock::now();
                writer.wait_for_begin();
                one_write = std::chrono::duration_cast<std::chrono::microseconds>(
                    std::chrono::steady_clock::now() - begin);
            }
            std::this_thread::sleep_for(one_write * (random() % 1000) / 1000);
        }
        const LoadedCheckpoint loaded = CheckpointStore(folder.path(), 2).load_newest_valid();
        ASSERT_TRUE(loaded.rejected.empty()) << loaded.rejected[0].reason;
        ASSERT_TRUE(loaded.snapshot.has_value()) << "after round " << round;
        const std::int64_t step = loaded.snapshot->position.step;
        ASSERT_GE(step, seen) << "it went back";
        ASSERT_EQ(digest_of(*loaded.snapshot), digest_of(WriterProcess::content(step)));
        seen = step;
        for (const auto& entry : fs::directory_iterator(folder.path())) {
            interrupted += entry.path().filename().string().starts_with(".partial-") ? 1 : 0;
        }
    }
    EXPECT_GE(seen, kRounds / 3);
    EXPECT_GT(interrupted, 0) << "no kill came in the middle of writing";
    std::printf("%d kills, %d in the middle of writing, %lld steps\n", kRounds, interrupted,
                static_cast<long long>(seen));
}

}  // namespace
}  // namespace rankscope::engine::test
