// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>

#include <QToolButton>
#include <string>
#include <vector>

class QFrame;
class QLabel;
class QLineEdit;
class QListView;
class QPushButton;
class QStandardItemModel;

namespace rankscope::gui {

class CheckListPopup;

/// The button "Metrics", and below it a list with a check box for every name that the ranks report, and which
/// ranks. The list has a search field once it is long. Space checks, Escape closes.
class MetricChooser : public QToolButton {
    Q_OBJECT

public:
    explicit MetricChooser(QWidget* parent = nullptr);

    /// What there is to choose from, and what is shown.
    void set_metrics(const LiveData& run, const std::vector<std::string>& shown, bool is_default);
    QFrame* popup() const;
    QListView* list() const;
    QLineEdit* search() const;

signals:
    void chosen(const std::vector<std::string>& names);
    void defaultRequested();
    /// The user wants a panel of a formula.
    void formulaRequested();

private:
    void add_names(const LiveData& run);
    void item_changed();
    std::vector<std::string> checked() const;

    CheckListPopup* popup_;
    QPushButton* default_;
    QPushButton* formula_;
    QLabel* more_;  ///< there are more names than a run keeps
    QStandardItemModel* model_;
    std::vector<std::string> order_;  ///< of what is shown: new ones are added behind
    bool updating_ = false;           ///< changes are ours, not the user's
};

}  // namespace rankscope::gui
