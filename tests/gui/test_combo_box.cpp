// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <gtest/gtest.h>
#include <tests/gui/gui_test.h>

#include <QApplication>
#include <QScrollArea>
#include <QSpinBox>
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

/// A page that scrolls, with the field at its top.
template <typename Check>
void on_a_page(QWidget* field, Check check) {
    QScrollArea page;
    auto* form = new QWidget;
    form->setFixedSize(200, 2000);
    auto* layout = new QVBoxLayout(form);
    layout->addWidget(field);
    layout->addStretch();
    page.setWidget(form);
    page.resize(240, 300);
    page.show();
    page.activateWindow();
    ASSERT_TRUE(wait_until([&] { return page.isActiveWindow(); }));
    page.setFocus();
    check();
}

TEST(ComboBox, TheWheelScrollsThePageUnlessTheBoxHasTheFocus) {
    auto* box = new ComboBox;
    box->addItems({u"constant"_s, u"cos"_s, u"onecycle"_s});
    on_a_page(box, [box] {
        EXPECT_FALSE(turn_wheel(*box));
        EXPECT_EQ(box->currentIndex(), 0);
        EXPECT_EQ(box->focusPolicy(), Qt::StrongFocus) << "the wheel gives no focus";
        box->setFocus();
        ASSERT_TRUE(wait_until([&] { return box->hasFocus(); }));
        EXPECT_TRUE(turn_wheel(*box));
        EXPECT_EQ(box->currentIndex(), 1);
    });
}

TEST(SpinBox, TheWheelScrollsThePageUnlessTheBoxHasTheFocus) {
    auto* box = new QSpinBox;
    box->setValue(5);
    leave_wheel_to_page(box);
    on_a_page(box, [box] {
        EXPECT_FALSE(turn_wheel(*box));
        EXPECT_EQ(box->value(), 5);
        EXPECT_EQ(box->focusPolicy(), Qt::StrongFocus) << "the wheel gives no focus";
        box->setFocus();
        ASSERT_TRUE(wait_until([&] { return box->hasFocus(); }));
        EXPECT_TRUE(turn_wheel(*box));
        EXPECT_EQ(box->value(), 4);
    });
}

}  // namespace
}  // namespace rankscope::gui::testing
