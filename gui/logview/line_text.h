// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/line_search.h>
#include <gui/style/theme.h>
#include <remote/logs/fold/line_folder.h>

#include <QList>
#include <QString>
#include <QTextLayout>
#include <vector>

namespace rankscope::gui {

/// A line as it is drawn: bounded in length, with its colours.
struct LineText {
    static constexpr std::size_t kMostBytes = 16384;  ///< drawn of a line
    static constexpr std::size_t kMostWideBytes =
        6144;  ///< ... that is not plain ASCII: shaping takes longer

    QString text;
    QList<QTextLayout::FormatRange> formats;
    bool is_ascii = true;  ///< each character is one column wide
    bool is_cut = false;
    int of_line = 0;        ///< characters of `text` that are the line's; the rest says that it is cut
    std::size_t bytes = 0;  ///< of the line, that of_line stands for
};

/// `pattern` may be null: nothing is marked then. `varying`: what is other where ranks repeat the line.
LineText line_text(const LineSource& store, std::uint32_t line, const LinePattern* pattern,
                   const ThemeColors& colors, const std::vector<logs::TextPart>& varying = {});

}  // namespace rankscope::gui
