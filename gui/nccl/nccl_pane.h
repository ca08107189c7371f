// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/nccl/nccl_data.h>

#include <QString>
#include <QWidget>
#include <map>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTabWidget;

namespace rankscope::gui {

class NcclTab;

/// Why the pane shows nothing.
enum class NcclAbsence { None, Nothing, Reading, Waiting, Gloo, NoLines };
NcclAbsence absence_of(const NcclData& data);

/// What NCCL does in a run, or in logs from elsewhere: a tab for each view, or why there is nothing to see.
class NcclPane : public QWidget {
    Q_OBJECT

public:
    /// `data` outlives the pane.
    explicit NcclPane(NcclData* data, QWidget* parent = nullptr);

    NcclData* data() const { return data_; }
    QTabWidget* tabs() const { return tabs_; }

signals:
    /// The user wants to see a line: NcclSnapshot::sources[file], from 1.
    void lineRequested(quint32 file, quint64 line);
    /// The user wants these keys in the job.
    void jobRequested(const std::map<std::string, std::string>& keys);

private:
    QWidget* make_empty();
    void add_tab(NcclTab* tab, const QString& title);
    void refresh();

    NcclData* data_;
    QStackedWidget* stack_;
    QTabWidget* tabs_;
    QLabel* empty_title_;
    QLabel* empty_text_;
    QPushButton* set_debug_;
    std::vector<NcclTab*> all_;
};

}  // namespace rankscope::gui
