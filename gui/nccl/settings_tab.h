// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/nccl/nccl_tab.h>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeView;

namespace rankscope::gui {

class SettingsModel;

/// The variables of NCCL, PyTorch and Gloo in force: value, who set it, which ranks have it, what it does, and what is
/// wrong with it. One can be set in the job from here.
class SettingsTab : public NcclTab {
    Q_OBJECT

public:
    explicit SettingsTab(QWidget* parent = nullptr);

    void set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) override;
    void set_run(const LiveModel* run) override;
    /// Of a run, its job and its plan say what is set.
    bool has_content() const override;

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* make_details();
    void refresh();
    void show_details();
    void fill_edit();
    void check_edit();
    void set_in_launch();

    std::shared_ptr<const ReadingSnapshot> snapshot_;
    std::shared_ptr<const ReadingSnapshot> shown_;
    std::size_t shown_ranks_ = 0;  ///< of the plan that is shown
    std::size_t shown_nodes_ = 0;  ///< that had reported their settings
    const LiveModel* run_ = nullptr;
    SettingsModel* model_;
    QTreeView* view_;
    QLabel* none_;
    QLabel* note_;
    QLabel* meaning_;
    QLabel* facts_;
    QLabel* problem_;
    QLineEdit* name_;
    QLineEdit* value_;
    QPushButton* set_;
    QString misspelt_;  ///< the variable of the job that name_ replaces; empty: none
};

}  // namespace rankscope::gui
