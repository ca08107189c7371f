// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/page_command.h>
#include <gui/live/events_pane.h>
#include <gui/models/run_events_filter.h>
#include <gui/models/run_events_model.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/clear_button.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr int kBesideText = 24;  ///< room of a column around its text

/// What failed in red.
class EventDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() >= RunEventsModel::Kind && index.data(RunEventsModel::FaultRole).toBool()) {
            const QColor bad = theme_colors(option->palette).bad;
            option->palette.setColor(QPalette::Text, bad);
            option->palette.setColor(QPalette::HighlightedText, bad);
        }
    }
};

std::int64_t time_of(const QModelIndex& index) {
    return index.data(RunEventsModel::TimeRole).toLongLong();
}

int rank_of(const QModelIndex& index) {
    return index.data(RunEventsModel::RankRole).toInt();
}

quint64 line_of(const QModelIndex& index) {
    return index.data(RunEventsModel::LineRole).toULongLong();
}

}  // namespace

EventsPane::EventsPane(QWidget* parent)
    : QWidget(parent), model_(new RunEventsModel(this)), filter_(new RunEventsFilter(this)) {
    setObjectName(u"eventsPane"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(make_bar());
    make_table();
    layout->addWidget(table_, 1);
    count_ = make_label({}, this, "muted");
    count_->setObjectName(u"eventsCount"_s);
    layout->addWidget(count_);
    setFocusProxy(table_);
    for (const auto& change : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
        connect(filter_, change, this, &EventsPane::show_count);
    }
    connect(filter_, &QAbstractItemModel::modelReset, this, &EventsPane::show_count);
    show_count();
}

QWidget* EventsPane::make_bar() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    kinds_ = new ComboBox(bar);
    kinds_->setObjectName(u"eventKind"_s);
    kinds_->setAccessibleName(tr("Kind of the events"));
    kinds_->addItem(tr("All kinds"), -1);
    for (int kind = 0; kind < RunEvent::kKinds; ++kind) {
        kinds_->addItem(run_event_kind_text(RunEvent::Kind(kind)), kind);
    }
    ranks_ = new ComboBox(bar);
    ranks_->setObjectName(u"eventRank"_s);
    ranks_->setAccessibleName(tr("Whose events"));
    ranks_->setMinimumContentsLength(8);
    ranks_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    text_ = new QLineEdit(bar);
    text_->setObjectName(u"eventText"_s);
    text_->setAccessibleName(tr("Filter the events"));
    text_->setPlaceholderText(tr("Filter"));
    add_clear_button(text_);
    layout->addWidget(make_label(tr("Events"), bar, "sectionTitle"));
    layout->addWidget(kinds_);
    layout->addWidget(ranks_);
    layout->addWidget(text_, 1);
    connect(kinds_, &QComboBox::currentIndexChanged, this, [this] {
        const QScopedValueRollback<bool> updating(updating_, true);
        filter_->set_kind(kinds_->currentData().toInt());
        show_count();
    });
    connect(ranks_, &QComboBox::currentIndexChanged, this, [this] {
        const QScopedValueRollback<bool> updating(updating_, true);
        filter_->set_rank(ranks_->currentData().toInt());
        show_count();
    });
    connect(text_, &QLineEdit::textChanged, this, [this](const QString& text) {
        const QScopedValueRollback<bool> updating(updating_, true);
        filter_->set_text(text);
        show_count();
    });
    return bar;
}

void EventsPane::make_table() {
    table_ = new QTableView(this);
    tune_table(table_, "eventsTable", tr("Events of the run"));
    filter_->setSourceModel(model_);
    table_->setModel(filter_);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setItemDelegate(new EventDelegate(table_));
    table_->setMinimumHeight(60);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    const QFontMetrics metrics = table_->fontMetrics();
    int kind = 0;
    for (int i = 0; i < RunEvent::kKinds; ++i) {
        kind = std::max(kind, metrics.horizontalAdvance(run_event_kind_text(RunEvent::Kind(i))));
    }
    table_->setColumnWidth(RunEventsModel::Time, metrics.horizontalAdvance(u"88:88:88"_s) + kBesideText);
    table_->setColumnWidth(RunEventsModel::Place,
                           metrics.horizontalAdvance(u"rank 888 on node88"_s) + kBesideText);
    table_->setColumnWidth(RunEventsModel::Kind, kind + kBesideText);
    table_->horizontalHeader()->setStretchLastSection(true);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid() && !updating_) {
                    emit momentChosen(time_of(row), rank_of(row));
                }
            });
    connect(table_, &QTableView::activated, this, &EventsPane::show_log_of);
    connect(table_, &QWidget::customContextMenuRequested, this, &EventsPane::show_menu);
    on_command(
        table_, PageCommand::Copy, [this] { copy(false); },
        [this] { return table_->selectionModel()->hasSelection(); });
}

void EventsPane::set_live(LiveModel* live) {
    const QScopedValueRollback<bool> updating(updating_, true);
    live_ = live;
    known_ranks_ = -1;
    filter_->set_range({});
    model_->set_events(live_ ? &live_->data().happenings : nullptr);
    fill_ranks();
    table_->scrollToBottom();
}

void EventsPane::fill_ranks() {
    const int count = live_ ? int(live_->state().ranks.size()) : 0;
    if (count == known_ranks_) {
        return;
    }
    const int before = known_ranks_ < 0 ? -1 : ranks_->currentData().toInt();
    known_ranks_ = count;
    {
        const QSignalBlocker quiet(ranks_);
        ranks_->clear();
        ranks_->addItem(tr("All ranks"), -1);
        for (int rank = 0; rank < count; ++rank) {
            ranks_->addItem(tr("Rank %1").arg(rank), rank);
        }
        ranks_->setCurrentIndex(std::max(ranks_->findData(before), 0));
    }
    filter_->set_rank(ranks_->currentData().toInt());
}

void EventsPane::refresh() {
    const QScopedValueRollback<bool> updating(updating_, true);
    fill_ranks();
    const QScrollBar* bar = table_->verticalScrollBar();
    const bool at_end = bar->value() == bar->maximum();
    const int before = filter_->rowCount();
    model_->refresh();
    if (at_end && filter_->rowCount() != before) {
        table_->scrollToBottom();
    }
}

void EventsPane::set_range(const TimeSpan& span) {
    const QScopedValueRollback<bool> updating(updating_, true);
    filter_->set_range(span);
    show_count();
}

void EventsPane::show_count() {
    const int all = model_->rowCount();
    const int shown = filter_->rowCount();
    QString text =
        shown == all ? tr("%n event(s)", nullptr, all) : tr("%1 of %n event(s)", nullptr, all).arg(shown);
    if (model_->dropped() > 0) {
        text += u". "_s % tr("%1 older ones are in the log.").arg(count_text(qint64(model_->dropped())));
    }
    count_->setText(all == 0 ? tr("Nothing has happened yet.") : text);
}

void EventsPane::show_log_of(const QModelIndex& index) {
    if (!index.isValid()) {
        return;
    }
    if (line_of(index) > 0) {
        emit lineRequested(rank_of(index), line_of(index));
    } else {
        emit logRequested(time_of(index), rank_of(index));
    }
}

TimeSpan EventsPane::selected_span() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty()) {
        return {};
    }
    const auto [first, last] = std::minmax_element(
        rows.begin(), rows.end(),
        [](const QModelIndex& one, const QModelIndex& other) { return time_of(one) < time_of(other); });
    return {time_of(*first), time_of(*last)};
}

void EventsPane::show_menu(const QPoint& at) {
    // The menu key has no place: the current row is meant.
    const QModelIndex row = table_->indexAt(at).isValid() ? table_->indexAt(at) : table_->currentIndex();
    if (!row.isValid()) {
        return;
    }
    const int rank = rank_of(row);
    const qint64 t_us = time_of(row);
    auto* menu = new QMenu(this);
    menu->setObjectName(u"eventMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* curves = menu->addAction(tr("Show this &moment on the curves"), this,
                                      [this, t_us, rank] { emit momentRequested(t_us, rank); });
    curves->setObjectName(u"eventShowMoment"_s);
    curves->setEnabled(live_ && moment_of_time(live_->data(), t_us, -1).has_value());
    QAction* log = menu->addAction(tr("Show it in the &log"), this,
                                   [this, row = QPersistentModelIndex(row)] { show_log_of(row); });
    log->setObjectName(u"eventShowLog"_s);
    log->setShortcut(Qt::Key_Return);
    if (const TimeSpan span = selected_span(); span.from_us < span.until_us && span != TimeSpan()) {
        menu->addAction(tr("Show only the &times of the selected rows"), this,
                        [this, span] { emit rangeRequested(span); })
            ->setObjectName(u"eventRange"_s);
    }
    if (rank >= 0) {
        menu->addAction(tr("Select &rank %1").arg(rank), this, [this, rank] { emit rankChosen(rank); })
            ->setObjectName(u"eventSelectRank"_s);
    }
    menu->addSeparator();
    QAction* copying = menu->addAction(tr("&Copy"), this, [this] { copy(false); });
    copying->setShortcut(QKeySequence::Copy);
    copying->setEnabled(table_->selectionModel()->hasSelection());
    menu->addAction(tr("Copy &all shown rows"), this, [this] { copy(true); })
        ->setObjectName(u"eventCopyAll"_s);
    const QPoint place = table_->indexAt(at).isValid() ? at : table_->visualRect(row).bottomLeft();
    menu->popup(table_->viewport()->mapToGlobal(place));
}

void EventsPane::copy(bool all) const {
    QStringList lines;
    for (int row = 0; row < filter_->rowCount(); ++row) {
        const QModelIndex first = filter_->index(row, 0);
        if (!all && !table_->selectionModel()->isSelected(first)) {
            continue;
        }
        // The whole time: a day is missing in the table.
        QStringList cells{first.data(Qt::ToolTipRole).toString()};
        for (int column = RunEventsModel::Place; column < RunEventsModel::NUM_COLUMNS; ++column) {
            cells +=
                first.siblingAtColumn(column).data().toString().replace(u'\t', u' ').replace(u'\n', u' ');
        }
        lines += cells.join(u'\t');
    }
    if (!lines.isEmpty()) {
        copy_to_clipboard(lines.join(u'\n'));
    }
}

}  // namespace rankscope::gui
