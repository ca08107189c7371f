// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/plot_files.h>
#include <gui/runs/scaling_plot.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>

#include <QContextMenuEvent>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QMenu>
#include <QTemporaryDir>

namespace rankscope::gui::testing {
namespace {

std::vector<ScalingPoint> points() {
    std::vector<ScalingPoint> all(3);
    for (std::size_t i = 0; i < 2; ++i) {
        all[i].ranks = i == 0 ? 1 : 2;
        all[i].throughput = i == 0 ? 100 : 180;
        all[i].low = all[i].high = all[i].throughput;
        all[i].steps = 40;
        all[i].speedup = all[i].throughput / 100;
        all[i].efficiency = all[i].speedup / all[i].ranks;
        all[i].run_id = "s" + std::to_string(all[i].ranks);
    }
    all[1].shares = StepShares{10, 2, 3, 1, 16};
    all[2].ranks = 4;
    all[2].failure = "Rank 3, killed by \"SIGKILL\"";
    return all;
}

TEST(ScalingPlot, DrawsTheEfficiencyOfEverySizeThatWasMeasured) {
    ScalingPlot plot;
    plot.resize(900, 260);
    plot.show();
    plot.set_points(points(), "images_per_s");
    ASSERT_EQ(plot.plot()->axisRectCount(), 3);
    const QCPAxisRect* efficiency = plot.plot()->axisRect(1);
    const QList<QCPGraph*> graphs = efficiency->graphs();
    ASSERT_EQ(graphs.size(), 2) << "the ideal, and what was reached";
    EXPECT_EQ(graphs[0]->dataCount(), 3);
    ASSERT_EQ(graphs[1]->dataCount(), 2) << "not of the size that failed";
    EXPECT_DOUBLE_EQ(graphs[1]->dataMainValue(1), 0.9);
    EXPECT_GE(graphs[1]->valueAxis()->range().upper, 1);
    EXPECT_EQ(graphs[1]->valueAxis()->range().lower, 0);
}

TEST(ScalingPlot, IsWrittenAsAPictureOrATable) {
    const QTemporaryDir folder;
    ScalingPlot plot;
    plot.resize(900, 260);
    plot.show();
    plot.set_points(points(), "images_per_s");
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(9, 9), plot.mapToGlobal(QPoint(9, 9)));
    QApplication::sendEvent(&plot, &event);
    auto* menu = child<QMenu>(&plot, "scalingPlotMenu");
    ASSERT_EQ(menu->findChild<QMenu*>()->actions().size(), 4);
    menu->close();
    QString problem = u"nothing written"_s;
    QObject::connect(plot.files(), &PlotFiles::exported, &plot,
                     [&](const QString&, const QString& said) { problem = said; });
    const auto written = [&](PlotFormat format) {
        plot.files()->choose(format);
        QFileDialog* question = nullptr;
        EXPECT_TRUE(wait_until([&] {
            question = plot.findChild<QFileDialog*>(u"plotFileDialog"_s);
            return question != nullptr;
        }));
        const QString path = folder.filePath(u"scaling."_s % plot_suffix(format));
        emit question->fileSelected(path);
        delete question;
        EXPECT_EQ(problem, QString());
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    };
    EXPECT_FALSE(QImage::fromData(written(PlotFormat::Png)).isNull());
    EXPECT_TRUE(written(PlotFormat::Svg).contains("<svg"));
    EXPECT_TRUE(written(PlotFormat::Pdf).startsWith("%PDF"));
    const QList<QByteArray> rows = written(PlotFormat::Csv).split('\n');
    ASSERT_GE(rows.size(), 4);
    EXPECT_TRUE(rows[0].startsWith("ranks,unit,throughput,low,high,steps,speedup,efficiency,compute_ms"));
    EXPECT_EQ(rows[1].trimmed(), "1,images_per_s,100,100,100,40,1,1,,,,,,s1,");
    EXPECT_EQ(rows[2].trimmed(), "2,images_per_s,180,180,180,40,1.8,0.9,10,2,3,1,16,s2,");
    EXPECT_EQ(rows[3].trimmed(), "4,images_per_s,,,,0,,,,,,,,,\"Rank 3, killed by \"\"SIGKILL\"\"\"");
}

}  // namespace
}  // namespace rankscope::gui::testing
