// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/log_pane.h>
#include <gui/logview/log_rows.h>
#include <gui/logview/log_search_bar.h>
#include <gui/logview/log_view.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QToolButton>
#include <algorithm>
#include <climits>
#include <utility>

namespace rankscope::gui {

namespace {

const QString kTimeKey = QStringLiteral("live/logTime");
const QString kFoldKey = QStringLiteral("live/logFolded");

}  // namespace

LogPane::LogPane(QThreadPool* pool, QWidget* parent)
    : LogPanel(pool, QStringLiteral("log"), QStringLiteral("live/logWrap"), parent) {
    view_->setAccessibleName(tr("Log"));
    view_->setMinimumHeight(45);
    lay_out(make_bar());
    connect(view_, &LogView::followingChanged, follow_, &QToolButton::setChecked);
    connect(view_, &LogView::menuRequested, this, &LogPane::fill_context_menu);
    connect(view_, &LogView::lineActivated, this, &LogPane::show_on_curves);
    connect(rows_, &LogRows::wasReset, this, &LogPane::show_wanted);
    connect(rows_, &LogRows::changed, this, [this] {
        if (wanted_moment_ || wanted_line_) {
            show_wanted();
        }
    });
    setTabOrder(chooser_, follow_);
}

LogPane::~LogPane() = default;

QWidget* LogPane::make_bar() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* label = make_label(tr("Lo&g"), bar, "sectionTitle");
    label->setObjectName(u"paneName"_s);
    chooser_ = new ComboBox(bar);
    chooser_->setObjectName(u"logRank"_s);
    chooser_->setAccessibleName(tr("Whose log"));
    chooser_->setMinimumContentsLength(10);
    chooser_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    label->setBuddy(chooser_);
    follow_ = new QToolButton(bar);
    follow_->setObjectName(u"logFollow"_s);
    follow_->setText(tr("Follow"));
    follow_->setToolTip(tr("Keep the newest line in view"));
    follow_->setCheckable(true);
    follow_->setChecked(true);
    fold_ = new QToolButton(bar);
    fold_->setObjectName(u"logFold"_s);
    fold_->setText(tr("Fold"));
    fold_->setToolTip(wrapped_tip(
        tr("The same line of several ranks once, with the ranks that printed it. What differs is dotted "
           "or has a line of its own.")));
    fold_->setCheckable(true);
    fold_->setChecked(QSettings().value(kFoldKey).toBool());
    auto* more = new QToolButton(bar);
    more->setObjectName(u"logMore"_s);
    more->setText(tr("View"));
    more->setToolTip(tr("Times, wrapping, save"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setMenu(make_menu(more));
    layout->addWidget(label);
    layout->addWidget(chooser_, 1);
    layout->addWidget(fold_);
    layout->addWidget(follow_);
    layout->addWidget(more);
    connect(chooser_, &QComboBox::currentIndexChanged, this, &LogPane::choose);
    connect(follow_, &QToolButton::clicked, view_, &LogView::set_following);
    connect(fold_, &QToolButton::clicked, this, &LogPane::set_folded);
    return bar;
}

QMenu* LogPane::make_menu(QWidget* parent) {
    auto* menu = new QMenu(parent);
    times_ = new QActionGroup(menu);
    const QSettings settings;
    const int chosen = settings.value(kTimeKey, int(TimeColumn::Clock)).toInt();
    const auto add_time = [&](const QString& text, TimeColumn time, const char* name) {
        QAction* action = menu->addAction(text);
        action->setObjectName(QString::fromLatin1(name));
        action->setCheckable(true);
        action->setChecked(int(time) == chosen);
        times_->addAction(action);
        connect(action, &QAction::triggered, this, [this, time] {
            view_->set_time_column(time);
            QSettings().setValue(kTimeKey, int(time));
        });
        if (int(time) == chosen) {
            view_->set_time_column(time);
        }
    };
    add_time(tr("&Clock time"), TimeColumn::Clock, "logTimeClock");
    add_time(tr("Time since the &start"), TimeColumn::SinceStart, "logTimeStart");
    add_time(tr("&No time"), TimeColumn::None, "logTimeNone");
    menu->addSeparator();
    add_wrap(menu);
    menu->addSeparator();
    menu->addAction(tr("&Save shown lines…"), this, [this] { ask_path(false); })
        ->setObjectName(u"logSaveShown"_s);
    menu->addAction(tr("Save &all lines…"), this, [this] { ask_path(true); })->setObjectName(u"logSaveAll"_s);
    return menu;
}

void LogPane::set_live(LiveModel* live) {
    live_ = live;
    known_ranks_ = -1;
    wanted_line_.reset();
    wanted_moment_.reset();
    range_ = {};
    fill_chooser();
    if (live_) {
        rows_->choose(choice());
        rows_->set_store(live_->data().log.lines());
        view_->set_start(live_->state().start_us);
    }
    say({});
}

void LogPane::fill_chooser() {
    const int count = live_ ? int(live_->state().ranks.size()) : 0;
    if (count == known_ranks_) {
        return;
    }
    const QVariant before = known_ranks_ < 0 ? QVariant(-1) : chooser_->currentData();
    known_ranks_ = count;
    const QSignalBlocker quiet(chooser_);
    chooser_->clear();
    chooser_->addItem(tr("All ranks"), -1);
    QStringList nodes;
    for (int rank = 0; rank < count; ++rank) {
        const QString node = qs(live_->state().ranks[std::size_t(rank)].node);
        if (!node.isEmpty() && (nodes.isEmpty() || nodes.back() != node) && !nodes.contains(node)) {
            nodes += node;
        }
    }
    for (const QString& node : nodes.size() > 1 ? nodes : QStringList()) {
        chooser_->addItem(tr("Node %1").arg(node), node);
    }
    for (int rank = 0; rank < count; ++rank) {
        chooser_->addItem(tr("Rank %1 · %2").arg(rank).arg(qs(live_->state().ranks[std::size_t(rank)].node)),
                          rank);
    }
    chooser_->setCurrentIndex(std::max(chooser_->findData(before), 0));
    update_ranks();
}

void LogPane::update_ranks() {
    fold_->setEnabled(shown_rank() < 0 && known_ranks_ > 1);
    view_->set_rank_column(std::max(known_ranks_ - 1, 0), shown_rank() < 0);
    const LineChoice shown = choice();
    std::vector<int> ranks;
    for (int rank = 0; rank < known_ranks_; ++rank) {
        if (shown.whose == LineChoice::Whose::All ||
            (std::size_t(rank) < shown.ranks.size() && shown.ranks[std::size_t(rank)])) {
            ranks.push_back(rank);
        }
    }
    view_->set_ranks(ranks, live_ && live_->state().end.has_value());
}

void LogPane::set_folded(bool on) {
    fold_->setChecked(on);
    QSettings().setValue(kFoldKey, on);
    wanted_moment_.reset();
    wanted_line_ = view_->current_line();
    choose();
    show_wanted();
}

int LogPane::shown_rank() const {
    const QVariant shown = chooser_->currentData();
    return shown.typeId() == QMetaType::Int ? shown.toInt() : -1;
}

void LogPane::choose_item(const QVariant& item) {
    fill_chooser();
    const int index = chooser_->findData(item);
    chooser_->setCurrentIndex(std::max(index, 0));
}

void LogPane::show_rank(int rank) {
    choose_item(rank);
}

void LogPane::show_node(const std::string& node) {
    choose_item(qs(node));
}

LogPlace LogPane::place() const {
    return {chooser_->currentData(), view_->follows(), view_->current_line()};
}

void LogPane::return_to(const LogPlace& place) {
    if (place.whose.isValid()) {
        choose_item(place.whose);
    }
    if (!place.following) {
        view_->set_following(false);
        wanted_line_ = place.line;
        show_wanted();
    }
}

LineChoice LogPane::choice() const {
    LineChoice choice;
    choice.when = range_;
    choice.folded = fold_->isChecked() && shown_rank() < 0;
    const QVariant shown = chooser_->currentData();
    if (shown_rank() >= 0) {
        choice.whose = LineChoice::Whose::Rank;
        choice.rank = shown_rank();
    } else if (shown.typeId() == QMetaType::QString && live_) {
        choice.whose = LineChoice::Whose::Node;
        choice.node = ss(shown.toString());
        for (const auto& rank : live_->state().ranks) {
            choice.ranks.push_back(rank.node == choice.node);
        }
    }
    return choice;
}

void LogPane::choose() {
    rows_->choose(choice());
    update_ranks();
    say({});
}

void LogPane::filter(const TimeSpan& span) {
    range_ = span;
    choose();
}

void LogPane::set_range(const TimeSpan& span) {
    if (span == range_) {
        return;
    }
    wanted_line_.reset();
    wanted_moment_.reset();
    if (span == TimeSpan()) {
        wanted_line_ = view_->current_line();
    } else {
        wanted_moment_ = Moment{span.from_us, -1};
    }
    filter(span);
    show_wanted();
}

void LogPane::leave_range() {
    filter({});
    emit rangeLeft();
}

void LogPane::show_moment(std::int64_t t_us, int rank) {
    if (!live_) {
        return;
    }
    refresh();
    wanted_line_.reset();
    wanted_moment_ = Moment{t_us, rank};
    if (!range_.contains(t_us)) {
        leave_range();
    }
    const LineChoice shown = choice();
    const bool is_of_node =
        rank >= 0 && std::size_t(rank) < shown.ranks.size() && shown.ranks[std::size_t(rank)];
    if (rank >= 0 && ((shown.whose == LineChoice::Whose::Rank && shown.rank != rank) ||
                      (shown.whose == LineChoice::Whose::Node && !is_of_node))) {
        show_rank(rank);
    }
    show_wanted();
}

std::optional<std::uint32_t> LogPane::row_of(const Moment& moment) const {
    const auto is_wanted = [&](std::uint32_t row) {
        return moment.rank < 0 || rows_->is_of(rows_->line(row), moment.rank);
    };
    const std::uint32_t first = rows_->row_at(moment.t_us);
    for (std::uint32_t row = first; row < rows_->count(); ++row) {
        if (is_wanted(row)) {
            return row;
        }
    }
    for (std::uint32_t row = std::min(first, rows_->count()); row > 0; --row) {
        if (is_wanted(row - 1)) {
            return row - 1;
        }
    }
    return {};
}

bool LogPane::can_show_moment(quint32 line) const {
    return live_ && moment_of_time(live_->data(), rows_->store().t_us(line), -1).has_value();
}

void LogPane::show_on_curves(quint32 line) {
    if (can_show_moment(line)) {
        emit momentRequested(rows_->store().t_us(line), rows_->store().rank(line));
    }
}

bool LogPane::show_line(int rank, std::uint64_t number) {
    if (!live_ || number == 0 || number > live_->data().log.last_number()) {
        return false;
    }
    const auto line = std::uint32_t(number - 1);
    refresh();
    if (!view_->show_line(line)) {
        search_->edit()->clear();  // it may hide the line
        if (!range_.contains(rows_->store().t_us(line))) {
            leave_range();
        }
        if (!view_->show_line(line)) {
            show_rank(rank);
            wanted_line_ = line;
            show_wanted();
        }
    }
    return true;
}

void LogPane::refresh() {
    if (!live_) {
        return;
    }
    fill_chooser();
    update_ranks();
    view_->set_start(live_->state().start_us);
    const auto& lines = live_->data().log.lines();
    if (rows_->shared_store() != lines) {
        rows_->set_store(lines);
    } else if (lines->size() != seen_) {
        rows_->refresh();
    }
    seen_ = lines->size();
    update_note();
}

QStringList LogPane::notes() const {
    QStringList notes;
    if (live_) {
        if (const std::uint64_t bytes = live_->data().left_out_bytes; bytes > 0) {
            notes +=
                tr("%1 of the output are left out, in %n place(s): these ranks write more than is kept. The "
                   "lines marked with • show where.",
                   nullptr, int(std::min<std::uint64_t>(live_->data().left_out_places, INT_MAX)))
                    .arg(bytes_text(bytes));
        }
        if (const std::uint64_t lines = live_->data().log.dropped(); lines > 0) {
            notes += tr("%n line(s) are not shown: the log is full. The run store has them.", nullptr,
                        int(std::min<std::uint64_t>(lines, INT_MAX)));
        }
        const TextSpool& spool = live_->data().log.lines()->spool();
        if (spool.in_memory()) {
            notes +=
                tr("New lines cannot be written to the cache folder (%1): the newest of them stay in memory, "
                   "earlier ones are in the run store only. Free space there, then open the run again.")
                    .arg(qs(spool.fault()));
        }
    }
    return notes;
}

void LogPane::ask_path(bool all) {
    // The name of a run is not a path.
    const QString name = live_ ? qs(live_->state().name).replace(u'/', u'_') : tr("log");
    LogPanel::ask_path(all ? tr("Save all lines") : tr("Save shown lines"), name + u".log"_s,
                       [this, all] { return saved_lines(all); });
}

SavedLines LogPane::saved_lines(bool all) const {
    SavedLines lines;
    lines.store = rows_->shared_store();
    lines.with_time = view_->time_column() != TimeColumn::None;
    lines.only_places = !all && rows_->shows_only_matches();
    if (all) {
        lines.all = true;
    } else {
        lines.order = rows_->order();
        lines.places = rows_->matching();
        lines.rings = rows_->rings();
        lines.with_rank = shown_rank() < 0;
    }
    return lines;
}

void LogPane::fill_context_menu(QMenu* menu, quint32 line) {
    const int rank = rows_->store().rank(line);
    menu->addSeparator();
    QAction* on_curves =
        menu->addAction(tr("Show this &moment on the curves"), this, [this, line] { show_on_curves(line); });
    on_curves->setObjectName(u"logShowMoment"_s);
    on_curves->setShortcut(Qt::Key_Return);
    on_curves->setEnabled(can_show_moment(line));
    menu->addSeparator();
    if (rows_->folded() && rows_->rings().lines_of(line, 2).size() > 1) {
        QAction* each = menu->addAction(tr("Show the lines of &each rank here"), this, [this, line] {
            set_folded(false);
            wanted_line_ = line;
            show_wanted();
        });
        each->setObjectName(u"logUnfold"_s);
    }
    if (const TimeSpan span = selected_span(); span != TimeSpan()) {
        menu->addAction(tr("Show only the &times of the selected lines"), this,
                        [this, span] { emit rangeRequested(span); })
            ->setObjectName(u"logSelectRange"_s);
    }
    if (rank >= 0) {
        menu->addAction(tr("Se&lect rank %1").arg(rank), this, [this, rank] { emit rankChosen(rank); })
            ->setObjectName(u"logSelectRank"_s);
    }
    if (shown_rank() < 0 && rank >= 0) {
        menu->addAction(tr("Show only &rank %1").arg(rank), this, [this, rank, line] {
            show_rank(rank);
            wanted_line_ = line;
            show_wanted();
        });
    } else if (shown_rank() >= 0) {
        menu->addAction(tr("Show all &ranks"), this, [this, line] {
            show_rank(-1);
            wanted_line_ = line;
            show_wanted();
        });
    }
    add_explain(menu, line);
    menu->addSeparator();
    menu->addAction(tr("&Save shown lines…"), this, [this] { ask_path(false); });
}

// Nothing: all lines are of one moment, or have no time.
TimeSpan LogPane::selected_span() const {
    const auto lines = view_->selected_lines();
    if (!lines) {
        return {};
    }
    const auto [from, until] =
        std::minmax({rows_->store().t_us(lines->first), rows_->store().t_us(lines->second)});
    return from > 0 && from < until ? TimeSpan{from, until} : TimeSpan();
}

// The line the user asked for, once the rows are there.
void LogPane::show_wanted() {
    if (wanted_line_ && view_->show_line(rows_->shown_line(*wanted_line_))) {
        wanted_line_.reset();
    }
    if (wanted_moment_ && !rows_->pending()) {
        const Moment moment = *std::exchange(wanted_moment_, std::nullopt);
        if (const auto row = row_of(moment)) {
            view_->show_line(rows_->line(*row));
        }
    }
}

}  // namespace rankscope::gui
