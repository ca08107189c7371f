// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/style/look.h>

#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>

namespace rankscope::gui {

/// What the command line asked for. Passed on as a value; nothing is global.
struct Options {
    std::filesystem::path inventory_file;  ///< empty: the default one
    bool inventory_must_exist = false;
    bool quick_start = false;
    std::filesystem::path job_file;
    QStringList bundles;              ///< failure bundles to open
    std::filesystem::path data_dir;   ///< empty: the user's
    std::optional<LookTheme> theme;   ///< for this start
    QString language;                 ///< code, "system", or empty: not given
    bool probe_this_computer = true;  ///< at start, without being asked; tests switch it off

    std::filesystem::path inventory_path() const;
    std::filesystem::path store_path() const;
};

struct ParsedOptions {
    Options options;
    QString error;  ///< wrong usage, or empty
    QString text;   ///< of --help or --version, or empty
};
/// `arguments` with the program's name first.
ParsedOptions parse_options(const QStringList& arguments);

/// A recipe that Rankscope brings: next to the program, where an installation has it, or the one built in.
struct Recipe {
    std::filesystem::path file;  ///< empty: built in
    std::string yaml;
};
Recipe brought_recipe(const QString& name, const QString& program_dir);
/// For the first run, on this computer.
Recipe quick_start_recipe(const QString& program_dir);

}  // namespace rankscope::gui
