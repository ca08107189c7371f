// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <QObject>

class QString;
class QWidget;

namespace rankscope::gui {

class NoticeBar;
class Workspace;

/// The bars of Runs about the run store itself: why it cannot be used and, where that helps, a button that sets it
/// aside and begins a new one; then where the old one is.
class StoreBar : public QObject {
    Q_OBJECT

public:
    StoreBar(Workspace* workspace, QWidget* page);

    NoticeBar* fault() const { return fault_; }
    NoticeBar* news() const { return news_; }

    void show_failure(const QString& title, const Failure& failure);
    /// The store can be read.
    void clear_failure();

private:
    void begin_new();
    void look();

    Workspace* workspace_;
    NoticeBar* fault_;
    NoticeBar* news_;
};

}  // namespace rankscope::gui
