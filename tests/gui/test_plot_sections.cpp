// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_choice.h>
#include <gui/live/metric_area.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/panel_menu.h>
#include <gui/plot/plot_sections.h>
#include <gui/plot/section_header.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QInputDialog>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <algorithm>
#include <memory>

namespace rankscope::gui::testing {
namespace {

using Names = std::vector<std::string>;

const Names kNames{"loss",     "train/acc", "val_loss",       "t_step_ms", "lr",
                   "train/lr", "t_data_ms", "=loss@mean + 1", "val/f1",    "odd/"};

std::vector<std::pair<QString, Names>> titled(const std::vector<PanelSection>& sections) {
    std::vector<std::pair<QString, Names>> titles;
    for (const PanelSection& section : sections) {
        titles.emplace_back(section.title, section.names);
    }
    return titles;
}

TEST(PanelSections, FollowTheNamesOfMetrics) {
    const std::vector<std::pair<QString, Names>> expected{
        {u"General"_s, {"loss", "lr", "=loss@mean + 1", "odd/"}},
        {u"train"_s, {"train/acc", "train/lr"}},
        {u"Validation"_s, {"val_loss", "val/f1"}},
        {u"Times"_s, {"t_step_ms", "t_data_ms"}}};
    EXPECT_EQ(titled(PanelSections().of(kNames)), expected);
}

TEST(PanelSections, AreChangedByTheUserAndKept) {
    PanelSections sections;
    const std::string mine = sections.add(u"  My  gauges "_s);
    EXPECT_FALSE(mine.empty());
    EXPECT_EQ(sections.add(u"My gauges"_s), mine) << "a title is there once";
    EXPECT_TRUE(sections.add(u"  "_s).empty());
    sections.move("lr", mine);
    sections.move("train/lr", mine);
    sections.fold(mine, true);
    sections.fold(PanelSections::section_by_name("val_loss"), true);
    EXPECT_EQ(sections.section_of("lr"), mine);
    EXPECT_TRUE(sections.rename(mine, u"Rates / [all]"_s));
    const PanelSections kept(sections.written());
    EXPECT_EQ(kept, sections);
    const auto of = kept.of(kNames);
    ASSERT_EQ(of.size(), 5U);
    EXPECT_EQ(of.back().title, u"Rates / [all]"_s) << "in the order of the first metric of each";
    EXPECT_EQ(of.back().names, (Names{"lr", "train/lr"}));
    EXPECT_TRUE(of.back().folded);
    EXPECT_TRUE(of.back().is_own);
    sections.remove(of.back().key);
    EXPECT_EQ(titled(sections.of(kNames)), titled(PanelSections().of(kNames)));
    // A file that somebody has edited.
    const PanelSections strange(
        QVariantMap{{u"own"_s, QStringList{u""_s, u"a"_s}},
                    {u"moved"_s, QVariantMap{{u"loss"_s, u"=no such"_s}, {u"lr"_s, 7}}},
                    {u"folded"_s, 3}});
    EXPECT_EQ(strange.section_of("loss"), PanelSections::section_by_name("loss"));
    EXPECT_EQ(strange.section_of("lr"), PanelSections::section_by_name("lr"));
}

TEST(PanelSections, OfAThousandPrefixesAreBounded) {
    Names names;
    for (int i = 0; i < 1000; ++i) {
        names.push_back("p" + std::to_string(i) + "/loss");
    }
    std::size_t panels = 0;
    const auto sections = PanelSections().of(names);
    for (const PanelSection& section : sections) {
        panels += section.names.size();
    }
    EXPECT_LE(sections.size(), 2 * PanelSections::kMost);
    EXPECT_EQ(panels, names.size());
}

/// A run that reports two metrics of General, two of "train" and one of validation.
LiveData run_with_sections() {
    LiveData data;
    data.state.name = "sections";
    data.set_plan(synthetic_plan({.ranks = 2}));
    for (int step = 1; step <= 20; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            data.apply(
                {0, step * 1'000'000, "node1", rank,
                 MetricEvent{
                     step, 1, {{"loss", 1}, {"lr", 2}, {"train/a", 3}, {"train/b", 4}, {"val_x", 5}}, {}}});
        }
    }
    return data;
}

class Sections : public ::testing::Test {
protected:
    void SetUp() override {
        QSettings().remove(u"live"_s);
        live_.reset(run_with_sections());
        area_ = std::make_unique<MetricArea>();
        area_->resize(1000, 700);
        area_->set_live(&live_);
        plot()->set_metrics({"loss", "lr", "train/a", "train/b", "val_x"});
        area_->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(area_.get()));
        draw();
    }
    MetricPlot* plot() { return area_->plot(); }
    void draw() { plot()->plot()->replot(QCustomPlot::rpImmediateRefresh); }
    SectionHeader* header(const QString& name) {
        for (auto* each : plot()->findChildren<SectionHeader*>()) {
            if (each->isVisible() && each->accessibleName().contains(name)) {
                return each;
            }
        }
        ADD_FAILURE() << "no header of " << ss(name);
        return nullptr;
    }
    const MetricPanel& panel(std::size_t index) { return *plot()->panels()[index]; }
    void drag(const QPoint& from, const QPoint& to) {
        QCustomPlot* where = plot()->plot();
        QTest::mousePress(where, Qt::LeftButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), QPointF(where->mapToGlobal(to)), Qt::NoButton,
                         Qt::LeftButton, {});
        QCoreApplication::sendEvent(where, &move);
        QTest::mouseRelease(where, Qt::LeftButton, {}, to);
        draw();
    }

    LiveModel live_;
    std::unique_ptr<MetricArea> area_;
};

TEST_F(Sections, HaveHeadersWithPanelsBelow) {
    SectionHeader* train = header(u"Section train, open, 2 panel"_s);
    ASSERT_NE(train, nullptr);
    const auto bottom = [&](std::size_t index) { return panel(index).rect()->outerRect().bottom(); };
    EXPECT_GT(train->y(), bottom(1)) << "below the panels of General";
    EXPECT_LE(train->geometry().bottom(), panel(2).title_rect().top() + 1);
    EXPECT_EQ(panel(2).rect()->outerRect().top(), panel(3).rect()->outerRect().top()) << "beside one another";
    EXPECT_GE(panel(4).rect()->width(), panel(3).rect()->width() * 2) << "one alone has the whole width";
    plot()->set_metrics({"train/a", "train/b"});
    EXPECT_EQ(plot()->sections()->height(), 0) << "one section alone has no header";
}

TEST_F(Sections, AFoldedOneMakesNoPanels) {
    SectionHeader* train = header(u"train"_s);
    QTest::mouseClick(train, Qt::LeftButton);
    draw();
    EXPECT_EQ(plot()->shown_metrics(), (Names{"loss", "lr", "val_x"}));
    EXPECT_EQ(header(u"Section train, folded, 2 panel"_s), train) << "the same widget: it keeps the focus";
    // By keyboard.
    train->setFocus();
    QTest::keyClick(train, Qt::Key_Right);
    EXPECT_EQ(plot()->shown_metrics().size(), 5U);
    QTest::keyClick(train, Qt::Key_Left);
    EXPECT_EQ(plot()->shown_metrics().size(), 3U);
    QTest::keyClick(train, Qt::Key_Return);
    QTest::keyClick(train, Qt::Key_Space);
    EXPECT_EQ(plot()->shown_metrics().size(), 3U);
    EXPECT_EQ(train->focusPolicy(), Qt::StrongFocus);
    const std::unique_ptr<QMenu> menu(plot()->sections()->make_menu(train->key()));
    child<QAction>(menu.get(), "sectionFoldAll")->trigger();
    EXPECT_TRUE(plot()->panels().empty());
    EXPECT_TRUE(plot()->message().isEmpty()) << "the headers say where they are";
    child<QAction>(menu.get(), "sectionUnfoldAll")->trigger();
    EXPECT_EQ(plot()->shown_metrics().size(), 5U);
}

TEST_F(Sections, AreKeptForTheJob) {
    QTest::mouseClick(header(u"train"_s), Qt::LeftButton);
    child<QSlider>(area_.get(), "smoothing")->setValue(70);
    MetricArea again;
    again.resize(1000, 700);
    again.set_live(&live_);
    again.plot()->set_metrics({"loss", "train/a"});
    EXPECT_EQ(again.plot()->shown_metrics(), Names{"loss"});
    EXPECT_EQ(child<QSlider>(&again, "smoothing")->value(), 70);
    EXPECT_NEAR(again.plot()->smoothing(), 0.7, 1e-9);
}

TEST_F(Sections, APanelIsMovedByTheMenu) {
    PanelMenu maker(plot());
    const std::unique_ptr<QMenu> menu(maker.make("lr"));
    child<QAction>(menu.get(), "panelNewSection")->trigger();
    auto* dialog = area_->window()->findChild<QInputDialog*>(u"sectionDialog"_s);
    ASSERT_NE(dialog, nullptr);
    dialog->setTextValue(u"Rates"_s);
    dialog->accept();
    ASSERT_NE(header(u"Section Rates, open, 1 panel"_s), nullptr);
    EXPECT_EQ(plot()->shown_metrics(), (Names{"loss", "lr", "train/a", "train/b", "val_x"}));
    const std::unique_ptr<QMenu> other(maker.make("val_x"));
    auto* choices = other->findChild<QMenu*>(u"panelSection"_s);
    ASSERT_NE(choices, nullptr);
    const auto actions = choices->actions();
    const auto rates = std::find_if(actions.begin(), actions.end(),
                                    [](const QAction* each) { return each->text() == u"Rates"_s; });
    ASSERT_NE(rates, actions.end());
    (*rates)->trigger();
    ASSERT_NE(header(u"Section Rates, open, 2 panel"_s), nullptr);
    const std::unique_ptr<QMenu> again(maker.make("val_x"));
    child<QAction>(again.get(), "panelSectionReset")->trigger();
    EXPECT_NE(header(u"Section Validation"_s), nullptr);
    // Its section is removed: the panel returns.
    const std::unique_ptr<QMenu> own(plot()->sections()->make_menu(header(u"Rates"_s)->key()));
    child<QAction>(own.get(), "sectionRemove")->trigger();
    EXPECT_NE(header(u"Section General, open, 2 panel"_s), nullptr);
}

TEST_F(Sections, APanelIsDraggedToAnotherOne) {
    QSignalSpy changed(plot(), &MetricPlot::sectionsChanged);
    const QRect target = panel(2).rect()->outerRect();
    drag(panel(1).title_rect().center(), target.center() + QPoint(target.width() / 4, 0));
    EXPECT_EQ(plot()->shown_metrics(), (Names{"loss", "train/a", "lr", "train/b", "val_x"}));
    EXPECT_NE(header(u"Section train, open, 3 panel"_s), nullptr);
    EXPECT_GE(changed.count(), 1);
    // Onto a header: the last one of it.
    const QPoint validation = header(u"Validation"_s)->geometry().center();
    drag(panel(0).title_rect().center(), validation);
    EXPECT_NE(header(u"Section Validation, open, 2 panel"_s), nullptr);
}

}  // namespace
}  // namespace rankscope::gui::testing
