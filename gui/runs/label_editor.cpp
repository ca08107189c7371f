// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/label_editor.h>
#include <gui/runs/labels_dialog.h>
#include <gui/strings.h>

#include <QWidget>
#include <utility>

namespace rankscope::gui {

LabelEditor::LabelEditor(QThreadPool* pool, std::filesystem::path store_file, QWidget* window)
    : QObject(window), window_(window), store_file_(std::move(store_file)), job_(this, pool) {}

void LabelEditor::edit(const RunRecord& run, const RunLabels& labels) {
    auto* dialog = new LabelsDialog(qs(run.name), labels, window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, run] { write(run, dialog->labels()); });
    dialog->open();
}

void LabelEditor::toggle_star(const RunRecord& run, RunLabels labels) {
    labels.starred = !labels.starred;
    write(run, labels);
}

void LabelEditor::write(const RunRecord& run, const RunLabels& labels) {
    job_.start(
        [path = store_file_, id = run.run_id, labels](const JobHandle&) -> Result<void> {
            auto store = RunLabelStore::open(path);
            return store ? (*store)->set(id, labels) : Result<void>(store.failure());
        },
        [this, name = qs(run.name)](const Result<void>& stored) {
            if (!stored) {
                emit failed(tr("The labels of %1 were not stored.").arg(name), stored.failure());
            }
            emit changed();
        });
}

}  // namespace rankscope::gui
