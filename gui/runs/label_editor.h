// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_store.h>

#include <QObject>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// Changes the labels of stored runs: asks, then writes on a thread.
class LabelEditor : public QObject {
    Q_OBJECT

public:
    /// `window`: parent of the dialog.
    LabelEditor(QThreadPool* pool, std::filesystem::path store_file, QWidget* window);

    /// Of one run or several; `labels` are those of each.
    void edit(const std::vector<RunRecord>& runs, const std::vector<RunLabels>& labels);
    void toggle_star(const RunRecord& run, const RunLabels& labels);
    /// Puts back the labels that the last change has replaced.
    void undo();
    bool can_undo() const { return !replaced_.empty(); }
    void forget_undo() { replaced_.clear(); }

signals:
    /// Written, or failed.
    void changed();
    /// A change that can be undone is stored.
    void stored();
    void failed(const QString& what, const rankscope::Failure& failure);

private:
    using Labels = std::vector<std::pair<std::string, RunLabels>>;  ///< by run
    void write(const std::vector<RunRecord>& runs, const std::vector<RunLabels>& before,
               const LabelChange& change);

    /// The name of one run, or how many there are.
    static QString names(const std::vector<RunRecord>& runs);

    QWidget* window_;
    std::filesystem::path store_file_;
    BackgroundJob job_;
    Labels replaced_;  ///< by the last change; empty: nothing can be undone
};

}  // namespace rankscope::gui
