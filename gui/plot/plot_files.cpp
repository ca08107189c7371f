// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/plot_files.h>
#include <gui/strings.h>

#include <QFileDialog>
#include <QMenu>
#include <array>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::array kFileFormats{PlotFormat::Png, PlotFormat::Svg, PlotFormat::Pdf, PlotFormat::Csv};

}  // namespace

PlotFiles::PlotFiles(QString name, Write write, QWidget* plot)
    : QObject(plot), name_(std::move(name)), write_(std::move(write)), plot_(plot) {}

void PlotFiles::fill(QMenu* menu) {
    for (const PlotFormat format : kFileFormats) {
        QAction* action = menu->addAction(tr("%1…").arg(plot_suffix(format).toUpper()), this,
                                          [this, format] { choose(format); });
        action->setObjectName(u"plotFile-"_s % plot_suffix(format));
    }
}

void PlotFiles::choose(PlotFormat format) {
    const QString suffix = plot_suffix(format);
    auto* dialog = new QFileDialog(plot_->window(), tr("Export"), name_ % u'.' % suffix,
                                   u"%1 (*.%2)"_s.arg(suffix.toUpper(), suffix));
    dialog->setObjectName(u"plotFileDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, format](const QString& path) { emit exported(path, write_(format, path)); });
    dialog->open();
}

}  // namespace rankscope::gui
