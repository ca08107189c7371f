// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/plain_text.h>
#include <gui/preferences/retention_dialog.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

RetentionDialog::RetentionDialog(std::shared_ptr<RunStore> store, std::filesystem::path path,
                                 const RetentionRule& rule, QThreadPool* pool, QWidget* parent)
    : QDialog(parent),
      store_(std::move(store)),
      path_(std::move(path)),
      job_(this, pool),
      what_(make_label(tr("Reading the run store…"), this)),
      kept_(make_label({}, this, "muted")),
      table_(new QTableWidget(0, 4, this)),
      progress_(new QProgressBar(this)) {
    setObjectName(u"retentionDialog"_s);
    setWindowTitle(tr("Remove stored runs"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    what_->setObjectName(u"retentionWhat"_s);
    what_->setWordWrap(true);
    kept_->setObjectName(u"retentionKept"_s);
    kept_->setWordWrap(true);
    tune_table(table_, "retentionTable", tr("Runs to remove"));
    table_->setHorizontalHeaderLabels({tr("Run"), tr("Started"), tr("Size, about"), tr("Because of its")});
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->setColumnWidth(1, 150);
    progress_->hide();
    layout->addWidget(what_);
    layout->addWidget(table_, 1);
    layout->addWidget(kept_);
    layout->addWidget(progress_);
    auto* buttons = new QDialogButtonBox(this);
    remove_ = make_button(tr("&Remove"), "retentionRemove", this, "danger");
    close_ = make_button(tr("&Cancel"), "retentionClose", this);
    buttons->addButton(remove_, QDialogButtonBox::DestructiveRole);
    buttons->addButton(close_, QDialogButtonBox::RejectRole);
    layout->addWidget(buttons);
    remove_->setEnabled(false);
    close_->setDefault(true);
    close_->setFocus();
    connect(remove_, &QPushButton::clicked, this, &RetentionDialog::remove_runs);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resize(640, 420);
    job_.start([store = store_, path = path_,
                rule](const JobHandle&) { return plan_retention(*store, path, rule, now_us()); },
               [this](Result<RetentionPlan> plan) { show_plan(std::move(plan)); });
}

RetentionDialog::~RetentionDialog() = default;

void RetentionDialog::show_plan(Result<RetentionPlan> plan) {
    if (!plan) {
        what_->setText(failure_text(plan.failure()));
        return;
    }
    plan_ = std::move(*plan);
    const auto count = int(plan_.remove.size());
    what_->setText(count == 0
                       ? tr("Nothing to remove: all stored runs are within the limits.")
                       : tr("These %1 runs, about %2, are beyond the limits. Their plans, curves, output and "
                            "job files are deleted from the run store; files on the nodes stay. This "
                            "cannot be undone.")
                             .arg(count)
                             .arg(bytes_text(std::uint64_t(plan_.bytes))));
    table_->setRowCount(count);
    for (int row = 0; row < count; ++row) {
        const PlannedRemoval& run = plan_.remove[std::size_t(row)];
        const bool age = run.reason == PlannedRemoval::Reason::Age;
        const std::array<QString, 4> texts{qs(run.name), date_time_text(run.started_us),
                                           bytes_text(std::uint64_t(run.bytes)),
                                           age ? tr("age") : tr("size")};
        for (int column = 0; column < int(texts.size()); ++column) {
            auto item = std::make_unique<QTableWidgetItem>(texts[std::size_t(column)]);
            item->setToolTip(column == 0 ? plain_text(texts[0]) : QString());
            if (column == 2) {
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            }
            table_->setItem(row, column, item.release());  // the table owns it
        }
    }
    QStringList kept;
    if (plan_.starred_kept > 0) {
        kept += tr("%1 kept for their star").arg(plan_.starred_kept);
    }
    if (plan_.running_kept > 0) {
        kept += tr("%1 kept because they run").arg(plan_.running_kept);
    }
    kept_->setText(kept.join(u" · "_s));
    kept_->setVisible(!kept.isEmpty());
    remove_->setText(count == 1 ? tr("&Remove 1 run") : tr("&Remove %1 runs").arg(count));
    remove_->setVisible(count > 0);
    remove_->setEnabled(count > 0);
    table_->setVisible(count > 0);
}

void RetentionDialog::remove_runs() {
    remove_->setEnabled(false);
    progress_->setRange(0, int(plan_.remove.size()));
    progress_->setValue(0);
    progress_->show();
    what_->setText(tr("Removing runs…"));
    job_.start(
        [this, store = store_, path = path_, plan = plan_](const JobHandle& handle) {
            return remove_planned(*store, path, plan, [&](std::size_t settled) {
                handle.post([this, settled] { progress_->setValue(int(settled)); });
                return !handle.cancelled();
            });
        },
        [this](const Result<int>& removed) { show_removed(removed); });
}

void RetentionDialog::show_removed(const Result<int>& removed) {
    progress_->hide();
    remove_->hide();
    table_->hide();
    kept_->hide();
    close_->setText(tr("&Close"));
    what_->setText(!removed        ? failure_text(removed.failure())
                   : *removed == 1 ? tr("1 run is removed.")
                                   : tr("%1 runs are removed.").arg(*removed));
}

}  // namespace rankscope::gui
