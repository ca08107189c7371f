// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Event files: framing, checksums, scalars, names. The files of tests/data/tensorboard are of real writers
// (make_event_files.py there).

#include "support/event_writer.h"

#include <base/files.h>
#include <remote/observe/tensorboard/record_stream.h>
#include <remote/observe/tensorboard/scalars.h>
#include <remote/observe/tensorboard/tag_metrics.h>

#include <gtest/gtest.h>

#include <cmath>

namespace rankscope::tensorboard {
namespace {

using test::event_message;
using test::field;
using test::little_endian;
using test::record;
using test::scalar_record;
using test::value_message;
using test::varint;
using Line = MetricsLine;
using Values = std::vector<std::pair<std::string, double>>;

std::vector<Scalars> scalars_of(std::string_view bytes) {
    RecordStream stream;
    std::vector<Scalars> all;
    for (const auto& data : stream.feed(bytes)) {
        auto scalars = read_scalars(data);
        EXPECT_TRUE(scalars);
        if (scalars && !scalars->values.empty()) {
            all.push_back(std::move(*scalars));
        }
    }
    EXPECT_FALSE(stream.damaged());
    EXPECT_EQ(stream.offset(), bytes.size());
    return all;
}

std::string golden(const char* name) {
    const auto bytes = read_file(std::filesystem::path(RANKSCOPE_TEST_DATA) / "tensorboard" / name);
    EXPECT_TRUE(bytes) << name;
    return bytes.value_or("");
}

Line line_of(std::int64_t step, Values values) {
    Line line;
    line.step = step;
    line.values = std::move(values);
    return line;
}

TEST(Crc32c, IsCastagnolis) {
    EXPECT_EQ(crc32c("123456789"), 0xe3069283U);            // the check value of its definition
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720 B.4
    EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
    EXPECT_EQ(crc32c(""), 0U);
}

TEST(RecordStream, ItDoesNotMatterInWhichPiecesTheBytesCome) {
    const std::string file = record("first") + record("") + record(std::string(1000, 'x'));
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{16}, file.size()}) {
        RecordStream stream;
        std::vector<std::string> records;
        for (std::size_t at = 0; at < file.size(); at += piece) {
            for (auto& data : stream.feed(std::string_view(file).substr(at, piece))) {
                records.push_back(std::move(data));
            }
        }
        EXPECT_EQ(records, (std::vector<std::string>{"first", "", std::string(1000, 'x')})) << piece;
        EXPECT_EQ(stream.offset(), file.size());
    }
}

TEST(RecordStream, AHalfWrittenRecordWaits) {
    RecordStream stream;
    const std::string whole = record("whole");
    const std::string half = record("half");
    EXPECT_EQ(stream.feed(whole + half.substr(0, half.size() - 1)), std::vector<std::string>{"whole"});
    EXPECT_EQ(stream.offset(), whole.size());
    EXPECT_TRUE(stream.feed("").empty());
    EXPECT_EQ(stream.feed(half.substr(half.size() - 1)), std::vector<std::string>{"half"});
    EXPECT_FALSE(stream.damaged());
}

TEST(RecordStream, DamageEndsIt) {
    const std::string good = record("good");
    for (const std::size_t at : {0, 9, 12, 17}) {  // length, its checksum, data, its checksum
        std::string bad = record("harm");
        bad[at] = static_cast<char>(bad[at] ^ 1);
        RecordStream stream;
        EXPECT_EQ(stream.feed(good + bad + good), std::vector<std::string>{"good"}) << at;
        EXPECT_TRUE(stream.damaged()) << at;
        EXPECT_EQ(stream.offset(), good.size()) << at;
        EXPECT_TRUE(stream.feed(good).empty()) << at;
    }
}

TEST(RecordStream, ALargeRecordIsPassedOver) {
    const std::string file = record(std::string(RecordStream::kMaxRecord + 1, 'g')) + record("after");
    RecordStream stream;
    std::vector<std::string> records;
    for (std::size_t at = 0; at < file.size(); at += 65536) {
        for (auto& data : stream.feed(std::string_view(file).substr(at, 65536))) {
            records.push_back(std::move(data));
        }
    }
    EXPECT_EQ(records, std::vector<std::string>{"after"});
    EXPECT_EQ(stream.offset(), file.size());
}

TEST(RecordStream, AnAbsurdLengthIsDamageWhateverItsChecksum) {
    const std::string length = little_endian(std::uint64_t{1} << 60, 8);
    RecordStream stream;
    EXPECT_TRUE(stream.feed(length + little_endian(masked_crc32c(length), 4)).empty());
    EXPECT_TRUE(stream.damaged());
}

TEST(Scalars, OfTorchsWriter) {
    const auto all = scalars_of(golden("torch.tfevents"));
    ASSERT_EQ(all.size(), 9U);
    EXPECT_EQ(all[0].step, 0);
    EXPECT_EQ(all[0].values, (Values{{"train/loss", 1}}));
    EXPECT_EQ(all[7].step, 2);
    EXPECT_EQ(all[7].values, (Values{{"eval/accuracy", 0.5}}));
    EXPECT_EQ(all[8].values, (Values{{"margin", 0.2}})) << "a double, not a float";
}

TEST(Scalars, OfTensorboardX) {
    const auto all = scalars_of(golden("tensorboardx.tfevents"));
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(all[4].step, 3);
    EXPECT_EQ(all[4].values, (Values{{"Loss/train", static_cast<double>(1.0F / 3)}}));
    EXPECT_EQ(all[5].values, (Values{{"Accuracy/test", 75}}));
}

TEST(Scalars, EveryKindOfNumberInATensor) {
    const auto all = scalars_of(golden("tensors.tfevents"));
    ASSERT_EQ(all.size(), 20U);
    for (const auto& event : all) {
        EXPECT_EQ(event.values.front().second, static_cast<double>(event.step * 3))
            << event.values.front().first;
    }
}

TEST(Scalars, Halves) {
    const auto half = [](std::uint16_t bits) {
        const std::string tensor = "\x08\x13" + field(4, little_endian(bits, 2));  // dtype 19
        return read_scalars(event_message(1, field(1, field(1, "h") + field(8, tensor))))
            ->values.front()
            .second;
    };
    EXPECT_EQ(half(0x3c00), 1);
    EXPECT_EQ(half(0xc000), -2);
    EXPECT_EQ(half(0x7bff), 65504);
    EXPECT_EQ(half(0x0001), std::ldexp(1, -24));
    EXPECT_EQ(half(0x7c00), INFINITY);
    EXPECT_TRUE(std::isnan(half(0x7e00)));
}

TEST(Scalars, WhatIsNoScalarIsLeftOut) {
    const auto tensor = [](const std::string& content) {
        return read_scalars(event_message(1, field(1, field(1, "t") + content)))->values;
    };
    const std::string one = "\x08\x01" + field(4, little_endian(0x3f800000, 4));
    EXPECT_EQ(tensor(field(8, one)), (Values{{"t", 1}}));
    const std::string dim = field(2, field(2, std::string("\x08\x01", 2)));
    EXPECT_TRUE(tensor(field(8, one + dim)).empty()) << "of shape (1): hparams has nothing to say";
    EXPECT_TRUE(tensor(field(8, "\x08\x01" + field(4, "12345"))).empty()) << "not four bytes";
    EXPECT_TRUE(tensor(field(8, "\x08\x07" + field(8, "text"))).empty());
    EXPECT_TRUE(tensor(field(9, field(1, field(1, "images"))) + field(8, one)).empty());
    EXPECT_FALSE(read_scalars("\xff\xff\xff")) << "no message";
}

TEST(TagMetrics, KnownTagsGetOurNames) {
    TagMetrics tags;
    const auto lines = tags.read({"", 1}, scalars_of(golden("tensorboardx.tfevents")));
    ASSERT_EQ(lines.size(), 3U) << "what has the same step is one line";
    EXPECT_EQ(lines[0], line_of(1, {{"loss", 1}, {"val_acc1", 0.25}})) << "a percentage is a share of 1";
}

TEST(TagMetrics, TheFoldersNameMarksValidation) {
    const std::vector<Scalars> loss{{1, {{"epoch_loss", 2}}}};
    for (const char* folder : {"validation", "run1/validation", "loss_val", "eval"}) {
        TagMetrics tags;
        EXPECT_EQ(tags.read({folder, 1}, loss).front(), line_of(1, {{"val_loss", 2}})) << folder;
    }
    for (const char* folder : {"", "train", "test", "interval"}) {
        TagMetrics tags;
        EXPECT_EQ(tags.read({folder, 1}, loss).front(), line_of(1, {{"loss", 2}})) << folder;
    }
}

TEST(TagMetrics, ANameBelongsToTheFirstThatHasIt) {
    TagMetrics tags;
    const std::vector<Scalars> loss{{1, {{"loss", 2}}}};
    EXPECT_EQ(tags.read({"a", 1}, loss).front().values, (Values{{"loss", 2}}));
    EXPECT_EQ(tags.read({"b", 1}, loss).front().values, (Values{{"b/loss", 2}}));
    EXPECT_EQ(tags.read({"a", 1}, {{1, {{"train_loss", 3}}}}).front().values, (Values{{"a/train_loss", 3}}));
    EXPECT_EQ(tags.read({"a", 1}, loss).front().values, (Values{{"loss", 2}}));
    EXPECT_EQ(tags.read({"later", 2}, loss).front().values, (Values{{"loss", 2}}))
        << "a writer that began again";
}

TEST(TagMetrics, EpochsCountFromOne) {
    TagMetrics lightning;
    auto lines = lightning.read(
        {"", 1}, {{9, {{"loss", 1}}}, {9, {{"epoch", 0}}}, {19, {{"epoch", 1}}}, {19, {{"loss", 2}}}});
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].epoch, 1);
    EXPECT_EQ(lines[1].epoch, 2);
    TagMetrics hugging_face;
    lines = hugging_face.read({"", 1}, {{5, {{"train/epoch", 0.5}, {"train/loss", 1}}},
                                        {10, {{"train/epoch", 1}, {"train/loss", 1}}}});
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].epoch, 1);
    EXPECT_EQ(lines[1].epoch, 1);
}

TEST(TagMetrics, WhatThePipeGivesIsNotReadTwice) {
    TagMetrics tags;
    tags.given(line_of(1, {{"loss", 1}}));
    EXPECT_EQ(tags.read({"", 1}, {{1, {{"loss", 1}, {"margin", 2}}}}),
              std::vector<Line>{line_of(1, {{"margin", 2}})});
}

TEST(TagMetrics, WhatIsCountedInEpochsStandsBehindTheLastStep) {
    TagMetrics tags;
    std::vector<Scalars> events;
    for (std::int64_t epoch = 1; epoch <= 2; ++epoch) {
        for (std::int64_t step = 50 * epoch - 49; step <= 50 * epoch; ++step) {
            events.push_back({step, {{"Loss/train", 1}}});
        }
        events.push_back({epoch, {{"Accuracy/train", 0.5}}});
        events.push_back({800 * epoch, {{"loss vs samples", 1}}});
    }
    std::vector<std::pair<std::int64_t, Values>> others;
    for (const auto& line : tags.read({"", 1}, events)) {
        if (line.values.size() > 1 || line.values.front().first != "loss") {
            others.emplace_back(line.step.value(), line.values);
        }
    }
    EXPECT_EQ(others, (decltype(others){{50, {{"loss", 1}, {"acc1", 0.5}}},
                                        {800, {{"loss_vs_samples", 1}}},
                                        {100, {{"loss", 1}, {"acc1", 0.5}}},
                                        {1600, {{"loss_vs_samples", 1}}}}));
}

TEST(TagMetrics, ANegativeStepIsNone) {
    TagMetrics tags;
    EXPECT_EQ(tags.read({"", 1}, {{-1, {{"loss", 1}}}}).front().step, std::nullopt);
}

}  // namespace
}  // namespace rankscope::tensorboard
