// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Ranks of a mesh: their places in the table, their groups in the strip and in the menu.

#include <gui/app/main_window.h>
#include <gui/live/live_page.h>
#include <gui/live/rank_strip.h>
#include <gui/models/rank_table_model.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QAbstractItemModel>
#include <QComboBox>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <string>
#include <vector>

namespace rankscope::gui::testing {
namespace {

class RankGroups : public ::testing::Test {
protected:
    void SetUp() override {
        window_ = std::make_unique<MainWindow>(options_in(folder_.path()));
        window_->resize(1280, 800);
        window_->show();
        window_->show_page(MainWindow::Page::Live);
        ASSERT_TRUE(wait_until([&] { return window_->workspace()->store_settled(); }));
    }
    template <typename Widget>
    Widget* find(const char* name) {
        return child<Widget>(window_.get(), name);
    }
    void show(const std::vector<std::string>& command) {
        LiveData data =
            synthetic_data({.id = "mesh", .ranks = 16, .steps_per_epoch = 4, .fate = Fate::Running});
        data.state.plan.ranks.front().command = command;
        window_->live_page()->show_stored(std::move(data));
        table_ = find<QTableView>("rankTable");
        ASSERT_TRUE(wait_until([&] { return table_->model()->rowCount() == 16; }));
    }
    QString place(int row) { return table_->model()->index(row, RankTableModel::Place).data().toString(); }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    QTableView* table_ = nullptr;
};

const std::vector<std::string> kMegatron{"python", "pretrain_gpt.py", "--tensor-model-parallel-size=2",
                                         "--pipeline-model-parallel-size=4"};

TEST_F(RankGroups, TheTableHasTheirPlaces) {
    show(kMegatron);
    ASSERT_TRUE(wait_until([&] { return !table_->isColumnHidden(RankTableModel::Place); }));
    EXPECT_EQ(place(0), u"pp 0 · dp 0 · tp 0"_s);
    EXPECT_EQ(place(15), u"pp 3 · dp 1 · tp 1"_s);
    const auto* header = table_->model();
    EXPECT_TRUE(header->headerData(RankTableModel::Place, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .contains(u"pp 4 × dp 2 × tp 2"_s));
    EXPECT_GE(table_->columnWidth(RankTableModel::Place),
              table_->sizeHintForIndex(header->index(15, RankTableModel::Place)).width());
    table_->sortByColumn(RankTableModel::Place, Qt::DescendingOrder);
    EXPECT_EQ(place(0), u"pp 3 · dp 1 · tp 1"_s);
    EXPECT_EQ(place(15), u"pp 0 · dp 0 · tp 0"_s);
}

TEST_F(RankGroups, TheSquaresOfAGroupAreNeighbours) {
    show(kMegatron);
    auto* grouping = find<QComboBox>("rankGrouping");
    auto* squares = find<RankSquares>("rankSquares");
    ASSERT_TRUE(wait_until([&] { return grouping->isVisible(); }));
    QStringList choices;
    for (int i = 0; i < grouping->count(); ++i) {
        choices += grouping->itemText(i);
    }
    EXPECT_EQ(choices, (QStringList{u"By node"_s, u"By pp"_s, u"By dp"_s, u"By tp"_s}));
    const auto order = [&] {
        std::vector<int> ranks;
        for (int i = 0; i < 16; ++i) {
            ranks.push_back(squares->rank_at(squares->square(i).center()));
        }
        return ranks;
    };
    EXPECT_EQ(order()[1], 1);
    grouping->setCurrentText(u"By pp"_s);
    EXPECT_EQ(order(), (std::vector<int>{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
    const auto gap = [&](int after) {
        return squares->square(after + 1).left() - squares->square(after).right();
    };
    EXPECT_GT(gap(3), gap(2)) << "a gap between two pipelines";
    EXPECT_TRUE(squares->tip(1).contains(u"Rank 4"_s)) << qPrintable(squares->tip(1));
    EXPECT_TRUE(squares->tip(1).contains(u"pp 1 · dp 0 · tp 0"_s));
    QSignalSpy clicked(squares, &RankSquares::clicked);
    QTest::mouseClick(squares, Qt::LeftButton, {}, squares->square(4).center());
    EXPECT_EQ(clicked.takeFirst().front().toInt(), 1);
    EXPECT_EQ(squares->selected(), std::vector<int>{1});
}

TEST_F(RankGroups, TheMenuOfARankSelectsItsGroups) {
    show(kMegatron);
    table_->selectRow(5);
    emit table_->customContextMenuRequested(table_->visualRect(table_->model()->index(5, 0)).center());
    auto* menu = find<QMenu>("rankMenu");
    const auto trigger = [&](const QString& text) {
        for (QAction* action : menu->actions()) {
            if (action->text().remove(u'&') == text) {
                action->trigger();
                return true;
            }
        }
        return false;
    };
    ASSERT_TRUE(trigger(u"All ranks of its dp group"_s));
    EXPECT_EQ(find<RankSquares>("rankSquares")->selected(), (std::vector<int>{5, 7}));
    menu->close();
}

TEST_F(RankGroups, RunsWithoutAMeshShowNoPlaces) {
    show({"python", "train.py"});
    ASSERT_TRUE(wait_until([&] { return table_->isColumnHidden(RankTableModel::Place); }));
    EXPECT_FALSE(find<QComboBox>("rankGrouping")->isVisible());
}

}  // namespace
}  // namespace rankscope::gui::testing
