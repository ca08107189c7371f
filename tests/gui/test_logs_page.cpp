// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/failure_banner.h>
#include <gui/logs/file_log.h>
#include <gui/logs/logs_page.h>
#include <gui/logview/log_rows.h>
#include <gui/logview/log_view.h>
#include <gui/nccl/map_view.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/strings.h>
#include <gui/widgets/elided_label.h>

#include <tests/gui/pages_fixture.h>
#include <tests/gui/synthetic_nccl.h>

#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>

namespace rankscope::gui::testing {
namespace {

const char* const kBadInterface =
    "node-b:410:410 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ens9\n"
    "\n"
    "node-b:410:410 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found\n"
    "node-b:410:410 [0] NCCL INFO init.cc:82 -> 3\n";

class Logs : public Pages {
protected:
    void SetUp() override {
        open();
        click(find<QToolButton>("navLogs"));
        ASSERT_EQ(window_->page(), MainWindow::Page::Logs);
    }
    LogsPage* page() { return window_->logs_page(); }
    bool read() {
        return wait_until([&] { return !page()->data().reading() && page()->data().snapshot()->complete; });
    }
    FailureBanner* card() { return page()->findChild<FailureBanner*>(); }
    LogView* view() { return find<LogView>("fileLogView"); }
    /// Of the selected line.
    QString current_text() {
        const auto line = view()->current_line();
        return line ? qs(std::string(view()->rows()->store().text(*line).view())) : QString();
    }
};

TEST_F(Logs, AFileBecomesAVerdictWhoseLineIsShown) {
    EXPECT_TRUE(find<QWidget>("logsEmpty")->isVisible());
    const QString file = folder_.path() + u"/rank 1.log"_s;
    write(file, kBadInterface);
    page()->open({ss(file)});
    ASSERT_TRUE(read());
    EXPECT_FALSE(find<QProgressBar>("logsProgress")->isVisible());
    ASSERT_NE(card(), nullptr);
    EXPECT_TRUE(card()->isVisible());
    EXPECT_TRUE(card()->report().title.contains(u"NCCL_SOCKET_IFNAME"_s))
        << qPrintable(card()->report().title);
    ASSERT_FALSE(card()->report().lines.empty());
    EXPECT_EQ(card()->report().lines[0].file, "rank 1.log");
    // A click on the evidence leads to the line among the others.
    auto* evidence = child<QTextBrowser>(card(), "failureLines");
    emit evidence->anchorClicked(QUrl(u"0"_s));
    ASSERT_TRUE(wait_until([&] { return view()->current_line().has_value(); }));
    const auto line = card()->report().lines[0].line;
    EXPECT_EQ(view()->row_text(view()->rows()->row_of(*view()->current_line())),
              QString::number(line) + u"  "_s +
                  QString::fromLatin1(kBadInterface).split(u'\n').at(qsizetype(line) - 1));
    EXPECT_EQ(view()->rows()->count(), 4U);
    EXPECT_EQ(find<ElidedLabel>("fileLogTitle")->full_text(), u"rank 1.log, line %1"_s.arg(line));
    EXPECT_FALSE(find<QComboBox>("fileLogFile")->isVisible()) << "there is one file";
}

TEST_F(Logs, TheCauseIsWholeAndTheLinesHaveTheHeight) {
    window_->resize(1280, 800);
    const QString file = folder_.path() + u"/rank 1.log"_s;
    write(file, kBadInterface);
    page()->open({ss(file)});
    ASSERT_TRUE(read());
    auto* verdicts = find<QScrollArea>("logsVerdicts");
    EXPECT_TRUE(wait_until([&] {
        return verdicts->verticalScrollBar()->maximum() == 0 && card()->isVisible();
    })) << "what fixes it is out of view by "
        << verdicts->verticalScrollBar()->maximum();
    EXPECT_GE(view()->height(), page()->height() * 7 / 10);
    EXPECT_NEAR(double(find<QWidget>("fileLog")->width()) / page()->width(), 0.6, 0.06);
}

TEST_F(Logs, FilesOfOneFolderHaveShortNames) {
    for (const char* name : {"0.log", "1.log"}) {
        write(folder_.path() + u'/' + QString::fromLatin1(name), kBadInterface);
    }
    page()->open({ss(folder_.path() + u"/0.log"_s), ss(folder_.path() + u"/1.log"_s)});
    ASSERT_TRUE(read());
    EXPECT_EQ(page()->data().snapshot()->sources, (std::vector<std::string>{"0.log", "1.log"}));
}

TEST_F(Logs, DumpsOfTheFlightRecorderAmongLogsAreJudged) {
    const QString dumps = folder_.path() + u"/dumps"_s;
    const auto save = [&](const QString& what) {
        QDir(dumps).removeRecursively();
        ASSERT_TRUE(QDir().mkpath(dumps));
        for (const QString& rank : {u"0"_s, u"1"_s}) {
            const QString recorded =
                QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/flight_recorder/nccl-%1-%2.pickle")
                    .arg(what, rank);
            ASSERT_TRUE(QFile::copy(recorded, dumps + u"/nccl_trace_rank_"_s + rank));
        }
    };
    save(u"skipped"_s);
    page()->open({ss(dumps)});
    ASSERT_TRUE(read());
    ASSERT_NE(card(), nullptr);
    EXPECT_TRUE(card()->report().title.startsWith(u"Rank 1 has not entered all_reduce 5"_s))
        << qPrintable(card()->report().title);
    EXPECT_TRUE(card()->report().lines[1].text.contains(u".py:"_s)) << "the line of Python";
    auto* facts = find<QTreeWidget>("logsFacts");
    const auto of_rank = facts->findItems(u"Flight Recorder, rank 1"_s, Qt::MatchExactly);
    ASSERT_EQ(of_rank.size(), 1);
    EXPECT_TRUE(of_rank.front()->text(1).startsWith(
        u"4 collectives; the last: all_reduce [1024] Float of default_pg (4), ended; "_s))
        << qPrintable(of_rank.front()->text(1));
    EXPECT_TRUE(find<QLabel>("logsWhat")->text().endsWith(u"2 files, 0 lines, dumps of 2 ranks"_s))
        << qPrintable(find<QLabel>("logsWhat")->text());
    // Nothing is wrong where they agree.
    save(u"healthy"_s);
    page()->open({ss(dumps)});
    ASSERT_TRUE(read());
    EXPECT_TRUE(page()->data().snapshot()->verdicts.empty());
    EXPECT_EQ(find<QLabel>("logsSummary")->text(), u"Nothing in these logs points to a fault."_s);
}

TEST_F(Logs, EvidenceBeginsWithItsFirstLine) {
    const QString file = folder_.path() + u"/all.log"_s;
    write(file, kBadInterface);
    page()->open({ss(file)});
    ASSERT_TRUE(read());
    ASSERT_NE(card(), nullptr);
    Verdict verdict = page()->data().snapshot()->verdicts.front();
    for (int line = 1; line <= 40; ++line) {
        verdict.evidence.push_back({"rank 1.log", line, "line " + std::to_string(line)});
    }
    card()->set_verdict(verdict, true);
    auto* evidence = child<QTextBrowser>(card(), "failureLines");
    const auto* bar = evidence->verticalScrollBar();
    ASSERT_TRUE(wait_until([&] { return bar->maximum() > 0 && bar->value() == 0; })) << bar->value();
    EXPECT_EQ(evidence->textCursor().position(), 0);
    // Other colours write the lines again: the user's place in them stays.
    evidence->verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
    const int scrolled = evidence->verticalScrollBar()->value();
    EXPECT_GT(scrolled, 0);
    QEvent colours(QEvent::PaletteChange);
    QCoreApplication::sendEvent(card(), &colours);
    EXPECT_EQ(evidence->verticalScrollBar()->value(), scrolled);
}

TEST_F(Logs, AllFilesCanBeSearchedAndEachShownAlone) {
    ASSERT_TRUE(QDir(folder_.path()).mkpath(u"ranks"_s));
    write(folder_.path() + u"/ranks/0.log"_s, "start\n\nneedle of zero\nend");
    write(folder_.path() + u"/ranks/1.log"_s, "start\n10 %\r50 %\r100 %\nneedle of one\n");
    page()->open({ss(folder_.path() + u"/ranks"_s)});
    ASSERT_TRUE(read());
    ASSERT_TRUE(wait_until([&] { return view()->rows()->count() == 7; })) << view()->rows()->count();
    EXPECT_EQ(view()->row_text(1), u"2  "_s) << "an empty line is one";
    EXPECT_EQ(view()->row_text(3), u"4  end"_s);
    EXPECT_EQ(view()->row_text(5), u"2  100 %"_s) << "what a progress bar left";
    auto* files = find<QComboBox>("fileLogFile");
    ASSERT_TRUE(files->isVisible());
    ASSERT_EQ(files->count(), 3);
    EXPECT_EQ(files->itemText(2), u"ranks/1.log"_s);
    auto* edit = page()->findChild<QLineEdit*>(u"logSearch"_s);
    ASSERT_NE(edit, nullptr);
    edit->setText(u"needle"_s);
    ASSERT_TRUE(wait_until([&] { return view()->rows()->matches() == 2; }));
    ASSERT_TRUE(wait_until([&] { return current_text() == u"needle of zero"_s; }));
    EXPECT_EQ(find<ElidedLabel>("fileLogTitle")->full_text(), u"ranks/0.log, line 3"_s);
    click(page()->findChild<QToolButton*>(u"logNext"_s));
    EXPECT_EQ(find<ElidedLabel>("fileLogTitle")->full_text(), u"ranks/1.log, line 3"_s);
    edit->clear();
    files->setCurrentIndex(2);
    emit files->activated(2);
    ASSERT_TRUE(wait_until([&] { return view()->rows()->count() == 3; }));
    auto* log = page()->findChild<FileLog*>(u"fileLog"_s);
    log->show_line(0, 4);
    ASSERT_TRUE(wait_until([&] { return current_text() == u"end"_s; })) << "another file than the chosen one";
    EXPECT_EQ(files->currentIndex(), 0);
    log->show_line(0, 5);
    EXPECT_FALSE(log->lines().line_of(0, 5).has_value()) << "the file has four";
    EXPECT_TRUE(find<QLabel>("fileLogNote")->isVisible());
    EXPECT_TRUE(find<QLabel>("fileLogNote")->text().contains(u"was not read"_s));
    log->show_line(0, 4);
    EXPECT_TRUE(wait_until([&] { return !find<QLabel>("fileLogNote")->isVisible(); }));
    EXPECT_FALSE(log->lines().line_of(7, 1).has_value());
    EXPECT_FALSE(log->lines().line_of(0, 0).has_value());
}

TEST_F(Logs, AFilterLeavesALineThatIsAskedFor) {
    const QString file = folder_.path() + u"/all.log"_s;
    write(file, "one\ntwo\nthree\n");
    page()->open({ss(file)});
    ASSERT_TRUE(read());
    auto* edit = page()->findChild<QLineEdit*>(u"logSearch"_s);
    edit->setText(u"three"_s);
    click(page()->findChild<QToolButton*>(u"logOnlyMatches"_s));
    ASSERT_TRUE(wait_until([&] { return view()->rows()->count() == 1; }));
    page()->findChild<FileLog*>(u"fileLog"_s)->show_line(0, 1);
    ASSERT_TRUE(wait_until([&] { return current_text() == u"one"_s; }));
    EXPECT_EQ(view()->rows()->count(), 3U);
    click(page()->findChild<QToolButton*>(u"logOnlyMatches"_s));
}

TEST_F(Logs, ALineIsSelectedHoweverEarlyItIsAskedFor) {
    const QString first = folder_.path() + u"/first.log"_s;
    const QString second = folder_.path() + u"/second.log"_s;
    write(first, "one\ntwo\nthree\n");
    std::string many = "asked for\n";
    for (int i = 0; i < 20'000; ++i) {
        many += "line " + std::to_string(i) + "\n";
    }
    write(second, many);
    auto* log = page()->findChild<FileLog*>(u"fileLog"_s);
    for (int i = 0; i < 4; ++i) {
        page()->open({ss(first)});
        ASSERT_TRUE(read());
        page()->open({ss(second)});
        if (i % 2 == 1) {
            ASSERT_TRUE(read());
        }
        log->show_line(0, 1);
        ASSERT_TRUE(wait_until([&] { return view()->rows()->count() == 20'001; }));
        EXPECT_TRUE(wait_until([&] { return current_text() == u"asked for"_s; })) << i;
        EXPECT_EQ(view()->first_visible_row(), 0U);
    }
}

TEST_F(Logs, ShownLinesAreSaved) {
    const QString file = folder_.path() + u"/all.log"_s;
    write(file, "one\ntwo\n");
    page()->open({ss(file)});
    ASSERT_TRUE(read());
    ASSERT_TRUE(wait_until([&] { return view()->rows()->count() == 2; }));
    view()->show_row(1);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(), view()->mapToGlobal(QPoint()));
    QCoreApplication::sendEvent(view(), &event);
    auto* menu = view()->findChild<QMenu*>(u"logMenu"_s);
    ASSERT_NE(menu, nullptr);
    child<QAction>(menu, "fileLogSave")->trigger();
    menu->close();
    auto* dialog = page()->findChild<QFileDialog*>(u"fileLogSaveDialog"_s);
    ASSERT_NE(dialog, nullptr);
    const QString path = folder_.path() + u"/saved.log"_s;
    emit dialog->fileSelected(path);
    dialog->close();
    EXPECT_TRUE(wait_until([&] {
        QFile saved(path);
        return saved.open(QIODevice::ReadOnly) && saved.readAll() == QByteArray("one\ntwo\n");
    }));
    EXPECT_TRUE(wait_until([&] { return find<QLabel>("fileLogNote")->isVisible(); }));
}

TEST_F(Logs, CtrlFSearchesInTheLines) {
    const QString file = folder_.path() + u"/all.log"_s;
    write(file, "one\ntwo\n");
    page()->open({ss(file)});
    ASSERT_TRUE(read());
    view()->setFocus();
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);
    EXPECT_TRUE(wait_until([&] { return page()->findChild<QLineEdit*>(u"logSearch"_s)->hasFocus(); }));
}

TEST_F(Logs, TimelineAndFactsLeadToTheirLines) {
    const QString file = folder_.path() + u"/all.log"_s;
    write(file, nccl_log({.nodes = 1, .gpus = 2}) + kBadInterface);
    page()->open({ss(file)});
    ASSERT_TRUE(read());
    auto* facts = find<QTreeWidget>("logsFacts");
    QTreeWidgetItem* setting = nullptr;
    for (int i = 0; i < facts->topLevelItemCount(); ++i) {
        if (facts->topLevelItem(i)->text(0) == u"NCCL_SOCKET_IFNAME"_s) {
            setting = facts->topLevelItem(i);
        }
    }
    ASSERT_NE(setting, nullptr);
    EXPECT_EQ(setting->text(1), u"ens9"_s);
    emit facts->itemActivated(setting, 0);
    ASSERT_TRUE(wait_until([&] { return current_text().contains(u"ens9"_s); }));
    EXPECT_GT(find<QTreeWidget>("logsTimeline")->topLevelItemCount(), 0);
    auto* tabs = find<QTabWidget>("logsTabs");
    EXPECT_TRUE(tabs->isTabVisible(tabs->indexOf(facts)));
    auto* map = page()->findChild<MapView*>(u"ncclMap"_s);
    EXPECT_TRUE(wait_until([&] { return map->picture() && map->picture()->comm().nranks == 2; }));
}

TEST_F(Logs, PastedAndDroppedTextsAreRead) {
    QGuiApplication::clipboard()->setText(QString::fromLatin1(kBadInterface));
    click(find<QPushButton>("logsPaste"));
    ASSERT_TRUE(read());
    ASSERT_NE(card(), nullptr);
    EXPECT_EQ(page()->data().snapshot()->sources, std::vector<std::string>{"pasted text"});

    const QString file = folder_.path() + u"/none.log"_s;
    write(file, "epoch 1 loss 0.5\n");
    QMimeData dropped;
    dropped.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(page(), &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(page(), &drop);
    ASSERT_TRUE(read());
    ASSERT_EQ(page()->data().snapshot()->sources, std::vector<std::string>{"none.log"});
    EXPECT_TRUE(wait_until([&] { return card() == nullptr; }));
    EXPECT_TRUE(find<QLabel>("logsSummary")->text().startsWith(u"Nothing in these logs"_s));
    EXPECT_EQ(child<QLabel>(page(), "ncclEmptyTitle")->text(), u"NCCL printed nothing"_s);
    auto* tabs = find<QTabWidget>("logsTabs");
    EXPECT_FALSE(tabs->isTabVisible(tabs->indexOf(find<QTreeWidget>("logsFacts")))) << "it is empty";
    EXPECT_TRUE(tabs->isTabVisible(tabs->indexOf(find<QTreeWidget>("logsTimeline")))) << "a step is there";
}

TEST_F(Logs, TextThatCannotBeKeptIsNoCleanLog) {
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", QFile::encodeName(folder_.path() + u"/absent"_s));
    page()->open_text(qs(kBadInterface));
    ASSERT_TRUE(wait_until([&] { return window_->findChild<QMessageBox*>(u"logsNotPasted"_s) != nullptr; }));
    qputenv("TMPDIR", before);
    EXPECT_TRUE(find<QMessageBox>("logsNotPasted")->text().contains(u"absent"_s));
    EXPECT_FALSE(page()->data().reading());
    EXPECT_FALSE(page()->data().snapshot()->complete) << "nothing was read, so nothing is said of it";
    find<QMessageBox>("logsNotPasted")->close();
}

TEST_F(Logs, AReadingCanBeCancelled) {
    const QString file = folder_.path() + u"/large.log"_s;
    {
        std::ofstream out(ss(file));
        const std::string block = nccl_log({.nodes = 8, .gpus = 8});
        for (int i = 0; i < 300; ++i) {
            out << block;
        }
    }
    page()->open({ss(file)});
    ASSERT_TRUE(wait_until([&] { return find<QProgressBar>("logsProgress")->maximum() > 0; }));
    EXPECT_TRUE(find<QPushButton>("logsCancel")->isVisible());
    click(find<QPushButton>("logsCancel"));
    ASSERT_TRUE(read());
    const auto& remarks = page()->data().snapshot()->remarks;
    EXPECT_TRUE(std::any_of(remarks.begin(), remarks.end(), [](const logs::Remark& remark) {
        return remark.kind == logs::RemarkKind::Stopped;
    }));
}

}  // namespace
}  // namespace rankscope::gui::testing
