// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/nav_bar.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>

#include <QButtonGroup>
#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kSmallestWidth = 84;
constexpr int kMargins = 28;

}  // namespace

NavBar::NavBar(QWidget* parent) : QFrame(parent) {
    setObjectName(u"navBar"_s);
    setAccessibleName(tr("Pages"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 6);
    layout->setSpacing(2);
    const std::array<QString, 6> texts{tr("Fleet"), tr("Launch"), tr("Doctor"),
                                       tr("Live"),  tr("Runs"),   tr("Logs")};
    const std::array<const char*, 6> names{"navFleet", "navLaunch", "navDoctor",
                                           "navLive",  "navRuns",   "navLogs"};
    auto* group = new QButtonGroup(this);
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
        auto* button = new PageButton(this);
        button->setObjectName(QString::fromLatin1(names[i]));
        button->setText(texts[i]);
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIconSize(QSize(26, 26));
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        layout->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, i] { emit chosen(int(i)); });
        buttons_[i] = button;
        set_tip(i, {});
    }
    layout->addStretch();
    draw_icons();
    fit();
}

void NavBar::set_tip(std::size_t page, const QString& news) {
    const QString own = buttons_[page]->text();
    buttons_[page]->setToolTip(news.isEmpty() ? own : plain_text(QString(own % u'\n' % news)));
    buttons_[page]->setAccessibleDescription(news);
}

void NavBar::set_current(int page) {
    buttons_[std::size_t(page)]->setChecked(true);
}

void NavBar::set_mark(int page, PageButton::Mark mark, const QString& text) {
    buttons_[std::size_t(page)]->set_mark(mark);
    set_tip(std::size_t(page), text);
}

void NavBar::draw_icons() {
    const ThemeColors colors = theme_colors(palette());
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
        buttons_[i]->setIcon(nav_icon(NavIcon(i), colors.muted, colors.accent));
    }
}

// As wide as the longest name needs, in bold.
void NavBar::fit() {
    QFont bold = font();
    bold.setBold(true);
    int widest = 0;
    for (const PageButton* button : buttons_) {
        widest = std::max(widest, QFontMetrics(bold).horizontalAdvance(button->text()));
    }
    setFixedWidth(std::max(kSmallestWidth, widest + kMargins));
}

void NavBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (buttons_.back() == nullptr) {
        return;  // not yet made
    }
    if (event->type() == QEvent::PaletteChange) {
        draw_icons();
    } else if (event->type() == QEvent::FontChange) {
        fit();
    }
}

}  // namespace rankscope::gui
