// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/nodes/inventory/inventory.h>

#include <QDialog>
#include <QStringList>
#include <QTimer>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace rankscope::gui {

class FieldForm;

/// All fields of a node in the inventory. OK is disabled while a field is wrong; the field shows why. How
/// ssh would connect with them is shown before anything is connected to.
class NodeDialog : public QDialog {
    Q_OBJECT

public:
    /// `taken`: names that the node cannot have.
    NodeDialog(const NodeSpec& node, QStringList taken, bool is_new, QWidget* parent);

    NodeSpec node() const;
    /// Groups to complete the field with.
    void offer_groups(const QStringList& groups);

private:
    void make_fields(const NodeSpec& node);
    void check();
    void browse_key();
    void resolve();
    void show_way(const QString& text, bool fault);

    NodeSpec before_;
    QStringList taken_;
    bool touched_ = false;
    FieldForm* form_;
    QLineEdit* name_;
    QLineEdit* host_;
    QLineEdit* port_;
    QLineEdit* user_;
    QLineEdit* key_;
    QLineEdit* jump_;
    QComboBox* transport_;
    QLineEdit* gpus_;
    QLineEdit* slots_;
    QLineEdit* address_;
    QLineEdit* cache_;
    QLineEdit* group_;
    QLabel* way_;
    QPushButton* ok_;
    QTimer resolve_timer_;
    BackgroundJob resolve_job_;
};

/// "0, 1,3" → {0, 1, 3}; nothing where it is not a list of indices.
std::optional<std::vector<int>> parse_gpu_list(const QString& text);

}  // namespace rankscope::gui
