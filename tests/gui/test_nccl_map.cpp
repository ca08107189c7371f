// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/map_tab.h>
#include <gui/nccl/nccl_data.h>
#include <gui/nccl/nccl_pane.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_nccl.h>

#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <fstream>

namespace rankscope::gui::testing {
namespace {

class NcclMap : public ::testing::Test {
protected:
    /// Shows a log in a pane of this size, and waits for the picture.
    void show(const std::string& log, QSize size = {1150, 420}) {
        const std::string file = ss(folder_.path()) + "/all.log";
        std::ofstream(file) << log;
        pane_.resize(size);
        pane_.show();
        data_.show_files({file});
        ASSERT_TRUE(wait_until([&] {
            return data_.snapshot()->complete && view()->picture() &&
                   view()->picture()->snapshot == data_.snapshot();
        }));
    }
    MapView* view() { return pane_.findChild<MapView*>(u"ncclMap"_s); }
    const logs::Communicator& comm() { return view()->picture()->comm(); }

    void expect_no_overlap() {
        const auto& boxes = view()->layout_shown().boxes;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            EXPECT_TRUE(QRectF(QPointF(), view()->layout_shown().size).contains(boxes[i].box)) << i;
            for (std::size_t j = i + 1; j < boxes.size(); ++j) {
                EXPECT_FALSE(boxes[i].box.intersects(boxes[j].box)) << i << ' ' << j;
            }
        }
    }

    QTemporaryDir folder_;
    QThreadPool pool_;
    NcclData data_{&pool_};
    NcclPane pane_{&data_};
};

TEST_F(NcclMap, HasTheRingsThatTheLogStates) {
    show(nccl_log({.nodes = 2, .gpus = 8}));
    child<QComboBox>(&pane_, "mapShow")->setCurrentIndex(1);
    ASSERT_EQ(comm().rings.size(), 2U);
    for (const logs::Ring& ring : comm().rings) {
        auto* channels = child<QComboBox>(&pane_, "mapChannel");
        channels->setCurrentIndex(channels->findData(ring.channel));
        std::vector<std::pair<int, int>> drawn, stated;
        for (const MapLine& line : view()->layout_shown().lines) {
            for (const std::size_t link : line.links) {
                if (!line.stub) {
                    const logs::MapLink& of = view()->picture()->map.links[link];
                    drawn.emplace_back(of.from, of.to);
                }
            }
        }
        for (std::size_t i = 0; i < ring.ranks.size(); ++i) {
            stated.emplace_back(ring.ranks[i], ring.ranks[(i + 1) % ring.ranks.size()]);
        }
        std::sort(drawn.begin(), drawn.end());
        std::sort(stated.begin(), stated.end());
        EXPECT_EQ(drawn, stated) << ring.channel;
    }
    expect_no_overlap();
    EXPECT_TRUE(child<QListWidget>(&pane_, "mapFindings")->isVisible()) << "one of four devices is in use";
}

TEST_F(NcclMap, AClickOnALineLeadsToTheLog) {
    show(nccl_log({.nodes = 2, .gpus = 2, .ib_devices = 1}));
    QSignalSpy asked(&pane_, &NcclPane::lineRequested);
    const MapLine& line = view()->layout_shown().lines.front();
    const QPoint at = view()->to_viewport(line.path.pointAtPercent(0.4));
    const QString text = view()->text_at(at);
    EXPECT_TRUE(text.contains(u"Rank 0 → rank 1: P2P/CUMEM/read"_s)) << qPrintable(text);
    EXPECT_TRUE(text.contains(u"NCCL INFO Channel 00/0 : 0[0] -> 1[1]"_s)) << qPrintable(text);
    QTest::mouseClick(view()->viewport(), Qt::LeftButton, {}, at);
    ASSERT_EQ(asked.size(), 1);
    const auto place = asked.front().at(1).toULongLong();
    EXPECT_NE(data_.snapshot()->edge_texts.find({0, place}).find("Channel 00/0 : 0[0] -> 1[1]"),
              std::string_view::npos);
}

TEST_F(NcclMap, FallsAreListedWithTheirCost) {
    show(nccl_log({.nodes = 2, .gpus = 2, .between = "NET/Socket/0", .network = "Socket"}));
    auto* findings = child<QListWidget>(&pane_, "mapFindings");
    ASSERT_EQ(findings->count(), 1);
    EXPECT_TRUE(findings->item(0)->text().startsWith(u"TCP instead of InfiniBand: node-0, node-1"_s));
    QSignalSpy asked(&pane_, &NcclPane::lineRequested);
    QTest::mouseClick(findings->viewport(), Qt::LeftButton, {},
                      findings->visualItemRect(findings->item(0)).center());
    EXPECT_EQ(asked.size(), 1);
    auto* legend = pane_.findChild<TransportLegend*>();
    EXPECT_TRUE(legend->kinds().contains(logs::TransportKind::NetSocket));
}

TEST_F(NcclMap, AThousandRanksAreNodesThatOpen) {
    show(nccl_log({.nodes = 128, .gpus = 8}));
    EXPECT_EQ(view()->layout_shown().boxes.size(), 128U);
    expect_no_overlap();
    const MapBox first = view()->layout_shown().boxes.front();
    EXPECT_FALSE(first.open);
    QTest::mouseClick(view()->viewport(), Qt::LeftButton, {}, view()->to_viewport(first.box.center()));
    ASSERT_TRUE(view()->layout_shown().boxes.front().open);
    EXPECT_EQ(view()->layout_shown().boxes.front().gpus.size(), 8U);
    expect_no_overlap();
    // By the keyboard, too.
    view()->setFocus();
    QTest::keyClick(view(), Qt::Key_Return);
    EXPECT_FALSE(view()->layout_shown().boxes.front().open);
    QTest::keyClick(view(), Qt::Key_Right);
    QTest::keyClick(view(), Qt::Key_Space);
    EXPECT_TRUE(view()->layout_shown().boxes[1].open);
    QTest::keyClick(view(), Qt::Key_Minus);
    EXPECT_LT(view()->zoom(), 1);
    expect_no_overlap();
}

TEST_F(NcclMap, ASmallMapFitsWithoutScrollBars) {
    const std::string log = nccl_log({.nodes = 2, .gpus = 8, .channels = 4, .all_devices = true});
    show(log, {1150, 330});  // as Live has at 1280x800
    EXPECT_EQ(view()->verticalScrollBar()->maximum(), 0);
    EXPECT_EQ(view()->horizontalScrollBar()->maximum(), 0);
    EXPECT_GE(view()->zoom(), 0.69);
    expect_no_overlap();
    const double fitted = view()->zoom();
    // With more room it is larger; what the user chooses stays, until 0.
    pane_.resize(1800, 700);
    EXPECT_TRUE(wait_until([&] { return view()->zoom() == 1; }));
    view()->setFocus();
    QTest::keyClick(view(), Qt::Key_Plus);
    pane_.resize(1150, 330);
    QCoreApplication::processEvents();
    EXPECT_GT(view()->zoom(), 1);
    EXPECT_GT(view()->verticalScrollBar()->maximum(), 0);
    QTest::keyClick(view(), Qt::Key_0);
    EXPECT_EQ(view()->zoom(), fitted);
    // Where it would be too small to read it scrolls.
    pane_.resize(500, 250);
    EXPECT_TRUE(wait_until([&] { return view()->verticalScrollBar()->maximum() > 0; }));
    EXPECT_EQ(view()->zoom(), 1);
}

TEST_F(NcclMap, WithoutACommunicatorThereIsNothingToChoose) {
    const std::string file = ss(folder_.path()) + "/begin.log";
    std::ofstream(file) << "node-0:1:1 [0] NCCL INFO NCCL_CROSS_NIC set by environment to 1.\n";
    pane_.resize(900, 400);
    pane_.show();
    data_.show_files({file});
    ASSERT_TRUE(wait_until([&] { return data_.snapshot()->complete; }));
    EXPECT_TRUE(child<QLabel>(&pane_, "mapNone")->isVisible());
    EXPECT_FALSE(child<QComboBox>(&pane_, "mapCommunicator")->isVisible());
    EXPECT_FALSE(child<QComboBox>(&pane_, "mapShow")->isVisible());
    show(nccl_log({.nodes = 1, .gpus = 2}));
    EXPECT_TRUE(child<QComboBox>(&pane_, "mapCommunicator")->isVisible());
    EXPECT_FALSE(child<QLabel>(&pane_, "mapNone")->isVisible());
}

TEST_F(NcclMap, ARankWithoutALineIsAGap) {
    show(nccl_log({.nodes = 1, .gpus = 4, .silent = {2}}));
    const auto& gpus = view()->layout_shown().boxes.at(0).gpus;
    ASSERT_EQ(gpus.size(), 4U);
    EXPECT_FALSE(gpus[2].seen);
    EXPECT_EQ(view()->text_at(view()->to_viewport(gpus[2].box.center())),
              u"Rank 2: the logs have no line of it"_s);
}

TEST_F(NcclMap, OneRankAndLongNames) {
    show(nccl_log(
             {.nodes = 1,
              .gpus = 1,
              .host = "gpu-worker-with-a-very-long-name-of-eighty-characters-" + std::string(40, 'x') + "-"}),
         {640, 300});
    EXPECT_EQ(view()->layout_shown().boxes.size(), 1U);
    EXPECT_LT(view()->layout_shown().boxes[0].box.width(), 600);
    EXPECT_TRUE(view()->grab().width() > 0);
}

}  // namespace
}  // namespace rankscope::gui::testing
