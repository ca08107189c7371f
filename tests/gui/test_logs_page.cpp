// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/failure_banner.h>
#include <gui/logs/line_context.h>
#include <gui/logs/logs_page.h>
#include <gui/nccl/map_view.h>
#include <gui/nccl/nccl_pane.h>

#include <tests/gui/pages_fixture.h>
#include <tests/gui/synthetic_nccl.h>

#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QGuiApplication>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTextBlock>
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
    auto* view = find<QPlainTextEdit>("lineContextView");
    ASSERT_TRUE(wait_until([&] { return !view->toPlainText().isEmpty(); }));
    const auto line = card()->report().lines[0].line;
    EXPECT_EQ(view->textCursor().block().text().trimmed(),
              QString::number(line) + u"  "_s +
                  QString::fromLatin1(kBadInterface).split(u'\n').at(qsizetype(line) - 1));
    EXPECT_EQ(view->blockCount(), 4);
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
    auto* view = find<QPlainTextEdit>("lineContextView");
    ASSERT_TRUE(wait_until([&] { return view->textCursor().block().text().contains(u"ens9"_s); }));
    EXPECT_GT(find<QTreeWidget>("logsTimeline")->topLevelItemCount(), 0);
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
