// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/launch/launch_check.h>
#include <gui/models/fleet_model.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/plan/compute_offers.h>
#include <remote/desk/jobs/plan/memory_need.h>

#include <QWidget>
#include <map>
#include <string>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QMenu;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace rankscope::gui {

class AdvicePanel;
class FieldForm;
class GpuPicker;
class KeyRows;
struct KeyOffer;

/// Edits a Job. It has a field for every key of the table; keys that no table knows stay in the file's text.
class JobForm : public QWidget {
    Q_OBJECT

public:
    explicit JobForm(QWidget* parent = nullptr, EngineParts engine = EngineParts::of_bundle());

    void set_job(const Job& job);
    /// The job of the form, and what is wrong with it.
    CheckedJob checked() const;
    void set_fleet(const FleetModel& fleet);
    /// Where the launcher chooses the nodes: the one to submit on.
    bool nodes_chosen() const { return launcher().chooses_nodes ? !submit_node_.empty() : !chosen_.empty(); }
    /// The ticked nodes, those of `nodes: all` as well.
    const std::vector<std::string>& chosen_nodes() const { return chosen_; }
    /// What the ranks of the plan make of batch size and learning rate; 0: there is no plan.
    void show_advice(int world_size);
    void show_cost(const LaunchPlan& plan, const std::optional<MemoryNeed>& need);
    /// What the last run of the job took; empty: not known.
    void show_epoch_time(const QString& text);
    bool has_field(const std::string& key) const;
    /// Marks the fields; returns the errors that belong to no field.
    std::map<std::string, QString> show_errors(const std::map<std::string, QString>& errors);

signals:
    void changed();
    /// The user gave the field of a key another value.
    void fieldEdited(const QString& key);
    /// Values for keys that the user takes over from the advice.
    void keysRequested(const std::map<std::string, std::string>& keys);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void make_general();
    void make_training();
    void make_program();
    void make_life();
    QWidget* make_metrics_row();
    void show_rows();
    void make_more();
    // job_form_offers.cpp
    std::vector<KeyOffer> offers_of(const std::string& key) const;
    void edit_environment();
    void show_key_rows();
    void show_offers(const Job& job);
    void show_gpus(const Job& job);
    const JobLauncher& launcher() const;
    bool own_program() const;
    void launcher_changed();
    void learn_pattern();
    void browse_push();
    JobTexts texts() const;
    void fill_nodes();
    void fit_nodes();
    QPushButton* make_group_button();
    void fill_groups(QMenu* menu);
    void choose_group(const std::string& group);
    void node_toggled(QListWidgetItem* toggled);
    void browse_root();
    void edited();

    Job base_;
    std::vector<std::string> chosen_;  ///< in the job's order: the first is the master
    bool all_nodes_ = false;           ///< nodes: all, until the user ticks others
    std::string submit_node_;          ///< instead of them where the launcher chooses the nodes
    const FleetModel* fleet_ = nullptr;
    EngineParts engine_;
    int ranks_ = 0;  ///< of the plan; 0: there is none
    bool filling_ = false;
    FieldForm* form_;
    KeyRows* rows_;
    QToolButton* more_ = nullptr;  ///< unfolds the rarely used keys
    QListWidget* nodes_;
    QPushButton* group_;  ///< ticks the nodes of a group
    GpuPicker* gpus_;
    QLineEdit* name_;
    QLineEdit* procs_;
    QLineEdit* port_;
    QComboBox* model_;
    QComboBox* dataset_ = nullptr;
    QLineEdit* root_;
    QLineEdit* epochs_;
    QLineEdit* batch_;
    QLineEdit* lr_;
    AdvicePanel* advice_;
    QLineEdit* momentum_;
    QLineEdit* decay_;
    QCheckBox* nesterov_;
    QComboBox* kind_;  ///< the native engine, or the user's own program
    QLineEdit* command_;
    QString shown_command_;  ///< as the field took it: one line
    QComboBox* launcher_;
    QComboBox* python_;
    QLineEdit* python_env_;
    QLineEdit* push_ = nullptr;
    QCheckBox* known_lines_;
    QPlainTextEdit* patterns_;
};

}  // namespace rankscope::gui
