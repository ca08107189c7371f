// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/leftovers.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/store/run_store.h>

#include <QDialog>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::inline nodes {
class SessionPool;
}  // namespace rankscope::inline nodes

namespace rankscope::gui {

/// Leftovers on a node, by run: processes, their ports, shared memory, GPU memory; or the process that holds one
/// port. A run in progress is offered to be attached to, whichever Rankscope of this user runs it, and never freed.
/// Leftovers of runs that are over are freed on request, the user's own programs are ended when selected; other users' are
/// shown and never changed.
class LeftoversDialog : public QDialog {
    Q_OBJECT

public:
    /// `port` 0: everything.
    LeftoversDialog(NodeSpec node, int port, Prompter prompter, std::shared_ptr<SessionPool> sessions,
                    QWidget* parent);

    /// Where a run that is attached to is kept, and the nodes it may run on, too. Without a store no run is attached to.
    void set_store(std::shared_ptr<RunStore> store, std::vector<NodeSpec> nodes);
    bool busy() const { return job_.running(); }

signals:
    /// The store has the run, and the user wants to watch it.
    void attachRequested(const QString& run_id);

private:
    /// The result of a query, or of an action and the query after it.
    struct Seen {
        std::vector<Leftover> entries;
        std::optional<Failure> failure;
        QString done;  ///< what the action did
    };
    using Action = std::function<Result<QString>(AgentLink&)>;

    /// A row of the table: an entry, or the line above those of a run.
    struct Row {
        std::string run_id;
        bool live = false;
        const Leftover* entry = nullptr;
    };
    void make_table();
    void look(const Action& before = {});
    void show_seen(const Seen& seen);
    void show_run(const LeftoverGroup& group);
    void show_entry(const Leftover& entry);
    void add_row(Row row);
    void update_buttons();
    const Row* selected_row() const;
    const Leftover* selected() const;
    void attach();
    void ask_clean();
    void ask_end();

    NodeSpec node_;
    int port_;
    Prompter prompter_;
    std::shared_ptr<SessionPool> sessions_;
    std::shared_ptr<RunStore> store_;
    std::vector<NodeSpec> nodes_;  ///< of the inventory
    std::vector<LeftoverGroup> groups_;
    std::vector<Row> rows_;  ///< point into groups_
    QLabel* state_;
    QLabel* problem_;
    QTableWidget* table_;
    QPushButton* attach_;
    QPushButton* clean_;
    QPushButton* end_;
    QPushButton* again_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
