// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QDialog>
#include <map>
#include <string>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

using Variables = std::map<std::string, std::string>;

/// A table of environment variables. Names of NCCL, PyTorch and Gloo are completed, their meaning and what is wrong with
/// them stand beside.
class EnvDialog : public QDialog {
    Q_OBJECT

public:
    EnvDialog(const Variables& variables, QWidget* parent);

    Variables variables() const;

private:
    void add_row(const QString& name, const QString& value);
    void cell_changed(int row);
    void show_about(int row);
    void remove_row();
    void check();
    QString cell(int row, int column) const;

    QTableWidget* table_;
    QLabel* fault_;
    QPushButton* remove_;
    QPushButton* ok_;
    bool filling_ = false;
};

}  // namespace rankscope::gui
