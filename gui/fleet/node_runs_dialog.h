// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/fleet/run_adoption.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/store/run_store.h>

#include <QDialog>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::inline nodes {
class SessionPool;
}  // namespace rankscope::inline nodes

namespace rankscope::gui {

/// The runs that some nodes know, whichever computer started them: watches one here, stops one. To watch a run, its
/// events are read into the run store of this computer.
class NodeRunsDialog : public QDialog {
    Q_OBJECT

public:
    /// What the dialog works with; without a store runs cannot be watched.
    struct Setting {
        std::vector<NodeSpec> nodes;
        Prompter prompter;
        std::shared_ptr<SessionPool> sessions;
        std::shared_ptr<RunStore> store;
    };
    NodeRunsDialog(Setting setting, QWidget* parent);

    bool busy() const { return job_.running(); }

signals:
    /// The store has the run, and the user wants to watch it.
    void attachRequested(const QString& run_id);

private:
    using Entry = RunPart;
    /// What an action did, and what the nodes say after it.
    struct Seen {
        std::vector<Entry> entries;
        std::vector<Failure> failures;
        QString done;
    };
    using Action = std::function<void(const JobHandle&, Seen&)>;

    void make_table();
    void look(const Action& before = {});
    void show_seen(const Seen& seen);
    void show_problems(const std::vector<Failure>& failures);
    void update_buttons();
    const Entry* selected() const;
    void attach();
    void ask_stop(bool force);

    Setting setting_;
    std::vector<Entry> entries_;
    QLabel* state_;
    QLabel* problem_;
    QTableWidget* table_;
    QPushButton* attach_;
    QPushButton* stop_;
    QPushButton* force_;
    QPushButton* again_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
