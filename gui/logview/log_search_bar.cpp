// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/key_hint.h>
#include <gui/actions/page_command.h>
#include <gui/logview/log_search_bar.h>
#include <gui/logview/log_view.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/clear_button.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QToolButton>
#include <algorithm>

namespace rankscope::gui {

namespace {

const QString kSettingsKey = QStringLiteral("live/logSearches");

}  // namespace

LogSearchBar::LogSearchBar(LogView* view, QWidget* parent)
    : QWidget(parent), view_(view), edit_(new QLineEdit(this)) {
    kept_ = QSettings().value(kSettingsKey).toStringList();
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    edit_->setObjectName(u"logSearch"_s);
    edit_->setAccessibleName(tr("Search in the log"));
    edit_->setPlaceholderText(tr("Search"));
    show_keys(edit_, u"edit.find"_s, "placeholderText");
    edit_->setToolTip(tr("Up and Down bring back earlier searches"));
    add_clear_button(edit_);
    edit_->installEventFilter(this);
    case_ = make_switch(tr("Aa"), "logCase", tr("Match case"));
    words_ = make_switch(tr("W"), "logWords", tr("Whole words only"));
    pattern_ = make_switch(tr(".*"), "logPattern", tr("Regular expression"));
    only_ = make_switch(tr("Filter"), "logOnlyMatches", tr("Show only the lines that match"));
    count_ = make_label({}, this, "muted");
    count_->setObjectName(u"logFound"_s);
    auto* previous = make_step(Qt::UpArrow, "logPrevious", tr("Previous match"), u"edit.find_previous"_s);
    auto* next = make_step(Qt::DownArrow, "logNext", tr("Next match"), u"edit.find_next"_s);
    // Of the whole pane: the lines have the focus, not the search.
    QWidget* pane = parent == nullptr ? this : parent;
    const auto searches = [this] { return !edit_->text().isEmpty(); };
    on_command(
        pane, PageCommand::FindPrevious, [this] { step(true); }, searches);
    on_command(
        pane, PageCommand::FindNext, [this] { step(false); }, searches);
    layout->addWidget(edit_, 1);
    for (QWidget* part :
         std::initializer_list<QWidget*>{case_, words_, pattern_, only_, count_, previous, next}) {
        layout->addWidget(part);
    }
    connect(edit_, &QLineEdit::textChanged, this, &LogSearchBar::search);
    for (QToolButton* toggle : {case_, words_, pattern_}) {
        connect(toggle, &QToolButton::toggled, this, &LogSearchBar::search);
    }
    connect(only_, &QToolButton::toggled, this, [this](bool on) {
        view_->rows()->show_only_matches(on);
        keep();
    });
    connect(previous, &QToolButton::clicked, this, [this] { step(true); });
    connect(next, &QToolButton::clicked, this, [this] { step(false); });
    connect(view_->rows(), &LogRows::changed, this, &LogSearchBar::rows_changed);
    connect(view_->rows(), &LogRows::wasReset, this, &LogSearchBar::rows_changed);
    connect(view_, &LogView::currentLineChanged, this, &LogSearchBar::update_count);
}

QToolButton* LogSearchBar::make_switch(const QString& text, const char* object_name, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setObjectName(QString::fromLatin1(object_name));
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setCheckable(true);
    return button;
}

QToolButton* LogSearchBar::make_step(Qt::ArrowType arrow, const char* object_name, const QString& name,
                                     const QString& action) {
    auto* button = new QToolButton(this);
    button->setObjectName(QString::fromLatin1(object_name));
    button->setArrowType(arrow);
    button->setToolTip(name);
    button->setAccessibleName(name);
    show_keys(button, action);
    return button;
}

void LogSearchBar::focus() {
    edit_->setFocus(Qt::ShortcutFocusReason);
    edit_->selectAll();
}

bool LogSearchBar::eventFilter(QObject* object, QEvent* event) {
    if (object != edit_ || event->type() != QEvent::KeyPress) {
        return QWidget::eventFilter(object, event);
    }
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            step(key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        case Qt::Key_Escape:
            if (!edit_->text().isEmpty()) {
                edit_->clear();
                return true;
            }
            return false;
        case Qt::Key_Up:
            recall(1);
            return true;
        case Qt::Key_Down:
            recall(-1);
            return true;
        default:
            return QWidget::eventFilter(object, event);
    }
}

void LogSearchBar::search() {
    SearchText wanted;
    wanted.text = ss(edit_->text());
    wanted.is_pattern = pattern_->isChecked();
    wanted.case_matters = case_->isChecked();
    wanted.whole_words = words_->isChecked();
    jump_ = !wanted.text.empty();
    stepped_ = false;
    view_->rows()->search(wanted);
    emit searched();
}

void LogSearchBar::rows_changed() {
    const LogRows& rows = *view_->rows();
    if (jump_ && rows.matches() > 0) {
        // A match further down may come before the first ones are all known.
        const bool is_ahead = rows.match_from(view_->first_visible_row()) < rows.matches();
        if (is_ahead || !rows.searching()) {
            jump_ = false;
            view_->find_next(false, true);
        }
    }
    update_count();
}

void LogSearchBar::update_count() {
    const LogRows& rows = *view_->rows();
    if (rows.pattern() == nullptr) {
        count_->setText(rows.fault() ? tr("wrong pattern") : QString());
        return;
    }
    QString text = count_text(rows.matches());
    if (rows.searching()) {
        text = tr("%1, %2 % searched").arg(text, QString::number(int(100 * rows.progress())));
    } else if (rows.matches() == 0) {
        text = tr("not found");
    } else if (const auto match = view_->current_match()) {
        text = tr("%1 of %2").arg(count_text(*match + 1), text);
        if (stepped_ && view_->wrapped_around()) {
            text += tr(", from the other end");
        }
    } else {
        text = tr("%1 found").arg(text);
    }
    count_->setText(text);
}

void LogSearchBar::step(bool backward) {
    keep();
    stepped_ = true;
    if (!view_->find_next(backward, false)) {
        jump_ = view_->rows()->searching();
    }
    update_count();
}

// The newest first, each once.
void LogSearchBar::keep() {
    recalled_ = -1;
    const QString text = edit_->text();
    if (text.isEmpty() || (!kept_.isEmpty() && kept_.front() == text)) {
        return;
    }
    kept_.removeAll(text);
    kept_.prepend(text);
    while (kept_.size() > kMostKept) {
        kept_.removeLast();
    }
    QSettings().setValue(kSettingsKey, kept_);
}

void LogSearchBar::recall(int by) {
    const int wanted = std::clamp(recalled_ + by, -1, int(kept_.size()) - 1);
    if (wanted != recalled_) {
        recalled_ = wanted;
        edit_->setText(wanted < 0 ? QString() : kept_.at(wanted));
    }
}

QString LogSearchBar::fault() const {
    const auto& fault = view_->rows()->fault();
    if (!fault) {
        return {};
    }
    const QString message = qs(fault->message);
    if (fault->place < 0) {
        return tr("The search pattern is wrong: %1.").arg(message);
    }
    const QString before = QString::fromUtf8(edit_->text().toUtf8().left(fault->place));
    return tr("The search pattern is wrong at character %1: %2.").arg(before.size() + 1).arg(message);
}

}  // namespace rankscope::gui
