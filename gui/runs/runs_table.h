// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/models/run_groups_model.h>
#include <gui/models/runs_model.h>

#include <QWidget>
#include <set>
#include <string>
#include <vector>

class QComboBox;
class QHeaderView;
class QMenu;
class QStackedWidget;
class QTableView;
class QTreeView;

namespace rankscope::gui {

class RunsFilter;

/// The runs as a table, or as a tree of groups, with the columns that the user has chosen. Columns, their order and
/// widths, the order of the rows and the grouping are kept.
class RunsTable : public QWidget {
    Q_OBJECT

public:
    RunsTable(RunsModel* model, RunsFilter* filter, QWidget* parent = nullptr);

    /// In the order shown, each once. The runs of a selected group are selected with it.
    std::vector<const RunRecord*> selected() const;
    /// Those that are shown, and scrolls to the first of them.
    void select(const std::vector<std::string>& run_ids);
    /// Where nothing is selected: the first one.
    void select_something();
    void choose_columns();
    /// "tag", "group", "name", a column's id; empty: no groups.
    void set_grouping(const QString& id);
    QString grouping() const;
    /// What one may group by, and what it is now; each with its id.
    void fill_groupings(QComboBox* combo) const;
    QTableView* table() const { return table_; }
    QTreeView* tree() const { return tree_; }

signals:
    void selectionChanged();
    void activated();
    void starClicked(const QString& run_id);
    void menuRequested(const QPoint& at);
    /// The grouping, or what one may group by.
    void groupingChanged();

private:
    void make_table();
    void make_tree();
    void tune_header(QHeaderView* header);
    /// What both headers show.
    struct ShownColumn {
        QString id;
        int width = 0;
        bool hidden = false;
    };
    QString column_id(int column) const;
    int column_of(const QString& id) const;
    std::vector<ShownColumn> shown_columns(const QHeaderView* header) const;
    void apply_columns(QHeaderView* header, const std::vector<ShownColumn>& columns);
    void set_column_ids(const QStringList& ids);
    void show_header_menu(QHeaderView* header, const QPoint& at);
    void save();
    void restore();
    void reset_columns();
    QHeaderView* header() const;
    void keep_tree();
    void restore_tree();

    RunsModel* model_;
    RunsFilter* filter_;
    RunGroupsModel* groups_;
    QStackedWidget* stack_;
    QTableView* table_;
    QTreeView* tree_;
    bool restoring_ = false;
    std::set<QString> open_groups_;
    std::vector<std::string> kept_selection_;
};

}  // namespace rankscope::gui
