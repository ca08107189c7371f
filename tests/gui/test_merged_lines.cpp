// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The lines of several files from elsewhere, by time.

#include <gui/logs/file_log.h>
#include <gui/logview/log_rows.h>
#include <gui/logview/log_view.h>
#include <gui/strings.h>
#include <gui/widgets/elided_label.h>
#include <remote/logs/rules/rule_set.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <tests/gui/gui_test.h>

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>
#include <cstdio>

namespace rankscope::gui::testing {
namespace {

class ByTime : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(QDir(folder_.path()).mkpath(u"ranks"_s));
        log_.resize(900, 500);
        log_.show();
    }
    void write(const QString& name, const std::string& text) const {
        QFile file(folder_.path() + u"/ranks/"_s + name);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        ASSERT_EQ(file.write(text.data(), qint64(text.size())), qint64(text.size()));
    }
    void read() {
        read(u"/ranks"_s);
        ASSERT_TRUE(wait_until([&] { return !log_.lines().reading() && rows()->count() > 0; }));
    }
    void read(const QString& below) {
        (void)logs::read_raw_lines({ss(folder_.path() + below)}, {}, log_.start(ss(folder_.path()) + "/"));
        log_.update(false);
    }
    void three_files() {
        write(u"0.log"_s, "2026-01-02 03:04:05 zero a\n  more of a\n2026-01-02 03:04:09 zero b\n");
        write(u"1.log"_s, "2026-01-02 03:04:07 one a\n2026-01-02 03:04:08 one b\n");
        write(u"2.log"_s, "no time\n");
        read();
    }
    bool merged() {
        return wait_until(
            [&] { return log_.merged().lines() && rows()->count() == log_.merged().lines()->size(); });
    }
    LogRows* rows() { return log_.view()->rows(); }
    QToolButton* by_time() { return child<QToolButton>(&log_, "fileLogByTime"); }
    QString note() { return child<QLabel>(&log_, "fileLogNote")->text(); }
    QStringList texts() {
        QStringList texts;
        for (std::uint32_t row = 0; row < rows()->count(); ++row) {
            texts += log_.view()->row_text(row);
        }
        return texts;
    }

    QTemporaryDir folder_;
    QThreadPool pool_;
    FileLog log_{&pool_};
};

TEST_F(ByTime, LinesOfAllFilesAreMergedAndEachFileKeepsItsOrder) {
    three_files();
    log_.set_clocks({});
    EXPECT_EQ(texts().front(), u"1  2026-01-02 03:04:05 zero a"_s) << "one file after the other at first";
    click(by_time());
    ASSERT_TRUE(merged());
    EXPECT_EQ(texts(),
              (QStringList{u"2:1  no time"_s, u"03:04:05  0:1  2026-01-02 03:04:05 zero a"_s,
                           u"03:04:05  0:2    more of a"_s, u"03:04:07  1:1  2026-01-02 03:04:07 one a"_s,
                           u"03:04:08  1:2  2026-01-02 03:04:08 one b"_s,
                           u"03:04:09  0:3  2026-01-02 03:04:09 zero b"_s}));
    EXPECT_TRUE(note().startsWith(u"2 of 6 lines have no time"_s)) << qPrintable(note());
    click(by_time());
    ASSERT_TRUE(wait_until([&] { return rows()->count() == 6 && texts().back() == u"1  no time"_s; }));
    EXPECT_FALSE(child<QLabel>(&log_, "fileLogNote")->isVisible());
}

TEST_F(ByTime, ALineIsFoundInBothOrders) {
    three_files();
    log_.set_clocks({});
    const auto* title = child<ElidedLabel>(&log_, "fileLogTitle");
    const auto is_at = [&](const QString& text, std::uint32_t row) {
        return wait_until([&] {
            const auto line = log_.view()->current_line();
            return line && title->full_text() == text && rows()->row_of(*line) == row;
        });
    };
    log_.show_line(1, 2);
    ASSERT_TRUE(is_at(u"ranks/1.log, line 2"_s, 4));
    click(by_time());
    ASSERT_TRUE(merged());
    EXPECT_TRUE(is_at(u"ranks/1.log, line 2"_s, 4)) << qPrintable(title->full_text());
    log_.show_line(0, 3);
    EXPECT_TRUE(is_at(u"ranks/0.log, line 3"_s, 5));
    click(by_time());
    EXPECT_TRUE(is_at(u"ranks/0.log, line 3"_s, 2)) << "the line that was chosen stays chosen";
}

TEST_F(ByTime, AFileAloneKeepsItsTimes) {
    three_files();
    log_.set_clocks({});
    click(by_time());
    ASSERT_TRUE(merged());
    auto* files = child<QComboBox>(&log_, "fileLogFile");
    files->setCurrentIndex(2);
    emit files->activated(2);
    ASSERT_TRUE(wait_until([&] { return rows()->count() == 2; }));
    EXPECT_EQ(texts().front(), u"03:04:07  1:1  2026-01-02 03:04:07 one a"_s);
}

TEST_F(ByTime, WaitsForTheClocksAndBeginsAgainWithOtherFiles) {
    three_files();
    click(by_time());
    EXPECT_TRUE(note().contains(u"when all of them are read"_s)) << qPrintable(note());
    EXPECT_FALSE(log_.merged().merging());
    log_.set_clocks({});
    ASSERT_TRUE(merged());
    write(u"3.log"_s, "2026-01-02 03:04:06 three a\n");
    read();
    EXPECT_EQ(log_.merged().lines(), nullptr);
    log_.set_clocks({});
    ASSERT_TRUE(merged());
    EXPECT_EQ(texts().at(3), u"03:04:06  3:1  2026-01-02 03:04:06 three a"_s);
    // One file has no other order.
    read(u"/ranks/1.log"_s);
    log_.set_clocks({});
    ASSERT_TRUE(wait_until([&] { return !log_.lines().reading() && rows()->count() == 2; }));
    EXPECT_FALSE(by_time()->isVisible());
    EXPECT_EQ(log_.merged().lines(), nullptr);
}

std::string stamped(int second, const std::string& line) {
    char clock[32];
    std::snprintf(clock, sizeof clock, "[2026-01-02 03:%02d:%02d] ", second / 60, second % 60);
    return clock + line + '\n';
}

/// Of a host of two ranks whose clock is ahead: three communicators, and a line at second 40 + `number`.
std::string host_log(int number, int ahead_s) {
    std::string text;
    const std::string host = "node" + std::to_string(number);
    for (int communicator = 0; communicator < 3; ++communicator) {
        for (const bool complete : {false, true}) {
            for (int gpu = 0; gpu < 2; ++gpu) {
                const int rank = 2 * number + gpu;
                char about[200];
                std::snprintf(
                    about, sizeof about,
                    "%s:%d:%d [%d] NCCL INFO ncclCommInitRank comm 0x%x rank %d nranks 4 cudaDev %d nvmlDev "
                    "%d busId 1000 commId 0xabc%x - Init %s",
                    host.c_str(), 400 + rank, 400 + rank, gpu, 0x7f00 + 0x100 * communicator + rank, rank,
                    gpu, gpu, communicator, complete ? "COMPLETE" : "START");
                text += stamped(10 * communicator + (complete ? 5 : 0) + ahead_s, about);
            }
        }
    }
    return text + stamped(40 + number + ahead_s, host + ":400:400 [0] NCCL INFO after that");
}

TEST_F(ByTime, ClocksAreCorrected) {
    const std::string first = host_log(0, 0);
    const std::string second = host_log(1, 300);
    write(u"node0.log"_s, first);
    write(u"node1.log"_s, second);
    read();
    const auto rules = logs::load_rules({});
    const logs::DiagnosisResult found = logs::diagnose_text(
        rules.rules, "==> node0.log <==\n" + first + "\n==> node1.log <==\n" + second, "all");
    ASSERT_FALSE(found.clocks.all().empty());
    ASSERT_TRUE(found.clocks.all().front().corrected);
    log_.set_clocks(found.clocks);
    click(by_time());
    ASSERT_TRUE(merged());
    EXPECT_TRUE(texts().back().startsWith(u"03:00:41"_s)) << qPrintable(texts().back());
    EXPECT_TRUE(texts().back().contains(u"node1:"_s));
    EXPECT_TRUE(texts().at(texts().size() - 2).contains(u"node0:"_s));
    EXPECT_TRUE(note().contains(u"The clock of node1 is 300.0 s ahead of node0: corrected."_s))
        << qPrintable(note());
}

}  // namespace
}  // namespace rankscope::gui::testing
