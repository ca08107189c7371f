// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <QString>

namespace rankscope::gui {

struct DesktopNotification {
    QString title;
    QString text;
    bool urgent = false;  ///< stays until the user closes it
    bool sound = false;
};

/// Asks the desktop to show it (org.freedesktop.Notifications on the session bus). Blocks for up to a few seconds: not
/// on the window's thread.
Result<void> show_notification(const DesktopNotification& notification);

}  // namespace rankscope::gui
