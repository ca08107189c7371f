// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/bundle/bundle_file.h>
#include <gui/session/options.h>
#include <gui/settings/language.h>
#include <gui/strings.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/runs/store/run_store.h>

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QFile>
#include <algorithm>
#include <map>
#include <vector>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Options)
};

std::filesystem::path path_of(const QString& text) {
    return std::filesystem::path(ss(text));
}

}  // namespace

std::filesystem::path Options::inventory_path() const {
    return inventory_file.empty() ? default_inventory_path() : inventory_file;
}

std::filesystem::path Options::store_path() const {
    return data_dir.empty() ? RunStore::default_path() : data_dir / RunStore::default_path().filename();
}

ParsedOptions parse_options(const QStringList& arguments) {
    const QCommandLineOption cluster(u"cluster"_s, Words::tr("Inventory of nodes to use (cluster.yaml)."),
                                     u"FILE"_s);
    const QCommandLineOption quick(
        u"quick-start"_s, Words::tr("Open Launch with an MNIST run on this computer, ready to start."));
    const QCommandLineOption job(u"job"_s, Words::tr("Open Launch with this job file."), u"FILE"_s);
    const QCommandLineOption theme(u"theme"_s, Words::tr("light, dark, high-contrast or system."),
                                   u"THEME"_s);
    const QCommandLineOption language(u"language"_s, Words::tr("en, zh_CN or system."), u"LANGUAGE"_s);
    const QCommandLineOption data(u"data-dir"_s, Words::tr("Folder of the run store."), u"DIR"_s);

    QCommandLineParser parser;
    parser.setApplicationDescription(Words::tr("Launch, watch and diagnose distributed training."));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    parser.addOptions({cluster, quick, job, theme, language, data});
    parser.addPositionalArgument(u"bundle"_s,
                                 Words::tr("Failure bundles (*%1) to open.").arg(bundle_suffix()),
                                 u"[FILE%1…]"_s.arg(bundle_suffix()));

    ParsedOptions parsed;
    if (!parser.parse(arguments)) {
        parsed.error = parser.errorText();
        return parsed;
    }
    if (parser.isSet(help)) {
        parsed.text = parser.helpText().replace(u"<executable_name>"_s, u"rankscope"_s);
    } else if (parser.isSet(version)) {
        parsed.text = u"rankscope "_s + QCoreApplication::applicationVersion();
    }
    Options& options = parsed.options;
    options.bundles = parser.positionalArguments();
    for (const QString& file : options.bundles) {
        if (!is_bundle_name(file)) {
            parsed.error = Words::tr("Unexpected argument: %1").arg(file);
        }
    }
    options.inventory_file = path_of(parser.value(cluster));
    options.inventory_must_exist = parser.isSet(cluster);
    options.quick_start = parser.isSet(quick);
    options.job_file = path_of(parser.value(job));
    options.data_dir = path_of(parser.value(data));
    if (const QString wanted = parser.value(theme); !wanted.isEmpty()) {
        static const std::map<QString, LookTheme> themes{{u"light"_s, LookTheme::Light},
                                                         {u"dark"_s, LookTheme::Dark},
                                                         {u"high-contrast"_s, LookTheme::HighContrast},
                                                         {u"system"_s, LookTheme::System}};
        if (const auto known = themes.find(wanted); known != themes.end()) {
            options.theme = known->second;
        } else {
            parsed.error = Words::tr("--theme %1: use light, dark, high-contrast or system.").arg(wanted);
        }
    }
    options.language = parser.value(language);
    const std::vector<Language> known = languages();
    if (!options.language.isEmpty() && options.language != u"system"_s &&
        std::none_of(known.begin(), known.end(),
                     [&](const Language& each) { return each.code == options.language; })) {
        parsed.error = Words::tr("--language %1: use en, zh_CN or system.").arg(options.language);
    }
    return parsed;
}

Recipe quick_start_recipe(const QString& program_dir) {
    return brought_recipe(u"mnist-quickstart"_s, program_dir);
}

Recipe brought_recipe(const QString& recipe, const QString& program_dir) {
    const QString name = u"recipes/"_s % recipe % u".yaml"_s;
    const QStringList places{program_dir % u"/../../../resources/"_s % name,
                             program_dir % u"/../share/rankscope/"_s % name};
    for (const QString& place : places) {
        QFile file(place);
        if (file.open(QIODevice::ReadOnly)) {
            return {path_of(place).lexically_normal(), file.readAll().toStdString()};
        }
    }
    QFile built_in(u":/rankscope/"_s + name);
    if (!built_in.open(QIODevice::ReadOnly)) {
        return {};
    }
    return {{}, built_in.readAll().toStdString()};
}

}  // namespace rankscope::gui
