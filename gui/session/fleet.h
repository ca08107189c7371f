// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <gui/models/fleet_model.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/store/run_store.h>

#include <QObject>
#include <QThreadPool>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline nodes {
class SessionPool;
}  // namespace rankscope::inline nodes

namespace rankscope::gui {

/// The inventory file and the probes of its nodes, on threads; the result of both is in the model.
class Fleet : public QObject {
    Q_OBJECT

public:
    Fleet(std::filesystem::path file, bool must_exist, Prompter prompter, QObject* parent = nullptr);
    ~Fleet() override;

    FleetModel* model() { return &model_; }
    const Inventory& inventory() const { return inventory_; }
    const std::filesystem::path& file() const { return file_; }
    bool loaded() const { return loaded_; }
    /// Errors of the inventory file. While there are any, it is not written.
    const std::vector<Failure>& problems() const { return problems_; }
    /// Errors of the last save; empty: none.
    const std::vector<Failure>& save_problems() const { return save_problems_; }
    bool busy() const { return read_job_.running() || write_job_.running() || !edits_.empty(); }

    const Prompter& prompter() const { return prompter_; }
    /// Connections of the last probes, open for the next one and for runs.
    std::shared_ptr<SessionPool> sessions() const { return sessions_; }
    void set_store(std::shared_ptr<RunStore> store);
    /// Null: not open (yet).
    const std::shared_ptr<RunStore>& store() const { return store_; }
    /// Reads the file (again).
    void load();
    /// Adds the node, or replaces the one named `old_name`. The file is read again first, so that a change by
    /// another program is not lost.
    void save_node(const std::string& old_name, const NodeSpec& node);
    /// Adds those whose names are not there yet.
    void add_nodes(const std::vector<NodeSpec>& nodes);
    void remove_nodes(const std::vector<std::string>& names);
    /// Replaces those with the same names.
    void replace_nodes(const std::vector<NodeSpec>& nodes);

    void probe(const std::string& name);
    void probe_all();
    /// Reads the figures of the nodes that are ready and that no live run reports, over the connections that are open. Asks
    /// no question; a node that would need one keeps its last figures until the next probe.
    void refresh_figures();
    void cancel_probes();
    int running_probes() const;

signals:
    /// Inventory or facts have changed: plans may look different now.
    void changed();
    void problemsChanged();
    void probesChanged();
    void saved();

private:
    using Edit = std::function<void(Inventory&)>;
    void save(Edit edit);
    void write_next();
    void take(InventoryRead read);
    void take_figures(const std::string& name, const Result<NodeFacts>& facts);

    std::filesystem::path file_;
    bool must_exist_;
    Prompter prompter_;
    std::shared_ptr<SessionPool> sessions_;
    std::shared_ptr<RunStore> store_;
    FleetModel model_;
    Inventory inventory_;
    std::vector<Failure> problems_;
    std::vector<Failure> save_problems_;
    std::deque<Edit> edits_;  ///< wait for the one that is being written: none may be dropped
    bool loaded_ = false;
    QThreadPool pool_;        ///< the file; one thread: reading and writing keep their order
    QThreadPool probe_pool_;  ///< connections wait: many threads, hardly any work
    BackgroundJob read_job_;
    BackgroundJob write_job_;
    BackgroundJob facts_job_;
    std::map<std::string, std::unique_ptr<BackgroundJob>> probes_;
    std::map<std::string, std::unique_ptr<BackgroundJob>> refreshes_;
    std::set<std::string> not_refreshed_;  ///< nodes that would ask a question
};

}  // namespace rankscope::gui
