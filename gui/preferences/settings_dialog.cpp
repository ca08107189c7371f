// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/preferences/appearance_section.h>
#include <gui/preferences/data_section.h>
#include <gui/preferences/notification_section.h>
#include <gui/preferences/path_section.h>
#include <gui/preferences/settings_dialog.h>
#include <gui/preferences/shortcut_section.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/widgets/clear_button.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kListWidth = 170;

}  // namespace

SettingsDialog::SettingsDialog(Workspace* workspace, ActionRegistry* actions, QWidget* parent)
    : QDialog(parent),
      file_(workspace->settings()),
      pages_(new QStackedWidget(this)),
      reset_(make_button({}, "settingsReset", this)),
      news_(new NoticeBar(NoticeBar::Kind::Fault, "settingsNews", this)) {
    setObjectName(u"settingsDialog"_s);
    setWindowTitle(tr("Settings"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(10);
    news_->set_text(file_->news().isEmpty() ? QString() : tr("The settings file has errors."),
                    file_->news().join(u'\n'));
    layout->addWidget(news_);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(10);
    middle->addWidget(make_left());
    middle->addWidget(pages_, 1);
    layout->addLayout(middle, 1);
    auto* buttons = new QHBoxLayout;
    auto* close = make_button(tr("Close"), "settingsClose", this);
    buttons->addWidget(reset_);
    buttons->addStretch();
    buttons->addWidget(close);
    layout->addLayout(buttons);
    add(new AppearanceSection(file_, pages_));
    add(new DataSection(file_, workspace, pages_));
    auto* notifications = new NotificationSection(file_, pages_);
    connect(notifications, &NotificationSection::testRequested, this,
            &SettingsDialog::notificationTestRequested);
    add(notifications);
    add(new ShortcutSection(file_, actions, pages_));
    add(new PathSection(file_, workspace, pages_));
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(reset_, &QPushButton::clicked, this, &SettingsDialog::reset_section);
    connect(search_, &QLineEdit::textChanged, this, &SettingsDialog::search);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        pages_->setCurrentIndex(row);
        update_buttons();
    });
    connect(file_, &SettingsFile::changed, this, [this] {
        for (SettingsSection* section : sections_) {
            section->show_settings(file_->now());
        }
        update_buttons();
    });
    list_->setCurrentRow(0);
    list_->setFocus();
    resize(820, 560);
}

QWidget* SettingsDialog::make_left() {
    auto* left = new QWidget(this);
    left->setFixedWidth(kListWidth);
    auto* layout = new QVBoxLayout(left);
    layout->setContentsMargins(0, 0, 0, 0);
    search_ = new QLineEdit(left);
    search_->setObjectName(u"settingsSearch"_s);
    search_->setAccessibleName(tr("Search settings"));
    search_->setPlaceholderText(tr("Search"));
    add_clear_button(search_);
    list_ = new QListWidget(left);
    list_->setObjectName(u"settingsSections"_s);
    list_->setAccessibleName(tr("Sections"));
    layout->addWidget(search_);
    layout->addWidget(list_, 1);
    return left;
}

void SettingsDialog::add(SettingsSection* section) {
    auto* scroll = new QScrollArea(pages_);
    scroll->setWidgetResizable(true);
    scroll->setWidget(section);
    scroll->setFocusPolicy(Qt::NoFocus);
    pages_->addWidget(scroll);
    sections_.push_back(section);
    list_->addItem(section->title());
    section->show_settings(file_->now());
}

void SettingsDialog::show_part(SettingsPart part) {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        if (sections_[i]->part() == part) {
            list_->setCurrentRow(int(i));
        }
    }
}

void SettingsDialog::search(const QString& words) {
    int first = -1;
    for (int i = 0; i < list_->count(); ++i) {
        const bool fits = sections_[std::size_t(i)]->mentions(words);
        list_->item(i)->setHidden(!fits);
        first = first < 0 && fits ? i : first;
    }
    if (first >= 0 && list_->currentItem() != nullptr && list_->currentItem()->isHidden()) {
        list_->setCurrentRow(first);
    }
}

void SettingsDialog::update_buttons() {
    const SettingsSection* section = sections_[std::size_t(std::max(list_->currentRow(), 0))];
    reset_->setText(tr("&Reset %1").arg(section->title()));
    reset_->setEnabled(with_defaults(file_->now(), section->part()) != file_->now());
    reset_->setToolTip(reset_->isEnabled() ? QString() : tr("All values here are the defaults."));
}

void SettingsDialog::reset_section() {
    const SettingsSection* section = sections_[std::size_t(std::max(list_->currentRow(), 0))];
    file_->set(with_defaults(file_->now(), section->part()));
}

}  // namespace rankscope::gui
