// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logview/line_meaning.h>
#include <gui/logview/log_panel.h>
#include <gui/logview/log_rows.h>
#include <gui/logview/log_search_bar.h>
#include <gui/logview/log_view.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

LogPanel::LogPanel(QThreadPool* pool, QString prefix, QString wrap_key, QWidget* parent)
    : QWidget(parent),
      rows_(new LogRows(pool, this)),
      view_(new LogView(rows_, this)),
      search_(new LogSearchBar(view_, this)),
      prefix_(std::move(prefix)),
      wrap_key_(std::move(wrap_key)),
      saver_(pool) {
    view_->setObjectName(name_of(QLatin1StringView("View")));
    view_->set_wrapping(QSettings().value(wrap_key_).toBool());
    connect(view_, &LogView::tooMuchToCopy, this, [this] {
        say(tr("The selection is larger than %1. Save the lines to a file instead.")
                .arg(QLocale().formattedDataSize(LogView::kMostCopied)));
    });
    connect(search_, &LogSearchBar::searched, this, [this] { say({}); });
    connect(&saver_, &LogSaver::progress, this,
            [this](int percent) { say(tr("Saving: %1 %").arg(percent)); });
    connect(&saver_, &LogSaver::finished, this,
            [this](const QString& path, quint32 lines, const QString& fault) {
                say(fault.isEmpty()
                        ? tr("%1 lines are saved in %2.").arg(count_text(lines), path)
                        : tr("%1 could not be written: %2. Free space there, or choose another folder.")
                              .arg(path, fault));
            });
}

void LogPanel::lay_out(QWidget* bar) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(bar);
    layout->addWidget(search_);
    layout->addWidget(view_, 1);
    layout->addWidget(make_note());
}

QWidget* LogPanel::make_note() {
    note_row_ = new QWidget(this);
    auto* layout = new QHBoxLayout(note_row_);
    layout->setContentsMargins(0, 0, 0, 0);
    note_ = make_label({}, note_row_, "muted");
    note_->setObjectName(name_of(QLatin1StringView("Note")));
    note_->setWordWrap(true);
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    cancel_ = make_button(tr("Cancel"), "", note_row_);
    cancel_->setObjectName(name_of(QLatin1StringView("SaveCancel")));
    layout->addWidget(note_, 1);
    layout->addWidget(cancel_);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        saver_.cancel();
        say(tr("Saving was cancelled. No file was written."));
    });
    note_row_->hide();
    return note_row_;
}

QLineEdit* LogPanel::search() const {
    return search_->edit();
}

void LogPanel::focus_search() {
    search_->focus();
}

void LogPanel::say(const QString& message) {
    message_ = message;
    update_note();
}

void LogPanel::update_note() {
    QStringList all = notes();
    if (!message_.isEmpty()) {
        all.prepend(message_);
    }
    if (const QString fault = search_->fault(); !fault.isEmpty()) {
        all.prepend(fault);
    }
    note_->setText(all.join(u'\n'));
    cancel_->setVisible(saver_.running());
    note_row_->setVisible(!all.isEmpty());
}

QAction* LogPanel::add_wrap(QMenu* menu) {
    QAction* wrap = menu->addAction(tr("&Wrap long lines"));
    wrap->setObjectName(name_of(QLatin1StringView("Wrap")));
    wrap->setCheckable(true);
    wrap->setChecked(view_->wraps());
    connect(wrap, &QAction::toggled, this, [this](bool on) {
        view_->set_wrapping(on);
        QSettings().setValue(wrap_key_, on);
    });
    return wrap;
}

void LogPanel::add_explain(QMenu* menu, quint32 line) {
    if (const std::string meaning = line_meaning(rows_->store().text(line).view()); !meaning.empty()) {
        menu->addAction(tr("&Explain this line"), this, [this, meaning] { say(nccl_line_text(meaning)); });
    }
}

void LogPanel::ask_path(const QString& title, const QString& name, std::function<SavedLines()> lines) {
    auto* dialog = new QFileDialog(this, title);
    dialog->setObjectName(name_of(QLatin1StringView("SaveDialog")));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("log"));
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, lines = std::move(lines)](const QString& path) { save(path, lines()); });
    dialog->open();
}

void LogPanel::save(const QString& path, SavedLines lines) {
    saver_.save(path, std::move(lines));
    say(tr("Saving: %1 %").arg(0));
}

}  // namespace rankscope::gui
