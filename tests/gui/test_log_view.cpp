// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_store.h>
#include <gui/logview/log_saver.h>
#include <gui/logview/log_search_bar.h>
#include <gui/logview/log_view.h>
#include <gui/logview/mark_bar.h>

#include <tests/gui/gui_test.h>

#include <QBuffer>
#include <QClipboard>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>

namespace rankscope::gui {
namespace {

using testing::child;
using testing::click;
using testing::type_into;
using testing::wait_until;

class View : public ::testing::Test {
protected:
    void SetUp() override {
        QSettings().remove(u"live"_s);
        rows_ = std::make_unique<LogRows>(&pool_);
        window_.resize(700, 400);
        auto* layout = new QVBoxLayout(&window_);
        view_ = new LogView(rows_.get());
        bar_ = new LogSearchBar(view_);
        layout->addWidget(bar_);
        layout->addWidget(view_);
        rows_->set_store(log_.lines());
        window_.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&window_));
        view_->setFocus();
    }
    void fill(int count, int ranks = 1) {
        for (int i = 0; i < count; ++i) {
            log_.append(i % ranks, false, "line " + std::to_string(i) + "\n", 1'000'000LL * i + 1);
        }
        rows_->refresh();
    }
    void key(int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(view_, Qt::Key(key), modifiers);
    }
    QPoint at(std::uint32_t row, int column) const {
        const QRect rect = view_->row_rect(row);
        const QFontMetricsF metrics(view_->font());
        return {rect.left() + int(column * metrics.horizontalAdvance(u'0')) + 1, rect.center().y()};
    }

    QThreadPool pool_;
    LogStore log_;
    std::unique_ptr<LogRows> rows_;
    QWidget window_;
    LogView* view_ = nullptr;
    LogSearchBar* bar_ = nullptr;
};

TEST_F(View, TheSelectedLineStaysInViewWhereItGetsLower) {
    fill(500);
    ASSERT_TRUE(view_->show_line(300));
    const auto height = [&] { return view_->viewport()->height(); };
    const auto bottom = [&] { return view_->row_rect(300).bottom(); };
    for (int lines = 0; bottom() + view_->row_rect(300).height() < height(); ++lines) {
        ASSERT_LT(lines, 100);
        QTest::keyClick(view_, Qt::Key_Up, Qt::ControlModifier);  // scrolls it to the lower edge
    }
    ASSERT_LT(bottom(), height());
    window_.resize(window_.width(), window_.height() - 30);
    EXPECT_TRUE(wait_until([&] { return bottom() < height(); })) << bottom() << " of " << height();
    EXPECT_FALSE(view_->follows());
    // A line that was not in view does not move it.
    view_->show_row(10);
    const std::uint32_t top = view_->first_visible_row();
    window_.resize(window_.width(), window_.height() - 30);
    QCoreApplication::processEvents();
    EXPECT_EQ(view_->first_visible_row(), top);
}

TEST_F(View, FollowsTheEndUntilTheUserScrollsBack) {
    fill(1000);
    EXPECT_EQ(view_->last_visible_row(), 999U);
    fill(10);
    EXPECT_EQ(view_->last_visible_row(), 1009U);
    view_->verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepSub);
    EXPECT_FALSE(view_->follows());
    const std::uint32_t top = view_->first_visible_row();
    fill(10);
    EXPECT_EQ(view_->first_visible_row(), top);
    view_->verticalScrollBar()->setValue(view_->verticalScrollBar()->maximum());
    EXPECT_TRUE(view_->follows());
    QWheelEvent wheel({50, 50}, view_->mapToGlobal(QPoint(50, 50)), {}, {0, 240}, Qt::NoButton, {},
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(view_->viewport(), &wheel);
    EXPECT_FALSE(view_->follows());
    EXPECT_LT(view_->last_visible_row(), 1019U);
}

TEST_F(View, KeysMoveAndSelect) {
    fill(500);
    key(Qt::Key_Home, Qt::ControlModifier);
    EXPECT_EQ(view_->first_visible_row(), 0U);
    EXPECT_EQ(view_->current_line(), 0U);
    key(Qt::Key_Down);
    key(Qt::Key_Right);
    key(Qt::Key_Right);
    key(Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(view_->selected_text(), u"n"_s);
    key(Qt::Key_Home);
    key(Qt::Key_Down, Qt::ShiftModifier);
    key(Qt::Key_End, Qt::ShiftModifier);
    EXPECT_EQ(view_->selected_text(), u"[0] line 1\n[0] line 2"_s);
    key(Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), u"[0] line 1\n[0] line 2"_s);
    key(Qt::Key_Escape);
    EXPECT_FALSE(view_->has_selection());
    key(Qt::Key_PageDown);
    key(Qt::Key_PageDown);
    EXPECT_GT(view_->current_line().value_or(0), 20U);
    EXPECT_TRUE(view_->viewport()->rect().contains(view_->row_rect(*view_->current_line()).center()));
    key(Qt::Key_End, Qt::ControlModifier);
    EXPECT_EQ(view_->current_line(), 499U);
    EXPECT_TRUE(view_->follows());
    key(Qt::Key_A, Qt::ControlModifier);
    EXPECT_EQ(view_->selected_text().count(u'\n'), 499);
}

TEST_F(View, TextStandsInItsRow) {
    log_.append(0, false, "MMMMMMMM\n\n", 1);
    rows_->refresh();
    const QImage image = view_->viewport()->grab().toImage();
    const auto drawn = [&](const QRect& rect) {
        int pixels = 0;
        for (int y = rect.top(); y <= rect.bottom(); ++y) {
            for (int x = rect.left(); x < rect.left() + 60; ++x) {
                pixels += image.pixelColor(x, y).lightness() < 100 ? 1 : 0;
            }
        }
        return pixels;
    };
    EXPECT_GT(drawn(view_->row_rect(0)), 40);
    EXPECT_EQ(drawn(view_->row_rect(1)), 0);
}

TEST_F(View, TheMouseSelectsWordsLinesAndRanges) {
    fill(300);
    key(Qt::Key_Home, Qt::ControlModifier);
    QTest::mouseDClick(view_->viewport(), Qt::LeftButton, {}, at(3, 6));
    EXPECT_EQ(view_->selected_text(), u"3"_s);
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, QPoint(8, at(2, 0).y()));
    EXPECT_EQ(view_->selected_text(), u"[0] line 2"_s) << "beside the line";
    QTest::mousePress(view_->viewport(), Qt::LeftButton, {}, at(1, 5));
    QTest::mouseMove(view_->viewport(), at(2, 2));
    QTest::mouseRelease(view_->viewport(), Qt::LeftButton, {}, at(2, 2));
    EXPECT_EQ(view_->selected_text(), u"1\n[0] li"_s);
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, Qt::ShiftModifier, at(4, 0));
    EXPECT_EQ(view_->selected_text().count(u'\n'), 3);
}

TEST_F(View, ADragBeyondTheEdgeScrolls) {
    fill(2000);
    key(Qt::Key_Home, Qt::ControlModifier);
    QTest::mousePress(view_->viewport(), Qt::LeftButton, {}, at(1, 0));
    QTest::mouseMove(view_->viewport(), QPoint(60, view_->viewport()->height() + 80));
    EXPECT_TRUE(wait_until([&] { return view_->first_visible_row() > 50; }));
    QTest::mouseRelease(view_->viewport(), Qt::LeftButton, {}, QPoint(60, view_->viewport()->height() + 80));
    EXPECT_GT(view_->selected_text().count(u'\n'), 50);
}

TEST_F(View, WrappedLinesAreReadToTheirEnd) {
    log_.append(0, false, std::string(20'000, 'x') + "end\nshort\n", 1);
    for (int i = 0; i < 5; ++i) {
        log_.append(0, false, "line\n", 1);
    }
    rows_->refresh();
    view_->set_wrapping(true);
    EXPECT_EQ(view_->last_visible_row(), 6U);
    key(Qt::Key_Home, Qt::ControlModifier);
    EXPECT_EQ(view_->last_visible_row(), 0U) << "the long line fills the view";
    int notches = 0;
    while (view_->last_visible_row() == 0 && ++notches < 200) {
        QWheelEvent wheel({50, 50}, view_->mapToGlobal(QPoint(50, 50)), {}, {0, -120}, Qt::NoButton, {},
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view_->viewport(), &wheel);
    }
    EXPECT_GT(notches, 10);
    EXPECT_GE(view_->last_visible_row(), 1U);
    view_->select_all();
    EXPECT_TRUE(view_->selected_text().contains(u"xend\n"_s)) << "copied whole, though drawn cut";
}

TEST_F(View, TenMegabytesInALineAreDrawnInPartAndCopiedWhole) {
    log_.append(0, false, std::string(10'000'000, 'x') + "end\n" + std::string("宽字 🙂 ok\n"), 1);
    rows_->refresh();
    view_->set_rank_column(0, false);
    EXPECT_LT(view_->row_text(0).size(), 20'000);
    EXPECT_FALSE(view_->grab().isNull());
    key(Qt::Key_Home, Qt::ControlModifier);
    key(Qt::Key_End, Qt::ShiftModifier);
    EXPECT_EQ(view_->selected_text().size(), 10'000'003);
    EXPECT_FALSE(view_->grab().isNull()) << "scrolled to its drawn end";
    key(Qt::Key_Down);
    key(Qt::Key_Home);
    for (int i = 0; i < 4; ++i) {
        key(Qt::Key_Right);
    }
    key(Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(view_->selected_text(), u"🙂"_s) << "one character, two units";
}

TEST_F(View, SearchesCountsStepsAndFilters) {
    fill(1000, 4);
    auto* edit = child<QLineEdit>(bar_, "logSearch");
    auto* count = child<QLabel>(bar_, "logFound");
    type_into(edit, u"line 99"_s);
    EXPECT_EQ(view_->selected_text(), u"line 99"_s);
    EXPECT_EQ(rows_->matches(), 11U);
    EXPECT_EQ(count->text(), u"2 of 11"_s) << "the first one in view of the end";
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_EQ(count->text(), u"3 of 11"_s);
    QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(count->text(), u"1 of 11"_s);
    EXPECT_EQ(view_->current_line(), 99U);
    click(child<QToolButton>(bar_, "logPrevious"));
    EXPECT_EQ(count->text(), u"11 of 11, from the other end"_s);
    EXPECT_EQ(std::count(view_->mark_bar()->marks().begin(), view_->mark_bar()->marks().end(), true), 11);

    click(child<QToolButton>(bar_, "logOnlyMatches"));
    EXPECT_EQ(rows_->count(), 11U);
    EXPECT_EQ(rows_->line(0), 99U);
    fill(100);
    EXPECT_EQ(rows_->count(), 12U) << "new lines too";
    click(child<QToolButton>(bar_, "logOnlyMatches"));
    EXPECT_EQ(rows_->count(), 1100U);

    click(child<QToolButton>(bar_, "logPattern"));
    type_into(edit, u"line [0-9]{2}$"_s);
    EXPECT_EQ(rows_->matches(), 90U + 90U);
    type_into(edit, u"line [0-9"_s);
    EXPECT_EQ(rows_->matches(), 0U);
    EXPECT_EQ(bar_->fault(), u"The search pattern is wrong at character 6: missing ]: [0-9."_s);
    QTest::keyClick(edit, Qt::Key_Escape);
    EXPECT_EQ(edit->text(), QString());
    QTest::keyClick(edit, Qt::Key_Up);
    EXPECT_EQ(edit->text(), u"line 99"_s) << "searches that were used come back";
}

TEST_F(View, ALargeLogIsSearchedOnAnotherThread) {
    fill(200'000, 8);
    ASSERT_TRUE(wait_until([&] { return rows_->count() == 200'000; }));
    EXPECT_EQ(view_->last_visible_row(), 199'999U);
    type_into(child<QLineEdit>(bar_, "logSearch"), u"line 1234"_s);
    EXPECT_TRUE(wait_until([&] { return rows_->matches() == 111 && !rows_->searching(); }))
        << rows_->matches();
    rows_->choose({.whose = LineChoice::Whose::Rank, .rank = 2});
    EXPECT_TRUE(wait_until([&] { return rows_->count() == 25'000 && rows_->matches() > 0; }));
    for (std::uint32_t match = 0; match < rows_->matches(); ++match) {
        EXPECT_EQ(log_.lines()->rank(rows_->line(rows_->match_row(match))), 2);
    }
}

TEST_F(View, LateLinesDoNotMoveWhatTheUserReads) {
    fill(1000);
    view_->show_line(500);
    const std::uint32_t top_line = rows_->line(view_->first_visible_row());
    for (int i = 0; i < 20; ++i) {
        log_.append(1, false, "late\n", 1'000'000LL * 100 + 2);
    }
    rows_->refresh();
    EXPECT_EQ(rows_->line(view_->first_visible_row()), top_line);
    EXPECT_EQ(view_->current_line(), 500U);
    EXPECT_EQ(rows_->row_of(500), 520U);
}

TEST_F(View, SavesWithProgressAndReportsErrors) {
    fill(5000, 2);
    LogSaver saver(&pool_);
    QSignalSpy finished(&saver, &LogSaver::finished);
    QTemporaryDir folder;
    SavedLines lines;
    lines.store = rows_->shared_store();
    lines.order = rows_->order();
    lines.with_time = false;
    const QString path = folder.filePath(u"out.log"_s);
    saver.save(path, lines);
    ASSERT_TRUE(wait_until([&] { return finished.size() == 1; }));
    EXPECT_EQ(finished[0][2].toString(), QString());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    EXPECT_TRUE(text.startsWith("[0] line 0\n[1] line 1\n"));
    EXPECT_EQ(text.count('\n'), 5000);
    saver.save(u"/dev/full/out.log"_s, lines);
    ASSERT_TRUE(wait_until([&] { return finished.size() == 2; }));
    EXPECT_FALSE(finished[1][2].toString().isEmpty());
    std::stop_source stopped;
    stopped.request_stop();
    QBuffer nothing;
    nothing.open(QIODevice::WriteOnly);
    EXPECT_EQ(write_lines(nothing, lines, stopped.get_token(), {}), QString());
    EXPECT_TRUE(nothing.data().isEmpty());
}

class FoldedView : public View {
protected:
    void SetUp() override {
        View::SetUp();
        LineChoice choice;
        choice.folded = true;
        rows_->choose(choice);
        view_->set_rank_column(7, true);
        view_->set_ranks({0, 1, 2, 3, 4, 5, 6, 7}, true);
        view_->set_time_column(TimeColumn::None);
    }
    void print(int rank, const std::string& text) {
        log_.append(rank, false, text + "\n", kStart_us + 1000 * time_++);
    }
    void print_all(const std::string& text, int but = -1) {
        for (int rank = 0; rank < 8; ++rank) {
            if (rank != but) {
                print(rank, text);
            }
        }
    }
    std::string row(std::uint32_t at) { return ss(view_->row_text(at)); }

    static constexpr std::int64_t kStart_us = 1'770'000'000'000'000;
    std::int64_t time_ = 0;
};

TEST_F(FoldedView, TheSameLineIsThereOnceAndTheOddOneOpen) {
    print_all("loading data");
    print_all("Using network IB", 3);
    print(3, "Using network Socket");
    log_.append_event(-1, "node1: clock corrected", kStart_us + 500'000);
    print_all("step 1 loss 0.31");
    rows_->refresh();
    ASSERT_EQ(rows_->count(), 5U);
    EXPECT_EQ(row(0), "[0-7] loading data");
    EXPECT_EQ(row(1), "[0-2,4-7] Using network IB");
    EXPECT_EQ(row(2), "[3] Using network Socket");
    EXPECT_EQ(row(3), "[0-7] step 1 loss 0.31");
    EXPECT_EQ(row(4), "• node1: clock corrected") << "by time, as without folding";
    EXPECT_EQ(rows_->row_at(kStart_us + 8 * 1000), 1U);
    EXPECT_TRUE(rows_->is_of(rows_->line(1), 7));
    EXPECT_FALSE(rows_->is_of(rows_->line(1), 3));

    view_->select_all();
    view_->copy();
    EXPECT_TRUE(view_->selected_text().startsWith(u"[0-7] loading data\n[0-2,4-7] Using network IB\n[3] "_s));
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    SavedLines saved;
    saved.store = rows_->shared_store();
    saved.order = rows_->order();
    saved.rings = rows_->rings();
    saved.with_time = false;
    EXPECT_TRUE(write_lines(buffer, saved, {}, {}).isEmpty());
    EXPECT_TRUE(buffer.data().startsWith("[0-7] loading data\n[0-2,4-7] "));
    view_->grab();
}

TEST_F(FoldedView, LaterRanksJoinTheLineThatIsThere) {
    print(0, "waiting for the others");
    rows_->refresh();
    EXPECT_EQ(row(0), "[0] waiting for the others");
    const LineRings before = rows_->rings();
    print(5, "waiting for the others");
    print(6, "waiting for the others");
    rows_->refresh();
    ASSERT_EQ(rows_->count(), 1U);
    EXPECT_EQ(row(0), "[0,5,6] waiting for the others");
    EXPECT_EQ(before.ranks_of(*log_.lines(), 0), std::vector<int>{0}) << "what was handed out stays";
    EXPECT_EQ(rows_->shown_line(2), 0U);
}

TEST_F(FoldedView, SearchAndFilterFindWhatIsFoldedAway) {
    for (int rank = 0; rank < 8; ++rank) {
        print(rank, "listening on port " + std::to_string(40000 + rank));
    }
    print_all("connected");
    rows_->refresh();
    ASSERT_EQ(rows_->count(), 2U);
    rows_->search({.text = "40005"});
    ASSERT_TRUE(wait_until([&] { return !rows_->searching(); }));
    ASSERT_EQ(rows_->matches(), 1U);
    EXPECT_EQ(rows_->match_row(0), 0U);
    EXPECT_TRUE(view_->find_next(false, true));
    rows_->show_only_matches(true);
    ASSERT_EQ(rows_->count(), 1U);
    EXPECT_EQ(row(0), "[0-7] listening on port 40000");
    print(2, "connected to 40005");
    rows_->refresh();
    EXPECT_EQ(rows_->matches(), 2U);
    rows_->search({.text = "connected"});
    ASSERT_TRUE(wait_until([&] { return !rows_->searching(); }));
    EXPECT_EQ(rows_->matches(), 2U) << "each row once, however many ranks";
}

TEST_F(FoldedView, WhatDiffersIsDottedAndInTheToolTip) {
    for (int rank = 0; rank < 8; ++rank) {
        print(rank, "listening on port " + std::to_string(40000 + rank));
    }
    print_all("connected", 6);
    rows_->refresh();
    const std::vector<logs::TextPart> parts =
        logs::varying_parts("listening on port 40000", {"listening on port 40001"});
    ASSERT_EQ(parts.size(), 1U);
    const LineText text = line_text(*log_.lines(), 0, nullptr, {}, parts);
    EXPECT_EQ(text.formats.back().start, 18);
    EXPECT_EQ(text.formats.back().format.underlineStyle(), QTextCharFormat::DotLine);
    view_->show_row(0);
    const auto tip = [&](std::uint32_t row) {
        const QPoint place = at(row, 2);
        QHelpEvent event(QEvent::ToolTip, place, view_->viewport()->mapToGlobal(place));
        QCoreApplication::sendEvent(view_->viewport(), &event);
        return view_->viewport()->toolTip();
    };
    EXPECT_TRUE(tip(0).contains(u"[5] listening on port 40005"_s)) << qPrintable(tip(0));
    EXPECT_TRUE(tip(1).contains(u"Not by rank(s) 6."_s)) << qPrintable(tip(1));
}

TEST_F(FoldedView, ALargeLogIsFoldedOnAnotherThread) {
    constexpr int kSteps = 4000;
    for (int step = 0; step < kSteps; ++step) {
        print_all("step " + std::to_string(step) + " done", step == 2000 ? 1 : -1);
    }
    rows_->refresh();
    ASSERT_TRUE(wait_until([&] { return rows_->count() == kSteps; })) << rows_->count();
    EXPECT_EQ(row(2000), "[0,2-7] step 2000 done");
    LineChoice node{.whose = LineChoice::Whose::Node, .node = "n", .ranks = {true, true}};
    node.folded = true;
    rows_->choose(node);
    ASSERT_TRUE(wait_until([&] { return rows_->count() == kSteps; }));
    EXPECT_EQ(row(2000), "[0] step 2000 done");
    rows_->choose({});
    ASSERT_TRUE(wait_until([&] { return rows_->count() == kSteps * 8 - 1; }));
}

}  // namespace
}  // namespace rankscope::gui
