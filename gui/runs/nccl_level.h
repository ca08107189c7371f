// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/runs/store/run_store.h>

#include <QObject>
#include <cstdint>

class QMenu;

namespace rankscope::gui {

class NoticeBar;
class Workspace;

/// The menu that changes how much of NCCL is observed in a run that is in progress, on all its nodes.
class NcclLevel : public QObject {
    Q_OBJECT

public:
    /// `page`: the parent of the notice.
    NcclLevel(Workspace* workspace, QWidget* page);

    void fill(QMenu* menu, const RunRecord& run);
    /// Says what was changed; hidden until then.
    NoticeBar* notice() const { return notice_; }

signals:
    void failed(const QString& what, const rankscope::Failure& failure);

private:
    void set(const std::string& run_id, const QString& name, std::uint32_t level, const QString& word);

    Workspace* workspace_;
    NoticeBar* notice_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
