// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logs/file_log.h>
#include <gui/logview/line_meaning.h>
#include <gui/logview/log_rows.h>
#include <gui/logview/log_search_bar.h>
#include <gui/logview/log_view.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

const QString kWrapKey = QStringLiteral("logs/wrap");
constexpr int kAllFiles = -1;

}  // namespace

FileLog::FileLog(QThreadPool* pool, QWidget* parent)
    : QWidget(parent),
      lines_(pool),
      rows_(new LogRows(pool, this)),
      view_(new LogView(rows_, this)),
      search_(new LogSearchBar(view_, this)),
      saver_(pool),
      note_(make_label({}, this, "muted")) {
    setObjectName(u"fileLog"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(make_bar());
    layout->addWidget(search_);
    view_->setObjectName(u"fileLogView"_s);
    view_->setAccessibleName(tr("Lines of the log"));
    view_->set_time_column(TimeColumn::None);
    view_->set_wrapping(QSettings().value(kWrapKey).toBool());
    layout->addWidget(view_, 1);
    note_->setObjectName(u"fileLogNote"_s);
    note_->setWordWrap(true);
    note_->hide();
    layout->addWidget(note_);
    setFocusProxy(view_);
    connect(&lines_, &FileLines::changed, this, &FileLog::refresh);
    connect(rows_, &LogRows::wasReset, this, &FileLog::show_wanted);
    connect(rows_, &LogRows::changed, this, &FileLog::show_wanted);
    connect(view_, &LogView::currentLineChanged, this, &FileLog::update_title);
    connect(view_, &LogView::menuRequested, this, &FileLog::fill_menu);
    connect(view_, &LogView::tooMuchToCopy, this, [this] {
        message_ = tr("The selection is larger than %1. Save the lines to a file instead.")
                       .arg(QLocale().formattedDataSize(LogView::kMostCopied));
        update_note();
    });
    connect(search_, &LogSearchBar::searched, this, [this] {
        message_.clear();
        update_note();
    });
    connect(
        &saver_, &LogSaver::finished, this, [this](const QString& path, quint32 count, const QString& fault) {
            message_ = fault.isEmpty()
                           ? tr("%1 lines are saved in %2.").arg(QLocale().toString(count), path)
                           : tr("%1 could not be written: %2. Free space there, or choose another folder.")
                                 .arg(path, fault);
            update_note();
        });
    refresh();
}

QWidget* FileLog::make_bar() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    title_ = new ElidedLabel(bar);
    title_->setObjectName(u"fileLogTitle"_s);
    file_ = new ComboBox(bar);
    file_->setObjectName(u"fileLogFile"_s);
    file_->setAccessibleName(tr("Which file"));
    file_->setMinimumContentsLength(12);
    file_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    file_->hide();
    layout->addWidget(title_, 1);
    layout->addWidget(file_);
    connect(file_, &QComboBox::activated, this, [this] {
        wanted_.reset();
        choose();
    });
    return bar;
}

void FileLog::read(const std::vector<std::string>& paths, const std::string& strip) {
    wanted_.reset();
    message_.clear();
    file_->clear();
    search_->edit()->clear();
    view_->set_following(false);
    lines_.read(paths, strip);
}

void FileLog::refresh() {
    if (rows_->shared_store() != lines_.lines()) {
        rows_->choose({});
        rows_->set_store(lines_.lines());
        view_->set_following(false);
        view_->set_labels([this](std::uint32_t line) { return QString::number(lines_.number_of(line)); }, 1);
    } else {
        rows_->refresh();
    }
    const QStringList files = lines_.files();
    if (file_->count() == 0) {
        file_->addItem(tr("All files"), kAllFiles);
    }
    for (int i = file_->count() - 1; i < int(files.size()); ++i) {
        file_->addItem(files[i], i);
    }
    file_->setVisible(files.size() > 1);
    view_->set_label_width(int(QString::number(lines_.lines()->size()).size()));
    show_wanted();
    update_title();
    update_note();
}

void FileLog::show_line(std::uint32_t file, std::uint64_t number) {
    wanted_ = Wanted{file, number};
    show_wanted();
    update_note();
}

void FileLog::show_wanted() {
    const auto line = wanted_ ? lines_.line_of(wanted_->file, wanted_->number) : std::nullopt;
    if (!line) {
        return;
    }
    const int shown = file_->currentData().toInt();
    if (file_->count() > 0 && shown != kAllFiles && shown != int(wanted_->file)) {
        file_->setCurrentIndex(file_->findData(kAllFiles));
        choose();
    }
    if (rows_->pending()) {
        return;
    }
    if (view_->show_line(*line)) {
        wanted_.reset();
    } else if (rows_->shows_only_matches()) {
        search_->edit()->clear();  // it hides the line
    }
}

void FileLog::choose() {
    LineChoice choice;
    if (const int file = file_->currentData().toInt(); file != kAllFiles) {
        choice.whose = LineChoice::Whose::Rank;
        choice.rank = file;
    }
    rows_->choose(choice);
    update_title();
}

void FileLog::update_title() {
    if (const auto line = view_->current_line()) {
        title_->set_full_text(tr("%1, line %2").arg(lines_.name_of(*line)).arg(lines_.number_of(*line)));
    } else {
        title_->set_full_text(tr("Lines"));
    }
}

void FileLog::update_note() {
    QStringList notes;
    if (const QString fault = search_->fault(); !fault.isEmpty()) {
        notes += fault;
    }
    if (!message_.isEmpty()) {
        notes += message_;
    }
    if (wanted_ && !lines_.reading() && !lines_.line_of(wanted_->file, wanted_->number)) {
        notes +=
            tr("Line %1 was not read: the reading was cancelled. Open the files again.").arg(wanted_->number);
    }
    if (const TextSpool& spool = lines_.lines()->spool(); spool.in_memory()) {
        notes +=
            tr("The lines cannot be written to the cache folder (%1): only the last of them can be shown. "
               "Free space there, then open the files again.")
                .arg(qs(spool.fault()));
    }
    note_->setText(notes.join(u'\n'));
    note_->setVisible(!notes.isEmpty());
}

void FileLog::focus_search() {
    search_->focus();
}

void FileLog::fill_menu(QMenu* menu, quint32 line) {
    menu->addSeparator();
    QAction* wrap = menu->addAction(tr("&Wrap long lines"), this, [this](bool on) {
        view_->set_wrapping(on);
        QSettings().setValue(kWrapKey, on);
    });
    wrap->setObjectName(u"fileLogWrap"_s);
    wrap->setCheckable(true);
    wrap->setChecked(view_->wraps());
    if (const std::string meaning = line_meaning(lines_.lines()->text(line)); !meaning.empty()) {
        menu->addAction(tr("&Explain this line"), this, [this, meaning] {
            message_ = nccl_line_text(meaning);
            update_note();
        });
    }
    menu->addSeparator();
    menu->addAction(tr("&Save shown lines…"), this, &FileLog::ask_path)->setObjectName(u"fileLogSave"_s);
}

void FileLog::ask_path() {
    auto* dialog = new QFileDialog(this, tr("Save shown lines"));
    dialog->setObjectName(u"fileLogSaveDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(u"log"_s);
    connect(dialog, &QFileDialog::fileSelected, this, &FileLog::save);
    dialog->open();
}

void FileLog::save(const QString& path) {
    SavedLines lines;
    lines.store = rows_->shared_store();
    lines.with_time = false;
    lines.with_rank = false;
    lines.only_places = rows_->shows_only_matches();
    lines.order = rows_->order();
    lines.places = rows_->matching();
    saver_.save(path, std::move(lines));
}

}  // namespace rankscope::gui
