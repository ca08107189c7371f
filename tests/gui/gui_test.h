// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/session/options.h>
#include <gui/strings.h>

#include <gtest/gtest.h>
#include <tests/machine_speed.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QTest>
#include <QWidget>
#include <functional>

namespace rankscope::gui::testing {

/// A sanitized window is several times slower: what is waited for may take longer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kSlowness = 6;
#else
constexpr int kSlowness = 1;
#endif

/// Runs the event loop until `condition` holds; false when it does not within the time. Never a fixed sleep.
inline bool wait_until(const std::function<bool()>& condition, int limit_ms = 10000) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > qint64(limit_ms) * kSlowness * rankscope::testing::machine_slowness()) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 20);
        QTest::qWait(1);
    }
    return true;
}

template <typename Widget>
Widget* child(QWidget* parent, const char* name) {
    auto* found = parent->findChild<Widget*>(QString::fromLatin1(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
}

inline void click(QWidget* widget) {
    QTest::mouseClick(widget, Qt::LeftButton);
}

/// Replaces a field's text as a user does: select all, type.
template <typename Edit>
void type_into(Edit* edit, const QString& text) {
    edit->setFocus();
    edit->selectAll();
    if (text.isEmpty()) {
        QTest::keyClick(edit, Qt::Key_Delete);
    } else {
        QTest::keyClicks(edit, text);
    }
}

/// A window that touches nothing outside of `folder`.
inline Options options_in(const QString& folder) {
    Options options;
    options.data_dir = ss(folder);
    options.inventory_file = ss(folder + u"/cluster.yaml"_s);
    options.probe_this_computer = false;
    return options;
}

}  // namespace rankscope::gui::testing
