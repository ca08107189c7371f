// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/style/fitting_number.h>
#include <gui/style/theme.h>

#include <tests/gui/gui_test.h>

#include <QHeaderView>
#include <QImage>
#include <QStandardItemModel>
#include <QTableView>

namespace rankscope::gui {
namespace {

QString within(qsizetype characters, const QString& text) {
    return fitting_number(text, [&](const QString& shown) { return shown.size() <= characters; });
}

TEST(FittingNumber, HasFewerDigitsAndTheSameSize) {
    EXPECT_EQ(within(9, u"7.6123e-4"_s), u"7.6123e-4"_s);
    EXPECT_EQ(within(7, u"7.6123e-4"_s), u"7.61e-4"_s);
    EXPECT_EQ(within(4, u"7.6123e-4"_s), u"8e-4"_s);
    EXPECT_EQ(within(5, u"0.0996"_s), u"0.100"_s);
    EXPECT_EQ(within(6, u"98.41 %"_s), u"98.4 %"_s);
    EXPECT_EQ(within(4, u"98.41 %"_s), u"98 %"_s);
    EXPECT_EQ(within(6, u"-3.1416"_s), u"-3.142"_s);
    EXPECT_EQ(within(5, QString(u"12"_s % QChar(0x2009) % u"345"_s)), u"12.3k"_s);
    EXPECT_EQ(within(4, u"1234567"_s), u"1.2M"_s);
    EXPECT_EQ(within(6, u"12.3 ms"_s), u"12 ms"_s);
}

TEST(FittingNumber, IsNeverAnotherNumber) {
    EXPECT_EQ(within(3, u"7.6123e-4"_s), u"…"_s) << "a part of it is another number";
    EXPECT_EQ(within(3, u"0.0412"_s), u"…"_s) << "it is not 0.0";
    EXPECT_EQ(within(1, u"345"_s), u"…"_s);
}

TEST(FittingNumber, LeavesOtherTextsAlone) {
    for (const QString& text : {u"node1"_s, u"10.0.0.11"_s, u"2026-11-26 11:17"_s, u"1 min 34 s"_s,
                                u"4 of 8"_s, u"rank 3 hangs"_s, u"0-3"_s, u"sha256:12"_s}) {
        EXPECT_EQ(within(2, text), text);
    }
}

// Every table of the window: the style does it, with its style sheet on top.
TEST(FittingNumber, IsWhatACellShows) {
    QStandardItemModel model(1, 1);
    QTableView table;
    table.setModel(&model);
    table.horizontalHeader()->hide();
    table.setTextElideMode(Qt::ElideMiddle);
    table.resize(300, 100);
    const auto shows = [&](const QString& text, int width) {
        model.setData(model.index(0, 0), text);
        table.setColumnWidth(0, width);
        QImage image(table.viewport()->size(), QImage::Format_RGB32);
        table.viewport()->render(&image);
        return image;
    };
    table.show();
    const QFontMetrics metrics = table.fontMetrics();
    const int narrow = metrics.horizontalAdvance(u"7.6123e-4"_s) + 2;  // less than text and its margins
    EXPECT_EQ(shows(u"7.6123e-4"_s, narrow), shows(u"7.612e-4"_s, narrow));
    EXPECT_NE(shows(u"7.6123e-4"_s, 200), shows(u"7.612e-4"_s, 200));
}

}  // namespace
}  // namespace rankscope::gui
