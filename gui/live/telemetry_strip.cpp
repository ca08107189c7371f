// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/gpu_squares.h>
#include <gui/live/telemetry_strip.h>
#include <gui/strings.h>
#include <gui/style/spark_line.h>
#include <gui/style/theme.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/quiet_header.h>

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <set>

namespace rankscope::gui {

namespace {

/// Columns that leave first where the window is narrow, and below which width; their figures are in tool tips too.
struct Droppable {
    int column;
    int below;
};
constexpr std::array<Droppable, 3> kDroppable{
    {{NodeSamplesModel::Disk, 1400}, {NodeSamplesModel::NetOut, 1190}, {NodeSamplesModel::NetIn, 1110}}};
constexpr int kFewestLines = 3;
constexpr int kLeastTable = 46;    ///< pixels: title and a line
constexpr int kLeastSquares = 24;  ///< pixels: a row
// Eight GPUs and their node are seen at once in the smallest window; nodes alone need less.
constexpr int kMostNodeLines = 9;
constexpr int kMostGpuLines = 17;
constexpr int kNodeLineOfPage = 170;  ///< a line for this many pixels of the page's height
constexpr int kGpuLineOfPage = 80;
constexpr int kFigureWidth = 46;  ///< "100 %"
constexpr int kStripPad = 6;
constexpr int kLineRoom = 7;  ///< around the text of a line

/// The figure on the right, on its left the course of the last minute or of the chosen range.
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
        } else if (index.data(NodeSamplesModel::FaultRole).toBool()) {
            const QColor bad = theme_colors(option->palette).bad;
            option->palette.setColor(QPalette::Text, bad);
            option->palette.setColor(QPalette::HighlightedText, bad);
            option->font.setBold(true);
        }
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        const auto values = index.data(NodeSamplesModel::HistoryRole).value<QList<float>>();
        const QRectF box = QRectF(option.rect).adjusted(kStripPad, 4, -kFigureWidth, -4);
        if (values.size() < 2 || box.width() < 12) {
            return;
        }
        // A chosen range fills the cell, however few samples it has; the last minute fills up from the right.
        const auto places = index.data(NodeSamplesModel::RangeRole).toBool()
                                ? values.size()
                                : qsizetype(SampleHistory::kKept);
        const ThemeColors colors = theme_colors(option.palette);
        const bool stale = index.data(NodeSamplesModel::StaleRole).toBool();
        draw_spark_line(painter, box, values, places, stale ? colors.muted : colors.accent);
    }
};

}  // namespace

TelemetryStrip::TelemetryStrip(QWidget* parent)
    : QFrame(parent),
      model_(new NodeSamplesModel(this)),
      proxy_(new QSortFilterProxyModel(this)),
      empty_(make_label({}, this, "muted")),
      squares_part_(new QWidget(this)),
      summary_(new ElidedLabel(squares_part_)),
      squares_(new GpuSquares(model_, squares_part_)),
      scroll_(new QScrollArea(squares_part_)),
      view_(new QTreeView(this)) {
    setObjectName(u"telemetryStrip"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    empty_->setObjectName(u"telemetryEmpty"_s);
    empty_->setContentsMargins(10, 0, 10, 0);
    summary_->setObjectName(u"gpuSummary"_s);
    set_style_property(summary_, "role", u"muted"_s);
    auto* part = new QVBoxLayout(squares_part_);
    part->setContentsMargins(8, 1, 10, 1);
    part->setSpacing(2);
    part->addWidget(summary_);
    scroll_->setObjectName(u"gpuSquaresScroll"_s);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setMinimumHeight(kLeastSquares);
    scroll_->viewport()->setAutoFillBackground(false);
    scroll_->setWidget(squares_);
    squares_->setAutoFillBackground(false);
    part->addWidget(scroll_, 1);
    layout->addWidget(empty_);
    layout->addWidget(squares_part_);
    layout->addWidget(view_);
    view_->setMinimumHeight(kLeastTable);

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
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setSortingEnabled(true);
    view_->sortByColumn(NodeSamplesModel::Node, Qt::AscendingOrder);
    view_->setItemDelegate(new SparkDelegate(view_));
    const std::array<int, NodeSamplesModel::NUM_COLUMNS> widths{120, 104, 116, 84, 84, 82, 110,
                                                                112, 58,  60,  76, 96, 48, 118};
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(36);
    for (int column = 0; column < NodeSamplesModel::NUM_COLUMNS; ++column) {
        view_->setColumnWidth(column, widths[std::size_t(column)]);
    }
    header->setSectionResizeMode(NodeSamplesModel::Node, QHeaderView::Stretch);
    connect_parts();
}

void TelemetryStrip::connect_parts() {
    connect(model_, &QAbstractItemModel::modelReset, this, &TelemetryStrip::unfold);
    connect(view_, &QTreeView::expanded, this, &TelemetryStrip::fit);
    connect(view_, &QTreeView::collapsed, this, &TelemetryStrip::fit);
    connect(squares_, &GpuSquares::ranksChosen, this, &TelemetryStrip::ranksChosen);
    const auto choose = [this] {
        if (const std::vector<int> ranks = ranks_of_rows(); !ranks.empty()) {
            emit ranksChosen(ranks);
        }
    };
    connect(view_, &QTreeView::clicked, this, choose);
    connect(view_, &QTreeView::activated, this, choose);
}

void TelemetryStrip::set_data(const LiveData* run) {
    model_->set_data(run);
}

void TelemetryStrip::refresh(bool live, std::int64_t now_us) {
    model_->refresh(live ? now_us : 0);
    empty_->setText(live ? tr("No measurements of the nodes yet: processors, memory, network and GPUs.")
                         : tr("This run kept no measurements of its nodes (telemetry: { every_s: 0 }, or "
                              "it never started)."));
    show_parts();
}

void TelemetryStrip::set_range(const TimeSpan& span) {
    model_->set_range(span);
    show_parts();
}

bool TelemetryStrip::is_squares() const {
    return can_be_squares() && squares_wanted_.value_or(tight_ || model_->gpu_count() > kMostRows);
}

void TelemetryStrip::set_tight(bool on) {
    if (on != tight_) {
        tight_ = on;
        show_parts();
    }
}

void TelemetryStrip::set_squares(bool on) {
    squares_wanted_ = on;
    show_parts();
}

void TelemetryStrip::show_parts() {
    const bool any = model_->rowCount() > 0;
    const bool squares = any && is_squares();
    empty_->setVisible(!any);
    squares_part_->setVisible(squares);
    view_->setVisible(any && !squares);
    if (squares) {
        squares_->refresh();
        summary_->set_full_text(squares_->summary());
    }
    fit();
}

void TelemetryStrip::set_selected(const std::vector<int>& ranks) {
    squares_->set_selected(ranks);
    if (ranks_of_rows() == ranks) {
        return;
    }
    QItemSelection rows;
    for (const QModelIndex& gpu : gpu_rows()) {
        const auto of_gpu = gpu.data(NodeSamplesModel::RanksRole).value<QList<int>>();
        const bool wanted = std::any_of(of_gpu.begin(), of_gpu.end(), [&ranks](int rank) {
            return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
        });
        if (wanted) {
            rows.select(gpu, gpu.siblingAtColumn(NodeSamplesModel::NUM_COLUMNS - 1));
        }
    }
    view_->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
}

std::vector<QModelIndex> TelemetryStrip::gpu_rows() const {
    std::vector<QModelIndex> rows;
    for (int row = 0; row < proxy_->rowCount(); ++row) {
        const QModelIndex node = proxy_->index(row, 0);
        for (int gpu = 0; gpu < proxy_->rowCount(node); ++gpu) {
            rows.push_back(proxy_->index(gpu, 0, node));
        }
    }
    return rows;
}

std::vector<int> TelemetryStrip::ranks_of_rows() const {
    std::set<int> ranks;
    for (const QModelIndex& row : view_->selectionModel()->selectedRows()) {
        const auto of_row = row.data(NodeSamplesModel::RanksRole).value<QList<int>>();
        ranks.insert(of_row.begin(), of_row.end());
    }
    return {ranks.begin(), ranks.end()};
}

// Of a few GPUs each has its row; of many, the nodes.
void TelemetryStrip::unfold() {
    view_->setRootIsDecorated(model_->has_gpus());
    if (model_->rowCount() == 1 || model_->gpu_count() <= kMostRows) {
        view_->expandAll();
    }
    drop_columns();
    fit();
}

void TelemetryStrip::drop_columns() {
    for (int column = NodeSamplesModel::GpuUse; column < NodeSamplesModel::NUM_COLUMNS; ++column) {
        view_->setColumnHidden(column, !model_->has_gpus());
    }
    for (const Droppable& each : kDroppable) {
        view_->setColumnHidden(each.column, model_->has_gpus() && width() < each.below);
    }
}

int TelemetryStrip::wanted_height() const {
    if (model_->rowCount() == 0) {
        return empty_->sizeHint().height() + 2;
    }
    if (is_squares()) {
        const QMargins edges = squares_part_->layout()->contentsMargins();
        const int inner = width() - edges.left() - edges.right();
        return edges.top() + summary_->sizeHint().height() + squares_part_->layout()->spacing() +
               squares_->heightForWidth(std::max(inner, 200)) + edges.bottom();
    }
    const int most = model_->has_gpus() ? kMostGpuLines : kMostNodeLines;
    const int line_of_page = model_->has_gpus() ? kGpuLineOfPage : kNodeLineOfPage;
    int lines = 0;
    for (QModelIndex index = proxy_->index(0, 0); index.isValid() && lines <= most;
         index = view_->indexBelow(index)) {
        ++lines;
    }
    const int room = page_ && !tight_ ? page_->height() / line_of_page : 0;
    lines = std::min(lines, std::clamp(room, kFewestLines, most));
    const int line = view_->fontMetrics().height() + kLineRoom;
    const int head = std::max(view_->header()->height(), view_->header()->sizeHint().height());
    return head + lines * line + 2 * view_->frameWidth();
}

QSize TelemetryStrip::sizeHint() const {
    return {QFrame::sizeHint().width(), wanted_height()};
}

void TelemetryStrip::fit() {
    if (const int height = wanted_height(); height != hint_) {
        hint_ = height;
        updateGeometry();
        emit hintChanged();
    }
}

void TelemetryStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    drop_columns();
    fit();
}

}  // namespace rankscope::gui
