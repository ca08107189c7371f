// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// No content makes the window higher than the screen; what matters has room in the smallest ones.

#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/live/stage_strip.h>
#include <gui/logview/log_view.h>
#include <gui/plot/metric_plot.h>
#include <gui/widgets/fitting_scroll.h>

#include <tests/gui/pages_fixture.h>

#include <QScrollBar>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace rankscope::gui::testing {
namespace {

using Page = MainWindow::Page;
constexpr std::array kPages{Page::Fleet, Page::Launch, Page::Doctor, Page::Live, Page::Runs, Page::Logs};
constexpr int kLeast = 480;
constexpr QSize kSmall(1280, 800);
constexpr QSize kScaled(1920 / 2, 1080 / 2 - 40);  ///< a maximised window at scale 2, without its title bar

class WindowFits : public Pages {
protected:
    void SetUp() override {
        QSettings().clear();
        fill_store({{.name = "first", .id = "a"}, {.name = "second", .id = "b"}});
        open();
    }
    void TearDown() override {
        window_.reset();
        QSettings().clear();
    }
    LivePage* live() { return window_->live_page(); }
    /// A run that trains with a verdict and two notices, and the tabs of two stored ones.
    void open_bad_day() {
        for (const char* id : {"a", "b"}) {
            const auto record = window_->workspace()->store()->run(id);
            ASSERT_TRUE(record.ok());
            window_->open_run(*record);
            ASSERT_TRUE(wait_until(
                [&] { return window_->page() == Page::Live && live()->shown()->state().run_id == id; }));
        }
        RunSession* session = window_->workspace()->session();
        session->model()->reset(synthetic_data(run_));
        live()->show_session();
        window_->show_page(Page::Live);
        const std::int64_t now = session->model()->state().last_us + 20'000'000;
        session->model()->apply(
            {Event{0, now, "", -1, synthetic_verdict(run_, VerdictPhase::Live, run_.start_us)}});
        emit session->stateChanged();
        QCoreApplication::processEvents();
    }
    /// Of the page below its frame.
    QRect place_of(QWidget* widget) { return {widget->mapTo(window_.get(), QPoint()), widget->size()}; }
    void expect_in_window(const char* name) {
        auto* widget = find<QWidget>(name);
        EXPECT_TRUE(widget->isVisible()) << name;
        EXPECT_TRUE(window_->rect().contains(place_of(widget)))
            << name << " ends at " << place_of(widget).bottom();
    }

    SyntheticRun run_{.name = "live",
                      .id = "c",
                      .ranks = 4,
                      .nodes = {"node1", "node2"},
                      .until = 0.5,
                      .fate = Fate::Running,
                      .notices = true,
                      .gpus = 0};
};

TEST_F(WindowFits, NoPageNeedsMoreThanTheLeastHeight) {
    open_bad_day();
    for (const Page page : kPages) {
        window_->show_page(page);
        QCoreApplication::processEvents();
        EXPECT_LE(window_->minimumSizeHint().height(), kLeast) << int(page);
        EXPECT_LE(window_->centralWidget()->minimumSizeHint().height(), kLeast) << int(page);
    }
}

TEST_F(WindowFits, AVerdictDoesNotMakeTheWindowHigher) {
    for (const QSize size : {kSmall, kScaled}) {
        window_.reset();
        open();
        window_->resize(size);
        ASSERT_EQ(window_->size(), size) << "what is there needs no more";
        open_bad_day();
        auto* card = find<FailureBanner>("failureBanner");
        EXPECT_TRUE(wait_until([&] { return card->isVisible(); }));
        click(find<QPushButton>("failureWhy"));
        click(find<QPushButton>("noticesButton"));
        EXPECT_TRUE(wait_until([&] { return find<QWidget>("noticeList")->isVisible(); }));
        for (const Page page : kPages) {
            window_->show_page(page);
            QCoreApplication::processEvents();
            EXPECT_EQ(window_->size(), size) << int(page);
        }
        window_->show_page(Page::Live);
        const auto* slot = find<FittingScroll>("cardSlot");
        EXPECT_TRUE(wait_until([&] { return slot->height() <= live()->height() * 3 / 10 + 1; }))
            << "the rest of the cards scrolls";
    }
}

TEST_F(WindowFits, CurvesAndLogHaveRoomNextToAVerdict) {
    window_->resize(kSmall);
    open_bad_day();
    auto* log = live()->log()->view();
    const auto lines = [&] {
        return log->viewport()->height() / std::max(log->row_rect(log->first_visible_row()).height(), 1);
    };
    EXPECT_TRUE(wait_until([&] { return live()->plot()->height() >= 200 && lines() >= 12; }))
        << "curves of " << live()->plot()->height() << " pixels, " << lines() << " lines of the log";
    expect_in_window("rankTable");
    expect_in_window("logView");
    expect_in_window("noticesButton");
    EXPECT_TRUE(find<QPushButton>("noticesButton")->text().startsWith(u"3 "_s))
        << ss(find<QPushButton>("noticesButton")->text());
}

TEST_F(WindowFits, TheStagesAreALineOnceTheRunTrains) {
    window_->show_page(Page::Live);
    auto* stages = find<StageStrip>("stageStrip");
    live()->show_stored(starting_data(run_, {1}));
    QCoreApplication::processEvents();
    const int high = stages->sizeHint().height();
    live()->show_stored(synthetic_data(run_));
    EXPECT_TRUE(wait_until([&] {
        return stages->sizeHint().height() <= stages->fontMetrics().height() + 4 &&
               stages->sizeHint().height() + 8 < high;
    })) << stages->sizeHint().height()
        << " after " << high;
}

TEST_F(WindowFits, ACardShowsWhyWhereThereIsRoom) {
    window_->resize(1600, 1050);
    open_bad_day();
    EXPECT_TRUE(find<QWidget>("failureText")->isVisible());
    window_->resize(kSmall);
    EXPECT_TRUE(wait_until([&] { return !find<QWidget>("failureText")->isVisible(); }));
    click(find<QPushButton>("failureWhy"));
    EXPECT_TRUE(find<QWidget>("failureText")->isVisible()) << "the user wants to know";
    QCoreApplication::processEvents();
    click(find<QPushButton>("failureWhy"));
    EXPECT_FALSE(find<QWidget>("failureText")->isVisible());
}

TEST(FittingScroll, ScrollsAPageThatNeedsMoreAndShowsWhatTheKeyboardGoesTo) {
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    QPushButton* last = nullptr;
    for (int i = 0; i < 40; ++i) {
        last = new QPushButton(QString::number(i));
        layout->addWidget(last);
    }
    QWidget window;
    auto* around = new QVBoxLayout(&window);
    auto* scroll = new FittingScroll(FittingScroll::Kind::Page, page, &window);
    around->addWidget(scroll);
    window.resize(400, 300);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    EXPECT_EQ(window.height(), 300);
    EXPECT_GT(scroll->verticalScrollBar()->maximum(), 0);
    last->setFocus();
    const auto in_view = [&] {
        return scroll->viewport()->rect().contains(last->mapTo(scroll->viewport(), last->rect().center()));
    };
    EXPECT_TRUE(wait_until(in_view));
    window.resize(400, 3000);
    EXPECT_TRUE(wait_until([&] { return scroll->verticalScrollBar()->maximum() == 0; }));
    EXPECT_EQ(page->height(), scroll->viewport()->height()) << "a page has all of the room";
}

TEST(FittingScroll, TextThatWrapsNeedsNoMoreThanItsLines) {
    QWidget page;
    auto* layout = new QVBoxLayout(&page);
    auto* label = new QLabel(u"word "_s.repeated(60));
    label->setWordWrap(true);
    layout->addWidget(label);
    auto* large = new QWidget;  // wants much, needs little
    large->setMinimumHeight(40);
    auto* inner = new QVBoxLayout(large);
    inner->addWidget(new QWidget, 1);
    layout->addWidget(large, 1);
    EXPECT_GT(least_height(page, 200), least_height(page, 800));
    EXPECT_LT(least_height(page, 800), 200);
}

}  // namespace
}  // namespace rankscope::gui::testing
