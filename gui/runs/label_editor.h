// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/store/run_labels.h>
#include <remote/desk/store/run_store.h>

#include <QObject>
#include <filesystem>
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

signals:
    /// Written, or failed.
    void changed();
    void failed(const QString& what, const rankscope::Failure& failure);

private:
    void write(const std::vector<RunRecord>& runs, const LabelChange& change);

    /// The name of one run, or how many there are.
    static QString names(const std::vector<RunRecord>& runs);

    QWidget* window_;
    std::filesystem::path store_file_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
