// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/label_editor.h>
#include <gui/runs/labels_dialog.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QWidget>
#include <utility>

namespace rankscope::gui {

LabelEditor::LabelEditor(QThreadPool* pool, std::filesystem::path store_file, QWidget* window)
    : QObject(window), window_(window), store_file_(std::move(store_file)), job_(this, pool) {}

void LabelEditor::edit(const std::vector<RunRecord>& runs, const std::vector<RunLabels>& labels) {
    if (runs.empty() || runs.size() != labels.size()) {
        return;
    }
    auto* dialog = new LabelsDialog(tr("Labels of %1").arg(names(runs)), labels, window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, runs] { write(runs, dialog->change()); });
    dialog->open();
}

void LabelEditor::toggle_star(const RunRecord& run, const RunLabels& labels) {
    write({run}, {.starred = !labels.starred});
}

void LabelEditor::write(const std::vector<RunRecord>& runs, const LabelChange& change) {
    std::vector<std::string> ids;
    for (const RunRecord& run : runs) {
        ids.push_back(run.run_id);
    }
    job_.start(
        [path = store_file_, ids, change](const JobHandle&) -> Result<void> {
            auto store = RunLabelStore::open(path);
            return store ? (*store)->change(ids, change) : Result<void>(store.failure());
        },
        [this, name = names(runs)](const Result<void>& stored) {
            if (!stored) {
                emit failed(tr("The labels of %1 were not stored.").arg(name), stored.failure());
            }
            emit changed();
        });
}

QString LabelEditor::names(const std::vector<RunRecord>& runs) {
    return runs.size() == 1 ? short_name(runs.front().name) : tr("%n run(s)", nullptr, int(runs.size()));
}

}  // namespace rankscope::gui
