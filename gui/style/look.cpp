// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/style/look.h>
#include <gui/style/rankscope_style.h>

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFont>
#include <QRegularExpression>
#include <QWidget>
#include <array>
#include <utility>

namespace rankscope::gui {

namespace {

/// The sheet with the colours of a theme, and its font sizes in proportion to the program's font.
QString filled_sheet(QString sheet, const ThemeColors& c, double scale) {
    // Longer names first: "@bad_surface" must not be read as "@bad" and a rest.
    const std::array<std::pair<const char*, QColor>, 13> names{{{"@text", c.text},
                                                                {"@muted", c.muted},
                                                                {"@line", c.line},
                                                                {"@frame", c.field_frame},
                                                                {"@surface", c.surface},
                                                                {"@chrome", c.chrome},
                                                                {"@accent", c.accent},
                                                                {"@selection", c.selection},
                                                                {"@bad_surface", c.bad_surface},
                                                                {"@info_surface", c.info_surface},
                                                                {"@good_surface", c.good_surface},
                                                                {"@warning", c.warning},
                                                                {"@bad", c.bad}}};
    for (const auto& [name, color] : names) {
        sheet.replace(QString::fromLatin1(name), color.name());
    }
    static const QRegularExpression points(u"(\\d+(?:\\.\\d+)?)pt\\b"_s);
    QString scaled;
    qsizetype end = 0;
    for (auto found = points.globalMatch(sheet); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        scaled += sheet.mid(end, match.capturedStart() - end) %
                  QString::number(match.captured(1).toDouble() * scale, 'f', 1) % u"pt"_s;
        end = match.capturedEnd();
    }
    return scaled + sheet.mid(end);
}

/// Fusion draws the edges of buttons a little darker than the window, which is black there.
QString high_contrast_sheet() {
    return u"QPushButton { background-color: @surface; border: 1px solid @frame; border-radius: 3px; }"
           "QPushButton:focus { border: 2px solid @accent; }"
           "QPushButton:disabled { border-color: @line; }"_s;
}

/// Sets the program's font; returns its size in proportion to the desktop's.
double apply_font(QApplication& app, const Look& look) {
    constexpr const char* kDesktop = "rankscopeDesktopPoints";
    constexpr const char* kFamilies = "rankscopeDesktopFamilies";
    if (!app.property(kDesktop).isValid()) {
        app.setProperty(kDesktop, QApplication::font().pointSizeF());
        app.setProperty(kFamilies, QApplication::font().families());
    }
    const QFont before = QApplication::font();
    QFont font = before;
    QStringList families = app.property(kFamilies).toStringList();
    if (!look.font_family.isEmpty()) {
        families.prepend(look.font_family);  // the desktop's for signs that it does not have
    }
    font.setFamilies(families);
    const double desktop = app.property(kDesktop).toDouble();
    const double wanted = look.font_points > 0 ? look.font_points : desktop;
    if (desktop > 0) {  // else a font in pixels: the desktop's choice stays
        font.setPointSizeF(wanted);
    }
    if (font.families() != before.families() || font.pointSizeF() != before.pointSizeF()) {
        QApplication::setFont(font);
    }
    return desktop > 0 ? wanted / desktop : 1;
}

}  // namespace

LookTheme look_theme(ThemeChoice choice) {
    switch (choice) {
        case ThemeChoice::System:
            return LookTheme::System;
        case ThemeChoice::Light:
            return LookTheme::Light;
        case ThemeChoice::Dark:
            return LookTheme::Dark;
    }
    return LookTheme::System;
}

QPalette make_palette_of(LookTheme theme, bool system_is_dark) {
    if (theme == LookTheme::HighContrast) {
        return high_contrast_palette();
    }
    const bool dark = theme == LookTheme::Dark || (theme == LookTheme::System && system_is_dark);
    return dark ? dark_palette() : light_palette();
}

void apply_look(QApplication& app, const Look& look, bool system_is_dark) {
    if (!app.property("rankscopeStyle").toBool()) {
        QApplication::setStyle(new RankscopeStyle);  // the application owns it
        app.setProperty("rankscopeStyle", true);
    }
    const double scale = apply_font(app, look);
    const QPalette palette = make_palette_of(look.theme, system_is_dark);
    QApplication::setPalette(palette);
    QFile file(u":/rankscope/styles/rankscope.qss"_s);
    if (file.open(QIODevice::ReadOnly)) {
        QString sheet = QString::fromUtf8(file.readAll());
        if (is_high_contrast(palette)) {
            sheet += high_contrast_sheet();
        }
        app.setStyleSheet(filled_sheet(sheet, theme_colors(palette), scale));
    }
    if (!set_rank_colors(look.rank_colors)) {
        return;
    }
    // What is painted in the colours of ranks is painted again, as after a change of theme.
    for (QWidget* widget : QApplication::allWidgets()) {
        QEvent changed(QEvent::PaletteChange);
        QCoreApplication::sendEvent(widget, &changed);
        widget->update();
    }
}

}  // namespace rankscope::gui
