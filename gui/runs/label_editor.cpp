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
    connect(dialog, &QDialog::accepted, this,
            [this, dialog, runs, labels] { write(runs, labels, dialog->change()); });
    dialog->open();
}

void LabelEditor::toggle_star(const RunRecord& run, const RunLabels& labels) {
    write({run}, {labels}, {.starred = !labels.starred});
}

void LabelEditor::write(const std::vector<RunRecord>& runs, const std::vector<RunLabels>& before,
                        const LabelChange& change) {
    std::vector<std::string> ids;
    Labels replaced;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        ids.push_back(runs[i].run_id);
        replaced.emplace_back(runs[i].run_id, before[i]);
    }
    job_.start(
        [path = store_file_, ids, change](const JobHandle&) -> Result<void> {
            auto store = RunLabelStore::open(path);
            return store ? (*store)->change(ids, change) : Result<void>(store.failure());
        },
        [this, name = names(runs), replaced](const Result<void>& stored) {
            if (stored) {
                replaced_ = replaced;
                emit this->stored();
            } else {
                emit failed(tr("The labels of %1 were not stored.").arg(name), stored.failure());
            }
            emit changed();
        });
}

void LabelEditor::undo() {
    job_.start(
        [path = store_file_, labels = std::exchange(replaced_, {})](const JobHandle&) -> Result<void> {
            auto store = RunLabelStore::open(path);
            Result<void> result = store ? Result<void>() : Result<void>(store.failure());
            for (std::size_t i = 0; result && i < labels.size(); ++i) {
                result = (*store)->set(labels[i].first, labels[i].second);
            }
            return result;
        },
        [this](const Result<void>& stored) {
            if (!stored) {
                emit failed(tr("The labels could not be put back."), stored.failure());
            }
            emit changed();
        });
}

QString LabelEditor::names(const std::vector<RunRecord>& runs) {
    return runs.size() == 1 ? short_name(runs.front().name) : tr("%n run(s)", nullptr, int(runs.size()));
}

}  // namespace rankscope::gui
