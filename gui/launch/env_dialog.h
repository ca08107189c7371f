// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QDialog>
#include <map>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

using Variables = std::map<std::string, std::string>;

/// The variables of a job: env, node_env and rank_env.
struct JobEnvironment {
    Variables all;
    std::map<std::string, Variables> nodes;
    std::map<int, Variables> ranks;

    bool operator==(const JobEnvironment&) const = default;
};

/// A table of environment variables and for which ranks they are. Names of NCCL, PyTorch and Gloo are completed, their
/// meaning and what is wrong with them stand beside.
class EnvDialog : public QDialog {
    Q_OBJECT

public:
    /// `nodes`: those of the job, to choose from; empty where its launcher chooses them. `ranks`: how many; 0: not known.
    EnvDialog(const JobEnvironment& environment, const std::vector<std::string>& nodes, int ranks,
              QWidget* parent);

    JobEnvironment environment() const;

private:
    void add_row(const QString& name, const QString& value, const QString& target);
    QString target_fault(const QString& target) const;
    void cell_changed(int row);
    void show_about(int row);
    void remove_row();
    void check();
    QString cell(int row, int column) const;

    std::vector<std::string> nodes_;
    int ranks_;
    QTableWidget* table_;
    QLabel* fault_;
    QPushButton* remove_;
    QPushButton* ok_;
    bool filling_ = false;
};

}  // namespace rankscope::gui
