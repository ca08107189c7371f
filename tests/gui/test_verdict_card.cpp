// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What Live says while a run goes wrong, and after it did.

#include <gui/app/main_window.h>
#include <gui/doctor/doctor_page.h>
#include <gui/doctor/pair_matrix.h>
#include <gui/launch/launch_page.h>
#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/logview/log_view.h>
#include <gui/style/theme.h>
#include <gui/texts.h>

#include <tests/gui/pages_fixture.h>

#include <QItemSelectionModel>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
const SyntheticRun kRun{.ranks = 8, .nodes = {"node1", "node2"}, .until = 0.3, .fate = Fate::Running};

class VerdictCard : public Pages {
protected:
    void SetUp() override {
        open();
        window_->resize(1400, 1000);  // a card shows all of itself
        window_->show_page(MainWindow::Page::Live);
        session()->model()->reset(synthetic_data(kRun));
        window_->live_page()->show_session();
    }
    RunSession* session() { return window_->workspace()->session(); }
    void report(std::int64_t after_s, const Verdict& verdict) {
        const std::int64_t now = session()->model()->state().last_us + after_s * kSecond;
        session()->model()->apply({Event{0, now, "", -1, verdict}});
        emit session()->stateChanged();
    }
    FailureBanner* card() { return window_->live_page()->banner(); }
    QString title() { return find<QLabel>("failureTitle")->text(); }
};

TEST_F(VerdictCard, AppearsWhileTheVerdictHoldsAndLeaves) {
    EXPECT_FALSE(card()->isVisible());
    report(20, synthetic_verdict(kRun, VerdictPhase::Live, kRun.start_us));
    ASSERT_TRUE(card()->isVisible());
    EXPECT_TRUE(title().contains(u"Rank 1 on node1"_s));
    const QString text = find<QLabel>("failureText")->text();
    EXPECT_TRUE(text.contains(u"7 ranks wait: 0, 2–7"_s)) << qPrintable(text);
    EXPECT_TRUE(text.contains(u"confidence 70"_s)) << qPrintable(text);
    EXPECT_TRUE(title().startsWith(u"Probably: "_s)) << qPrintable(title());
    EXPECT_TRUE(find<QTextBrowser>("failureLines")->toPlainText().contains(u"train.py"_s));
    EXPECT_TRUE(find<QLabel>("failureRemedy")->text().contains(u"NFS server"_s));
    EXPECT_TRUE(window_->live_page()->shown()->data().diagnoses.empty()) << "it has not failed";
    click(find<QPushButton>("failureLog"));
    EXPECT_EQ(find<QTableView>("rankTable")->selectionModel()->selectedRows().size(), 1);

    report(10, synthetic_verdict(kRun, VerdictPhase::Over, kRun.start_us));
    EXPECT_TRUE(card()->isVisible());
    EXPECT_TRUE(title().startsWith(u"Over after"_s)) << "there is time to read that it is over";
    EXPECT_TRUE(title().contains(u"rank 1 on node1 made no progress"_s)) << qPrintable(title());
    EXPECT_FALSE(find<QTextBrowser>("failureLines")->isVisible());
    session()->model()->apply({Event{0, session()->model()->state().last_us + 30 * kSecond, "node1", 0,
                                     MetricEvent{200, 1, {{"loss", 0.1}}, {}}}});
    emit session()->stateChanged();
    EXPECT_FALSE(card()->isVisible());
}

// A card of another kind takes other colours, and writes its lines in them before it has looked for them in the log.
TEST_F(VerdictCard, MoreLinesInOtherColours) {
    const auto lines = [](int count) {
        std::vector<ReportLine> made;
        for (int i = 0; i < count; ++i) {
            made.push_back(
                {.text = u"line "_s + QString::number(i), .raw = "line " + std::to_string(i), .rank = 1});
        }
        return made;
    };
    const LogStore log;
    for (const int count : {2, 40, 4000}) {
        for (const ReportKind kind : {ReportKind::Slow, ReportKind::End, ReportKind::Over}) {
            const int number = count + int(kind);
            card()->set_report({.kind = kind, .key = "fault", .title = u"A fault"_s, .lines = lines(number)},
                               log);
            EXPECT_TRUE(find<QTextBrowser>("failureLines")
                            ->toPlainText()
                            .endsWith(u"line "_s + QString::number(number - 1)));
        }
    }
}

TEST_F(VerdictCard, ANewSentenceOfADismissedVerdictStaysDismissed) {
    Verdict verdict = synthetic_verdict(kRun, VerdictPhase::Live, kRun.start_us);
    report(20, verdict);
    click(find<QPushButton>("failureDismiss"));
    EXPECT_FALSE(card()->isVisible());
    verdict.title += " For 60 s.";
    report(10, verdict);
    EXPECT_FALSE(card()->isVisible());
    EXPECT_TRUE(card()->is_dismissed());
    verdict.rank = 3;  // another one
    verdict.confidence = 0.9;
    report(10, verdict);
    EXPECT_TRUE(card()->isVisible());
    EXPECT_TRUE(find<QLabel>("failureText")->text().contains(u"Also: Probably: Rank 1"_s));
}

TEST_F(VerdictCard, ThePillOfTheRunShowsItWhileItHolds) {
    auto* pill = find<QLabel>("runOutcome");
    const auto color = [pill] { return pill->property("pillColor").value<QColor>(); };
    const ThemeColors colors = theme_colors(window_->palette());
    Verdict verdict = synthetic_verdict(kRun, VerdictPhase::Live, kRun.start_us);
    report(1, verdict);
    EXPECT_EQ(pill->text(), u"rank 1 hangs"_s);
    EXPECT_EQ(color(), colors.bad);
    EXPECT_TRUE(pill->toolTip().contains(u"the NFS server 10.0.0.9 does not answer"_s));
    EXPECT_FALSE(find<QLabel>("runRate")->isVisible()) << "no steps arrive";
    verdict.phase = VerdictPhase::Over;
    report(1, verdict);
    EXPECT_EQ(pill->text(), u"running"_s);
    EXPECT_NE(color(), colors.bad);
    EXPECT_TRUE(pill->toolTip().isEmpty());

    Verdict slow;
    slow.id = "rank-slow";
    slow.rank = 3;
    slow.title = "Rank 3 on node1 is slower than the others.";
    slow.phase = VerdictPhase::Live;
    report(1, slow);
    EXPECT_EQ(pill->text(), u"rank 3 slow"_s);
    EXPECT_EQ(color(), colors.warning) << "the run continues";
    EXPECT_EQ(card()->property("role").toString(), u"warningBanner"_s) << "as the pill";
    EXPECT_TRUE(find<QLabel>("rankSummary")->text().contains(u"rank 3: slow"_s)) << "as the strip";
    verdict.phase = VerdictPhase::Live;
    verdict.id = "rank-stopped";
    verdict.reason = "stopped";
    report(30, verdict);
    EXPECT_EQ(pill->text(), u"rank 1 stopped"_s) << "what holds the run, before what slows it";
    slow.phase = VerdictPhase::Over;
    report(0, slow);
    EXPECT_EQ(pill->text(), u"rank 1 stopped"_s) << "also where it would be stalled";
    EXPECT_EQ(color(), colors.bad) << "the others wait, though the run has not ended";
    verdict.phase = VerdictPhase::Over;
    report(0, verdict);
    EXPECT_TRUE(pill->text().startsWith(u"stalled for"_s)) << qPrintable(pill->text());
}

TEST_F(VerdictCard, ALineOfTheLogIsOneClickAway) {
    const LogStore& log = session()->model()->data().log;
    const std::string of_rank_1 = log.lines_of(1, 100).at(0).text;
    const std::string of_rank_3 = log.lines_of(3, 100).at(1).text;
    Verdict verdict = synthetic_verdict(kRun, VerdictPhase::Live, kRun.start_us);
    verdict.evidence = {{"", 0, of_rank_1},
                        {"", 0, "pid 4242: state D"},
                        {"logs/rank3.log", 2, of_rank_3},
                        {"job.yaml", 1, "nodes: [node1]"}};
    report(10, verdict);
    auto* lines = find<QTextBrowser>("failureLines");
    LogPane* pane = window_->live_page()->log();
    const auto place = [&](int line) {
        QTextCursor cursor(lines->document()->findBlockByNumber(line));
        cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, 3);
        return lines->cursorRect(cursor).center();
    };
    const auto selected = [&] { return ss(pane->view()->selected_text()); };
    EXPECT_FALSE(lines->anchorAt(place(0)).isEmpty());
    EXPECT_TRUE(lines->anchorAt(place(1)).isEmpty()) << "it has no place";
    EXPECT_TRUE(lines->anchorAt(place(3)).isEmpty()) << "of another file";
    QTest::mouseClick(lines->viewport(), Qt::LeftButton, {}, place(1));
    EXPECT_EQ(selected(), "");

    pane->show_rank(5);
    QTest::mouseClick(lines->viewport(), Qt::LeftButton, {}, place(0));
    EXPECT_EQ(pane->shown_rank(), 1);
    EXPECT_NE(selected().find(of_rank_1), std::string::npos) << selected();
    EXPECT_TRUE(pane->view()->hasFocus());
    EXPECT_FALSE(find<QToolButton>("logFollow")->isChecked());
    const std::uint32_t row = pane->rows()->row_of(pane->view()->current_line().value_or(0));
    EXPECT_TRUE(pane->view()->viewport()->rect().intersects(pane->view()->row_rect(row)));

    pane->show_rank(-1);
    lines->setFocus();
    for (int i = 0; i < 2; ++i) {
        QTest::keyClick(lines, Qt::Key_Tab);
    }
    QTest::keyClick(lines, Qt::Key_Return);
    EXPECT_EQ(pane->shown_rank(), -1) << "it is in the log of all";
    EXPECT_NE(selected().find("[3]"), std::string::npos) << selected();
    EXPECT_NE(selected().find(of_rank_3), std::string::npos) << selected();
}

TEST_F(VerdictCard, EvidenceBeginsWithItsFirstLineAndLastLinesEndWithTheLast) {
    const auto at_end = [&](bool evidence) {
        LiveData data = synthetic_data({.id = evidence ? "a" : "b", .until = 0.3, .fate = Fate::Killed});
        data.diagnoses.clear();
        data.state.end->culprit.last_lines.assign(30, "  File \"train.py\"");
        if (evidence) {
            Verdict verdict = synthetic_verdict(kRun, VerdictPhase::End, kRun.start_us);
            verdict.evidence.assign(1, {"rank1.log", 7, "NCCL WARN it broke"});
            data.diagnoses.push_back(verdict);
        }
        window_->live_page()->show_stored(std::move(data));
    };
    auto* bar = find<QTextBrowser>("failureLines")->verticalScrollBar();
    at_end(true);
    EXPECT_TRUE(wait_until([&] { return bar->maximum() > 0 && bar->value() == 0; })) << bar->value();
    at_end(false);
    EXPECT_TRUE(wait_until([&] { return bar->value() > 0 && bar->value() == bar->maximum(); }))
        << "the exception stands last";

    Verdict verdict = synthetic_verdict(kRun, VerdictPhase::Live, kRun.start_us);
    verdict.evidence.assign(30, {"", 0, "pid 4242: state D"});
    window_->live_page()->show_session();
    report(10, verdict);
    EXPECT_TRUE(wait_until([&] { return bar->maximum() > 0 && bar->value() == 0; })) << bar->value();
}

TEST_F(VerdictCard, ALineThatArrivesLaterCanBeClickedThen) {
    Verdict verdict = synthetic_verdict(kRun, VerdictPhase::Live, kRun.start_us);
    verdict.evidence = {{"", 0, "RuntimeError: it broke"}};
    report(10, verdict);
    auto* lines = find<QTextBrowser>("failureLines");
    const auto anchor = [&] {
        return lines->document()->firstBlock().begin().fragment().charFormat().anchorHref();
    };
    EXPECT_TRUE(anchor().isEmpty());
    session()->model()->apply({Event{0, session()->model()->state().last_us, "node1", 1,
                                     LogEvent{true, "  RuntimeError: it broke\n"}}});
    emit session()->stateChanged();
    EXPECT_FALSE(anchor().isEmpty());
}

TEST_F(VerdictCard, ANoticeThatRepeatsItIsNotShown) {
    const auto notice = [&](FailureId id, int rank, const char* title) {
        const std::int64_t now = session()->model()->state().last_us + kSecond;
        session()->model()->apply(
            {Event{0, now, "node1", rank, NoticeEvent{.id = id, .title = title, .fix = {"kill -CONT 42"}}}});
        emit session()->stateChanged();
    };
    auto* list = find<QWidget>("noticeList");
    auto* view = find<QPlainTextEdit>("noticeText");
    notice("disk-full", -1, "The disk is full.");
    notice("rank-stopped", 1, "Rank 1 on node1 was stopped by signal 19.");
    EXPECT_TRUE(view->toPlainText().contains(u"stopped by signal"_s)) << "nothing else reports it yet";
    Verdict verdict = synthetic_verdict(kRun, VerdictPhase::Live, kRun.start_us);
    verdict.reason = "stopped";
    report(10, verdict);
    EXPECT_FALSE(view->toPlainText().contains(u"stopped by signal"_s));
    EXPECT_TRUE(view->toPlainText().contains(u"The disk is full"_s));
    EXPECT_TRUE(window_->live_page()->log()->view()->shown_text().contains(u"stopped by signal 19"_s))
        << "the log keeps it";
    auto* counter = find<QPushButton>("noticesButton");
    click(counter);
    EXPECT_TRUE(list->isVisible());
    click(find<QPushButton>("noticeDismiss"));
    EXPECT_FALSE(list->isVisible());
    notice("rank-stopped", 1, "Rank 1 on node1 was stopped by signal 20.");
    EXPECT_FALSE(counter->font().bold()) << "nothing new to read";
    notice("rank-stopped", 2, "Rank 2 on node1 was stopped by signal 20.");
    EXPECT_TRUE(counter->font().bold()) << "another rank";
}

TEST_F(VerdictCard, ShowsTheDirectionsInDoctorAndItsFixes) {
    Verdict verdict;
    verdict.id = "gloo-ports-blocked";
    verdict.title = "node1 cannot reach node2 port 43217.";
    verdict.node = "node2";
    verdict.phase = VerdictPhase::Live;
    verdict.pairs = {{"node1", "node2"}};
    verdict.fixes = {
        {.node = "node2", .command = "open the port", .undo = "close it", .needs_root = true, .job = {}},
        {.job = {{"master_port", "0"}}}};
    verdict.fix = {"node2: open the port"};
    report(15, verdict);
    ASSERT_TRUE(card()->isVisible());
    EXPECT_FALSE(find<QLabel>("failureRemedy")->isVisible()) << "it has a row with buttons";
    EXPECT_EQ(card()->findChildren<QLabel*>(u"fixText"_s).size(), 2);
    click(find<QPushButton>("failureNode"));
    EXPECT_EQ(find<QTableView>("rankTable")->selectionModel()->selectedRows().size(), 4);
    click(find<QPushButton>("failurePairs"));
    EXPECT_EQ(window_->page(), MainWindow::Page::Doctor);
    const PairMatrix* matrix = window_->doctor_page()->matrix();
    ASSERT_TRUE(wait_until([&] { return matrix->grid().size() > 1; }));
    EXPECT_EQ(matrix->grid().state(0, 1), PairState::Failed);
    EXPECT_EQ(matrix->grid().state(1, 0), PairState::Untested);
    EXPECT_EQ(matrix->current_to(), 1);
    // The job's fix: the run's job, with the key, in Launch.
    window_->show_page(MainWindow::Page::Live);
    const auto buttons = card()->findChildren<QPushButton*>(u"fixApply"_s);
    ASSERT_EQ(buttons.size(), 2);
    click(buttons.back());
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    EXPECT_EQ(window_->launch_page()->job().procs_per_node, 3) << "the job of the run";
}

TEST_F(VerdictCard, TheEndOfARunHasTheLastWord) {
    report(20, synthetic_verdict(kRun, VerdictPhase::Live, kRun.start_us));
    Verdict end = synthetic_verdict(kRun, VerdictPhase::End, kRun.start_us);
    end.fixes = {{.node = "node1", .command = "umount -l /data", .job = {}}};
    report(1, end);
    session()->model()->apply({Event{0, session()->model()->state().last_us + 1, "", -1,
                                     EndEvent{Outcome::Failed, 1, "the run hung", false, {}, {}}}});
    emit session()->stateChanged();
    EXPECT_EQ(card()->report().kind, ReportKind::End);
    EXPECT_EQ(card()->report().rank, 1);
    EXPECT_EQ(card()->report().fixes.size(), 1U);
}

TEST(RanksText, JoinsNeighbours) {
    EXPECT_EQ(ranks_text({}), QString());
    EXPECT_EQ(ranks_text({3}), u"3"_s);
    EXPECT_EQ(ranks_text({7, 0, 1, 2, 4, 5}), u"0–2, 4, 5, 7"_s);
}

}  // namespace
}  // namespace rankscope::gui::testing
