// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/keys/key_install.h>
#include <remote/desk/nodes/transport/prompter.h>

#include <QDialog>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

class FieldForm;

/// Makes an SSH key where there is none, puts it on the ticked nodes with the password typed once, and shows
/// for each node whether a login with it works.
class KeyDialog : public QDialog {
    Q_OBJECT

public:
    KeyDialog(std::vector<NodeSpec> nodes, Prompter prompter, QWidget* parent);
    ~KeyDialog() override;

    bool busy() const { return job_.running(); }
    QString result_text(int row) const;
    /// Without another click; the dialog closes, accepted, once the key opens every ticked node.
    void install_now();

private:
    void make_fields();
    void make_table();
    void check();
    void start();
    void show_result(std::size_t node, const KeyInstallation& result);
    void finished(const Result<KeyPair>& key);
    std::vector<std::size_t> ticked() const;

    std::vector<NodeSpec> nodes_;
    Prompter prompter_;
    FieldForm* form_;
    QLineEdit* file_;
    QLineEdit* passphrase_;
    QLineEdit* again_;
    QLabel* state_;
    QTableWidget* table_;
    QPushButton* install_;
    QPushButton* close_;
    bool exists_ = false;
    bool closes_itself_ = false;
    std::size_t unfinished_ = 0;  ///< ticked nodes that the key does not open (yet)
    BackgroundJob job_;
};

}  // namespace rankscope::gui
