// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/config/inventory.h>
#include <remote/desk/node/leftovers.h>
#include <remote/desk/transport/prompter.h>

#include <QDialog>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope {
class SessionPool;
}

namespace rankscope::gui {

/// Leftovers on a node: processes of runs, their ports, shared memory, GPU memory; or the process that holds one
/// port. Leftovers of runs are freed on request, the user's own programs are ended when selected; other users'
/// are shown and never changed.
class LeftoversDialog : public QDialog {
    Q_OBJECT

public:
    /// `port` 0: everything.
    LeftoversDialog(NodeSpec node, int port, Prompter prompter, std::shared_ptr<SessionPool> sessions,
                    QWidget* parent);

    bool busy() const { return job_.running(); }

private:
    /// The result of a query, or of an action and the query after it.
    struct Seen {
        std::vector<Leftover> entries;
        std::optional<Failure> failure;
        QString done;  ///< what the action did
    };
    using Action = std::function<Result<QString>(AgentLink&)>;

    void make_table();
    void look(const Action& before = {});
    void show_seen(const Seen& seen);
    void update_buttons();
    const Leftover* selected() const;
    void ask_clean();
    void ask_end();

    NodeSpec node_;
    int port_;
    Prompter prompter_;
    std::shared_ptr<SessionPool> sessions_;
    std::vector<Leftover> entries_;
    QLabel* state_;
    QLabel* problem_;
    QTableWidget* table_;
    QPushButton* clean_;
    QPushButton* end_;
    QPushButton* again_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
