// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "temporary_folder.h"

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

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TensorRecord numbers(const std::string& name, const Shape& shape, float first) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    std::iota(values.begin(), values.end(), first);
    return float_tensor(name, shape, values);
}

/// A run's state as a function of its step, so that a checkpoint can be checked without knowing who wrote it.
Snapshot snapshot_at(std::int64_t step, std::int64_t size = 3) {
    Snapshot snapshot;
    const auto value = static_cast<float>(step);
    snapshot.model = {numbers("conv1.weight", {2, size, 3, 3}, value), numbers("conv1.bias", {2}, value + 1),
                      numbers("bn1.running_mean", {2}, value + 2),
                      int64_scalar("bn1.num_batches_tracked", step)};
    snapshot.optimizer = {
        numbers(optimizer_tensor_name("conv1.weight", "momentum_buffer"), {2, size, 3, 3}, -value),
        numbers(optimizer_tensor_name("conv1.bias", "momentum_buffer"), {2}, -value - 1)};
    snapshot.position = {.step = step,
                         .epoch = step / 10,
                         .batch_in_epoch = step % 10,
                         .samples_in_epoch = step % 10 * 200,
                         .samples = step * 200,
                         .world_size = 2,
                         .batch_size = 100,
                         .seed = 0xFFFFFFFFFFFFFFFFULL,
                         .config_digest = "abc",
                         .best_accuracy = 0.1 * static_cast<double>(step),
                         .numbers = {{"loss_scale", 65536.0}}};
    return snapshot;
}

// ---- safetensors

std::string safetensors_file(const std::string& header, const std::string& data) {
    std::string file(8, '\0');
    const std::uint64_t size = header.size();
    std::memcpy(file.data(), &size, 8);
    return file + header + data;
}

std::string refusal(const std::string& file) {
    return message_of([&] { parse_safetensors(std::as_bytes(std::span(file))); });
}

TEST(Safetensors, RoundTripKeepsEveryTypeShapeAndByte) {
    const TemporaryFolder folder;
    std::vector<TensorRecord> tensors;
    for (int i = 0; i < 15; ++i) {
        TensorRecord& tensor = tensors.emplace_back();
        const auto dtype = static_cast<StoredType>(i);
        reuse(tensor, "t" + std::to_string(i) + " \"quoted\" é\n", dtype, i % 3 == 0 ? Shape{} : Shape{i, 5});
        for (std::size_t at = 0; at < tensor.bytes.size(); ++at) {
            tensor.bytes[at] = static_cast<std::byte>(at * 7 + static_cast<std::size_t>(i));
        }
    }
    tensors.push_back({"empty", StoredType::f32, {3, 0, 2}, {}});
    write_safetensors(folder / "a.safetensors", views_of(tensors));
    SafetensorsContent content = read_safetensors(folder / "a.safetensors");
    EXPECT_EQ(content.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
    const auto by_name = [](const TensorRecord& a, const TensorRecord& b) { return a.name < b.name; };
    std::sort(tensors.begin(), tensors.end(), by_name);
    std::sort(content.tensors.begin(), content.tensors.end(), by_name);
    EXPECT_EQ(content.tensors, tensors);
}

TEST(Safetensors, DataAndEachTensorAreAligned) {
    for (std::size_t length = 1; length < 70; ++length) {
        const std::vector<TensorRecord> tensors{numbers(std::string(length, 'w'), {3}, 0),
                                                int64_scalar("n", 7), numbers("v", {1}, 0)};
        const SafetensorsLayout layout = lay_out_safetensors(views_of(tensors));
        EXPECT_EQ(layout.head.size() % 64, 0U);
        EXPECT_EQ(layout.order, (std::vector<std::size_t>{1, 0, 2}));
    }
}

TEST(Safetensors, NothingThatIsNotExactIsRead) {
    const std::string one = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    EXPECT_EQ(refusal(safetensors_file(one, std::string(8, 'x'))), "");
    EXPECT_EQ(refusal(safetensors_file(one + "   ", std::string(8, 'x'))), "");
    EXPECT_EQ(refusal(safetensors_file("{}", "")), "");
    const auto header = [](const std::string& text, std::size_t data) {
        return refusal(safetensors_file(text, std::string(data, 'x')));
    };
    const auto tensor = [&](const std::string& dtype, const std::string& shape, const std::string& offsets) {
        return header(
            R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}", 8);
    };
    const std::vector<std::pair<std::string, std::string>> cases{
        {refusal(""), "shorter than 8"},
        {refusal("1234567"), "shorter than 8"},
        {refusal(std::string(8, '\xff')), "100000000"},
        {refusal(safetensors_file(one, "").substr(0, 20)), "cut off"},
        {header("", 0), "begin with {"},
        {header(" {}", 0), "begin with {"},
        {header("[]", 0), "begin with {"},
        {header("{", 0), "no JSON"},
        {header("{}x", 0), "no JSON"},
        {header("{\"\xff\":{}}", 0), "no JSON"},
        {header(one, 7), "cut off"},
        {header(one, 9), "there are 9"},
        {header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{}})", 8), "comes twice"},
        {header(R"({"__metadata__":{"a":"b","a":"c"}})", 0), "comes twice"},
        {header(R"({"__metadata__":{"a":1}})", 0), "none belongs"},
        {header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}})", 9), "gap"},
        {header(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
                R"("b":{"dtype":"U8","shape":[8],"data_offsets":[4,12]}})",
                12),
         "overlaps"},
        {header(R"({"a":{"dtype":"F32","shape":[2]}})", 8), "lacks"},
        {header(R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8), "twice"},
        {header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8), "unknown"},
        {header(R"({"a":7})", 8), "none belongs"},
        {tensor("\"F33\"", "[2]", "[0,8]"), "unknown type F33"},
        {tensor("\"F32\"", "[3]", "[0,8]"), "does not take"},
        {tensor("\"F32\"", "[-2]", "[0,8]"), "negative"},
        {tensor("\"F32\"", "[2.0]", "[0,8]"), "none belongs"},
        {tensor("\"F32\"", "[[2]]", "[0,8]"), "none belongs"},
        {tensor("\"F32\"", "[2]", "[0]"), "two numbers"},
        {tensor("\"F32\"", "[2]", "[0,8,8]"), "none belongs"},
        {tensor("\"F32\"", "[2]", "[8,0]"), "does not take"},
        {tensor("\"F32\"", "[4611686018427387904,4]", "[0,8]"), "does not take"},
        {tensor("\"F32\"", "[18446744073709551615]", "[0,8]"), "impossible"},
        {tensor("3", "[2]", "[0,8]"), "none belongs"},
        {tensor("null", "[2]", "[0,8]"), "none belongs"}};
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_NE(cases[i].first.find(cases[i].second), std::string::npos)
            << "case " << i << ": \"" << cases[i].first << "\" lacks " << cases[i].second;
    }
}

TEST(Safetensors, WritingRefusesWhatCouldNotBeRead) {
    const auto write = [](std::vector<TensorRecord> tensors) {
        return message_of([&] { lay_out_safetensors(views_of(tensors)); });
    };
    EXPECT_NE(write({numbers("a", {1}, 0), numbers("a", {1}, 0)}).find("two tensors"), std::string::npos);
    EXPECT_NE(write({numbers("__metadata__", {1}, 0)}).find("two tensors"), std::string::npos);
    EXPECT_NE(write({numbers("\xff", {1}, 0)}).find("UTF-8"), std::string::npos);
    EXPECT_NE(write({{"a", StoredType::f32, {2}, {}}}).find("0 bytes"), std::string::npos);
}

TEST(TensorNames, WrappersOfPyTorchAreTakenOff) {
    EXPECT_EQ(unwrapped_name("module.conv1.weight"), "conv1.weight");
    EXPECT_EQ(unwrapped_name("_orig_mod.module.module.fc.bias"), "fc.bias");
    EXPECT_EQ(unwrapped_name("module._orig_mod.a"), "a");
    EXPECT_EQ(unwrapped_name("layer1.module.a"), "layer1.module.a");
    EXPECT_EQ(unwrapped_name("module."), "module.");
}

TEST(OptimizerNames, AreSplitAsTheyWereJoined) {
    const auto [parameter, state] =
        split_optimizer_tensor_name(optimizer_tensor_name("layer1.0.conv1.weight", "exp_avg_sq"));
    EXPECT_EQ(parameter, "layer1.0.conv1.weight");
    EXPECT_EQ(state, "exp_avg_sq");
    for (const char* name : {"", "state.", "state..x", "state.x", "conv1.weight", "state.x."}) {
        EXPECT_EQ(split_optimizer_tensor_name(name).parameter, "") << name;
    }
}

// ---- position

TEST(Position, JsonRoundTripAndFaults) {
    const TrainingPosition position = snapshot_at(37).position;
    const nlohmann::json json = to_json(position);
    EXPECT_EQ(training_position_of(nlohmann::json::parse(json.dump())), position);
    for (const auto& [name, value] : json.items()) {
        nlohmann::json broken = json;
        broken.erase(name);
        const std::string missing = message_of([&] { training_position_of(broken); });
        EXPECT_NE(missing.find(name), std::string::npos) << missing;
        broken[name] = nlohmann::json::array();
        const std::string wrong = message_of([&] { training_position_of(broken); });
        EXPECT_NE(wrong.find(name), std::string::npos) << wrong;
    }
    TrainingPosition endless = position;
    endless.best_accuracy = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(message_of([&] { to_json(endless); }).find("best_accuracy"), std::string::npos);
}

TEST(Position, SameWorldGoesOnExactlyOthersAtAWholeStep) {
    TrainingPosition position{
        .epoch = 3, .batch_in_epoch = 7, .samples_in_epoch = 7 * 2 * 100, .world_size = 2, .batch_size = 100};
    const auto at = [&](int world, std::int64_t batch, std::int64_t accumulation, std::int64_t batches) {
        const ResumePoint point = resume_point(position, world, batch, accumulation, batches);
        return std::array{point.epoch, point.first_batch, point.repeated_samples};
    };
    using Point = std::array<std::int64_t, 3>;
    EXPECT_EQ(at(2, 100, 1, 100), (Point{3, 7, 0}));
    EXPECT_EQ(at(1, 100, 1, 200), (Point{3, 14, 0}));
    EXPECT_EQ(at(4, 100, 1, 50), (Point{3, 3, 200}));
    EXPECT_EQ(at(2, 50, 2, 200), (Point{3, 14, 0}));
    EXPECT_EQ(at(2, 100, 2, 100), (Point{3, 6, 200}));
    EXPECT_EQ(at(2, 100, 1, 7), (Point{4, 0, 0}));  // that was the epoch's end
    EXPECT_EQ(at(3, 1000, 1, 10), (Point{3, 0, 1400}));
    position.batch_in_epoch = position.samples_in_epoch = 0;
    EXPECT_EQ(at(5, 3, 7, 10), (Point{3, 0, 0}));
}

// ---- store

TEST(CheckpointStore, RoundTripNewestFirstAndOnlySoManyKept) {
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
    const WrittenCheckpoint written = store.write(snapshot_at(25));  // taken up from 20
    ASSERT_EQ(written.abandoned.size(), 1U);
    EXPECT_EQ(written.abandoned[0].filename(), "abandoned_1_step_00000030");
    EXPECT_EQ(store.list().size(), 2U);
    EXPECT_EQ(store.load_newest_valid().snapshot->position.step, 25);
}

TEST(CheckpointStore, TwoWritersInOneFolderAreToldApart) {
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
    const bool root = geteuid() == 0;  // who may write everywhere: be somebody else for a moment
    ASSERT_TRUE(!root || seteuid(65534) == 0);
    const std::string message =
        message_of([&] { CheckpointStore(folder / "locked/checkpoints", 1).write(snapshot_at(1)); });
    ASSERT_TRUE(!root || seteuid(0) == 0);
    EXPECT_NE(message.find("Permission denied"), std::string::npos) << message;
    EXPECT_NE(message.find("Choose a folder that this user may write to"), std::string::npos) << message;
}

/// Runs `body` in a child process that has a file system of `kilobytes` at `where`; its text. Empty: not to
/// be had here.
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

// ---- writer

TEST(CheckpointWriter, WritesInTheBackgroundAndUsesItsBufferAgain) {
    const TemporaryFolder folder;
    CheckpointWriter writer(CheckpointStore(folder.path(), 0));
    const void* memory = nullptr;
    for (const std::int64_t step : {1, 2, 3}) {
        writer.save([&](Snapshot& snapshot) {
            if (step == 1) {
                snapshot = snapshot_at(step);
                memory = snapshot.model[0].bytes.data();
                return;
            }
            EXPECT_EQ(snapshot.model[0].bytes.data(), memory);
            EXPECT_EQ(snapshot.position.step, step - 1);
            snapshot.position.step = step;
        });
    }
    writer.finish();
    const auto reports = writer.reports();
    ASSERT_EQ(reports.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(reports[i].step, static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(reports[i].error, "");
        EXPECT_TRUE(fs::exists(fs::path(reports[i].where) / "state.json"));
        EXPECT_GT(reports[i].write_ms, 0);
    }
    EXPECT_TRUE(writer.reports().empty());
    EXPECT_EQ(CheckpointStore(folder.path()).load_newest_valid().snapshot->position.step, 3);
}

TEST(CheckpointWriter, OnlyTheNextSaveWaitsForTheDisk) {
    const TemporaryFolder folder;
    std::promise<void> disk;
    std::promise<void> started;
    const auto slow = [&](const Snapshot&) {
        started.set_value();
        disk.get_future().wait();
        return WrittenCheckpoint{folder.path(), 1, {}};
    };
    CheckpointWriter writer(CheckpointStore(folder.path(), 0));
    const auto fill = [](Snapshot& snapshot) { ++snapshot.position.step; };
    writer.save(fill, slow);
    started.get_future().wait();  // save() has returned, the disk has not
    EXPECT_TRUE(writer.reports().empty());
    auto second = std::async(std::launch::async, [&] { writer.save(fill); });
    EXPECT_EQ(second.wait_for(50ms), std::future_status::timeout);
    disk.set_value();
    second.get();
    writer.finish();
    const auto reports = writer.reports();
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_GT(reports[1].waited_ms, 0);
    EXPECT_GE(reports[1].held_ms, reports[1].waited_ms);
}

TEST(CheckpointWriter, AFaultIsReportedOnceAndEndsTheRunOnlyWhereAsked) {
    const TemporaryFolder folder;
    write_file(folder / "file", "in the way");
    const auto fill = [](Snapshot& snapshot) { snapshot = snapshot_at(snapshot.position.step + 1); };
    {
        CheckpointWriter writer(CheckpointStore(folder / "file/x", 1));
        writer.save(fill);
        writer.save(fill);
        writer.finish();
        fs::remove(folder / "file");
        writer.save(fill);
        writer.finish();
        const auto reports = writer.reports();
        ASSERT_EQ(reports.size(), 3U);
        EXPECT_NE(reports[0].error.find("cannot be written"), std::string::npos);
        EXPECT_FALSE(reports[0].repeated);
        EXPECT_TRUE(reports[1].repeated);
        EXPECT_EQ(reports[2].error, "");
    }
    fs::remove_all(folder / "file");
    write_file(folder / "file", "in the way");
    CheckpointWriter strict(CheckpointStore(folder / "file/x", 1), {.required = true});
    strict.save(fill);
    EXPECT_NE(message_of([&] { strict.finish(); }).find("required"), std::string::npos);
    EXPECT_NE(message_of([&] { strict.save(fill); }).find("required"), std::string::npos);
}

TEST(CheckpointWriter, WhatWasHandedOverIsWrittenBeforeItEnds) {
    const TemporaryFolder folder;
    {
        CheckpointWriter writer(CheckpointStore(folder.path(), 0));
        writer.save([](Snapshot& snapshot) { snapshot = snapshot_at(1, 5000); });
    }
    EXPECT_EQ(CheckpointStore(folder.path()).load_newest_valid().snapshot->position.step, 1);
}

}  // namespace
}  // namespace rankscope::engine::test
