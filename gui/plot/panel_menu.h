// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>

#include <QObject>
#include <optional>
#include <string>

class QMenu;

namespace rankscope::gui {

class MetricPanel;
class MetricPlot;

/// The context menu of a panel: how it is drawn, its outliers, its values for other programs.
class PanelMenu : public QObject {
    Q_OBJECT

public:
    explicit PanelMenu(MetricPlot* plot);
    /// For the panel of this metric; null: it is not shown any more. The caller owns it. `moment`: of the place.
    QMenu* make(const std::string& name, const std::optional<RunMoment>& moment = {});

signals:
    void removeRequested(const std::string& name);
    void formulaRequested(const std::string& name);
    /// A file was written, or not: one sentence.
    void exported(const QString& path, const QString& problem);

private:
    const MetricPanel* find(const std::string& name) const;
    void add_looks(QMenu* menu, const MetricPanel& panel);
    void add_moment(QMenu* menu, const std::optional<RunMoment>& moment);
    void add_smoothing(QMenu* menu, const MetricPanel& panel);
    void add_outliers(QMenu* menu, const MetricPanel& panel);
    void add_exports(QMenu* menu, const std::string& name);
    void add_places(QMenu* menu, const std::string& name);
    void choose_file(const std::string& name, int format);

    MetricPlot* plot_;
};

}  // namespace rankscope::gui
