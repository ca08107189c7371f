// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/telemetry_strip.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/quiet_header.h>

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr int kFewestLines = 3;
constexpr int kMostLines = 9;
constexpr int kLineOfPage = 170;  ///< a line for this many pixels of the page's height
constexpr int kFigureWidth = 46;  ///< "100 %"
constexpr int kPad = 6;
constexpr int kLineRoom = 7;  ///< around the text of a line

/// The figure on the right, on its left the course of the last minute.
class SparkDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return {QStyledItemDelegate::sizeHint(option, index).width(),
                option.fontMetrics.height() + kLineRoom};
    }

    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.data(NodeSamplesModel::StaleRole).toBool()) {
            for (const QPalette::ColorRole role : {QPalette::Text, QPalette::HighlightedText}) {
                option->palette.setColor(role, theme_colors(option->palette).muted);
            }
            option->font.setItalic(true);
        }
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        const auto values = index.data(NodeSamplesModel::HistoryRole).value<QList<float>>();
        const QRectF box = QRectF(option.rect).adjusted(kPad, 4, -kFigureWidth, -4);
        if (values.size() < 2 || box.width() < 12) {
            return;
        }
        const double pitch = box.width() / double(SampleHistory::kKept - 1);
        const double left = box.right() - pitch * double(values.size() - 1);
        QPainterPath line;
        for (qsizetype i = 0; i < values.size(); ++i) {
            const QPointF point(left + pitch * double(i),
                                box.bottom() - box.height() * std::clamp(double(values[i]), 0.0, 1.0));
            i == 0 ? line.moveTo(point) : line.lineTo(point);
        }
        QPainterPath area = line;
        area.lineTo(box.right(), box.bottom());
        area.lineTo(left, box.bottom());
        const ThemeColors colors = theme_colors(option.palette);
        const QColor ink = index.data(NodeSamplesModel::StaleRole).toBool() ? colors.muted : colors.accent;
        QColor fill = ink;
        fill.setAlphaF(0.18F);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->fillPath(area, fill);
        painter->setPen(QPen(ink, 1.2));
        painter->drawPath(line);
        painter->restore();
    }
};

}  // namespace

TelemetryStrip::TelemetryStrip(QWidget* parent)
    : QFrame(parent),
      model_(new NodeSamplesModel(this)),
      proxy_(new QSortFilterProxyModel(this)),
      empty_(make_label({}, this, "muted")),
      view_(new QTreeView(this)) {
    setObjectName(u"telemetryStrip"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    empty_->setObjectName(u"telemetryEmpty"_s);
    empty_->setContentsMargins(10, 0, 10, 0);
    layout->addWidget(empty_);
    layout->addWidget(view_);

    proxy_->setSourceModel(model_);
    proxy_->setSortRole(NodeSamplesModel::SortRole);
    auto* header = new QuietHeader(view_);
    view_->setHeader(header);
    view_->setObjectName(u"telemetryTable"_s);
    view_->setAccessibleName(tr("Processors, memory, network and GPUs of the nodes"));
    view_->setModel(proxy_);
    view_->setUniformRowHeights(true);
    view_->setAlternatingRowColors(true);
    view_->setAllColumnsShowFocus(true);
    view_->setIndentation(16);
    view_->setTextElideMode(Qt::ElideMiddle);
    view_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setSortingEnabled(true);
    view_->sortByColumn(NodeSamplesModel::Node, Qt::AscendingOrder);
    view_->setItemDelegate(new SparkDelegate(view_));
    const std::array<int, NodeSamplesModel::NUM_COLUMNS> widths{120, 128, 120, 92, 92, 88, 128, 120, 66, 70};
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(36);
    for (int column = 0; column < NodeSamplesModel::NUM_COLUMNS; ++column) {
        view_->setColumnWidth(column, widths[std::size_t(column)]);
    }
    header->setSectionResizeMode(NodeSamplesModel::Node, QHeaderView::Stretch);
    connect(model_, &QAbstractItemModel::modelReset, this, &TelemetryStrip::unfold);
    connect(view_, &QTreeView::expanded, this, &TelemetryStrip::fit);
    connect(view_, &QTreeView::collapsed, this, &TelemetryStrip::fit);
}

void TelemetryStrip::set_data(const LiveData* run) {
    model_->set_data(run);
}

void TelemetryStrip::refresh(bool live, std::int64_t now_us) {
    model_->refresh(live ? now_us : 0);
    const bool any = model_->rowCount() > 0;
    view_->setVisible(any);
    empty_->setVisible(!any);
    empty_->setText(live ? tr("No measurements of the machines yet: processors, memory, network and GPUs.")
                         : tr("This run kept no measurements of its machines (telemetry: { every_s: 0 }, or "
                              "it never started)."));
    fit();
}

// Of a single node the GPUs matter most; of many, the nodes.
void TelemetryStrip::unfold() {
    for (int column = NodeSamplesModel::GpuUse; column < NodeSamplesModel::NUM_COLUMNS; ++column) {
        view_->setColumnHidden(column, !model_->has_gpus());
    }
    view_->setRootIsDecorated(model_->has_gpus());
    if (model_->rowCount() == 1) {
        view_->expandAll();
    }
    fit();
}

void TelemetryStrip::fit() {
    if (model_->rowCount() == 0) {
        setFixedHeight(empty_->sizeHint().height() + 2);
        return;
    }
    int lines = 0;
    for (QModelIndex index = proxy_->index(0, 0); index.isValid() && lines <= kMostLines;
         index = view_->indexBelow(index)) {
        ++lines;
    }
    const int room = parentWidget() ? parentWidget()->height() / kLineOfPage : 0;
    lines = std::min(lines, std::clamp(room, kFewestLines, kMostLines));
    const int line = view_->fontMetrics().height() + kLineRoom;
    const int head = std::max(view_->header()->height(), view_->header()->sizeHint().height());
    setFixedHeight(head + lines * line + 2 * view_->frameWidth());
}

void TelemetryStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

}  // namespace rankscope::gui
