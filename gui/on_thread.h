// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/check.h>

#include <QObject>
#include <QThread>

namespace rankscope::gui {

/// Whether the caller is on the thread that an object lives in: what every entry of a QObject requires that is
/// called from elsewhere.
///
///     RANKSCOPE_CHECK(on_thread_of(this), return);
inline bool on_thread_of(const QObject* object) {
    return object->thread() == QThread::currentThread();
}

}  // namespace rankscope::gui
