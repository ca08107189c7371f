// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/job_text_edit.h>
#include <gui/launch/yaml_colors.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <remote/desk/jobs/config/job_text_help.h>
#include <remote/desk/shared/yaml_cursor.h>

#include <QAbstractItemView>
#include <QCompleter>
#include <QFontDatabase>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTextBlock>
#include <QToolTip>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kGutterMargin = 8;
constexpr int kMostOffers = 14;
constexpr int kOfferWidth = 420;
constexpr int kOfferAfter = 2;  ///< letters of a word

/// Line numbers beside the text.
class Gutter : public QWidget {
public:
    explicit Gutter(JobTextEdit* edit) : QWidget(edit), edit_(edit) {}
    QSize sizeHint() const override { return {edit_->gutter_width(), 0}; }

protected:
    void paintEvent(QPaintEvent* event) override { edit_->paint_gutter(event); }

private:
    JobTextEdit* edit_;
};

/// The byte of the UTF-8 text at a position.
std::size_t byte_at(const QString& text, int position) {
    return std::size_t(QStringView(text).left(position).toUtf8().size());
}

bool is_completed_by(const QKeyEvent* event) {
    return event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Tab ||
           event->key() == Qt::Key_Escape;
}

}  // namespace

JobTextEdit::JobTextEdit(QWidget* parent)
    : QPlainTextEdit(parent),
      gutter_(new Gutter(this)),
      completer_(new QCompleter(this)),
      offers_(new QStandardItemModel(this)) {
    setObjectName(u"jobText"_s);
    setAccessibleName(tr("Text of the job file"));
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setLineWrapMode(NoWrap);
    setTabChangesFocus(true);
    setUndoRedoEnabled(false);
    gutter_->setAttribute(Qt::WA_TransparentForMouseEvents);
    new YamlColors(document(), this);
    completer_->setModel(offers_);
    completer_->setWidget(this);
    completer_->setCompletionMode(QCompleter::PopupCompletion);
    completer_->setCompletionRole(Qt::UserRole);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    completer_->setMaxVisibleItems(kMostOffers);
    completer_->popup()->setObjectName(u"jobTextOffers"_s);
    completer_->popup()->setAccessibleName(tr("Keys and values"));
    completer_->popup()->setTextElideMode(Qt::ElideRight);
    connect(completer_, qOverload<const QString&>(&QCompleter::activated), this,
            &JobTextEdit::insert_completion);
    connect(document(), &QTextDocument::contentsChanged, this, &JobTextEdit::contents_changed);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &JobTextEdit::fit_gutter);
    connect(this, &QPlainTextEdit::updateRequest, gutter_, [this](const QRect& rect, int scrolled) {
        if (scrolled != 0) {
            gutter_->scroll(0, scrolled);
        } else {
            gutter_->update(0, rect.y(), gutter_->width(), rect.height());
        }
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &JobTextEdit::mark_lines);
    fit_gutter();
    mark_lines();
}

// toPlainText() makes blanks of no-break spaces.
QString JobTextEdit::text() const {
    QString raw = document()->toRawText();
    return raw.replace(QChar::ParagraphSeparator, u'\n');
}

void JobTextEdit::set_text(const QString& text) {
    const QString before = this->text();
    if (before == text) {
        return;
    }
    const qsizetype least = std::min(before.size(), text.size());
    qsizetype head = 0;
    while (head < least && before[head] == text[head]) {
        ++head;
    }
    qsizetype tail = 0;
    while (tail < least - head && before[before.size() - 1 - tail] == text[text.size() - 1 - tail]) {
        ++tail;
    }
    filling_ = true;
    QTextCursor cursor(document());
    cursor.setPosition(int(head));
    cursor.setPosition(int(before.size() - tail), QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(head, text.size() - head - tail));
    filling_ = false;
}

void JobTextEdit::contents_changed() {
    QString now = text();
    const bool other = now != shown_;
    shown_ = std::move(now);
    if (other && !filling_) {
        emit textEdited();
    }
}

void JobTextEdit::set_marks(std::vector<TextMark> marks) {
    if (marks != marks_) {
        marks_ = std::move(marks);
        mark_lines();
        gutter_->update();
    }
}

const TextMark* JobTextEdit::mark_of(int line) const {
    const TextMark* found = nullptr;
    for (const TextMark& mark : marks_) {
        if (mark.line == line && (found == nullptr || (mark.fault && !found->fault))) {
            found = &mark;
        }
    }
    return found;
}

void JobTextEdit::mark_lines() {
    const ThemeColors colors = theme_colors(palette());
    QList<QTextEdit::ExtraSelection> all;
    const auto add = [&](const QTextBlock& block, const QColor& back, const QColor* wave) {
        QTextEdit::ExtraSelection line;
        line.cursor = QTextCursor(block);
        if (wave != nullptr) {
            line.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
            line.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
            line.format.setUnderlineColor(*wave);
        } else {
            line.format.setBackground(back);
            line.format.setProperty(QTextFormat::FullWidthSelection, true);
        }
        all.push_back(line);
    };
    if (!isReadOnly()) {
        add(textCursor().block(), colors.chrome, nullptr);
    }
    for (const TextMark& mark : marks_) {
        const QTextBlock block = document()->findBlockByNumber(mark.line - 1);
        if (block.isValid()) {
            const QColor& color = mark.fault ? colors.bad : colors.warning;
            if (mark.fault) {
                add(block, colors.bad_surface, nullptr);
            }
            add(block, {}, &color);
        }
    }
    setExtraSelections(all);
}

void JobTextEdit::go_to_line(int line) {
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (block.isValid()) {
        setTextCursor(QTextCursor(block));
        centerCursor();
    }
    setFocus();
}

QString JobTextEdit::help_at(int position) const {
    QStringList lines;
    const QTextBlock block = document()->findBlock(position);
    if (const TextMark* mark = mark_of(block.blockNumber() + 1)) {
        lines += mark->text;
    }
    const QString text = this->text();
    const std::string yaml = ss(text);
    if (const std::string help = job_help_at(yaml, byte_at(text, position)); !help.empty()) {
        lines += qs(help);
    }
    return lines.join(u'\n');
}

int JobTextEdit::gutter_width() const {
    const int digits = int(QString::number(std::max(blockCount(), 100)).size());
    return 2 * kGutterMargin + digits * fontMetrics().horizontalAdvance(u'9');
}

void JobTextEdit::fit_gutter() {
    setViewportMargins(gutter_width(), 0, 0, 0);
    const QRect inside = contentsRect();
    gutter_->setGeometry(inside.left(), inside.top(), gutter_width(), inside.height());
}

void JobTextEdit::paint_gutter(QPaintEvent* event) {
    const ThemeColors colors = theme_colors(palette());
    QPainter painter(gutter_);
    painter.fillRect(event->rect(), colors.chrome);
    painter.setFont(font());
    const int current = textCursor().blockNumber();
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > event->rect().bottom()) {
            break;
        }
        const TextMark* mark = mark_of(block.blockNumber() + 1);
        painter.setPen(mark == nullptr ? block.blockNumber() == current ? colors.text : colors.muted
                       : mark->fault   ? colors.bad
                                       : colors.warning);
        const QRectF cell(0, place.top(), gutter_->width() - kGutterMargin, place.height());
        painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter, QString::number(block.blockNumber() + 1));
        if (mark != nullptr) {  // a sign as well as a colour
            painter.drawText(QRectF(2, place.top(), kGutterMargin, place.height()), Qt::AlignCenter,
                             mark->fault ? u"!"_s : u"?"_s);
        }
    }
}

void JobTextEdit::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    fit_gutter();
}

void JobTextEdit::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        fit_gutter();
        mark_lines();
    }
}

bool JobTextEdit::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPoint at = viewport()->mapFromGlobal(help->globalPos());
        const QString text = help_at(cursorForPosition(at).position());
        if (text.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), plain_text(text), viewport());
        }
        return true;
    }
    return QPlainTextEdit::event(event);
}

void JobTextEdit::keyPressEvent(QKeyEvent* event) {
    if (completer_->popup()->isVisible() && is_completed_by(event)) {
        event->ignore();  // for the list
        return;
    }
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
        offer(true);
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
        event->modifiers() == Qt::NoModifier && !isReadOnly()) {
        break_line();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
    const bool typed = !event->text().isEmpty() && event->text().at(0).isPrint();
    if (typed || (event->key() == Qt::Key_Backspace && completer_->popup()->isVisible())) {
        offer(false);
    } else {
        completer_->popup()->hide();
    }
}

// The new line begins where the one above does, below a key two columns further.
void JobTextEdit::break_line() {
    QTextCursor cursor = textCursor();
    const QString above = cursor.block().text().left(cursor.positionInBlock());
    qsizetype indent = 0;
    while (indent < above.size() && above[indent] == u' ') {
        ++indent;
    }
    const bool opens = above.trimmed().endsWith(u':');
    cursor.insertText(u"\n"_s + QString(indent + (opens ? 2 : 0), u' '));
    setTextCursor(cursor);
    ensureCursorVisible();
}

void JobTextEdit::complete() {
    offer(true);
}

void JobTextEdit::offer(bool asked) {
    const QString text = this->text();
    const std::string yaml = ss(text);
    const std::size_t at = byte_at(text, textCursor().position());
    const YamlCursor place = cursor_in_yaml(yaml, at);
    const QString typed = qs(yaml.substr(place.begin, at - place.begin));
    if (isReadOnly() || (!asked && typed.size() < kOfferAfter)) {
        completer_->popup()->hide();
        return;
    }
    offers_->clear();
    for (const JobSuggestion& suggestion : job_suggestions(yaml, at, nodes_)) {
        const QString word = qs(suggestion.text);
        QString shown = word;
        if (shown.endsWith(u": "_s)) {
            shown.chop(2);
        }
        if (!word.startsWith(typed, Qt::CaseInsensitive)) {
            continue;
        }
        const QString about = qs(suggestion.about);
        auto* item = new QStandardItem(about.isEmpty() ? shown : QString(shown % u" — "_s % about));
        item->setData(word, Qt::UserRole);
        item->setToolTip(plain_text(about));
        offers_->appendRow(item);
    }
    completer_->setCompletionPrefix(typed);
    if (completer_->completionCount() == 0 || (!asked && completer_->currentCompletion() == typed)) {
        completer_->popup()->hide();
        return;
    }
    completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
    QRect where = cursorRect();
    where.translate(gutter_width(), 0);
    where.setWidth(kOfferWidth);
    completer_->complete(where);
}

void JobTextEdit::insert_completion(const QString& text) {
    const QString before = this->text();
    const std::string yaml = ss(before);
    const std::size_t at = byte_at(before, textCursor().position());
    const YamlCursor place = cursor_in_yaml(yaml, at);
    const qsizetype begin = qs(yaml.substr(0, place.begin)).size();
    const qsizetype end = qs(yaml.substr(0, place.end)).size();
    QString word = text;
    if (word.endsWith(u": "_s) && end < before.size() && before[end] == u':') {
        word.chop(2);
    }
    QTextCursor cursor = textCursor();
    cursor.setPosition(int(begin));
    cursor.setPosition(int(end), QTextCursor::KeepAnchor);
    cursor.insertText(word);
    setTextCursor(cursor);
}

}  // namespace rankscope::gui
