// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plain_text.h>
#include <gui/runs/export_bar.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/notice_bar.h>

#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>
#include <QVBoxLayout>

namespace rankscope::gui {

ExportBar::ExportBar(QThreadPool* pool, QWidget* parent)
    : QWidget(parent),
      exporter_(new RunExporter(pool, this)),
      progress_(new NoticeBar(NoticeBar::Kind::News, "exportProgress", this)),
      fault_(new NoticeBar(NoticeBar::Kind::Fault, "exportFault", this)),
      written_(new NoticeBar(NoticeBar::Kind::News, "exportWritten", this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (NoticeBar* bar : {progress_, fault_, written_}) {
        layout->addWidget(bar);
    }
    progress_->set_action(tr("Cancel ex&port"));
    fault_->set_dismissable(true);
    written_->set_dismissable(true);
    written_->set_action(tr("Show fol&der"));
    connect(progress_, &NoticeBar::actionTriggered, this, [this] {
        exporter_->cancel();
        progress_->set_text({});
    });
    connect(written_, &NoticeBar::actionTriggered, this, &ExportBar::show_folder);
    connect(exporter_, &RunExporter::progress, this, [this](const QString& run, quint64 done, quint64 total) {
        const QString name = short_name(ss(run));
        fault_->set_text({});
        written_->set_text({});
        progress_->set_text(
            done > 0 && total > 0
                ? tr("Exporting %1: %2").arg(name, percent_text(double(done) / double(total), 0))
                : tr("Exporting %1…").arg(name));
    });
    connect(exporter_, &RunExporter::written, this, &ExportBar::show_written);
    connect(exporter_, &RunExporter::failed, this, [this](const QString& name, const Failure& failure) {
        progress_->set_text({});
        fault_->set_text(tr("%1 was not exported.").arg(short_name(ss(name))), failure_text(failure));
    });
}

void ExportBar::choose(const std::shared_ptr<RunStore>& store, const RunRecord& run, ExportFormat format) {
    exporter_->choose(store, run, format);
}

void ExportBar::show_written(const QString& path, qint64 so_far_us) {
    path_ = path;
    progress_->set_text({});
    written_->setToolTip(plain_text(path));
    written_->set_text(
        tr("Written: %1").arg(short_name(ss(QFileInfo(path).fileName()))),
        so_far_us == 0
            ? QString()
            : tr("The run has not ended: this is what was stored until %1.").arg(date_time_text(so_far_us)));
}

void ExportBar::show_folder() {
    QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path_).absolutePath()));
}

}  // namespace rankscope::gui
