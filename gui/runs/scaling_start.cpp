// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/scaling_dialog.h>
#include <gui/runs/scaling_start.h>
#include <gui/session/output_limit.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

namespace rankscope::gui {

namespace {

ScalingDialog* make_dialog(Workspace* workspace, const QString& name, QWidget* parent) {
    auto* dialog = new ScalingDialog(
        {workspace->store(), workspace->options().store_path(), workspace->pool(), workspace->prompter()},
        name, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
    return dialog;
}

ScalingRequest request_of(Workspace* workspace, const Job& job) {
    ScalingRequest request;
    request.inventory = workspace->fleet()->inventory();
    request.job = job;
    request.log_limit = OutputLimit::of(workspace)->bytes();
    return request;
}

}  // namespace

ScalingDialog* open_scaling(Workspace* workspace, const RunRecord& run, const RunLabels& labels,
                            QWidget* parent) {
    ScalingDialog* dialog = make_dialog(workspace, qs(run.name), parent);
    if (const auto tag = scaling_tag_of(labels)) {
        dialog->show_stored(*tag);
        return dialog;
    }
    ScalingRequest request = request_of(workspace, parse_job(run.job_yaml, run.name + ".yaml").job);
    request.parent = run.run_id;
    dialog->set_request(std::move(request));
    return dialog;
}

ScalingDialog* open_scaling(Workspace* workspace, const Job& job, QWidget* parent) {
    ScalingDialog* dialog = make_dialog(workspace, qs(job.name), parent);
    dialog->set_request(request_of(workspace, job));
    return dialog;
}

}  // namespace rankscope::gui
