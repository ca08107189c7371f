// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/runs/run_exporter.h>

#include <QWidget>

namespace rankscope::gui {

class NoticeBar;

/// Exports runs, and shows above every page how far that is, where the file is, or what went wrong.
class ExportBar : public QWidget {
    Q_OBJECT

public:
    ExportBar(QThreadPool* pool, QWidget* parent);

    /// Asks for the file, then writes. Of a run that has not ended: what is stored so far.
    void choose(const std::shared_ptr<RunStore>& store, const RunRecord& run, ExportFormat format);

private:
    void show_written(const QString& path, qint64 so_far_us);
    void show_folder();

    RunExporter* exporter_;
    NoticeBar* progress_;
    NoticeBar* fault_;
    NoticeBar* written_;
    QString path_;  ///< of the last file
};

}  // namespace rankscope::gui
