// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What Runs opens: bundles, runs, comparisons, deleted runs.

#include <gui/runs/code_dialog.h>
#include <gui/runs/compare_view.h>
#include <gui/runs/run_opener.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/runs_table.h>
#include <gui/runs/scaling_dialog.h>
#include <gui/runs/scaling_start.h>
#include <gui/runs/trash_dialog.h>
#include <gui/session/output_limit.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/notice_bar.h>

#include <QStackedWidget>
#include <utility>

namespace rankscope::gui {

void RunsPage::open_bundles(const QStringList& files) {
    if (!workspace_->store_settled()) {
        waiting_bundles_ += files;
        return;
    }
    if (workspace_->store() && !files.isEmpty()) {
        fault_->set_text({});
        there_->set_text({});
        bundles_.open(workspace_->store(), files);
    }
}

void RunsPage::open_selected() {
    if (const RunRecord* run = selected()) {
        open_record(*run);
    }
}

void RunsPage::set_reads_lines(std::function<bool()> reads_lines) {
    opener_->set_reads_lines(std::move(reads_lines));
}

void RunsPage::open_record(const RunRecord& run) {
    if (!workspace_->store()) {
        return;
    }
    fault_->set_text({});
    if (RunSession* session = workspace_->runs()->find(run.run_id)) {
        workspace_->runs()->bring_to_front(session);
        emit showSession();
    } else if (run.outcome == Outcome::Running) {
        attach(run);
    } else {
        opener_->open(workspace_->store(), run);
    }
}

void RunsPage::attach(const RunRecord& record) {
    attaching_name_ = qs(record.name);
    progress_->set_text(RunOpener::progress_text(attaching_name_, 0, 0));
    if (attaching_ == nullptr || !attaching_->attaching()) {
        attaching_ = workspace_->runs()->free_session();
    }
    attaching_->attach(record, workspace_->fleet()->inventory(), workspace_->store(), workspace_->prompter(),
                       OutputLimit::of(workspace_)->bytes());
}

void RunsPage::open_scaling_run() {
    if (const RunRecord* run = selected(); run && workspace_->store()) {
        ScalingDialog* dialog = open_scaling(workspace_, *run, model_->labels(*run), this);
        connect(dialog, &ScalingDialog::changed, this, &RunsPage::refresh);
    }
}

void RunsPage::compare_selected() {
    std::vector<std::string> ids;
    for (const RunRecord* run : table_->selected()) {
        ids.push_back(run->run_id);
    }
    if (ids.size() > 1) {
        compare(ids);
    }
}

void RunsPage::compare(const std::vector<std::string>& run_ids) {
    if (!workspace_->store()) {
        return;
    }
    bar_->hide();
    actions_->hide();
    stack_->setCurrentWidget(compare_view_);
    setFocusProxy(compare_view_);
    compare_view_->compare(workspace_->store(), workspace_->options().store_path(), run_ids);
    compare_view_->setFocus();
}

void RunsPage::show_list() {
    bar_->show();
    actions_->show();
    stack_->setCurrentIndex(1);
    setFocusProxy(table_);
    update_state();
    table_->setFocus();
}

void RunsPage::open_trash() {
    if (!workspace_->store()) {
        return;
    }
    auto* dialog = new TrashDialog(workspace_->store(), workspace_->options().store_path(),
                                   workspace_->pool(), window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &TrashDialog::restored, this,
            [this](const QStringList& run_ids) { select(ss(run_ids.first())); });
    dialog->open();
}

void RunsPage::show_code() {
    const RunRecord* run = selected();
    if (run == nullptr || !workspace_->store()) {
        return;
    }
    auto* dialog = new CodeDialog(workspace_->store(), run->run_id, workspace_->pool(), window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace rankscope::gui
