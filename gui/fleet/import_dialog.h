// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/nodes/inventory/node_import.h>

#include <QDialog>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;
class QTimer;

namespace rankscope::gui {

/// A list of nodes, pasted or from a file, becomes nodes of the inventory: what each line means is shown before anything is
/// added, and each can be left out. Without a list, nodes that this computer knows are offered.
class ImportDialog : public QDialog {
    Q_OBJECT

public:
    ImportDialog(Inventory inventory, QWidget* parent);
    ~ImportDialog() override;

    /// Those that are ticked.
    std::vector<NodeSpec> nodes() const;
    /// Not only added: made ready for a training, too.
    bool set_up() const { return set_up_; }
    /// Reads a file in the background; errors are shown.
    void load(const QString& path);

private:
    void choose_file();
    void read_text();
    void show_import();
    void update_button();

    Inventory inventory_;
    NodeImport import_;
    NodeImport known_;     ///< what this computer knows
    bool pasted_ = false;  ///< `import_` is of the text
    bool set_up_ = false;
    std::string source_;  ///< the file, for messages and Include
    QPlainTextEdit* text_;
    QTableWidget* table_;
    QLabel* found_;
    QLabel* problems_;
    QPushButton* add_;
    QPushButton* ready_;
    QTimer* soon_;
    BackgroundJob file_job_;
    BackgroundJob read_job_;
    BackgroundJob find_job_;
};

}  // namespace rankscope::gui
