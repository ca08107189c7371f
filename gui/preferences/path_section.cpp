// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <gui/preferences/path_section.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>

#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

namespace rankscope::gui {

namespace {

/// What is wrong with a folder for the run store; empty: nothing.
QString folder_problem(const QString& text) {
    if (text.isEmpty()) {
        return {};
    }
    const QFileInfo folder(text);
    if (!folder.isAbsolute()) {
        return PathSection::tr("Write an absolute path: /data/rankscope.");
    }
    if (folder.exists() && !folder.isDir()) {
        return PathSection::tr("%1 is a file. Choose a folder.").arg(text);
    }
    if (folder.exists() && !folder.isWritable()) {
        return PathSection::tr("You may not write to %1. Choose another folder.").arg(text);
    }
    return {};
}

}  // namespace

PathSection::PathSection(SettingsFile* file, Workspace* workspace, QWidget* parent)
    : SettingsSection(SettingsPart::Paths, tr("Paths"), file, parent),
      workspace_(workspace),
      folder_(new QLineEdit(this)),
      later_(make_label(tr("Used from the next start on. Stored runs stay where they are."), this, "muted")) {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    folder_->setObjectName(u"settingsStoreFolder"_s);
    folder_->setPlaceholderText(qs(user_data_dir().string()));
    auto* choose = make_button(tr("&Choose…"), "settingsChooseFolder", this);
    layout->addWidget(folder_, 1);
    layout->addWidget(choose);
    form()->add_row("folder", tr("&Run store's folder"), row, folder_);
    form()->add_row("later", QString(), later_);
    add_file("store", tr("Run store"), qs(workspace->options().store_path().string()));
    add_file("inventory", tr("Inventory"), qs(workspace->options().inventory_path().string()));
    add_file("settings", tr("Settings"), SettingsFile::path());
    add_note(tr(
        "--data-dir and --cluster of the command line choose other ones for one start. rankscopectl finds a "
        "run store in another folder by --data-dir."));
    column()->addStretch();
    connect(folder_, &QLineEdit::editingFinished, this, &PathSection::take_folder);
    connect(choose, &QPushButton::clicked, this, [this] {
        auto* dialog = new QFileDialog(this, tr("Folder of the run store"), folder_->text());
        dialog->setObjectName(u"storeFolderDialog"_s);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::Directory);
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
            folder_->setText(folder);
            take_folder();
        });
        dialog->open();
    });
}

void PathSection::add_file(const std::string& key, const QString& label, const QString& path) {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* text = new ElidedLabel(row);
    text->set_full_text(path);
    auto* show = make_button(tr("Show"), "settingsShowFolder", row);
    show->setAccessibleName(tr("Show the folder of %1").arg(label));
    layout->addWidget(text, 1);
    layout->addWidget(show);
    form()->add_row(key, label, row, show);
    show->setAccessibleName(tr("Show the folder of %1").arg(label));
    connect(show, &QPushButton::clicked, this,
            [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
}

void PathSection::take_folder() {
    const QString wanted = folder_->text().trimmed();
    const QString problem = folder_problem(wanted);
    form()->set_errors({{"folder", problem}});
    if (problem.isEmpty()) {
        change([&wanted](Settings& settings) { settings.store_folder = wanted; });
    }
}

void PathSection::fill(const Settings& settings) {
    folder_->setText(settings.store_folder);
    form()->set_errors({});
    const std::filesystem::path next =
        settings.store_folder.isEmpty() ? user_data_dir() : std::filesystem::path(ss(settings.store_folder));
    form()->set_row_visible("later", next != workspace_->options().store_path().parent_path());
}

}  // namespace rankscope::gui
