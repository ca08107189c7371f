// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/folded_model.h>
#include <gui/nccl/folded_tab.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/clear_button.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>

#include <QCheckBox>
#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

namespace rankscope::gui {

namespace {

constexpr int kRanksWidth = 170;
constexpr int kSubsystemWidth = 100;
constexpr int kCountWidth = 90;
constexpr double kMicro = 1e6;

/// "14:03:22", "14:03:22 – 14:05:10": when a row's lines were printed.
QString times_text(const logs::FoldedRow& row) {
    const QString first = moment_clock_text({.t_us = std::int64_t(row.first_s * kMicro)});
    const QString last = moment_clock_text({.t_us = std::int64_t(row.last_s * kMicro)});
    return first == last ? first : u"%1 – %2"_s.arg(first, last);
}

// The same choices in a box, the current one kept where it is still there.
void fill(QComboBox* box, const QString& all, const std::set<std::string>& choices) {
    const QString current = box->currentData().toString();
    const QSignalBlocker blocker(box);
    box->clear();
    box->addItem(all, QString());
    for (const std::string& choice : choices) {
        box->addItem(qs(choice), qs(choice));
    }
    box->setCurrentIndex(std::max(box->findData(current), 0));
}

}  // namespace

FoldedTab::FoldedTab(QWidget* parent)
    : NcclTab(parent),
      model_(new FoldedModel(this)),
      view_(new QTreeView(this)),
      note_(make_label({}, this, "muted")) {
    setObjectName(u"ncclLogTab"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 6, 4, 4);
    layout->setSpacing(6);
    layout->addWidget(make_filter());
    view_->setObjectName(u"ncclLog"_s);
    view_->setAccessibleName(tr("Lines of NCCL, folded over the ranks"));
    view_->setModel(model_);
    view_->setUniformRowHeights(true);
    view_->setAlternatingRowColors(false);
    view_->setTextElideMode(Qt::ElideRight);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->header()->setStretchLastSection(false);
    view_->header()->setSectionResizeMode(FoldedModel::Line, QHeaderView::Stretch);
    view_->header()->resizeSection(FoldedModel::Ranks, kRanksWidth);
    view_->header()->resizeSection(FoldedModel::Subsystem, kSubsystemWidth);
    view_->header()->resizeSection(FoldedModel::Count, kCountWidth);
    layout->addWidget(view_, 1);
    note_->setObjectName(u"ncclLogNote"_s);
    layout->addWidget(note_);
    layout->addWidget(make_details());
    connect(view_, &QTreeView::activated, this, &FoldedTab::open_line);
    connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &FoldedTab::show_details);
    show_details();
}

QWidget* FoldedTab::make_filter() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    const auto box = [&](const char* name, const QString& accessible) {
        auto* made = new ComboBox(bar);
        made->setObjectName(QString::fromLatin1(name));
        made->setAccessibleName(accessible);
        made->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        layout->addWidget(made);
        connect(made, &QComboBox::currentIndexChanged, this, &FoldedTab::filter);
        return made;
    };
    subsystem_ = box("ncclLogSubsystem", tr("Subsystem"));
    communicator_ = box("ncclLogCommunicator", tr("Communicator"));
    level_ = box("ncclLogLevel", tr("Level"));
    const auto edit = [&](const char* name, const QString& hint, int stretch) {
        auto* made = new QLineEdit(bar);
        made->setObjectName(QString::fromLatin1(name));
        made->setPlaceholderText(hint);
        made->setAccessibleName(hint);
        add_clear_button(made);
        layout->addWidget(made, stretch);
        connect(made, &QLineEdit::textChanged, this, &FoldedTab::filter);
        return made;
    };
    {
        const QSignalBlocker blocker(level_);
        level_->addItem(tr("All levels"), int(logs::LineLevel::None));
        level_->addItem(tr("Warnings"), int(logs::LineLevel::Warn));
    }
    fill(subsystem_, tr("All subsystems"), {});
    fill(communicator_, tr("All communicators"), {});
    ranks_ = edit("ncclLogRanks", tr("Ranks: 0-6,8"), 1);
    text_ = edit("ncclLogText", tr("Filter by text"), 2);
    odd_ = new QCheckBox(tr("Only what &differs"), bar);
    odd_->setObjectName(u"ncclLogOdd"_s);
    layout->addWidget(odd_);
    connect(odd_, &QCheckBox::toggled, this, &FoldedTab::filter);
    return bar;
}

QWidget* FoldedTab::make_details() {
    auto* details = new QWidget(this);
    auto* layout = new QHBoxLayout(details);
    layout->setContentsMargins(2, 0, 2, 2);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    meaning_ = make_label({}, details);
    meaning_->setObjectName(u"ncclLogMeaning"_s);
    meaning_->setWordWrap(true);
    facts_ = make_label({}, details, "muted");
    facts_->setObjectName(u"ncclLogFacts"_s);
    facts_->setWordWrap(true);
    texts->addWidget(meaning_);
    texts->addWidget(facts_);
    layout->addLayout(texts, 1);
    open_ = make_button(tr("Show in l&og"), "ncclLogOpen", details);
    layout->addWidget(open_, 0, Qt::AlignTop);
    connect(open_, &QPushButton::clicked, this, [this] { open_line(view_->currentIndex()); });
    return details;
}

void FoldedTab::set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) {
    snapshot_ = snapshot;
    if (isVisible()) {
        refresh();
    }
}

void FoldedTab::set_run(const LiveModel* run) {
    of_run_ = run != nullptr;
}

void FoldedTab::set_range(const TimeSpan& span, const std::shared_ptr<const CollectiveReport>& /*report*/) {
    if (span != range_) {
        range_ = span;
        filter();
    }
}

void FoldedTab::showEvent(QShowEvent* event) {
    NcclTab::showEvent(event);
    refresh();
}

void FoldedTab::changeEvent(QEvent* event) {
    NcclTab::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        model_->set_colors(theme_colors(palette()));
        view_->viewport()->update();
    }
}

void FoldedTab::refresh() {
    if (!snapshot_ || snapshot_->folded == shown_) {
        return;
    }
    model_->set_colors(theme_colors(palette()));
    const logs::FoldedRow* current = model_->row_of(view_->currentIndex());
    const std::string text = current ? current->text : std::string();
    const int phase = current ? current->phase : 0;
    const int scrolled = view_->verticalScrollBar()->value();
    const std::shared_ptr<const logs::FoldedRows> before = shown_;  // `current` points into it
    shown_ = snapshot_->folded;
    fill_choices();
    model_->set_rows(shown_);
    after_reset();
    for (int i = 0; current && i < model_->rowCount(); ++i) {
        const QModelIndex index = model_->index(i, 0);
        if (model_->row_of(index)->text == text && model_->row_of(index)->phase == phase) {
            view_->setCurrentIndex(index);
            break;
        }
    }
    view_->verticalScrollBar()->setValue(scrolled);
}

void FoldedTab::fill_choices() {
    std::set<std::string> subsystems;
    std::set<std::string> communicators;
    for (std::size_t i = 0; shown_ && i < shown_->rows.size(); ++i) {
        subsystems.insert(shown_->rows[i].subsystem);
        communicators.insert(shown_->rows[i].communicators.begin(), shown_->rows[i].communicators.end());
    }
    fill(subsystem_, tr("All subsystems"), subsystems);
    fill(communicator_, tr("All communicators"), communicators);
    communicator_->setVisible(communicators.size() > 1);
}

void FoldedTab::filter() {
    logs::FoldedFilter wanted;
    wanted.subsystem = ss(subsystem_->currentData().toString());
    wanted.communicator = ss(communicator_->currentData().toString());
    wanted.text = ss(text_->text().trimmed());
    wanted.least = logs::LineLevel(level_->currentData().toInt());
    wanted.odd_only = odd_->isChecked();
    const QString ranks = ranks_->text().trimmed();
    const auto parsed = logs::parse_ranks(ss(ranks));
    wanted.ranks = parsed.value_or(logs::RankSet());
    if (range_ != TimeSpan()) {
        wanted.from_s = double(range_.from_us) / kMicro;
        wanted.until_s = double(range_.until_us) / kMicro;
    }
    const bool wrong = !ranks.isEmpty() && !parsed;
    set_style_property(ranks_, "invalid", wrong ? u"true"_s : u"false"_s);
    ranks_->setToolTip(wrong ? tr("Write ranks as 0-6,8.") : QString());
    model_->set_filter(wanted);
    after_reset();
}

// What differs is open, and says what it is over the whole width.
void FoldedTab::after_reset() {
    for (int i = 0; i < model_->rowCount(); ++i) {
        const QModelIndex index = model_->index(i, 0);
        if (model_->rowCount(index) > 0) {
            view_->expand(index);
        }
    }
    QString note;
    const auto differing =
        !shown_ ? 0 : std::count_if(shown_->rows.begin(), shown_->rows.end(), [](const logs::FoldedRow& row) {
            return !row.odd.empty();
        });
    if (shown_) {
        const QString lines =
            tr("%1 lines in %2 rows")
                .arg(count_text(std::int64_t(shown_->taken)), count_text(std::int64_t(shown_->rows.size())));
        note = lines + u" · "_s +
               (differing == 0   ? tr("no rank differs")
                : differing == 1 ? tr("1 row differs")
                                 : tr("%1 rows differ").arg(differing));
        if (model_->shown() == 0 && !shown_->rows.empty()) {
            note = tr("No line passes the filter.");
        }
        if (range_ != TimeSpan()) {
            note += u" · "_s + tr("%n rows in this part of the run", nullptr, model_->shown());
        }
        if (!shown_->silent.empty()) {
            const QString silent = ranks_text(shown_->silent);
            note += u" · "_s + (shown_->silent.size() == 1 ? tr("rank %1 printed nothing").arg(silent)
                                                           : tr("ranks %1 printed nothing").arg(silent));
        }
        if (shown_->left_out > 0) {
            note += u" · "_s + tr("%1 lines of too many kinds are not shown")
                                   .arg(count_text(std::int64_t(shown_->left_out)));
        }
        if (!shown_->ranks_known && !shown_->rows.empty()) {
            note += u" · "_s + tr("the lines do not say which rank printed them: processes are numbered");
        }
    }
    note_->setText(note);
    show_details();
}

void FoldedTab::show_details() {
    const logs::FoldedRow* row = model_->row_of(view_->currentIndex());
    open_->setEnabled(row && !row->first_lines.empty());
    if (!row) {
        meaning_->setText(tr("Choose a line to see what it means."));
        facts_->clear();
        return;
    }
    meaning_->setText(row->meaning.empty() ? tr("Rankscope does not know this line.")
                                           : nccl_line_text(row->meaning));
    QStringList facts;
    if (of_run_ && std::isfinite(row->first_s)) {
        facts += times_text(*row);
    }
    if (!row->since.empty()) {
        facts += tr("NCCL %1 and newer").arg(qs(row->since));
    }
    if (!row->until.empty()) {
        facts += tr("up to NCCL %1").arg(qs(row->until));
    }
    if (!row->source.empty()) {
        facts += qs(row->source);
    }
    if (row->communicators.size() == 1) {
        facts += tr("communicator %1").arg(qs(row->communicators.front()));
    } else if (row->communicators.size() > 1) {
        facts += tr("%1 communicators").arg(row->communicators.size());
    }
    facts_->setText(facts.join(u" · "_s));
    facts_->setVisible(!facts.isEmpty());
}

// The line of the rank that differs, or of the rank that the filter asks for, or of the first one.
void FoldedTab::open_line(const QModelIndex& index) {
    const logs::FoldedRow* row = model_->row_of(index);
    if (!row || row->first_lines.empty()) {
        return;
    }
    const logs::OddOne* odd = model_->odd_of(index);
    logs::LinePlace place = row->first_lines.front().place;
    if (odd && odd->place.line > 0) {
        place = odd->place;
    } else if (const auto wanted = logs::parse_ranks(ss(ranks_->text().trimmed()))) {
        const auto found =
            std::find_if(row->first_lines.begin(), row->first_lines.end(),
                         [&](const logs::RankLine& line) { return wanted->contains(line.rank); });
        place = found != row->first_lines.end() ? found->place : place;
    }
    emit lineRequested(place.file, place.line);
}

}  // namespace rankscope::gui
