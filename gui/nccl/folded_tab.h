// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/nccl/nccl_tab.h>
#include <remote/logs/fold/folded_rows.h>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QModelIndex;
class QPushButton;
class QTreeView;

namespace rankscope::gui {

class FoldedModel;

/// The log of NCCL, the same line of all ranks once. What differs is open and marked; each line is explained.
class FoldedTab : public NcclTab {
    Q_OBJECT

public:
    explicit FoldedTab(QWidget* parent = nullptr);

    void set_snapshot(const std::shared_ptr<const ReadingSnapshot>& snapshot) override;
    void set_run(const LiveModel* run) override;
    void set_range(const TimeSpan& span, const std::shared_ptr<const CollectiveReport>& report) override;

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* make_filter();
    QWidget* make_details();
    void refresh();
    void fill_choices();
    void filter();
    void after_reset();
    void show_details();
    void open_line(const QModelIndex& index);

    std::shared_ptr<const ReadingSnapshot> snapshot_;
    bool of_run_ = false;  ///< times are those of this computer's clock
    TimeSpan range_;
    std::shared_ptr<const logs::FoldedRows> shown_;
    FoldedModel* model_;
    QComboBox* subsystem_;
    QComboBox* communicator_;
    QComboBox* level_;
    QLineEdit* ranks_;
    QLineEdit* text_;
    QCheckBox* odd_;
    QTreeView* view_;
    QLabel* note_;
    QLabel* meaning_;
    QLabel* facts_;
    QPushButton* open_;
};

}  // namespace rankscope::gui
