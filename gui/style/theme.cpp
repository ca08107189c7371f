// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/style/look.h>
#include <gui/style/theme.h>

#include <QApplication>

namespace rankscope::gui {

namespace {

struct PaletteColors {
    QRgb window, window_text, base, alternate, text, button, mid, dark, light, highlight, highlighted_text,
        link, disabled, tool_tip, placeholder;
};

QPalette make_palette(const PaletteColors& c) {
    QPalette palette;
    palette.setColor(QPalette::Window, QColor(c.window));
    palette.setColor(QPalette::WindowText, QColor(c.window_text));
    palette.setColor(QPalette::Base, QColor(c.base));
    palette.setColor(QPalette::AlternateBase, QColor(c.alternate));
    palette.setColor(QPalette::Text, QColor(c.text));
    palette.setColor(QPalette::Button, QColor(c.button));
    palette.setColor(QPalette::ButtonText, QColor(c.text));
    palette.setColor(QPalette::BrightText, QColor(c.highlighted_text));
    palette.setColor(QPalette::Mid, QColor(c.mid));
    palette.setColor(QPalette::Midlight, QColor(c.mid).lighter(115));
    palette.setColor(QPalette::Dark, QColor(c.dark));
    palette.setColor(QPalette::Shadow, QColor(c.dark).darker(130));
    palette.setColor(QPalette::Light, QColor(c.light));
    palette.setColor(QPalette::Highlight, QColor(c.highlight));
    palette.setColor(QPalette::HighlightedText, QColor(c.highlighted_text));
    palette.setColor(QPalette::Link, QColor(c.link));
    palette.setColor(QPalette::LinkVisited, QColor(c.link));
    palette.setColor(QPalette::ToolTipBase, QColor(c.tool_tip));
    palette.setColor(QPalette::ToolTipText, QColor(c.text));
    palette.setColor(QPalette::PlaceholderText, QColor(c.placeholder));
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, QColor(c.disabled));
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(c.mid));
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, QColor(c.disabled));
    return palette;
}

}  // namespace

QPalette high_contrast_palette() {
    return make_palette({.window = 0xff000000,
                         .window_text = 0xffffffff,
                         .base = 0xff000000,
                         .alternate = 0xff141414,
                         .text = 0xffffffff,
                         .button = 0xff000000,
                         .mid = 0xffc8c8c8,
                         .dark = 0xffffffff,
                         .light = 0xff5a5a5a,
                         .highlight = 0xffffe14d,
                         .highlighted_text = 0xff000000,
                         .link = 0xffffe14d,
                         .disabled = 0xffa6a6a6,
                         .tool_tip = 0xff000000,
                         .placeholder = 0xffd0d0d0});
}

bool is_high_contrast(const QPalette& palette) {
    return palette.color(QPalette::Active, QPalette::Window) == QColor(Qt::black) &&
           palette.color(QPalette::Active, QPalette::WindowText) == QColor(Qt::white);
}

ThemeColors high_contrast_colors(ThemeColors colors) {
    colors.muted = QColor(0xffe6e6e6);
    colors.field_frame = QColor(0xffffffff);
    colors.accent = QColor(0xffffe14d);
    colors.good = QColor(0xff6ee7a0);
    colors.warning = QColor(0xffffc247);
    colors.bad = QColor(0xffffa3a3);
    colors.bad_surface = QColor(0xff3a0000);
    colors.info_surface = QColor(0xff00203f);
    colors.good_surface = QColor(0xff002b14);
    colors.selection = QColor(0xff002b57);
    colors.grid = QColor(0xff5a5a5a);
    return colors;
}

QPalette light_palette() {
    return make_palette({.window = 0xfff3f4f6,
                         .window_text = 0xff1d2329,
                         .base = 0xffffffff,
                         .alternate = 0xfff8f9fa,
                         .text = 0xff1d2329,
                         .button = 0xfffafbfc,
                         .mid = 0xffd3d8de,
                         .dark = 0xffaab2bb,
                         .light = 0xffffffff,
                         .highlight = 0xff1f66ad,
                         .highlighted_text = 0xffffffff,
                         .link = 0xff1f66ad,
                         .disabled = 0xff8a929b,
                         .tool_tip = 0xffffffff,
                         .placeholder = 0xff737c86});
}

QPalette dark_palette() {
    return make_palette({.window = 0xff23272c,
                         .window_text = 0xffe3e6ea,
                         .base = 0xff1b1e22,
                         .alternate = 0xff20242a,
                         .text = 0xffe3e6ea,
                         .button = 0xff2e333a,
                         .mid = 0xff3c434b,
                         .dark = 0xff14171a,
                         .light = 0xff3a4149,
                         .highlight = 0xff2f74b8,
                         .highlighted_text = 0xffffffff,
                         .link = 0xff6db3f2,
                         .disabled = 0xff747d87,
                         .tool_tip = 0xff2e333a,
                         .placeholder = 0xff8b949e});
}

bool is_dark(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

ThemeColors theme_colors(const QPalette& palette) {
    ThemeColors colors;
    colors.dark = is_dark(palette);
    colors.text = palette.color(QPalette::Active, QPalette::WindowText);
    colors.surface = palette.color(QPalette::Active, QPalette::Base);
    colors.chrome = palette.color(QPalette::Active, QPalette::Window);
    colors.line = palette.color(QPalette::Active, QPalette::Mid);
    if (colors.dark) {
        colors.muted = QColor(0xff9aa4ae);
        colors.field_frame = QColor(0xff6b757f);
        colors.accent = QColor(0xff6db3f2);
        colors.good = QColor(0xff4fc08d);
        colors.warning = QColor(0xffe6b450);
        colors.bad = QColor(0xfff2777a);
        colors.bad_surface = QColor(0xff43262a);
        colors.info_surface = QColor(0xff22384d);
        colors.good_surface = QColor(0xff1f3a30);
        colors.selection = QColor(0xff294b6b);
        colors.grid = QColor(0xff31373e);
        if (is_high_contrast(palette)) {
            return high_contrast_colors(colors);
        }
    } else {
        colors.muted = QColor(0xff5c6670);
        colors.field_frame = QColor(0xff828b95);
        colors.accent = QColor(0xff1f66ad);
        colors.good = QColor(0xff0f7a4f);
        colors.warning = QColor(0xff8a5a00);
        colors.bad = QColor(0xffb3261e);
        colors.bad_surface = QColor(0xfffdecea);
        colors.info_surface = QColor(0xffe6f0fa);
        colors.good_surface = QColor(0xffe4f4ec);
        colors.selection = QColor(0xffcfe3f7);
        colors.grid = QColor(0xffe7eaee);
    }
    return colors;
}

void apply_theme(QApplication& app, ThemeChoice choice, bool system_is_dark) {
    apply_look(app, {.theme = look_theme(choice)}, system_is_dark);
}

QColor phase_color(RankPhase phase, const ThemeColors& colors) {
    switch (phase) {
        case RankPhase::Waiting:
            return colors.muted;
        case RankPhase::Starting:
            return colors.dark ? QColor(0xff7fb2d9) : QColor(0xff4a7ba6);
        case RankPhase::Rendezvous:
            return colors.dark ? QColor(0xffe6b450) : QColor(0xffb87900);
        case RankPhase::Training:
            return colors.accent;
        case RankPhase::Validating:
            return colors.dark ? QColor(0xffd49adf) : QColor(0xff8a3ea0);
        case RankPhase::Done:
            return colors.good;
        case RankPhase::Failed:
            return colors.bad;
        case RankPhase::EndedWithRun:
            return colors.warning;
    }
    return colors.muted;
}

QColor outcome_color(Outcome outcome, const ThemeColors& colors) {
    switch (outcome) {
        case Outcome::Running:
            return colors.accent;
        case Outcome::Done:
            return colors.good;
        case Outcome::Failed:
            return colors.bad;
        case Outcome::Stopped:
            return colors.warning;
        case Outcome::Lost:
            return colors.bad;
    }
    return colors.muted;
}

}  // namespace rankscope::gui
