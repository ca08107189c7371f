// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/style/look.h>
#include <remote/desk/runs/notify/run_alerts.h>
#include <remote/desk/runs/store/retention.h>

#include <QString>
#include <functional>
#include <map>
#include <vector>

class QSettings;

namespace rankscope::gui {

/// When and how the user hears of a run.
struct NotificationSettings {
    AlertOptions alerts;
    bool desktop = true;
    bool sound = false;
    QString command;  ///< program and arguments, not run by a shell; empty: none

    bool operator==(const NotificationSettings&) const = default;
};

/// What the user chose for the whole program. A plain value; SettingsFile keeps it.
struct Settings {
    Look look;
    QString language = QStringLiteral("system");  ///< or the code of one; from the next start on
    int live_refresh_ms = 50;                     ///< how often Live shows what has arrived
    int runs_refresh_s = 3;                       ///< how often Runs reads the store again
    int fleet_refresh_s = 5;                      ///< how often Fleet reads use and memory of its nodes
    int output_mb = 0;  ///< of each run's output, that are kept; 0: as the disk allows
    int keep_days = 0;  ///< RetentionRule; 0: no limit
    int keep_mib = 0;
    NotificationSettings notifications;
    QString store_folder;  ///< of the run store, absolute; empty: the user's data folder
    /// By the action's id: keys in QKeySequence's portable form, empty for none. Only what differs from the default.
    std::map<QString, QString> shortcuts;

    bool operator==(const Settings&) const = default;
    RetentionRule retention() const;
};

enum class SettingsPart { Appearance, Data, Notifications, Shortcuts, Paths };

/// One value of the file: how it is written, and read within its limits.
struct SettingKey {
    QString name;  ///< in the file: "appearance/theme"
    SettingsPart part;
    std::function<QString(const Settings&)> text;
    /// False: the text is not a value of it; the settings stay as they were.
    std::function<bool(Settings&, const QString&)> read;
    QString allowed;  ///< what it may be, for users
};
const std::vector<SettingKey>& setting_keys();

/// The default values of one part, the rest as it is.
Settings with_defaults(Settings settings, SettingsPart part);

/// A value in the file that was not understood. It stays in the file until the user chooses another, and is kept
/// there under "rejected/" after that.
struct SettingProblem {
    QString key;
    QString value;
    QString allowed;

    bool operator==(const SettingProblem&) const = default;
};

struct SettingsRead {
    Settings settings;
    std::vector<SettingProblem> problems;
};
SettingsRead read_settings(const QSettings& file);
/// Writes the values in which `after` differs from `before`; default values are removed from the file.
void write_settings(QSettings& file, const Settings& before, const Settings& after);

}  // namespace rankscope::gui
