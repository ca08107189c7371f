// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>
#include <gui/nccl/absence_state.h>

#include <QString>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

class QStackedWidget;
class QTabWidget;

namespace rankscope::gui {

class NcclTab;

/// What NCCL does in a run, or in logs from elsewhere: a tab for each view, or why there is nothing to see.
class NcclPane : public QWidget {
    Q_OBJECT

public:
    /// `data` outlives the pane.
    explicit NcclPane(NcclData* data, QWidget* parent = nullptr);

    NcclData* data() const { return data_; }
    QTabWidget* tabs() const { return tabs_; }
    /// The ranks that are selected in Live.
    void set_selected_ranks(const std::vector<int>& ranks);
    /// The times that Live shows.
    void set_range(const TimeSpan& span);

signals:
    /// The user wants to see a line: ReadingSnapshot::sources[file], from 1.
    void lineRequested(quint32 file, quint64 line);
    /// The user wants these keys in the job.
    void jobRequested(const std::map<std::string, std::string>& keys);
    /// The user chose a rank.
    void rankChosen(int rank);
    /// The user chose these times.
    void rangeChosen(const rankscope::gui::TimeSpan& span);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    struct Shown {
        NcclTab* tab;
        AbsenceState* absence;
        QStackedWidget* page;  ///< of both
    };

    void add_tab(NcclTab* tab, const QString& title);
    void show_first_content(NcclAbsence absence);
    void set_debug();
    void refresh();

    NcclData* data_;
    QStackedWidget* stack_;
    AbsenceState* absence_;  ///< of logs from elsewhere: instead of all tabs
    QTabWidget* tabs_;
    std::vector<Shown> all_;
    std::string run_id_;
    bool chosen_ = false;  ///< the user went to a tab of this run
};

}  // namespace rankscope::gui
