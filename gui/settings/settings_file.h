// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/settings/settings.h>

#include <QObject>
#include <QStringList>

namespace rankscope::gui {

/// The settings of this user: read once, written at each change, and everyone who shows them is notified. The window's
/// thread only.
class SettingsFile : public QObject {
    Q_OBJECT

public:
    /// Reads the program's settings file (QSettings).
    explicit SettingsFile(QObject* parent = nullptr);

    const Settings& now() const { return now_; }
    void set(const Settings& settings);
    /// Sentences about values that were not understood, those of earlier starts left out. Empty: all is well.
    const QStringList& news() const { return news_; }
    static QString path();

signals:
    void changed(const rankscope::gui::Settings& before);

private:
    void note(const std::vector<SettingProblem>& problems);
    void keep_damaged_file();

    Settings now_;
    QStringList news_;
};

}  // namespace rankscope::gui
