// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/plain_text.h>
#include <gui/runs/trash_dialog.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/runs/store/retention.h>
#include <remote/desk/runs/store/run_trash.h>

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::gui {

namespace {

enum TrashColumn {
    kTrashName,
    kTrashRun,
    kTrashOutcome,
    kTrashDeleted,
    kTrashKept,
    kTrashSize,
    kTrashColumns
};
constexpr qsizetype kMostNames = 12;  ///< in the question
constexpr std::int64_t kDayUs = 86'400'000'000;

}  // namespace

TrashDialog::TrashDialog(std::shared_ptr<RunStore> store, std::filesystem::path file, QThreadPool* pool,
                         QWidget* parent)
    : QDialog(parent), store_(std::move(store)), file_(std::move(file)), job_(this, pool) {
    setObjectName(u"trashDialog"_s);
    setWindowTitle(tr("Deleted runs"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    state_ = make_label({}, this, "muted");
    state_->setObjectName(u"trashState"_s);
    state_->setWordWrap(true);
    layout->addWidget(state_);
    make_table();
    layout->addWidget(table_, 1);
    problem_ = make_label({}, this, "fieldError");
    problem_->setObjectName(u"trashProblem"_s);
    problem_->setWordWrap(true);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    problem_->hide();
    layout->addWidget(problem_);
    auto* buttons = new QDialogButtonBox(this);
    restore_ = make_button(tr("&Restore"), "trashRestore", this);
    remove_ = make_button(tr("Remove &now…"), "trashRemove", this, "danger");
    buttons->addButton(restore_, QDialogButtonBox::ActionRole);
    buttons->addButton(remove_, QDialogButtonBox::ActionRole);
    buttons->addButton(QDialogButtonBox::Close)->setDefault(true);
    layout->addWidget(buttons);
    connect(restore_, &QPushButton::clicked, this, &TrashDialog::restore);
    connect(remove_, &QPushButton::clicked, this, &TrashDialog::ask_remove);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(table_, &QTableWidget::itemSelectionChanged, this, &TrashDialog::update_buttons);
    resize(780, 420);
    look();
}

void TrashDialog::make_table() {
    table_ = new QTableWidget(0, kTrashColumns, this);
    tune_table(table_, "trashTable", tr("Deleted runs"));
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setHorizontalHeaderLabels(
        {tr("Name"), tr("Run"), tr("Outcome"), tr("Deleted"), tr("Restorable for"), tr("Size, about")});
    table_->horizontalHeaderItem(kTrashSize)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->horizontalHeader()->setSectionResizeMode(kTrashName, QHeaderView::Stretch);
    constexpr std::array<int, kTrashColumns> kWidths{0, 160, 90, 130, 110, 90};
    for (int column = kTrashRun; column < kTrashColumns; ++column) {
        table_->setColumnWidth(column, kWidths[std::size_t(column)]);
    }
}

void TrashDialog::look(const Action& before) {
    state_->setText(before ? tr("Working…") : tr("Reading the run store…"));
    job_.start(
        [store = store_, file = file_, before](const JobHandle&) {
            Seen seen;
            if (before) {
                before(*store, seen);
            }
            const auto trash = store->trash();
            if (!trash) {
                seen.failure = seen.failure ? seen.failure : trash.failure();
                return seen;
            }
            const auto use = measure_store(file);
            const StoreUse sizes = use ? *use : StoreUse();  // without it: no sizes
            for (const TrashedRun& run : *trash) {
                const auto found = sizes.run_bytes.find(run.record.run_id);
                seen.entries.push_back({run, found == sizes.run_bytes.end() ? 0 : found->second});
            }
            return seen;
        },
        [this](const Seen& seen) { show_seen(seen); });
    update_buttons();
}

QString TrashDialog::kept_text(std::int64_t deleted_us, std::int64_t now_us) {
    const std::int64_t left = deleted_us + kTrashDays * kDayUs - now_us;
    return left < kDayUs ? tr("less than a day") : tr("%n day(s)", nullptr, int(left / kDayUs));
}

void TrashDialog::show_seen(const Seen& seen) {
    entries_ = seen.entries;
    const std::int64_t now = now_us();
    table_->setRowCount(int(entries_.size()));
    std::int64_t bytes = 0;
    for (int row = 0; row < table_->rowCount(); ++row) {
        const Entry& entry = entries_[std::size_t(row)];
        bytes += entry.bytes;
        const std::array<QString, kTrashColumns> texts{qs(entry.run.record.name),
                                                       qs(entry.run.record.run_id),
                                                       outcome_text(entry.run.record.outcome),
                                                       date_time_text(entry.run.at_us),
                                                       kept_text(entry.run.at_us, now),
                                                       bytes_text(std::uint64_t(entry.bytes))};
        for (int column = 0; column < kTrashColumns; ++column) {
            auto item = std::make_unique<QTableWidgetItem>(texts[std::size_t(column)]);
            item->setToolTip(plain_text(texts[std::size_t(column)]));
            if (column == kTrashSize) {
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            }
            table_->setItem(row, column, item.release());  // the table owns it
        }
    }
    if (table_->rowCount() > 0) {
        table_->selectRow(0);
    }
    problem_->setText(seen.failure ? failure_text(*seen.failure) : QString());
    problem_->setVisible(seen.failure.has_value());
    QStringList text;
    if (!seen.done.isEmpty()) {
        text += seen.done;
    }
    if (!entries_.empty()) {
        text +=
            tr("%n run(s), about %1. A deleted run stays complete for %2 days; then it is removed for good.",
               nullptr, int(entries_.size()))
                .arg(bytes_text(std::uint64_t(bytes)))
                .arg(kTrashDays);
    } else if (!seen.failure) {
        text += tr("No deleted runs. A run that you delete in Runs stays here for %1 days.").arg(kTrashDays);
    }
    state_->setText(text.join(u' '));
    update_buttons();
    if (!seen.restored.isEmpty()) {
        emit restored(seen.restored);
    }
}

std::vector<const TrashDialog::Entry*> TrashDialog::selected() const {
    std::vector<const Entry*> chosen;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
        if (index.row() < int(entries_.size())) {
            chosen.push_back(&entries_[std::size_t(index.row())]);
        }
    }
    return chosen;
}

void TrashDialog::update_buttons() {
    const bool ready = !busy() && !selected().empty();
    restore_->setEnabled(ready);
    remove_->setEnabled(ready);
}

void TrashDialog::restore() {
    std::vector<std::string> ids;
    for (const Entry* entry : selected()) {
        ids.push_back(entry->run.record.run_id);
    }
    look([ids](RunStore& store, Seen& seen) {
        for (const auto& id : ids) {
            if (const auto done = store.restore_run(id); done) {
                seen.restored += qs(id);
            } else {
                seen.failure = done.failure();
            }
        }
        if (!seen.restored.isEmpty()) {
            seen.done = tr("%n run(s) restored.", nullptr, int(seen.restored.size()));
        }
    });
}

void TrashDialog::ask_remove() {
    const auto chosen = selected();
    if (chosen.empty()) {
        return;
    }
    std::vector<std::string> ids;
    QStringList names;
    std::int64_t bytes = 0;
    for (const Entry* entry : chosen) {
        ids.push_back(entry->run.record.run_id);
        bytes += entry->bytes;
        if (names.size() < kMostNames) {
            names += qs(entry->run.record.name) % u"  "_s % qs(entry->run.record.run_id);
        }
    }
    if (const auto more = qsizetype(chosen.size()) - names.size(); more > 0) {
        names += tr("and %1 more").arg(more);
    }
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Remove now"),
                                tr("Remove %n run(s) for good?", nullptr, int(ids.size())),
                                QMessageBox::NoButton, this);
    box->setObjectName(u"trashQuestion"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(plain_text(
        names.join(u'\n') % u"\n\n"_s %
        tr("About %1 are freed in the run store. Their plans, curves, output, job files and labels are lost; "
           "files on the nodes stay. This cannot be undone.")
            .arg(bytes_text(std::uint64_t(bytes)))));
    QPushButton* confirm = box->addButton(tr("&Remove"), QMessageBox::DestructiveRole);
    confirm->setObjectName(u"trashConfirm"_s);
    box->setDefaultButton(box->addButton(QMessageBox::Cancel));
    connect(box, &QMessageBox::finished, this, [this, box, confirm, ids] {
        if (box->clickedButton() == confirm) {
            remove(ids);
        }
    });
    box->open();
}

void TrashDialog::remove(const std::vector<std::string>& run_ids) {
    look([run_ids, file = file_](RunStore& store, Seen& seen) {
        const auto before = measure_store(file);
        if (const auto done = store.empty_trash(run_ids); !done) {
            seen.failure = done.failure();
            return;
        }
        compact_store(file);
        const auto after = measure_store(file);
        const std::int64_t freed = before && after ? before->bytes - after->bytes : 0;
        seen.done = tr("%n run(s) removed.", nullptr, int(run_ids.size())) % u' ' %
                    (freed > 0 ? tr("The run store is %1 smaller.").arg(bytes_text(std::uint64_t(freed)))
                               : tr("Later runs use the room in the run store."));
    });
}

}  // namespace rankscope::gui
