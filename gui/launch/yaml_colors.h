// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QSyntaxHighlighter>

namespace rankscope::gui {

/// Colours of keys and comments of a YAML text, from the palette of `widget`.
class YamlColors : public QSyntaxHighlighter {
    Q_OBJECT

public:
    YamlColors(QTextDocument* document, QWidget* widget);

protected:
    void highlightBlock(const QString& text) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QWidget* widget_;
};

}  // namespace rankscope::gui
