// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/fleet_model.h>
#include <gui/models/launch_check.h>
#include <remote/config/job.h>

#include <QWidget>
#include <map>
#include <string>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;

namespace rankscope::gui {

class FieldForm;

/// Edits a Job. What the form has no field for (environment, backend, …) is kept as the job file said it.
class JobForm : public QWidget {
    Q_OBJECT

public:
    explicit JobForm(QWidget* parent = nullptr);

    void set_job(const Job& job);
    /// The job as it stands, and what is wrong with it.
    CheckedJob checked() const;
    void set_fleet(const FleetModel& fleet);
    bool nodes_chosen() const { return !chosen_.empty(); }
    /// Marks the fields; returns what no field stands for.
    std::map<std::string, QString> show_errors(const std::map<std::string, QString>& errors);

signals:
    void changed();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void make_general();
    void make_training();
    QWidget* make_root_row();
    JobTexts texts() const;
    void fill_nodes();
    void fit_nodes();
    void node_toggled();
    void browse_root();
    void edited();

    Job base_;
    std::vector<std::string> chosen_;  ///< in the job's order: the first is the master
    const FleetModel* fleet_ = nullptr;
    bool filling_ = false;
    FieldForm* form_;
    QListWidget* nodes_;
    QLineEdit* name_;
    QLineEdit* procs_;
    QLineEdit* port_;
    QComboBox* model_;
    QComboBox* dataset_;
    QLineEdit* root_;
    QLineEdit* epochs_;
    QLineEdit* batch_;
    QLineEdit* lr_;
    QLineEdit* momentum_;
    QLineEdit* decay_;
    QCheckBox* nesterov_;
    QLabel* program_;
};

}  // namespace rankscope::gui
