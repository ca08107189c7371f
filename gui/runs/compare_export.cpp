// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/compare_export.h>
#include <gui/runs/compare_plot.h>
#include <gui/strings.h>
#include <remote/desk/archive/compare/run_comparison.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>

namespace rankscope::gui {

namespace {

constexpr int kLeastWidth = 1000;  ///< of a picture
constexpr int kTaller = 4;         ///< a picture is by 4/3 as tall as the least that the window shows
constexpr std::size_t kMostRows = 1'000'000;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ComparePlot)
};

QString axis_name(CurveAxis axis) {
    return axis == CurveAxis::Step ? u"step"_s : axis == CurveAxis::Epoch ? u"epoch"_s : u"seconds"_s;
}

/// x → the cells of that row.
using Rows = std::map<double, std::vector<double>>;

void put(Rows& rows, const QCPRange& view, double x, std::size_t column, std::size_t columns, double value) {
    if (!std::isfinite(x) || !view.contains(x) || (rows.size() >= kMostRows && !rows.contains(x))) {
        return;
    }
    auto& cells = rows[x];
    cells.resize(columns, std::nan(""));
    cells[column] = value;
}

}  // namespace

std::vector<CompareLine> compare_lines(const RunComparison& comparison, const QStringList& titles,
                                       bool bands) {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
        groups[comparison.runs[i].group()].push_back(i);
    }
    std::vector<CompareLine> lines;
    for (const auto& [name, members] : groups) {
        if (bands && members.size() > 1) {
            lines.push_back({Words::tr("%1, mean").arg(qs(name)), members, true});
            continue;
        }
        for (const std::size_t i : members) {
            lines.push_back({titles.value(qsizetype(i)), {i}, false});
        }
    }
    std::sort(lines.begin(), lines.end(),
              [](const CompareLine& a, const CompareLine& b) { return a.runs.front() < b.runs.front(); });
    return lines;
}

std::vector<const std::vector<CurvePoint>*> curves_of(const RunComparison& comparison,
                                                      const CompareLine& line, const std::string& metric) {
    std::vector<const std::vector<CurvePoint>*> curves;
    for (const std::size_t run : line.runs) {
        const auto& all = comparison.runs[run].curves;
        if (const auto found = all.find(metric); found != all.end()) {
            curves.push_back(&found->second);
        }
    }
    return curves;
}

QString compare_table(const ComparePlot& plot) {
    if (!plot.comparison()) {
        return {};
    }
    const RunComparison& comparison = *plot.comparison();
    const auto lines = compare_lines(comparison, plot.titles(), plot.bands());
    QStringList header{u"metric"_s, axis_name(plot.axis())};
    for (const CompareLine& line : lines) {
        header += csv_field(line.title);
        if (line.band) {
            header +=
                csv_field(Words::tr("%1, deviation").arg(qs(comparison.runs[line.runs.front()].group())));
        }
    }
    const auto columns = std::size_t(header.size() - 2);
    QString text = header.join(u',') % u"\r\n"_s;
    for (const std::string& metric : plot.metrics()) {
        Rows rows;
        std::size_t column = 0;
        for (const CompareLine& line : lines) {
            const auto curves = curves_of(comparison, line, metric);
            if (line.band) {
                for (const BandPoint& point : band_of(curves, plot.axis())) {
                    put(rows, plot.x_range(), point.x, column, columns, point.values.mean);
                    put(rows, plot.x_range(), point.x, column + 1, columns, point.values.deviation);
                }
            } else if (!curves.empty()) {
                for (const CurvePoint& point : *curves.front()) {
                    put(rows, plot.x_range(), place_on(plot.axis(), point), column, columns, point.value);
                }
            }
            column += line.band ? 2 : 1;
        }
        for (const auto& [x, values] : rows) {
            QStringList cells{csv_field(qs(metric)), csv_number(x)};
            for (const double value : values) {
                cells += csv_number(value);
            }
            text += cells.join(u',') % u"\r\n"_s;
        }
    }
    return text;
}

QString export_compare(const ComparePlot& plot, PlotFormat format, const QString& path) {
    if (format == PlotFormat::Csv) {
        return export_table(compare_table(plot), path);
    }
    ComparePlot copy;
    copy.setPalette(plot.palette());
    copy.setFont(plot.font());
    const int width = std::max(kLeastWidth, plot.width());
    copy.resize(width, plot.height());
    copy.plot()->resize(width, plot.height());
    copy.set_axis(plot.axis());
    copy.set_x_log(plot.x_log());
    copy.set_bands(plot.bands());
    copy.set_metrics(plot.metrics());
    copy.set_comparison(plot.comparison(), plot.titles());
    copy.set_legend(true);
    copy.show_x(plot.x_range());
    copy.plot()->resize(width, copy.plot()->minimumHeight() * kTaller / (kTaller - 1));
    copy.plot()->replot(QCustomPlot::rpImmediateRefresh);
    return export_picture(*copy.plot(), format, path);
}

}  // namespace rankscope::gui
