// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/metric_plot.h>
#include <gui/plot/panel_menu.h>
#include <gui/plot/plot_export.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QMenu>
#include <QTemporaryDir>
#include <QXmlStreamReader>

namespace rankscope::gui::testing {
namespace {

class PlotExport : public ::testing::Test {
protected:
    void show(int ranks, const std::string& name = "loss") {
        LiveData data;
        data.set_plan(synthetic_plan({.ranks = ranks}));
        for (int step = 1; step <= 30; ++step) {
            for (int rank = 0; rank < ranks; ++rank) {
                data.apply({0, 1, "node1", rank, MetricEvent{step, 1, {{name, step + rank * 0.5}}, {}}});
            }
        }
        live_.reset(std::move(data));
        plot_.resize(800, 300);
        plot_.set_at_once(true);
        plot_.set_live(&live_);
        plot_.set_metrics({name});
        plot_.show();
        plot_.plot()->replot(QCustomPlot::rpImmediateRefresh);
        plot_.refresh();
    }
    QByteArray exported(PlotFormat format, const std::string& panel = "loss") {
        const QString path = folder_.filePath(u"plot."_s + plot_suffix(format));
        EXPECT_EQ(export_plot(plot_, panel, format, path), QString());
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }

    QTemporaryDir folder_;
    LiveModel live_;
    MetricPlot plot_;
};

TEST_F(PlotExport, ATableHasWhatIsInView) {
    show(2);
    plot_.show_x(9.5, 14.5);
    const QByteArray csv = exported(PlotFormat::Csv);
    EXPECT_EQ(csv,
              "step,loss rank 0,loss rank "
              "1\r\n10,10,10.5\r\n11,11,11.5\r\n12,12,12.5\r\n13,13,13.5\r\n14,14,14.5\r\n");
}

TEST_F(PlotExport, OfManyRanksTheBandOrTheMap) {
    show(40);
    const QByteArray band = exported(PlotFormat::Csv);
    EXPECT_TRUE(band.startsWith("step,ranks,min,p10,median,p90,max\r\n1,40,1,"));
    PanelSettings heat;
    heat.heat = true;
    plot_.set_settings("loss", heat);
    const QByteArray map = exported(PlotFormat::Csv);
    EXPECT_EQ(map.left(map.indexOf('\r')).count(','), 6 + 40);
}

TEST_F(PlotExport, PicturesCanBeRead) {
    show(3);
    const QImage picture = QImage::fromData(exported(PlotFormat::Png));
    EXPECT_GE(picture.width(), 1000);
    EXPECT_TRUE(exported(PlotFormat::Pdf).startsWith("%PDF-"));
    const QByteArray svg = exported(PlotFormat::Svg);
    QXmlStreamReader xml(svg);
    int paths = 0;
    QStringList texts;
    while (!xml.atEnd()) {
        xml.readNext();
        paths += xml.isStartElement() && xml.name() == u"path"_s ? 1 : 0;
        if (xml.isCharacters() && !xml.isWhitespace()) {
            texts += xml.text().toString();
        }
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    EXPECT_GT(paths, 5);
    EXPECT_TRUE(texts.contains(u"Loss"_s)) << "texts stay texts";
}

TEST_F(PlotExport, HostileNamesStayText) {
    const std::string name = "=cmd|' /C calc'!A0\"<b>\n";
    show(1, name);
    const std::string shown = plot_.shown_metrics().front();
    const QByteArray csv = exported(PlotFormat::Csv, shown);
    EXPECT_TRUE(csv.startsWith("step,\"'=cmd"));
    QXmlStreamReader xml(exported(PlotFormat::Svg, shown));
    while (!xml.atEnd()) {
        xml.readNext();
    }
    EXPECT_FALSE(xml.hasError());
}

TEST_F(PlotExport, AFileThatCannotBeWrittenIsReported) {
    show(1);
    const QString problem = export_plot(plot_, "loss", PlotFormat::Png, folder_.filePath(u"none/plot.png"_s));
    EXPECT_TRUE(problem.contains(u"plot.png"_s));
}

TEST_F(PlotExport, TheMenuCopiesAndSwitches) {
    show(20);
    PanelMenu maker(&plot_);
    const std::unique_ptr<QMenu> menu(maker.make("loss"));
    ASSERT_NE(menu, nullptr);
    child<QAction>(menu.get(), "panelCopy")->trigger();
    EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith(u"step\tranks\tmin"_s));
    child<QAction>(menu.get(), "panelLog")->trigger();
    EXPECT_TRUE(plot_.settings("loss").log);
    child<QAction>(menu.get(), "panelHeat")->trigger();
    EXPECT_TRUE(plot_.panels().front()->draws_heat_map());
    EXPECT_EQ(maker.make("other"), nullptr);
}

}  // namespace
}  // namespace rankscope::gui::testing
