// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/on_thread.h>
#include <gui/settings/settings_file.h>
#include <gui/strings.h>

#include <QDateTime>
#include <QFile>
#include <QSettings>
#include <functional>
#include <map>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr qsizetype kShownValue = 60;

/// How each window takes what another one has changed.
std::map<const QObject*, std::function<void(const Settings&)>>& windows() {
    static std::map<const QObject*, std::function<void(const Settings&)>> all;
    return all;
}

QString rejected_key(const QString& key) {
    return u"rejected/"_s + key;
}

}  // namespace

SettingsFile::SettingsFile(QObject* parent) : QObject(parent) {
    const QSettings file;
    if (file.status() == QSettings::FormatError) {
        keep_damaged_file();
    }
    SettingsRead read = read_settings(file);
    now_ = std::move(read.settings);
    note(read.problems);
    windows()[this] = [this](const Settings& settings) {
        if (settings != now_) {
            emit changed(std::exchange(now_, settings));
        }
    };
    connect(this, &QObject::destroyed, [file = this] { windows().erase(file); });
}

QString SettingsFile::path() {
    return QSettings().fileName();
}

// QSettings drops the lines that it does not understand at the next write.
void SettingsFile::keep_damaged_file() {
    const QString copy =
        path() % u".damaged-"_s % QDateTime::currentDateTime().toString(u"yyyyMMdd-HHmmss"_s);
    const bool kept = QFile::copy(path(), copy);
    if (kept) {
        QSettings().setValue(rejected_key(u"file"_s), copy);  // writes the file: it is whole again
    }
    news_ +=
        kept ? tr("The settings file %1 is damaged. What can be read of it is used; a copy is at %2.")
                   .arg(path(), copy)
             : tr("The settings file %1 is damaged, and %2 could not be written. Copy it before you change a "
                  "setting: what cannot be read of it is lost then.")
                   .arg(path(), copy);
}

void SettingsFile::note(const std::vector<SettingProblem>& problems) {
    QSettings file;
    for (const SettingProblem& problem : problems) {
        const QString kept = rejected_key(problem.key);
        if (file.value(kept).toString() == problem.value) {
            continue;  // reported at an earlier start
        }
        file.setValue(kept, problem.value);
        const QString value = problem.value.size() > kShownValue
                                  ? QString(problem.value.left(kShownValue) % u'…')
                                  : problem.value;
        news_ += tr("%1 = \"%2\" is not understood; use %3. The default is used, and the value stays in %4.")
                     .arg(problem.key, value, problem.allowed, path());
    }
}

void SettingsFile::set(const Settings& settings) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (settings == now_) {
        return;
    }
    const Settings before = std::exchange(now_, settings);
    QSettings file;
    write_settings(file, before, now_);
    emit changed(before);
    const auto others = windows();  // whoever is notified may open or close a window
    for (const auto& [other, take] : others) {
        if (other != this && windows().contains(other)) {
            take(now_);
        }
    }
}

}  // namespace rankscope::gui
