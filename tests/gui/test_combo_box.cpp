// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/widgets/combo_box.h>

#include <gtest/gtest.h>
#include <tests/gui/gui_test.h>

#include <QApplication>
#include <QScrollArea>
#include <QVBoxLayout>
#include <QWheelEvent>

namespace rankscope::gui::testing {
namespace {

constexpr int kNotch = 120;

/// Whether the widget took it; else Qt gives it to the page.
bool turn_wheel(QWidget& widget) {
    const QPointF at = widget.rect().center();
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, -kNotch}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
    return event.isAccepted();
}

TEST(ComboBox, TheWheelScrollsThePageUnlessTheBoxHasTheFocus) {
    QScrollArea page;
    auto* form = new QWidget;
    form->setFixedSize(200, 2000);
    auto* layout = new QVBoxLayout(form);
    auto* box = new ComboBox(form);
    box->addItems({u"constant"_s, u"cos"_s, u"onecycle"_s});
    layout->addWidget(box);
    layout->addStretch();
    page.setWidget(form);
    page.resize(240, 300);
    page.show();
    page.activateWindow();
    ASSERT_TRUE(wait_until([&] { return page.isActiveWindow(); }));
    page.setFocus();
    EXPECT_FALSE(turn_wheel(*box));
    EXPECT_EQ(box->currentIndex(), 0);
    EXPECT_EQ(box->focusPolicy(), Qt::StrongFocus) << "the wheel gives no focus";
    box->setFocus();
    ASSERT_TRUE(wait_until([&] { return box->hasFocus(); }));
    EXPECT_TRUE(turn_wheel(*box));
    EXPECT_EQ(box->currentIndex(), 1);
}

}  // namespace
}  // namespace rankscope::gui::testing
