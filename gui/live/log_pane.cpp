// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/log_pane.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QDateTime>
#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kViewLines = 20000;          ///< in the text view
constexpr std::size_t kBatchLines = 4000;  ///< at once: more would hold up the window
constexpr int kMarkedMatches = 400;
constexpr std::size_t kReorderLines = 4000;  ///< a late line moves back at most so far

/// "14:03:22  ", local time; empty where there is none.
QString clock_text(std::int64_t t_us) {
    if (t_us <= 0) {
        return {};
    }
    // Many lines share a second, and the calendar is slow.
    thread_local std::int64_t second = -1;
    thread_local QString text;
    if (t_us / 1'000'000 != second) {
        second = t_us / 1'000'000;
        text = QDateTime::fromSecsSinceEpoch(second).toString(u"HH:mm:ss  "_s);
    }
    return text;
}

}  // namespace

LogPane::LogPane(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(make_bar());
    view_ = new QPlainTextEdit(this);
    view_->setObjectName(u"logView"_s);
    view_->setAccessibleName(tr("Log"));
    view_->setReadOnly(true);
    view_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    view_->setMaximumBlockCount(kViewLines);
    view_->setUndoRedoEnabled(false);
    view_->setLineWrapMode(QPlainTextEdit::NoWrap);
    view_->setTabChangesFocus(true);
    view_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    view_->setMinimumHeight(60);
    view_->viewport()->installEventFilter(this);
    layout->addWidget(view_, 1);
    note_ = make_label({}, this, "muted");
    note_->setObjectName(u"logNote"_s);
    note_->hide();
    layout->addWidget(note_);
    connect(view_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        if (!appending_) {
            set_following(value >= view_->verticalScrollBar()->maximum());
        }
        mark_matches();
    });
}

QWidget* LogPane::make_bar() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* label = make_label(tr("Lo&g"), bar, "sectionTitle");
    chooser_ = new ComboBox(bar);
    chooser_->setObjectName(u"logRank"_s);
    chooser_->setAccessibleName(tr("Whose log"));
    chooser_->setMinimumContentsLength(10);
    chooser_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    label->setBuddy(chooser_);
    search_ = new QLineEdit(bar);
    search_->setObjectName(u"logSearch"_s);
    search_->setAccessibleName(tr("Search in the log"));
    search_->setPlaceholderText(tr("Search (Ctrl+F)"));
    search_->setClearButtonEnabled(true);
    search_->installEventFilter(this);
    found_ = make_label({}, bar, "muted");
    auto* previous = new QToolButton(bar);
    previous->setObjectName(u"logPrevious"_s);
    previous->setArrowType(Qt::UpArrow);
    previous->setToolTip(tr("Previous match (Shift+F3)"));
    previous->setAccessibleName(tr("Previous match"));
    previous->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F3));
    auto* next = new QToolButton(bar);
    next->setObjectName(u"logNext"_s);
    next->setArrowType(Qt::DownArrow);
    next->setToolTip(tr("Next match (F3)"));
    next->setAccessibleName(tr("Next match"));
    next->setShortcut(QKeySequence(Qt::Key_F3));
    follow_ = new QToolButton(bar);
    follow_->setObjectName(u"logFollow"_s);
    follow_->setText(tr("Follow"));
    follow_->setToolTip(tr("Keep the newest line in view"));
    follow_->setCheckable(true);
    follow_->setChecked(true);
    for (QWidget* widget : {static_cast<QWidget*>(label), static_cast<QWidget*>(chooser_)}) {
        layout->addWidget(widget);
    }
    layout->addWidget(search_, 1);
    for (QWidget* widget : {static_cast<QWidget*>(found_), static_cast<QWidget*>(previous),
                            static_cast<QWidget*>(next), static_cast<QWidget*>(follow_)}) {
        layout->addWidget(widget);
    }
    connect(chooser_, &QComboBox::currentIndexChanged, this, [this] { rewrite(); });
    connect(search_, &QLineEdit::textChanged, this, [this] { find(false, true); });
    connect(previous, &QToolButton::clicked, this, [this] { find(true, false); });
    connect(next, &QToolButton::clicked, this, [this] { find(false, false); });
    connect(follow_, &QToolButton::clicked, this, [this](bool on) {
        set_following(on);
        if (on) {
            view_->verticalScrollBar()->setValue(view_->verticalScrollBar()->maximum());
        }
    });
    return bar;
}

bool LogPane::eventFilter(QObject* object, QEvent* event) {
    if (object == view_->viewport() && event->type() == QEvent::Resize && follow_->isChecked()) {
        QMetaObject::invokeMethod(this, &LogPane::to_end, Qt::QueuedConnection);
    }
    if (object == search_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            find(key->modifiers().testFlag(Qt::ShiftModifier), false);
            return true;
        }
        if (key->key() == Qt::Key_Escape && !search_->text().isEmpty()) {
            search_->clear();
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

void LogPane::focus_search() {
    search_->setFocus(Qt::ShortcutFocusReason);
    search_->selectAll();
}

void LogPane::set_live(LiveModel* live) {
    live_ = live;
    known_ranks_ = -1;
    fill_chooser();
    set_following(true);
    rewrite();
}

void LogPane::fill_chooser() {
    const int count = live_ ? int(live_->state().ranks.size()) : 0;
    if (count == known_ranks_) {
        return;
    }
    const int before = known_ranks_ < 0 ? -1 : shown_rank();
    known_ranks_ = count;
    const QSignalBlocker quiet(chooser_);
    chooser_->clear();
    chooser_->addItem(tr("All ranks"), -1);
    for (int rank = 0; rank < count; ++rank) {
        chooser_->addItem(tr("Rank %1 · %2").arg(rank).arg(qs(live_->state().ranks[std::size_t(rank)].node)),
                          rank);
    }
    chooser_->setCurrentIndex(std::min(before + 1, count));
}

int LogPane::shown_rank() const {
    return chooser_->currentData().isValid() ? chooser_->currentData().toInt() : -1;
}

void LogPane::show_rank(int rank) {
    fill_chooser();
    chooser_->setCurrentIndex(std::clamp(rank + 1, 0, chooser_->count() - 1));
}

bool LogPane::show_line(int rank, std::uint64_t number) {
    if (!live_) {
        return false;
    }
    if (shown_rank() >= 0 && shown_rank() != rank) {
        show_rank(rank);
    }
    refresh();
    const auto find = [&] {
        return std::find_if(blocks_.begin(), blocks_.end(),
                            [number](const Block& block) { return block.number == number; });
    };
    auto found = find();
    if (found == blocks_.end() && shown_rank() < 0) {
        show_rank(rank);
        found = find();
    }
    if (found == blocks_.end()) {
        note_->setText(tr("This line is not in the view any more: it is in the run store."));
        note_->show();
        return false;
    }
    QTextCursor cursor(view_->document()->findBlockByNumber(int(found - blocks_.begin())));
    cursor.movePosition(QTextCursor::EndOfBlock);
    cursor.movePosition(QTextCursor::StartOfBlock, QTextCursor::KeepAnchor);
    view_->setTextCursor(cursor);
    view_->centerCursor();
    set_following(false);  // also where the line is at the end
    return true;
}

void LogPane::rewrite() {
    view_->clear();
    blocks_.clear();
    shown_number_ = 0;
    set_following(true);
    refresh();
}

void LogPane::refresh() {
    if (!live_) {
        return;
    }
    fill_chooser();
    const LogStore& log = live_->data().log;
    if (log.last_number() == shown_number_) {
        return;
    }
    const std::size_t limit = shown_number_ == 0 ? kViewLines : kBatchLines;
    std::uint64_t skipped = 0;
    const int rank = shown_rank();
    auto lines = rank < 0 ? log.lines(shown_number_, limit, &skipped)
                          : log.lines_of(rank, shown_number_, limit, &skipped);
    if (!lines.empty() && skipped == 0) {
        std::vector<const LogLine*> later = take_back(*lines.front());
        const auto middle = std::ptrdiff_t(later.size());
        later.insert(later.end(), lines.begin(), lines.end());
        std::inplace_merge(later.begin(), later.begin() + middle, later.end(),
                           [](const LogLine* a, const LogLine* b) { return earlier(*a, *b); });
        lines = std::move(later);
    }
    append_lines(lines, shown_number_ == 0 ? 0 : skipped);
    shown_number_ = log.last_number();
    update_note();
}

// Removes the lines at the end of the view that stand after `late`, and returns them.
std::vector<const LogLine*> LogPane::take_back(const LogLine& late) {
    std::vector<const LogLine*> lines;
    while (!blocks_.empty() && lines.size() < kReorderLines) {
        const Block& last = blocks_.back();
        const LogLine* line = last.number == 0 ? nullptr : live_->data().log.find(last.rank, last.number);
        if (!line || !earlier(late, *line)) {
            break;
        }
        lines.push_back(line);
        blocks_.pop_back();
    }
    if (!lines.empty()) {
        QTextCursor cursor(view_->document());
        cursor.movePosition(QTextCursor::End);
        cursor.movePosition(QTextCursor::StartOfBlock);
        const int blocks = int(lines.size()) - (blocks_.empty() ? 1 : 0);
        appending_ = true;
        cursor.movePosition(QTextCursor::PreviousBlock, QTextCursor::MoveAnchor, blocks);
        if (!blocks_.empty()) {
            cursor.movePosition(QTextCursor::EndOfBlock);
        }
        cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
        cursor.removeSelectedText();
        appending_ = false;
        std::reverse(lines.begin(), lines.end());
    }
    return lines;
}

void LogPane::append_lines(const std::vector<const LogLine*>& lines, std::uint64_t skipped) {
    if (lines.empty()) {
        return;
    }
    const ThemeColors colors = theme_colors(palette());
    QTextCharFormat plain;
    plain.setForeground(colors.text);
    QTextCharFormat error;
    error.setForeground(colors.bad);
    QTextCharFormat event;
    event.setForeground(colors.accent);
    event.setFontItalic(true);
    QTextCharFormat time;
    time.setForeground(colors.muted);
    QTextCharFormat who;
    const bool all = shown_rank() < 0;

    appending_ = true;
    const bool follow = follow_->isChecked();
    const int before = view_->verticalScrollBar()->value();
    QTextCursor cursor(view_->document());
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    const auto next_line = [&](const Block& block) {
        if (!blocks_.empty()) {
            cursor.insertBlock();
        }
        blocks_.push_back(block);
    };
    if (skipped > 0) {
        next_line({});
        cursor.insertText(tr("… %1 lines left out here: they are in the run store").arg(skipped), event);
    }
    for (const LogLine* line : lines) {
        next_line({line->t_us, line->number, line->rank});
        cursor.insertText(clock_text(line->t_us), time);
        if (all && line->rank >= 0) {
            who.setForeground(rank_color(line->rank, colors.dark));
            cursor.insertText(u"[%1] "_s.arg(line->rank), who);
        }
        // stderr has a sign as well as a colour.
        const bool is_error = line->kind == LogKind::Err;
        const QString sign = is_error ? u"! "_s : line->kind == LogKind::Event ? u"• "_s : QString();
        cursor.insertText(sign + qs(line->text), is_error                       ? error
                                                 : line->kind == LogKind::Event ? event
                                                                                : plain);
    }
    cursor.endEditBlock();
    while (int(blocks_.size()) > view_->blockCount()) {
        blocks_.pop_front();  // as the view has dropped its first ones
    }
    QScrollBar* bar = view_->verticalScrollBar();
    bar->setValue(follow ? bar->maximum() : before);
    if (follow) {
        view_->horizontalScrollBar()->setValue(0);
    }
    appending_ = false;
    mark_matches();
}

void LogPane::update_note() {
    const int rank = shown_rank();
    const LogStore& log = live_->data().log;
    const std::uint64_t dropped = rank < 0 ? log.dropped_all() : log.dropped(rank);
    const bool full = view_->blockCount() >= kViewLines;
    note_->setText(tr("Earlier lines are in the run store."));
    note_->setVisible(dropped > 0 || full);
}

void LogPane::to_end() {
    if (follow_->isChecked()) {
        view_->verticalScrollBar()->setValue(view_->verticalScrollBar()->maximum());
    }
}

void LogPane::set_following(bool follow) {
    follow_->setChecked(follow);
}

void LogPane::find(bool backward, bool incremental) {
    const QString text = search_->text();
    if (text.isEmpty()) {
        found_->clear();
        mark_matches();
        return;
    }
    QTextCursor from = view_->textCursor();
    if (incremental) {
        from.setPosition(from.selectionStart());
    }
    QTextDocument::FindFlags flags;
    flags.setFlag(QTextDocument::FindBackward, backward);
    QTextCursor hit = view_->document()->find(text, from, flags);
    bool wrapped = false;
    if (hit.isNull()) {
        wrapped = true;
        QTextCursor edge(view_->document());
        edge.movePosition(backward ? QTextCursor::End : QTextCursor::Start);
        hit = view_->document()->find(text, edge, flags);
    }
    if (hit.isNull()) {
        found_->setText(tr("not found"));
    } else {
        found_->setText(wrapped && !incremental ? tr("wrapped") : QString());
        view_->setTextCursor(hit);
        set_following(false);
    }
    mark_matches();
}

void LogPane::mark_matches() {
    QList<QTextEdit::ExtraSelection> marks;
    const QString text = search_->text();
    if (!text.isEmpty()) {
        const ThemeColors colors = theme_colors(palette());
        QColor back = colors.warning;
        back.setAlphaF(0.35F);
        const QTextCursor top = view_->cursorForPosition(QPoint(0, 0));
        const int bottom =
            view_->cursorForPosition(QPoint(0, view_->viewport()->height())).block().blockNumber();
        QTextCursor hit = view_->document()->find(text, top.block().position());
        while (!hit.isNull() && hit.block().blockNumber() <= bottom && marks.size() < kMarkedMatches) {
            QTextEdit::ExtraSelection mark;
            mark.cursor = hit;
            mark.format.setBackground(back);
            marks += mark;
            hit = view_->document()->find(text, hit);
        }
    }
    view_->setExtraSelections(marks);
}

void LogPane::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && live_) {
        rewrite();
    }
}

}  // namespace rankscope::gui
