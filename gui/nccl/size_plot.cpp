// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/collective_format.h>
#include <gui/nccl/size_plot.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace rankscope::gui {

namespace {

/// Ticks at powers of `base`, in words.
class WordTicker : public QCPAxisTickerLog {
public:
    WordTicker(double base, QString (*text)(double)) : text_(text) {
        setLogBase(base);
        setSubTickCount(0);
        setTickCount(4);
    }

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return text_(tick); }

private:
    QString (*text_)(double);
};

struct Range {
    double lower = 0;
    double upper = 0;

    void add(double value) {
        if (value > 0) {
            lower = lower > 0 ? std::min(lower, value) : value;
            upper = std::max(upper, value);
        }
    }
    QCPRange padded(double factor, double narrowest) const {
        if (lower <= 0) {
            return {1, 10};
        }
        const double middle = std::sqrt(lower * upper);
        const double half = std::max(std::sqrt(upper / lower) * factor, narrowest);
        return {middle / half, middle * half};
    }
};

QString short_bandwidth(double value) {
    return value >= 1e12  ? QString(QString::number(value * 1e-12) % u" TB/s"_s)
           : value >= 1e9 ? QString(QString::number(value * 1e-9) % u" GB/s"_s)
           : value >= 1e6 ? QString(QString::number(value * 1e-6) % u" MB/s"_s)
                          : QString(QString::number(value * 1e-3) % u" kB/s"_s);
}

QString short_time(double value) {
    return value >= 0.999      ? QString(QString::number(value) % u" s"_s)
           : value >= 0.999e-3 ? QString(QString::number(value * 1e3) % u" ms"_s)
           : value >= 0.999e-6 ? QString(QString::number(value * 1e6) % u" µs"_s)
                               : QString(QString::number(value * 1e9) % u" ns"_s);
}

}  // namespace

SizePlot::SizePlot(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot(this)) {
    setMinimumSize(120, 80);  // of a plot without room QCustomPlot has no picture
    setObjectName(u"sizePlot"_s);
    setAccessibleName(tr("Latency and bus bandwidth over the size"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    plot_->plotLayout()->clear();
    plot_->setAttribute(Qt::WA_TransparentForMouseEvents);  // the tool tip is this widget's
    latency_ = make_panel(tr("Latency"), 0, QSharedPointer<WordTicker>::create(10.0, short_time));
    bandwidth_ =
        make_panel(tr("Bus bandwidth"), 1, QSharedPointer<WordTicker>::create(10.0, short_bandwidth));
    style();
}

SizePlot::Panel SizePlot::make_panel(const QString& title, int column,
                                     const QSharedPointer<QCPAxisTicker>& values) {
    Panel panel;
    panel.title = new QCPTextElement(plot_, title);
    panel.title->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    panel.title->setMargins(QMargins(8, 2, 0, 0));
    panel.rect = new QCPAxisRect(plot_, true);
    panel.rect->setMinimumMargins(QMargins(40, 6, 10, 4));
    plot_->plotLayout()->addElement(0, column, panel.title);
    plot_->plotLayout()->addElement(1, column, panel.rect);
    plot_->plotLayout()->setRowStretchFactor(0, 0.001);
    QCPAxis* sizes = panel.rect->axis(QCPAxis::atBottom);
    sizes->setScaleType(QCPAxis::stLogarithmic);
    sizes->setTicker(QSharedPointer<WordTicker>::create(32.0, size_text));
    QCPAxis* axis = panel.rect->axis(QCPAxis::atLeft);
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(values);
    return panel;
}

void SizePlot::style() {
    const ThemeColors colors = theme_colors(palette());
    plot_->setBackground(colors.surface);
    QFont small = font();
    small.setPointSizeF(std::max(7.0, font().pointSizeF() * 0.88));
    QFont bold = font();
    bold.setBold(true);
    for (const Panel& panel : {latency_, bandwidth_}) {
        panel.title->setFont(bold);
        panel.title->setTextColor(colors.muted);
        for (QCPAxis* axis : {panel.rect->axis(QCPAxis::atBottom), panel.rect->axis(QCPAxis::atLeft)}) {
            axis->setBasePen(QPen(colors.line, 1));
            axis->setTickPen(QPen(colors.line, 1));
            axis->setSubTickPen(Qt::NoPen);
            axis->setTickLabelFont(small);
            axis->setTickLabelColor(colors.muted);
            axis->grid()->setPen(QPen(colors.grid, 1));
            axis->grid()->setZeroLinePen(Qt::NoPen);
        }
    }
}

void SizePlot::set_rows(const std::shared_ptr<const CollectiveReport>& report,
                        const std::vector<CollectiveRow>& rows) {
    report_ = report;
    rows_ = rows;
    draw();
}

void SizePlot::draw() {
    plot_->clearGraphs();
    plot_->clearItems();
    const ThemeColors colors = theme_colors(palette());
    Range sizes;
    Range times;
    Range rates;
    // The same function in communicators of other sizes is another curve.
    std::map<std::tuple<std::size_t, int>, std::vector<const CollectiveRow*>> curves;
    for (const CollectiveRow& row : rows_) {
        if (row.bytes > 0) {
            curves[{row.function, row.ranks}].push_back(&row);
        }
    }
    for (auto& [key, curve] : curves) {
        std::sort(curve.begin(), curve.end(), [](const CollectiveRow* left, const CollectiveRow* right) {
            return left->bytes < right->bytes;
        });
        const QColor color = function_color(report_->functions[std::get<0>(key)], colors.dark);
        for (const bool latency : {true, false}) {
            const Panel& panel = latency ? latency_ : bandwidth_;
            QCPGraph* graph =
                plot_->addGraph(panel.rect->axis(QCPAxis::atBottom), panel.rect->axis(QCPAxis::atLeft));
            graph->setPen(QPen(color, 1));
            graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, color, 5));
            graph->setAntialiasedScatters(true);
            for (const CollectiveRow* row : curve) {
                const double value = latency ? row->mean_s : row->bus_bandwidth;
                if (value > 0) {
                    graph->addData(row->bytes, value);
                    sizes.add(row->bytes);
                    (latency ? times : rates).add(value);
                }
            }
        }
    }
    if (report_ && report_->link.bytes_per_s > 0 && rates.upper > 0) {
        rates.add(report_->link.bytes_per_s);
        auto* line = new QCPItemStraightLine(plot_);
        line->setClipAxisRect(bandwidth_.rect);
        for (QCPItemPosition* position : {line->point1, line->point2}) {
            position->setAxes(bandwidth_.rect->axis(QCPAxis::atBottom),
                              bandwidth_.rect->axis(QCPAxis::atLeft));
            position->setAxisRect(bandwidth_.rect);
            position->setTypeX(QCPItemPosition::ptAxisRectRatio);
            position->setTypeY(QCPItemPosition::ptPlotCoords);
        }
        line->point1->setCoords(0, report_->link.bytes_per_s);
        line->point2->setCoords(1, report_->link.bytes_per_s);
        line->setPen(QPen(colors.muted, 1, Qt::DashLine));
    }
    for (const Panel& panel : {latency_, bandwidth_}) {
        panel.rect->axis(QCPAxis::atBottom)->setRange(sizes.padded(1.6, 4));
        panel.rect->axis(QCPAxis::atLeft)
            ->setRange((panel.rect == latency_.rect ? times : rates).padded(1.5, 3.5));
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void SizePlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        style();
        draw();
    }
    QWidget::changeEvent(event);
}

bool SizePlot::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    auto* help = static_cast<QHelpEvent*>(event);
    const CollectiveRow* nearest = nullptr;
    double closest = 20;  // pixels
    for (const bool latency : {true, false}) {
        const QCPAxisRect* rect = latency ? latency_.rect : bandwidth_.rect;
        for (const CollectiveRow& row : rows_) {
            const double value = latency ? row.mean_s : row.bus_bandwidth;
            if (row.bytes <= 0 || value <= 0) {
                continue;
            }
            const QPointF at(rect->axis(QCPAxis::atBottom)->coordToPixel(row.bytes),
                             rect->axis(QCPAxis::atLeft)->coordToPixel(value));
            if (const double away = std::hypot(at.x() - help->x(), at.y() - help->y()); away < closest) {
                closest = away;
                nearest = &row;
            }
        }
    }
    if (nearest == nullptr) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(
            help->globalPos(),
            plain_text(tr("%1 of %2, %3 ranks\n%4, %5")
                           .arg(qs(report_->functions[nearest->function]), size_text(nearest->bytes))
                           .arg(nearest->ranks)
                           .arg(latency_text(nearest->mean_s), bandwidth_text(nearest->bus_bandwidth))),
            this);
    }
    return true;
}

}  // namespace rankscope::gui
