// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/actions/command_model.h>

#include <QDialog>

class QLabel;
class QLineEdit;
class QListView;

namespace rankscope::gui {

/// A line to write in and the commands that fit: arrows choose, Enter does, Escape closes. Closes after a command.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    CommandPalette(std::vector<Command> commands, QWidget* parent);

    /// Commands that are known a moment later. What the user wrote and chose stays.
    void add_commands(std::vector<Command> commands);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void search(const QString& query);
    void move_by(int rows);
    void choose(const QModelIndex& index);
    void announce();

    CommandModel* model_;
    QLineEdit* line_;
    QListView* list_;
    QLabel* hint_;
};

}  // namespace rankscope::gui
