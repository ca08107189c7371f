// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/files.h>
#include <remote/agent/spool/spool.h>
#include <remote/agent/spool/spool_summary.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <thread>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

wire::Event log_event(const std::string& text) {
    wire::Event event;
    event.set_rank(0);
    event.mutable_log()->set_text(text);
    return event;
}

std::vector<std::uint64_t> seqs_in(SpoolReader& reader) {
    std::vector<std::uint64_t> seqs;
    wire::Event event;
    while (reader.next(event)) {
        seqs.push_back(event.seq());
    }
    return seqs;
}

/// By this process, so far.
std::uint64_t bytes_read() {
    const std::string io = read_file("/proc/self/io").value_or("rchar: 0");
    return std::stoull(io.substr(io.find("rchar: ") + 7));
}

std::vector<std::uint64_t> one_to(std::uint64_t last) {
    std::vector<std::uint64_t> seqs(last);
    for (std::uint64_t i = 0; i < last; ++i) {
        seqs[i] = i + 1;
    }
    return seqs;
}

class Spool : public ::testing::Test {
protected:
    SpoolWriter open() const {
        auto writer = SpoolWriter::open(file_);
        EXPECT_TRUE(writer) << (writer ? "" : writer.failure().detail);
        return writer ? std::move(*writer) : SpoolWriter();
    }
    void append_bytes(const std::string& bytes) const {
        std::ofstream(file_, std::ios::binary | std::ios::app) << bytes;
    }
    void write_events(int count, const std::string& text = "x") const {
        SpoolWriter writer = open();
        for (int i = 0; i < count; ++i) {
            writer.add(log_event(text));
        }
        EXPECT_TRUE(writer.flush());
    }
    std::vector<std::uint64_t> all() const {
        SpoolReader reader(file_);
        return seqs_in(reader);
    }

    test::TemporaryFolder folder_;
    fs::path file_ = folder_ / "spool";
};

TEST_F(Spool, NumbersFromOneWithoutGaps) {
    SpoolWriter writer = open();
    EXPECT_EQ(writer.last_seq(), 0U);
    for (int i = 0; i < 100; ++i) {
        wire::Event event = log_event(std::string(static_cast<std::size_t>(i) * 100, 'x'));
        event.set_seq(999);  // not the caller's to choose
        event.set_t_us(i == 5 ? 42 : 0);
        writer.add(event);
        if (i % 7 == 0) {
            ASSERT_TRUE(writer.flush());
            EXPECT_EQ(writer.waiting_bytes(), 0U);
        }
    }
    ASSERT_TRUE(writer.flush());
    SpoolReader reader(file_);
    wire::Event event;
    for (std::uint64_t seq = 1; seq <= 100; ++seq) {
        ASSERT_TRUE(reader.next(event));
        EXPECT_EQ(event.seq(), seq);
        EXPECT_EQ(event.t_us() == 42, seq == 6);
        EXPECT_NE(event.t_us(), 0);
    }
    EXPECT_FALSE(reader.next(event));
    EXPECT_EQ(reader.consumed(), fs::file_size(file_));
    EXPECT_FALSE(reader.damaged());
}

TEST_F(Spool, ASummaryReadsBothEndsAlone) {
    EXPECT_EQ(summarize_spool(file_).last_seq, 0U) << "there is none yet";
    SpoolWriter writer = open();
    writer.add(log_event("first"));
    ASSERT_TRUE(writer.flush());
    EXPECT_EQ(summarize_spool(file_).last_seq, 1U);
    EXPECT_EQ(summarize_spool(file_).started_us, summarize_spool(file_).last_us);
    for (int i = 0; i < 100; ++i) {
        writer.add(log_event(std::string(60000, 'x')));
    }
    wire::Event end;
    end.set_t_us(42);
    end.mutable_end()->set_outcome(wire::OUTCOME_STOPPED);
    writer.add(end);
    ASSERT_TRUE(writer.flush());
    writer.close();
    {
        std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(100000);
        file << std::string(3000000, '\0');
    }
    const std::uint64_t before = bytes_read();
    const SpoolSummary summary = summarize_spool(file_);
    EXPECT_LT(bytes_read() - before, std::filesystem::file_size(file_) / 2);
    EXPECT_GT(summary.started_us, 42);
    EXPECT_EQ(summary.last_us, 42);
    EXPECT_EQ(summary.last_seq, 102U);
    ASSERT_TRUE(summary.end);
    EXPECT_EQ(summary.end->outcome(), wire::OUTCOME_STOPPED);
}

TEST_F(Spool, OnlyTheUserMayReadIt) {
    write_events(1);
    EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Spool, ReopeningCutsAnUnfinishedFrameAndContinues) {
    write_events(3);
    const auto whole = fs::file_size(file_);
    write_events(1, std::string(1000, 'y'));
    const std::string full = *read_file(file_);
    for (const std::size_t cut : {whole + 1, whole + 8, whole + 500, full.size() - 1}) {
        fs::resize_file(file_, 0);
        append_bytes(full.substr(0, cut));
        SpoolWriter writer = open();
        EXPECT_EQ(writer.last_seq(), 3U) << cut;
        EXPECT_EQ(fs::file_size(file_), whole) << cut;
        writer.add(log_event("new"));
        ASSERT_TRUE(writer.flush());
        EXPECT_EQ(all(), one_to(4)) << cut;
    }
}

TEST_F(Spool, AReaderOfTheCutFrameContinues) {
    // The desk was attached when the supervisor was killed in the middle of a write; then the guardian wrote
    // the end.
    write_events(3);
    SpoolReader reader(file_);
    EXPECT_EQ(seqs_in(reader), one_to(3));
    std::string frame;
    append_frame(frame, std::string(500, 'z'));
    append_bytes(frame.substr(0, 300));
    EXPECT_TRUE(seqs_in(reader).empty());
    write_events(2);
    EXPECT_EQ(seqs_in(reader), (std::vector<std::uint64_t>{4, 5}));
    EXPECT_FALSE(reader.damaged());
}

TEST_F(Spool, ReadingWhileItGrows) {
    SpoolWriter writer = open();
    ASSERT_TRUE(writer.flush());
    constexpr std::uint64_t kEvents = 3000;
    std::thread writing([&writer] {
        std::mt19937 random(1);
        for (std::uint64_t i = 0; i < kEvents; ++i) {
            writer.add(log_event(std::string(random() % 3000, 'x')));
            if (random() % 3 == 0) {
                writer.flush();
            }
        }
        writer.flush();
    });
    SpoolReader reader(file_);
    std::vector<std::uint64_t> seqs;
    EXPECT_TRUE(test::wait_until([&] {
        for (const auto seq : seqs_in(reader)) {
            seqs.push_back(seq);
        }
        return seqs.size() >= kEvents;
    }));
    writing.join();
    EXPECT_EQ(seqs, one_to(kEvents));
    EXPECT_FALSE(reader.damaged());
}

TEST_F(Spool, ADamagedMiddleEndsTheReadingThere) {
    write_events(10, std::string(100, 'x'));
    const auto size = fs::file_size(file_);
    std::string content = *read_file(file_);
    content[size / 2] = static_cast<char>(content[size / 2] ^ 0x40);
    fs::resize_file(file_, 0);
    append_bytes(content);
    SpoolReader reader(file_);
    const auto before = seqs_in(reader);
    EXPECT_EQ(before, one_to(before.size()));
    EXPECT_LT(before.size(), 10U);
    EXPECT_TRUE(reader.damaged());
    wire::Event event;
    EXPECT_FALSE(reader.next(event));
    // What lies behind it is kept: by who reads on, and by who writes on.
    const auto behind = [&] {
        SpoolReader kept(file_);
        std::vector<std::uint64_t> seqs;
        while (kept.next_kept(event)) {
            seqs.push_back(event.seq());
        }
        return seqs;
    };
    auto expected = one_to(10);
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(before.size()));
    EXPECT_EQ(behind(), expected) << "one is missing";
    write_events(1);
    expected.push_back(11);
    EXPECT_EQ(behind(), expected);
}

TEST_F(Spool, DamageAnywhereCostsOneEvent) {
    write_events(10, std::string(100, 'x'));
    const std::string whole = *read_file(file_);
    std::mt19937 random(1);
    for (std::size_t at = 0; at < whole.size(); at += 7) {
        std::string content = whole;
        content[at] = static_cast<char>(content[at] ^ (1 + random() % 255));
        fs::resize_file(file_, 0);
        append_bytes(content);
        SpoolReader reader(file_);
        wire::Event event;
        std::size_t kept = 0;
        while (reader.next_kept(event)) {
            ++kept;
        }
        EXPECT_GE(kept, 9U) << at;
    }
}

wire::Event metric_event(int step) {
    wire::Event event;
    event.set_rank(0);
    event.mutable_metric()->set_step(step);
    return event;
}

struct Kinds {
    std::vector<std::uint64_t> metrics;
    std::vector<std::uint64_t> logs;
    std::vector<wire::Notice> notices;
};

Kinds kinds_in(SpoolReader& reader) {
    Kinds kinds;
    wire::Event event;
    while (reader.next(event)) {
        if (event.has_metric()) {
            kinds.metrics.push_back(event.seq());
        } else if (event.has_log()) {
            kinds.logs.push_back(event.seq());
        } else if (event.has_notice()) {
            kinds.notices.push_back(event.notice());
        }
    }
    return kinds;
}

TEST_F(Spool, BeyondItsQuotaTheOldestLogsGoAndNothingElse) {
    SpoolWriter writer = open();
    writer.set_quota(100000);
    SpoolReader early(file_);
    std::size_t metrics = 0;
    for (int i = 0; i < 3000; ++i) {
        if (i % 10 == 0) {
            writer.add(metric_event(i));
            ++metrics;
        }
        writer.add(log_event(std::string(100, 'x')));
        ASSERT_TRUE(writer.flush());
    }
    EXPECT_LT(fs::file_size(file_), 130000U);
    SpoolReader reader(file_);
    const Kinds kinds = kinds_in(reader);
    EXPECT_FALSE(reader.damaged());
    EXPECT_EQ(kinds.metrics.size(), metrics);
    ASSERT_FALSE(kinds.notices.empty());
    EXPECT_EQ(kinds.notices[0].id(), "spool-thinned");
    ASSERT_FALSE(kinds.logs.empty());
    for (std::size_t i = 1; i < kinds.logs.size(); ++i) {
        EXPECT_LE(kinds.logs[i] - kinds.logs[i - 1], 3U) << "the latest are there without a gap";
    }
    EXPECT_TRUE(early.replaced());
    EXPECT_FALSE(reader.replaced());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
    SpoolWriter again = open();
    EXPECT_EQ(again.last_seq(), writer.last_seq());
}

TEST_F(Spool, ADiskThatStaysFullCostsTheOldestLogsAndIsSaid) {
    SpoolWriter writer = open();
    writer.set_max_waiting(10000);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{0, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 1000; ++i) {
        if (i % 100 == 0) {
            writer.add(metric_event(i));
        }
        writer.add(log_event(std::string(100, 'x')));
        EXPECT_FALSE(writer.flush());
    }
    EXPECT_LT(writer.waiting_bytes(), 12000U);
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    ASSERT_TRUE(writer.flush());
    SpoolReader reader(file_);
    const Kinds kinds = kinds_in(reader);
    EXPECT_EQ(kinds.metrics.size(), 10U);
    ASSERT_EQ(kinds.notices.size(), 1U);
    EXPECT_EQ(kinds.notices[0].id(), "log-lost");
    EXPECT_EQ(std::stoull(kinds.notices[0].args(0)) + kinds.logs.size(), 1000U);
}

TEST_F(Spool, WhatIsNoEventIsSkipped) {
    write_events(1);
    std::string frame;
    append_frame(frame, "\xff\xff\xff\xff");
    append_bytes(frame);
    SpoolReader reader(file_);
    EXPECT_EQ(seqs_in(reader), one_to(1));
    EXPECT_FALSE(reader.damaged());
    write_events(1);
    EXPECT_EQ(all(), one_to(2));
}

TEST_F(Spool, AFullDiskLosesNothing) {
    SpoolWriter writer = open();
    for (int i = 0; i < 20; ++i) {
        writer.add(log_event(std::string(100, 'x')));
    }
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{1000, before.rlim_max};  // in the middle of a frame
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool flushed = writer.flush();
    const std::string problem = writer.problem();
    SpoolReader reader(file_);
    const auto meanwhile = seqs_in(reader);
    writer.add(log_event("more"));
    const bool again = writer.flush();
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    EXPECT_FALSE(flushed);
    EXPECT_FALSE(again);
    EXPECT_EQ(problem, "File too large");
    EXPECT_GT(writer.waiting_bytes(), 0U);
    EXPECT_FALSE(meanwhile.empty());
    EXPECT_LT(meanwhile.size(), 20U);
    ASSERT_TRUE(writer.flush());
    EXPECT_TRUE(writer.problem().empty());
    EXPECT_EQ(all(), one_to(21));
    auto seen = meanwhile;
    for (const auto seq : seqs_in(reader)) {
        seen.push_back(seq);
    }
    EXPECT_EQ(seen, one_to(21)) << "the reader of the meantime misses nothing and sees nothing twice";
}

TEST_F(Spool, WhatAReaderHasOfAFullDiskStaysWhereItIs) {
    SpoolWriter writer = open();
    writer.set_max_waiting(10000);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{1000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    SpoolReader reader(file_);
    std::vector<std::uint64_t> metrics;
    const auto read = [&] {
        wire::Event event;
        while (reader.next_kept(event)) {
            if (event.has_metric()) {
                metrics.push_back(event.seq());
            }
        }
    };
    std::vector<std::uint64_t> expected;
    for (int i = 0; i < 500; ++i) {
        writer.add(log_event(std::string(100, 'x')));
        writer.add(metric_event(i));
        expected.push_back(writer.last_seq());
        writer.flush();
        read();
    }
    EXPECT_FALSE(metrics.empty());
    EXPECT_LT(metrics.size(), expected.size());
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    ASSERT_TRUE(writer.flush());
    read();
    EXPECT_EQ(metrics, expected) << "logs that went meanwhile do not move what was read already";
}

TEST_F(Spool, WhatCannotBeOpenedSaysWhy) {
    const auto writer = SpoolWriter::open(folder_ / "absent/spool");
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.failure().detail, (folder_ / "absent/spool").string() + ": No such file or directory");
    SpoolReader reader(folder_ / "absent/spool");
    EXPECT_FALSE(reader.is_open());
}

}  // namespace
}  // namespace rankscope::agent
