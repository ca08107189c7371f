// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/runs/run_exporter.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>

namespace rankscope::gui {

namespace {

QString first_folder() {
    const QString last = QSettings().value(u"exportFolder"_s).toString();
    return !last.isEmpty() && QFileInfo(last).isDir() ? last : QDir::homePath();
}

}  // namespace

RunExporter::RunExporter(QThreadPool* pool, QWidget* window)
    : QObject(window), window_(window), job_(this, pool) {}

std::vector<RunExporter::Choice> RunExporter::choices() {
    return {
        {ExportFormat::Html, tr("&Report in one page (HTML)…"),
         tr("End, verdicts, curves, ranks, nodes, job and versions; without secrets")},
        {ExportFormat::Csv, tr("&Metrics as a table (CSV)…"),
         tr("A row for each report of a rank; above 2,000 names, for each value")},
        {ExportFormat::Telemetry, tr("&Telemetry as a table (CSV)…"), tr("A row for each value of a node")},
        {ExportFormat::TensorBoard, tr("Event files for Tensor&Board…"),
         tr("A folder for tensorboard --logdir")},
        {ExportFormat::Mlflow, tr("A folder for M&Lflow…"), tr("For mlflow ui --backend-store-uri")},
        {ExportFormat::Prometheus, tr("Last values for &Prometheus…"), tr("For a textfile collector")},
        {ExportFormat::Events, tr("All &events (JSON lines)…"),
         tr("Everything that Rankscope knows of the run")}};
}

void RunExporter::fill_menu(QMenu* menu, const std::function<void(ExportFormat)>& chosen) {
    menu->setToolTipsVisible(true);
    for (const Choice& choice : choices()) {
        QAction* action =
            menu->addAction(choice.text, menu, [chosen, format = choice.format] { chosen(format); });
        action->setObjectName(u"export-"_s + QLatin1String(to_string(choice.format)));
        action->setToolTip(choice.hint);
    }
}

void RunExporter::choose(const std::shared_ptr<RunStore>& store, const RunRecord& run, ExportFormat format) {
    auto* dialog = new QFileDialog(
        window_,
        (run.outcome == Outcome::Running ? tr("Export %1 so far") : tr("Export %1")).arg(qs(run.name)));
    dialog->setObjectName(u"exportDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDirectory(first_folder());
    if (is_folder(format)) {
        dialog->setLabelText(QFileDialog::FileName, tr("New folder:"));
    }
    dialog->selectFile(qs(export_name(run, format)));
    connect(dialog, &QFileDialog::fileSelected, this, [this, store, run, format](const QString& path) {
        QSettings().setValue(u"exportFolder"_s, QFileInfo(path).absolutePath());
        write(store, run, format, path);
    });
    dialog->open();
}

void RunExporter::write(const std::shared_ptr<RunStore>& store, const RunRecord& run, ExportFormat format,
                        const QString& path) {
    const QString name = qs(run.name);
    const std::int64_t so_far_us = run.outcome == Outcome::Running ? now_us() : 0;
    emit progress(name, 0, 0);
    // The dialog has asked whether a file that exists is to be replaced.
    const ExportOptions options{.format = format,
                                .path = ss(path),
                                .replace = true,
                                .program = "rankscope " + ss(QCoreApplication::applicationVersion())};
    job_.start(
        [this, store, name, options, id = run.run_id](const JobHandle& job) {
            const auto report = [&](std::uint64_t done, std::uint64_t total) {
                job.post([this, name, done, total] { emit progress(name, done, total); });
            };
            return export_run(*store, id, options, report, job.stop());
        },
        [this, name, path, so_far_us](const Result<void>& result) {
            if (result) {
                emit written(path, so_far_us);
            } else {
                emit failed(name, result.failure());
            }
        });
}

}  // namespace rankscope::gui
