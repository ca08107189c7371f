// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/settings/language.h>
#include <gui/settings/settings.h>
#include <gui/strings.h>
#include <remote/desk/runs/notify/alert_command.h>

#include <QCoreApplication>
#include <QDir>
#include <QKeySequence>
#include <QSettings>
#include <utility>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Settings)
};

constexpr qint64 kMostSteps = 1'000'000'000;
constexpr qsizetype kLongestValue = 4096;  ///< a longer one is damaged
constexpr QStringView kShortcutGroup = u"shortcuts/";

SettingKey whole_number(const QString& name, SettingsPart part, int Settings::*member, int least, int most) {
    return {name, part, [member](const Settings& settings) { return QString::number(settings.*member); },
            [member, least, most](Settings& settings, const QString& text) {
                bool ok = false;
                const int value = text.toInt(&ok);
                if (!ok || value < least || value > most) {
                    return false;
                }
                settings.*member = value;
                return true;
            },
            Words::tr("a number from %1 to %2").arg(least).arg(most)};
}

/// `get`: the member of a Settings that the choice is of.
template <typename Enum, typename Get>
SettingKey choice(const QString& name, SettingsPart part, Get get,
                  const std::vector<std::pair<QString, Enum>>& values) {
    QStringList names;
    for (const auto& value : values) {
        names += value.first;
    }
    return {name, part,
            [get, values](const Settings& settings) {
                Settings copy = settings;
                for (const auto& value : values) {
                    if (value.second == get(copy)) {
                        return value.first;
                    }
                }
                return QString();
            },
            [get, values](Settings& settings, const QString& text) {
                for (const auto& value : values) {
                    if (value.first == text) {
                        get(settings) = value.second;
                        return true;
                    }
                }
                return false;
            },
            names.join(u", "_s)};
}

SettingKey font_size() {
    constexpr int kSmallest = 7;
    constexpr int kLargest = 24;
    return {u"appearance/font_points"_s, SettingsPart::Appearance,
            [](const Settings& settings) { return QString::number(settings.look.font_points); },
            [](Settings& settings, const QString& text) {
                bool ok = false;
                const int value = text.toInt(&ok);
                if (!ok || (value != 0 && (value < kSmallest || value > kLargest))) {
                    return false;
                }
                settings.look.font_points = value;
                return true;
            },
            Words::tr("0 (the desktop's) or a number from %1 to %2").arg(kSmallest).arg(kLargest)};
}

SettingKey font_family() {
    constexpr qsizetype kLongest = 200;
    return {u"appearance/font_family"_s, SettingsPart::Appearance,
            [](const Settings& settings) { return settings.look.font_family; },
            [](Settings& settings, const QString& text) {
                if (text.size() > kLongest) {
                    return false;
                }
                settings.look.font_family = text;
                return true;
            },
            Words::tr("the name of an installed font")};
}

SettingKey language_key() {
    QStringList codes{u"system"_s};
    for (const Language& language : languages()) {
        codes += language.code;
    }
    return {kLanguageKey, SettingsPart::Appearance,
            [](const Settings& settings) { return settings.language; },
            [codes](Settings& settings, const QString& text) {
                if (!codes.contains(text)) {
                    return false;
                }
                settings.language = text;
                return true;
            },
            codes.join(u", "_s)};
}

SettingKey store_folder() {
    return {u"data/folder"_s, SettingsPart::Paths,
            [](const Settings& settings) { return settings.store_folder; },
            [](Settings& settings, const QString& text) {
                if (!text.isEmpty() && !QDir::isAbsolutePath(text)) {
                    return false;
                }
                settings.store_folder = text;
                return true;
            },
            Words::tr("an absolute path")};
}

SettingKey on_or_off(const QString& name, bool NotificationSettings::*member) {
    return {name, SettingsPart::Notifications,
            [member](const Settings& settings) {
                return settings.notifications.*member ? u"true"_s : u"false"_s;
            },
            [member](Settings& settings, const QString& text) {
                if (text != u"true"_s && text != u"false"_s) {
                    return false;
                }
                settings.notifications.*member = text == u"true"_s;
                return true;
            },
            u"true, false"_s};
}

SettingKey alert_kinds() {
    return {u"notify/events"_s, SettingsPart::Notifications,
            [](const Settings& settings) {
                QStringList names;
                for (const AlertKind kind : settings.notifications.alerts.kinds) {
                    names += QString::fromLatin1(to_string(kind));
                }
                return names.join(u' ');
            },
            [](Settings& settings, const QString& text) {
                std::set<AlertKind> kinds;
                for (const QString& name : text.split(u' ', Qt::SkipEmptyParts)) {
                    const auto kind = enum_from<AlertKind>(ss(name));
                    if (!kind) {
                        return false;
                    }
                    kinds.insert(*kind);
                }
                settings.notifications.alerts.kinds = kinds;
                return true;
            },
            Words::tr("words of: ended failed hang nan plateau rule")};
}

SettingKey alert_rules() {
    return {u"notify/rules"_s, SettingsPart::Notifications,
            [](const Settings& settings) {
                QStringList lines;
                for (const AlertRule& rule : settings.notifications.alerts.rules) {
                    lines += qs(to_text(rule));
                }
                return lines.join(u"; "_s);
            },
            [](Settings& settings, const QString& text) {
                std::vector<AlertRule> rules;
                for (const QString& line : text.split(u';', Qt::SkipEmptyParts)) {
                    const auto rule = parse_alert_rule(ss(line));
                    if (!rule) {
                        return false;
                    }
                    rules.push_back(*rule);
                }
                settings.notifications.alerts.rules = std::move(rules);
                return true;
            },
            Words::tr("rules with ; between them: loss > 10 for 50 steps; acc1 < 0.1")};
}

SettingKey notify_command() {
    return {u"notify/command"_s, SettingsPart::Notifications,
            [](const Settings& settings) { return settings.notifications.command; },
            [](Settings& settings, const QString& text) {
                if (!alert_command_words(ss(text))) {
                    return false;
                }
                settings.notifications.command = text;
                return true;
            },
            Words::tr("a program and its arguments, without what only a shell understands")};
}

/// A number or a name in the options of a plateau.
template <typename Write, typename Read>
SettingKey plateau_key(const QString& name, Write write, Read take, const QString& allowed) {
    return {
        name, SettingsPart::Notifications,
        [write](const Settings& settings) { return write(settings.notifications.alerts); },
        [take](Settings& settings, const QString& text) { return take(settings.notifications.alerts, text); },
        allowed};
}

std::vector<SettingKey> notification_keys() {
    return {
        alert_kinds(),
        alert_rules(),
        plateau_key(
            u"notify/plateau_metric"_s, [](const AlertOptions& alerts) { return qs(alerts.plateau_metric); },
            [](AlertOptions& alerts, const QString& text) {
                alerts.plateau_metric = text.isEmpty() ? alerts.plateau_metric : ss(text);
                return !text.isEmpty();
            },
            Words::tr("the name of a metric")),
        plateau_key(
            u"notify/plateau_steps"_s,
            [](const AlertOptions& alerts) { return QString::number(alerts.plateau_steps); },
            [](AlertOptions& alerts, const QString& text) {
                bool ok = false;
                const qint64 steps = text.toLongLong(&ok);
                alerts.plateau_steps = ok && steps >= 1 && steps <= kMostSteps ? steps : alerts.plateau_steps;
                return ok && steps >= 1 && steps <= kMostSteps;
            },
            Words::tr("a number of steps from 1 to %1").arg(kMostSteps)),
        on_or_off(u"notify/desktop"_s, &NotificationSettings::desktop),
        on_or_off(u"notify/sound"_s, &NotificationSettings::sound),
        notify_command()};
}

std::vector<SettingKey> make_keys() {
    constexpr int kDays = 36500;
    constexpr int kMebibytes = 1 << 30;
    constexpr int kMegabytes = 1'000'000;
    std::vector<SettingKey> keys{
        choice<LookTheme>(u"appearance/theme"_s, SettingsPart::Appearance,
                          [](Settings& settings) -> LookTheme& { return settings.look.theme; },
                          {{u"system"_s, LookTheme::System},
                           {u"light"_s, LookTheme::Light},
                           {u"dark"_s, LookTheme::Dark},
                           {u"high-contrast"_s, LookTheme::HighContrast}}),
        font_size(),
        font_family(),
        language_key(),
        choice<RankColors>(u"appearance/rank_colors"_s, SettingsPart::Appearance,
                           [](Settings& settings) -> RankColors& { return settings.look.rank_colors; },
                           {{u"okabe-ito"_s, RankColors::OkabeIto},
                            {u"tableau"_s, RankColors::Tableau},
                            {u"brightness"_s, RankColors::Brightness}}),
        whole_number(u"data/live_refresh_ms"_s, SettingsPart::Data, &Settings::live_refresh_ms, 20, 5000),
        whole_number(u"data/runs_refresh_s"_s, SettingsPart::Data, &Settings::runs_refresh_s, 1, 3600),
        whole_number(u"data/fleet_refresh_s"_s, SettingsPart::Data, &Settings::fleet_refresh_s, 1, 3600),
        whole_number(u"data/output_mb"_s, SettingsPart::Data, &Settings::output_mb, 0, kMegabytes),
        whole_number(u"data/keep_days"_s, SettingsPart::Data, &Settings::keep_days, 0, kDays),
        whole_number(u"data/keep_mib"_s, SettingsPart::Data, &Settings::keep_mib, 0, kMebibytes),
        store_folder()};
    for (SettingKey& key : notification_keys()) {
        keys.push_back(std::move(key));
    }
    return keys;
}

/// Empty keys are a shortcut that the user removed.
bool is_key_text(const QString& text) {
    const QKeySequence keys = QKeySequence::fromString(text, QKeySequence::PortableText);
    return text.isEmpty() || (!keys.isEmpty() && keys[0].key() != Qt::Key_unknown);
}

/// A text with commas that was written by hand is a list in this kind of file.
QString text_of(const QVariant& value) {
    return value.typeId() == QMetaType::QStringList ? value.toStringList().join(u","_s) : value.toString();
}

/// Files of earlier versions have the theme as a number.
void read_old_theme(const QSettings& file, Settings& settings) {
    bool ok = false;
    const int number = file.value(u"theme"_s).toInt(&ok);
    if (ok && number >= 0 && number <= int(LookTheme::Dark)) {
        settings.look.theme = LookTheme(number);
    }
}

}  // namespace

RetentionRule Settings::retention() const {
    constexpr std::int64_t kMebibyte = 1 << 20;
    return {keep_days, keep_mib * kMebibyte};
}

const std::vector<SettingKey>& setting_keys() {
    static const std::vector<SettingKey> keys = make_keys();
    return keys;
}

Settings with_defaults(Settings settings, SettingsPart part) {
    const Settings defaults;
    for (const SettingKey& key : setting_keys()) {
        if (key.part == part) {
            key.read(settings, key.text(defaults));
        }
    }
    if (part == SettingsPart::Shortcuts) {
        settings.shortcuts.clear();
    }
    return settings;
}

SettingsRead read_settings(const QSettings& file) {
    SettingsRead read;
    read_old_theme(file, read.settings);
    for (const SettingKey& key : setting_keys()) {
        if (!file.contains(key.name)) {
            continue;
        }
        const QString value = text_of(file.value(key.name));
        if (value.size() > kLongestValue || !key.read(read.settings, value)) {
            read.problems.push_back({key.name, value.left(kLongestValue), key.allowed});
        }
    }
    for (const QString& key : file.allKeys()) {
        if (!key.startsWith(kShortcutGroup)) {
            continue;
        }
        const QString value = text_of(file.value(key));
        if (is_key_text(value)) {
            read.settings.shortcuts[key.mid(kShortcutGroup.size())] = value;
        } else {
            read.problems.push_back(
                {key, value.left(kLongestValue), Words::tr("keys, for example Ctrl+Shift+K")});
        }
    }
    return read;
}

void write_settings(QSettings& file, const Settings& before, const Settings& after) {
    const Settings defaults;
    for (const SettingKey& key : setting_keys()) {
        const QString value = key.text(after);
        if (value == key.text(before)) {
            continue;
        }
        file.remove(key.name == u"appearance/theme"_s ? u"theme"_s : key.name);
        if (value == key.text(defaults)) {
            file.remove(key.name);
        } else {
            file.setValue(key.name, value);
        }
    }
    for (const auto& [id, keys] : before.shortcuts) {
        if (!after.shortcuts.contains(id)) {
            file.remove(kShortcutGroup % id);
        }
    }
    for (const auto& [id, keys] : after.shortcuts) {
        const auto old = before.shortcuts.find(id);
        if (old == before.shortcuts.end() || old->second != keys) {
            file.setValue(kShortcutGroup % id, keys);
        }
    }
}

}  // namespace rankscope::gui
