// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/runs/store/run_store.h>

#include <QDialog>
#include <memory>
#include <string>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace rankscope::gui {

/// The commit that a run started from, what its code had changed since, and the versions of libraries on its nodes. Reads the store on a thread of the pool.
class CodeDialog : public QDialog {
    Q_OBJECT

public:
    CodeDialog(std::shared_ptr<RunStore> store, const std::string& run_id, QThreadPool* pool,
               QWidget* parent);

private:
    struct Content {
        Result<RunRecord> run;
        std::vector<std::string> versions;
    };
    void show_run(const Content& content);

    QLabel* version_;
    QLabel* libraries_;
    QPlainTextEdit* diff_;
    QPushButton* copy_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
