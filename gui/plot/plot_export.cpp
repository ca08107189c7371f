// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_export.h>
#include <gui/plot/plot_sections.h>
#include <gui/plot/svg_device.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/archive/export/csv_cell.h>

#include <QBuffer>
#include <QCoreApplication>
#include <QPageLayout>
#include <QPdfWriter>
#include <QSaveFile>
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

namespace rankscope::gui {

namespace {

constexpr int kSavedWidth = 1000;
constexpr int kSavedHeight = 480;
constexpr double kPngScale = 2;
constexpr std::size_t kMostRows = 1'000'000;
constexpr double kPointsPerPixel = 0.75;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(PlotExport)
};

QString number(double value) {
    return QString::fromStdString(rankscope::number_text(value));
}

QString field(QString text, QChar separator) {
    if (separator == u',') {
        return qs(csv_cell(ss(text)));
    }
    if (!text.isEmpty() && u"=+-@\t\r"_s.contains(text.front())) {
        text.prepend(u' ');
    }
    return text.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
}

/// A table that is written row by row.
class Table {
public:
    Table(QChar separator, const XScale& scale) : separator_(separator), scale_(scale) {}
    void head(const QStringList& names) {
        QStringList all{u"step"_s};
        if (scale_.unit() != XUnit::Step) {
            all += x_unit_key(scale_.unit());
        }
        QStringList fields;
        for (const QString& name : all + names) {
            fields += field(name, separator_);
        }
        end_row(fields);
    }
    void row(double step, const QStringList& values) {
        QStringList fields{number(step)};
        if (scale_.unit() != XUnit::Step) {
            fields += number(scale_.value_of_step(step));
        }
        end_row(fields + values);
    }
    QString text() const { return text_; }

private:
    void end_row(const QStringList& fields) {
        text_ += fields.join(separator_);
        text_ += separator_ == u',' ? u"\r\n"_s : u"\n"_s;
    }

    QChar separator_;
    const XScale& scale_;
    QString text_;
};

QString column_name(const MetricPanel& panel, int rank) {
    const QString name = qs(panel.name());
    return panel.values().single ? name : QString(name % u" rank "_s % QString::number(rank));
}

void write_lines(const MetricPanel& panel, const std::vector<int>& ranks, double first, double last,
                 Table& table) {
    QStringList names;
    std::set<std::int64_t> steps;
    for (const int rank : ranks) {
        names += column_name(panel, rank);
        const StepAxis& axis = panel.values().column(rank).steps();
        for (std::size_t i = axis.lower_bound(first); i < axis.size() && double(axis.at(i)) <= last; ++i) {
            if (steps.size() < kMostRows) {
                steps.insert(axis.at(i));
            }
        }
    }
    table.head(names);
    for (const std::int64_t step : steps) {
        QStringList values;
        for (const int rank : ranks) {
            const MetricColumn& column = panel.values().column(rank);
            const std::size_t i = column.steps().lower_bound(double(step));
            const bool there = i < column.size() && column.steps().at(i) == step;
            values += there ? number(double(column.at(i))) : QString();
        }
        table.row(double(step), values);
    }
}

/// Of a band: its buckets; of a heat map every rank of them.
void write_buckets(const MetricPanel& panel, bool ranks, Table& table) {
    QStringList names{u"ranks"_s, u"min"_s, u"p10"_s, u"median"_s, u"p90"_s, u"max"_s};
    const std::vector<int> lines = panel.line_ranks();
    const int count = ranks ? int(panel.values().ranks->size()) : 0;
    for (const int rank : lines) {
        names += column_name(panel, rank);
    }
    for (int rank = 0; rank < count; ++rank) {
        names += column_name(panel, rank);
    }
    table.head(names);
    const GridView view = panel.view().shown();
    const auto& columns = panel.view().grid().columns();
    for (auto at = columns.lower_bound(view.begin); at != columns.end() && at->first < view.end; ++at) {
        const GridColumn& column = at->second;
        const AggregatePoint& point = column.point;
        if (point.ranks == 0) {
            continue;
        }
        QStringList values{QString::number(point.ranks)};
        for (const float value : {point.min, point.p10, point.median, point.p90, point.max}) {
            values += number(double(value));
        }
        const std::vector<float>& of_ranks = *column.values;
        const auto add = [&](int rank) {
            const bool there = rank < int(of_ranks.size()) && std::isfinite(of_ranks[std::size_t(rank)]);
            values += there ? number(double(of_ranks[std::size_t(rank)])) : QString();
        };
        std::for_each(lines.begin(), lines.end(), add);
        for (int rank = 0; rank < count; ++rank) {
            add(rank);
        }
        table.row(point.x, values);
    }
}

/// The same curves in a widget of their own, which shows only what is wanted.
std::unique_ptr<MetricPlot> copy_of(const MetricPlot& plot, const std::string& panel) {
    auto copy = std::make_unique<MetricPlot>();
    copy->setPalette(plot.palette());
    copy->setFont(plot.font());
    copy->set_at_once(true);
    copy->resize(panel.empty() ? plot.size() : QSize(kSavedWidth, kSavedHeight));
    copy->set_all_settings(plot.all_settings());
    copy->set_smoothing(plot.smoothing());
    copy->set_x_unit(plot.x_unit());
    copy->set_x_log(plot.x_log());
    copy->set_live(plot.live());
    copy->share_formulas(plot);
    copy->set_sections(plot.sections()->chosen());
    copy->set_metrics(panel.empty() ? plot.shown_metrics() : std::vector<std::string>{panel});
    if (!plot.following()) {
        copy->show_x(plot.x_range().lower, plot.x_range().upper);
    }
    copy->set_all_settings(plot.all_settings());  // with their ranges, which a fresh look forgets
    copy->plot()->resize(copy->size());
    copy->plot()->replot(QCustomPlot::rpImmediateRefresh);  // lays out; heights decide what fits
    copy->refresh();
    return copy;
}

QString write_bytes(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
        return Words::tr("%1 cannot be written: %2").arg(path, file.errorString());
    }
    return {};
}

QString write_pdf(QCustomPlot& plot, const QString& path) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setCreator(u"Rankscope"_s);
        writer.setPageSize(QPageSize(QSizeF(plot.size()) * kPointsPerPixel, QPageSize::Point));
        writer.setPageMargins(QMarginsF());
        writer.setResolution(int(72 / kPointsPerPixel));
        QCPPainter painter;
        painter.begin(&writer);
        painter.setMode(QCPPainter::pmVectorized);
        plot.toPainter(&painter, plot.width(), plot.height());
        painter.end();
    }
    return write_bytes(path, bytes);
}

}  // namespace

QString plot_suffix(PlotFormat format) {
    switch (format) {
        case PlotFormat::Svg:
            return u"svg"_s;
        case PlotFormat::Pdf:
            return u"pdf"_s;
        case PlotFormat::Csv:
            return u"csv"_s;
        case PlotFormat::Png:
            break;
    }
    return u"png"_s;
}

QString panel_table(const MetricPlot& plot, const MetricPanel& panel, QChar separator) {
    Table table(separator, plot.scale());
    if (panel.draws_heat_map() || panel.draws_band()) {
        write_buckets(panel, panel.draws_heat_map(), table);
    } else {
        const auto [first, last] = steps_in_view(panel.x(), plot.scale());
        write_lines(panel, panel.line_ranks(), first, last, table);
    }
    return table.text();
}

QString export_plot(const MetricPlot& plot, const std::string& panel, PlotFormat format,
                    const QString& path) {
    for (const auto& each : plot.panels()) {
        if ((panel.empty() || each->name() == panel) && each->computing()) {
            return Words::tr("“%1” is still being computed (%2). Export it when that is complete.")
                .arg(each->title(), percent_text(each->formula()->done(), 0));
        }
    }
    if (format == PlotFormat::Csv) {
        for (const auto& each : plot.panels()) {
            if (each->name() == panel) {
                return write_bytes(path, panel_table(plot, *each, u',').toUtf8());
            }
        }
        return Words::tr("The panel is not shown any more.");
    }
    const std::unique_ptr<MetricPlot> copy = copy_of(plot, panel);
    return export_picture(*copy->plot(), format, path);
}

QString csv_field(const QString& text) {
    return field(text, u',');
}

QString csv_number(double value) {
    return std::isfinite(value) ? number(value) : QString();
}

QString export_table(const QString& table, const QString& path) {
    return write_bytes(path, table.toUtf8());
}

QString export_picture(QCustomPlot& picture, PlotFormat format, const QString& path) {
    if (format == PlotFormat::Pdf) {
        return write_pdf(picture, path);
    }
    if (format == PlotFormat::Svg) {
        SvgDevice device(picture.size());
        QCPPainter painter;
        painter.begin(&device);
        painter.setMode(QCPPainter::pmVectorized);
        picture.toPainter(&painter, picture.width(), picture.height());
        painter.end();
        return write_bytes(path, device.text());
    }
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!picture.toPixmap(picture.width(), picture.height(), kPngScale).save(&buffer, "PNG")) {
        return Words::tr("The picture cannot be made: too little memory.");
    }
    return write_bytes(path, bytes);
}

}  // namespace rankscope::gui
