// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/yaml_colors.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QEvent>
#include <QWidget>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kLongest = 10000;  ///< letters of a line that gets colours

bool is_key_letter(QChar c) {
    return c.isLetterOrNumber() || c == u'_' || c == u'-' || c == u'.';
}

}  // namespace

YamlColors::YamlColors(QTextDocument* document, QWidget* widget)
    : QSyntaxHighlighter(document), widget_(widget) {
    widget->installEventFilter(this);
}

bool YamlColors::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        rehighlight();
    }
    return QSyntaxHighlighter::eventFilter(object, event);
}

void YamlColors::highlightBlock(const QString& text) {
    const ThemeColors colors = theme_colors(widget_->palette());
    QChar quote;
    qsizetype word = -1;  // begin of a word that may be a key
    const qsizetype end = std::min<qsizetype>(text.size(), kLongest);
    for (qsizetype i = 0; i < end; ++i) {
        const QChar c = text[i];
        if (!quote.isNull()) {
            quote = c == quote ? QChar() : quote;
        } else if (c == u'"' || c == u'\'') {
            quote = c;
            word = -1;
        } else if (c == u'#' && (i == 0 || text[i - 1].isSpace())) {
            setFormat(int(i), int(text.size() - i), colors.muted);
            return;
        } else if (c == u':' && word >= 0 && (i + 1 == text.size() || text[i + 1].isSpace())) {
            setFormat(int(word), int(i - word), colors.accent);
            word = -1;
        } else if (!is_key_letter(c)) {
            word = -1;
        } else if (word < 0 && (i == 0 || !is_key_letter(text[i - 1]))) {
            word = i;
        }
    }
}

}  // namespace rankscope::gui
