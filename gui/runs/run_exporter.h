// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/archive/export/run_export.h>

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <vector>

class QMenu;

namespace rankscope::gui {

/// Writes stored runs for other programs, one at a time, on a thread.
class RunExporter : public QObject {
    Q_OBJECT

public:
    /// `window`: parent of the file dialog.
    RunExporter(QThreadPool* pool, QWidget* window);

    struct Choice {
        ExportFormat format;
        QString text;  ///< with its mnemonic
        QString hint;
    };
    static std::vector<Choice> choices();
    /// An entry for each format; `chosen` gets it.
    static void fill_menu(QMenu* menu, const std::function<void(ExportFormat)>& chosen);
    /// Asks for the file, or the folder, then writes. Of a run that has not ended: what is stored so far.
    void choose(const std::shared_ptr<RunStore>& store, const RunRecord& run, ExportFormat format);
    void cancel() { job_.cancel(); }

signals:
    /// Events that were read; `total` 0: not known.
    void progress(const QString& name, quint64 done, quint64 total);
    /// `so_far_us`: when reading began, of a run that has not ended; 0: it is complete.
    void written(const QString& path, qint64 so_far_us);
    void failed(const QString& name, const rankscope::Failure& failure);

private:
    void write(const std::shared_ptr<RunStore>& store, const RunRecord& run, ExportFormat format,
               const QString& path);

    QWidget* window_;
    BackgroundJob job_;
};

}  // namespace rankscope::gui
