// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/runs/store/run_store.h>

#include <QWidget>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTabWidget;
class QTableView;
class QToolButton;

namespace rankscope::inline archive {
struct RunComparison;
}  // namespace rankscope::inline archive

namespace rankscope::gui {

class CheckChooser;
class ComparePlot;
class ComparisonModel;
class NoticeBar;
class RunLegend;

/// Several runs beside each other: curves over a common axis, what differs in their configuration, environment and
/// versions, what their metrics come to.
class CompareView : public QWidget {
    Q_OBJECT

public:
    explicit CompareView(QThreadPool* pool, QWidget* parent = nullptr);

    /// Reads the runs on a thread. `store_file`: for their labels.
    void compare(const std::shared_ptr<RunStore>& store, const std::filesystem::path& store_file,
                 const std::vector<std::string>& run_ids);
    /// Null: none yet.
    const RunComparison* comparison() const { return comparison_.get(); }
    ComparePlot* plot() const { return plot_; }

signals:
    void closed();

private:
    QWidget* make_bar();
    QWidget* make_tables();
    QTableView* make_table(const char* name, const QString& accessible_name, ComparisonModel* model);
    void read();
    void take(Result<std::shared_ptr<const RunComparison>> comparison);
    void fill_metrics();
    void show_metrics();
    void show_values();
    std::vector<std::string> default_metrics() const;
    void copy();

    BackgroundJob job_;
    std::shared_ptr<RunStore> store_;
    std::filesystem::path store_file_;
    std::vector<std::string> run_ids_;
    std::shared_ptr<const RunComparison> comparison_;
    std::vector<std::string> metrics_;
    NoticeBar* fault_;
    NoticeBar* progress_;
    NoticeBar* written_;
    QLabel* title_;
    RunLegend* legend_;
    ComparePlot* plot_;
    QComboBox* axis_;
    QToolButton* log_;  ///< of the x axis
    CheckChooser* choose_;
    QPushButton* export_;
    QCheckBox* bands_;
    QCheckBox* all_;
    QLineEdit* target_;
    QTabWidget* tabs_;
    ComparisonModel* values_;
    ComparisonModel* statistics_;
    QTableView* value_table_;
    QTableView* statistic_table_;
};

}  // namespace rankscope::gui
