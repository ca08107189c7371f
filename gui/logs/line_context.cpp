// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_store.h>
#include <gui/logs/line_context.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/widgets/elided_label.h>
#include <remote/logs/read/sources.h>

#include <QEvent>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kLongest = 4096;  ///< bytes of a line that are shown

}  // namespace

LineContext::LineContext(QThreadPool* pool, QWidget* parent)
    : QWidget(parent), title_(new ElidedLabel(this)), view_(new QPlainTextEdit(this)), job_(this, pool) {
    setObjectName(u"lineContext"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    title_->setObjectName(u"lineContextTitle"_s);
    view_->setObjectName(u"lineContextView"_s);
    view_->setAccessibleName(tr("Lines of the log"));
    view_->setReadOnly(true);
    view_->setLineWrapMode(QPlainTextEdit::NoWrap);
    view_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    view_->setPlaceholderText(
        tr("Click a line of the evidence, of the timeline or of the map to see it here."));
    view_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(title_);
    layout->addWidget(view_, 1);
    setFocusProxy(view_);
    clear();
}

void LineContext::clear() {
    job_.cancel();
    line_ = 0;
    block_ = -1;
    title_->set_full_text(tr("Lines"));
    view_->clear();
    view_->setExtraSelections({});
}

void LineContext::show_line(const std::vector<std::string>& paths, std::uint32_t file, const QString& name,
                            std::uint64_t line) {
    line_ = line;
    title_->set_full_text(tr("%1, line %2").arg(name).arg(line));
    job_.start(
        [paths, file, line](const JobHandle& job) {
            Lines around;
            around.first = line > kAround ? line - kAround : 1;
            std::stop_source enough;
            const std::stop_callback cancelled(job.stop(), [&] { enough.request_stop(); });
            logs::RawSink sink;
            sink.begin = [&](std::uint32_t index, const logs::Source&) {
                if (index > file) {
                    enough.request_stop();
                }
            };
            sink.line = [&](const logs::RawLine& raw) {
                if (raw.place.file != file || raw.place.line < around.first) {
                    return;
                }
                if (raw.place.line > line + kAround) {
                    enough.request_stop();
                    return;
                }
                // What a progress bar wrote over is one line here.
                if (raw.place.line - around.first < around.text.size()) {
                    around.text.back() = displayable(raw.text, kLongest);
                } else {
                    around.text.resize(std::size_t(raw.place.line - around.first));
                    around.text.push_back(displayable(raw.text, kLongest));
                }
            };
            (void)logs::read_raw_lines(paths, {}, sink, {}, enough.get_token());
            return around;
        },
        [this](const Lines& lines) { fill(lines); });
}

void LineContext::fill(const Lines& lines) {
    const auto digits = QString::number(lines.first + lines.text.size()).size();
    QStringList rows;
    for (std::size_t i = 0; i < lines.text.size(); ++i) {
        rows += QString::number(lines.first + i).rightJustified(digits) + u"  "_s + qs(lines.text[i]);
    }
    view_->setPlainText(rows.join(u'\n'));
    block_ = line_ >= lines.first && line_ - lines.first < lines.text.size() ? int(line_ - lines.first) : -1;
    if (block_ >= 0) {
        const QTextCursor cursor(view_->document()->findBlockByNumber(block_));
        view_->setTextCursor(cursor);
        view_->centerCursor();
    }
    mark();
}

void LineContext::mark() {
    QList<QTextEdit::ExtraSelection> marks;
    if (block_ >= 0) {
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(view_->document()->findBlockByNumber(block_));
        mark.format.setBackground(theme_colors(palette()).selection);
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks += mark;
    }
    view_->setExtraSelections(marks);
}

void LineContext::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        mark();
    }
}

}  // namespace rankscope::gui
