// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logs/file_log.h>
#include <gui/logview/log_rows.h>
#include <gui/logview/log_search_bar.h>
#include <gui/logview/log_view.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kAllFiles = -1;
constexpr qsizetype kLongestName = 16;

/// What tells the names apart: "rank0/stderr.log", "rank1/stderr.log" → "rank0", "rank1". Of long ones, the end.
QStringList short_names(QStringList names) {
    const auto begins_part = [&](qsizetype at) {
        return std::all_of(names.begin(), names.end(), [&](const QString& name) {
            return at < name.size() && name.left(at) == names.front().left(at) && name[at] == u'/';
        });
    };
    qsizetype front = 0;
    for (qsizetype at = 0; at < names.front().size(); ++at) {
        front = begins_part(at) ? at + 1 : front;
    }
    for (QString& name : names) {
        name.remove(0, front);
    }
    const auto ends_alike = [&](qsizetype count) {
        return std::all_of(names.begin(), names.end(), [&](const QString& name) {
            return count < name.size() && name.right(count) == names.front().right(count);
        });
    };
    qsizetype back = 0;
    for (qsizetype count = 1; count < names.front().size() && ends_alike(count); ++count) {
        const QChar first = names.front()[names.front().size() - count];
        back = first == u'/' || first == u'.' ? count : back;
    }
    for (QString& name : names) {
        name.chop(back);
        if (name.size() > kLongestName) {
            name = u'…' + name.right(kLongestName - 1);
        }
    }
    return names;
}

constexpr qsizetype kMostClocks = 4;  ///< notes

QStringList clock_notes(const std::vector<logs::HostClock>& clocks) {
    QStringList notes;
    for (const logs::HostClock& clock : clocks) {
        if (clock.corrected) {
            const QString text = clock.ahead_s > 0
                                     ? FileLog::tr("The clock of %1 is %2 s ahead of %3: corrected.")
                                     : FileLog::tr("The clock of %1 is %2 s behind %3: corrected.");
            notes += text.arg(qs(clock.host), QString::number(std::abs(clock.ahead_s), 'f', 1),
                              qs(clock.reference));
        }
    }
    if (const qsizetype all = notes.size(); all > kMostClocks) {
        notes.resize(kMostClocks - 1);
        notes += FileLog::tr("The clocks of %1 more hosts are corrected, too.").arg(all - notes.size());
    }
    return notes;
}

}  // namespace

FileLog::FileLog(QThreadPool* pool, QWidget* parent)
    : LogPanel(pool, QStringLiteral("fileLog"), QStringLiteral("logs/wrap"), parent), merged_(pool) {
    setObjectName(u"fileLog"_s);
    view_->setAccessibleName(tr("Lines of the log"));
    view_->set_time_column(TimeColumn::None);
    lay_out(make_bar());
    setFocusProxy(view_);
    connect(&lines_, &FileLines::changed, this, &FileLog::refresh);
    connect(&merged_, &MergedLines::changed, this, &FileLog::refresh);
    connect(rows_, &LogRows::wasReset, this, &FileLog::show_wanted);
    connect(rows_, &LogRows::changed, this, &FileLog::show_wanted);
    connect(view_, &LogView::currentLineChanged, this, &FileLog::update_title);
    connect(view_, &LogView::menuRequested, this, &FileLog::fill_menu);
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
    by_time_ = new QToolButton(bar);
    by_time_->setObjectName(u"fileLogByTime"_s);
    by_time_->setText(tr("By time"));
    by_time_->setCheckable(true);
    by_time_->setAccessibleName(tr("Lines of all files by time"));
    by_time_->setToolTip(
        wrapped_tip(tr("The lines of all files by the times that they print, with the clocks of the hosts "
                       "corrected where both log "
                       "the same moments. A line without a time follows the one before it.")));
    by_time_->hide();
    layout->addWidget(title_, 1);
    layout->addWidget(by_time_);
    layout->addWidget(file_);
    connect(by_time_, &QToolButton::toggled, this, &FileLog::order_by_time);
    connect(file_, &QComboBox::activated, this, [this] {
        wanted_.reset();
        choose();
    });
    return bar;
}

logs::RawSink FileLog::start(const std::string& strip) {
    wanted_.reset();
    say({});
    file_->clear();
    search_->edit()->clear();
    view_->set_following(false);
    merged_.clear();
    clocks_.reset();
    return lines_.start(strip);
}

void FileLog::set_clocks(const logs::HostClocks& clocks) {
    clocks_ = clocks;
    merge();
}

// What is shown stays until all lines have their places.
void FileLog::merge() {
    if (by_time_->isChecked() && clocks_ && !lines_.reading() && !merged_.lines() && !merged_.merging() &&
        lines_.files().size() > 1) {
        merged_.merge(lines_.lines(), lines_.files(), *clocks_);
    }
}

void FileLog::order_by_time(bool on) {
    merge();
    refresh();
    if (!on) {
        merged_.clear();
    }
}

bool FileLog::shows_merged() const {
    return merged_.lines() && rows_->shared_store() == merged_.lines();
}

std::uint32_t FileLog::line_of_files(std::uint32_t shown) const {
    return shows_merged() ? merged_.of_files(shown) : shown;
}

QString FileLog::label(std::uint32_t shown) const {
    const std::uint32_t line = line_of_files(shown);
    const QString number = QString::number(lines_.number_of(line));
    return shows_merged() ? u"%1:%2"_s.arg(short_names_.value(lines_.lines()->rank(line)), number) : number;
}

void FileLog::update_labels() {
    qsizetype width = QString::number(lines_.lines()->size()).size();
    if (shows_merged()) {
        short_names_ = short_names(lines_.names());
        qsizetype longest = 0;
        for (const QString& name : short_names_) {
            longest = std::max(longest, name.size());
        }
        width += longest + 1;
    }
    view_->set_label_width(int(width));
}

/// Other files, or the same lines in another order: then the chosen line stays chosen.
void FileLog::show_store(const std::shared_ptr<const LineSource>& store) {
    const bool same_files = file_->count() > 0;
    if (const auto line = view_->current_line(); line && same_files && !wanted_) {
        const std::uint32_t read = line_of_files(*line);
        wanted_ = Wanted{std::uint32_t(lines_.lines()->rank(read)), lines_.number_of(read)};
    }
    rows_->choose(same_files ? rows_->choice() : LineChoice());
    rows_->set_store(store);
    view_->set_following(false);
    view_->set_labels([this](std::uint32_t line) { return label(line); }, 1);
    view_->set_time_column(shows_merged() ? TimeColumn::Printed : TimeColumn::None);
}

void FileLog::refresh() {
    merge();
    const std::shared_ptr<const LineSource> shown = by_time_->isChecked() && merged_.lines()
                                                        ? std::shared_ptr<const LineSource>(merged_.lines())
                                                        : lines_.lines();
    if (rows_->shared_store() != shown) {
        show_store(shown);
    } else {
        rows_->refresh();
    }
    const QStringList files = lines_.names();
    if (file_->count() == 0) {
        file_->addItem(tr("All files"), kAllFiles);
    }
    for (int i = file_->count() - 1; i < int(files.size()); ++i) {
        file_->addItem(files[i], i);
    }
    file_->setVisible(files.size() > 1);
    by_time_->setVisible(files.size() > 1);
    update_labels();
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
    if (view_->show_line(shows_merged() ? merged_.of_merged(*line) : *line)) {
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
        const std::uint32_t read = line_of_files(*line);
        title_->set_full_text(tr("%1, line %2").arg(lines_.name_of(read)).arg(lines_.number_of(read)));
    } else {
        title_->set_full_text(tr("Lines"));
    }
}

QStringList FileLog::notes() const {
    QStringList notes;
    if (by_time_->isChecked() && !shows_merged() && by_time_->isVisibleTo(this)) {
        notes += merged_.merging()
                     ? tr("The lines are put into the order of their times: %1 %").arg(merged_.percent())
                     : tr("The lines are put into the order of their times when all of them are read.");
    }
    if (shows_merged() && merged_.without_time() > 0) {
        notes += tr("%1 of %2 lines have no time: they follow the line before them, or come first.")
                     .arg(count_text(std::int64_t(merged_.without_time())),
                          count_text(std::int64_t(rows_->store().size())));
    }
    if (shows_merged()) {
        notes += clock_notes(clocks_->all());
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
    return notes;
}

void FileLog::fill_menu(QMenu* menu, quint32 line) {
    menu->addSeparator();
    add_wrap(menu);
    add_explain(menu, line);
    menu->addSeparator();
    menu->addAction(tr("&Save shown lines…"), this,
                    [this] { ask_path(tr("Save shown lines"), {}, [this] { return saved_lines(); }); })
        ->setObjectName(u"fileLogSave"_s);
}

SavedLines FileLog::saved_lines() const {
    SavedLines lines;
    lines.store = rows_->shared_store();
    lines.with_time = shows_merged();
    lines.is_printed_time = true;
    lines.with_rank = false;
    lines.only_places = rows_->shows_only_matches();
    lines.order = rows_->order();
    lines.places = rows_->matching();
    return lines;
}

}  // namespace rankscope::gui
