// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/nccl_ring/reader.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace rankscope::nccl_ring {
namespace {

namespace fs = std::filesystem;

/// A file as the plugin makes it, in memory and on the disk.
class NcclRingReader : public ::testing::Test {
protected:
    static constexpr Places kPlaces{8, 4, 2, 2};

    NcclRingReader() : content_(kPlaces.end, '\0') {
        std::string pattern = (fs::temp_directory_path() / "rankscope-ring-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        file_ = folder_ / "1.ring";
        header().magic = kMagic;
        header().layout_version = kLayoutVersion;
        header().record_capacity = 8;
        header().operation_capacity = 4;
        header().communicator_capacity = 2;
        header().network_capacity = 2;
    }
    ~NcclRingReader() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

    template <typename T>
    T& at(std::uint64_t offset) {
        return *reinterpret_cast<T*>(content_.data() + offset);
    }
    Header& header() { return at<Header>(0); }
    Record& record(std::uint64_t number) { return at<Record>(kPlaces.records + number % 8 * sizeof(Record)); }
    Operation& operation(std::uint64_t slot) {
        return at<Operation>(kPlaces.operations + slot * sizeof(Operation));
    }
    Communicator& communicator(std::uint64_t slot) {
        return at<Communicator>(kPlaces.communicators + slot * sizeof(Communicator));
    }
    void put(std::uint64_t number) {
        record(number).ticket = 2 * number + 2;
        record(number).kind = RecordKind::enqueued;
        record(number).operation_kind = OperationKind::collective;
        record(number).sequence = number;
        header().head = number + 1;
    }
    /// The same file, as a writer changes it.
    void write() {
        const int file = ::open(file_.c_str(), O_WRONLY | O_CREAT, 0600);
        ASSERT_GE(file, 0);
        ASSERT_EQ(pwrite(file, content_.data(), content_.size(), 0), static_cast<ssize_t>(content_.size()));
        ::close(file);
    }
    Reader reader() {
        write();
        auto opened = Reader::open(file_);
        if (!opened) {
            throw std::runtime_error("the file was not taken");
        }
        return std::move(*opened);
    }
    bool taken() {
        write();
        return Reader::open(file_).has_value();
    }

    std::string content_;
    fs::path folder_;
    fs::path file_;
};

TEST_F(NcclRingReader, RecordsComeOnceAndInOrder) {
    put(0);
    put(1);
    Reader ring = reader();
    auto batch = ring.read(1);
    ASSERT_EQ(batch.records.size(), 1U);
    EXPECT_EQ(batch.records[0].sequence, 0U);
    EXPECT_EQ(ring.read().records.at(0).sequence, 1U);
    EXPECT_TRUE(ring.read().records.empty());
    for (std::uint64_t n = 2; n < 25; ++n) {
        put(n);
    }
    write();
    batch = ring.read();
    EXPECT_EQ(batch.lost, 15U);
    ASSERT_EQ(batch.records.size(), 8U);
    EXPECT_EQ(batch.records.front().sequence, 17U);
}

TEST_F(NcclRingReader, ARecordThatIsNotWholeIsWaitedForOnce) {
    put(0);
    put(1);
    put(2);
    record(1).ticket = 3;  // its writer is in the middle
    Reader ring = reader();
    EXPECT_EQ(ring.read().records.size(), 1U);
    put(1);
    header().head = 3;
    write();
    auto batch = ring.read();
    EXPECT_EQ(batch.records.size(), 2U);
    EXPECT_EQ(batch.lost, 0U);
    put(3);
    put(4);
    record(3).ticket = 7;  // and died there
    write();
    EXPECT_TRUE(ring.read().records.empty());
    batch = ring.read();
    EXPECT_EQ(batch.records.size(), 1U);
    EXPECT_EQ(batch.lost, 1U);
}

TEST_F(NcclRingReader, OpenOperationsComeOldestFirstWithWhatTheFileSaysAboutThem) {
    communicator(1).generation = 5;
    communicator(1).state = CommunicatorState::open;
    communicator(1).id = 0xc0;
    communicator(1).last_finished_start_ns = 150;
    std::strcpy(communicator(1).name.data(), "two\nlines");
    const auto set = [&](std::uint64_t slot, OperationKind kind, Phase phase,
                         std::uint64_t start) -> Operation& {
        Operation& place = operation(slot);
        place.id = 1000 + slot;
        place.kind = kind;
        place.phase = static_cast<std::uint32_t>(phase);
        place.start_ns = start;
        place.communicator = 0xc0;
        place.communicator_slot = 1;
        return place;
    };
    set(0, OperationKind::collective, Phase::running, 200).channels_seen = 0b1011;
    set(1, OperationKind::collective, Phase::enqueued, 100);
    set(2, OperationKind::collective, Phase::finished, 50);
    Operation& call = set(3, OperationKind::collective_call, Phase::enqueued, 300);
    call.end_ns = 310;
    call.parent = 77;
    Reader ring = reader();
    const auto open = ring.open_operations();
    ASSERT_EQ(open.size(), 3U);
    EXPECT_EQ(open[0].operation.id, 1001U);
    EXPECT_TRUE(open[0].overtaken);
    EXPECT_FALSE(open[1].overtaken);
    EXPECT_EQ(open[1].channels_seen, 3U);
    EXPECT_TRUE(open[2].group_over);
    ASSERT_EQ(ring.communicators().size(), 1U);
    EXPECT_EQ(name_of(ring.communicators()[0]), "two?lines");
}

TEST_F(NcclRingReader, OtherFilesAreRefused) {
    ASSERT_TRUE(taken());
    for (const std::uint32_t capacity : {0U, 3U, 9U, 16U, 0x80000000U, ~0U}) {
        header().record_capacity = capacity;
        EXPECT_FALSE(taken()) << capacity;
    }
    header().record_capacity = 8;
    header().layout_version = 2;
    EXPECT_FALSE(taken());
    header().layout_version = 1;
    header().magic = 0;  // not complete
    EXPECT_FALSE(taken());
    header().magic = kMagic;
    ASSERT_TRUE(taken());
    fs::create_symlink(file_, folder_ / "link");
    EXPECT_FALSE(Reader::open(folder_ / "link"));
    EXPECT_FALSE(Reader::open(folder_));
    EXPECT_FALSE(Reader::open(folder_ / "absent"));
    fs::resize_file(file_, kPlaces.end - 1);
    EXPECT_FALSE(Reader::open(file_));
}

TEST_F(NcclRingReader, WhatChangesWhileItIsOpenCostsRecordsOnly) {
    put(0);
    record(0).kind = static_cast<RecordKind>(99);
    put(1);
    record(1).operation_kind = static_cast<OperationKind>(99);
    operation(0).id = 1;
    operation(0).kind = static_cast<OperationKind>(50);
    operation(0).phase = 1;
    communicator(0).generation = 1;
    communicator(0).state = static_cast<CommunicatorState>(9);
    Reader ring = reader();
    const auto batch = ring.read();
    EXPECT_TRUE(batch.records.empty());
    EXPECT_EQ(batch.lost, 2U);
    EXPECT_TRUE(ring.open_operations().empty());
    EXPECT_TRUE(ring.communicators().empty());
    header().head = ~std::uint64_t{0};
    write();
    EXPECT_TRUE(ring.read().records.empty());
    header().head = 0;  // backwards
    write();
    EXPECT_TRUE(ring.read().records.empty());
    header().operation_capacity = 1U << 16U;
    write();
    EXPECT_TRUE(ring.open_operations().empty());
    fs::resize_file(file_, 100);
    EXPECT_TRUE(ring.read().records.empty());
    EXPECT_TRUE(ring.open_network().empty());
}

}  // namespace
}  // namespace rankscope::nccl_ring
