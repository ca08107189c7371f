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
        {header("{", 0), "not JSON"},
        {header("{}x", 0), "not JSON"},
        {header("{\"\xff\":{}}", 0), "not JSON"},
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

TEST(Position, SameWorldContinuesExactlyOthersAtAWholeStep) {
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
