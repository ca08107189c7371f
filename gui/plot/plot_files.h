// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/plot_export.h>

#include <QObject>
#include <functional>

class QMenu;
class QWidget;

namespace rankscope::gui {

/// The menu entries that write a plot to a file, and the question for its name.
class PlotFiles : public QObject {
    Q_OBJECT

public:
    /// Empty: written; else what went wrong.
    using Write = std::function<QString(PlotFormat format, const QString& path)>;

    /// `name`: proposed for the file, without its end. `plot`: the parent of the question.
    PlotFiles(QString name, Write write, QWidget* plot);

    void set_name(const QString& name) { name_ = name; }
    /// PNG…, SVG…, PDF…, CSV….
    void fill(QMenu* menu);
    void choose(PlotFormat format);

signals:
    /// `problem` is empty where the file is written.
    void exported(const QString& path, const QString& problem);

private:
    QString name_;
    Write write_;
    QWidget* plot_;
};

}  // namespace rankscope::gui
