// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/panel_sections.h>
#include <gui/plot/qcustomplot_include.h>

#include <QObject>
#include <functional>
#include <optional>
#include <string>
#include <vector>

class QMenu;

namespace rankscope::gui {

class MetricPlot;
class SectionHeader;

/// The sections of the panels: their headers, which are widgets on the plot, and where each lies. A folded section has
/// a header and no panels. One section alone has no header.
class PlotSections : public QObject {
    Q_OBJECT

public:
    explicit PlotSections(MetricPlot* plot);

    const PanelSections& chosen() const { return chosen_; }
    void set_chosen(const PanelSections& sections) { chosen_ = sections; }

    /// Empties the layout of the plot and divides it. Returns a grid for each section; null: it has no panels.
    std::vector<QCPLayoutGrid*> lay_out(const std::vector<PanelSection>& sections,
                                        const std::vector<int>& columns);
    /// Pixels that the headers take.
    int height() const;
    /// The key of the section whose header is at a place of the plot.
    std::optional<std::string> header_at(const QPoint& place) const;
    QRect header_rect(const std::string& key) const;

    void fold(const std::string& key, bool on);
    void move(const std::string& name, const std::string& key);
    /// Asks for the title of a new section for a panel.
    void ask_new(const std::string& name);
    /// The menu of a header; the caller owns it.
    QMenu* make_menu(const std::string& key);
    /// "Section" in the menu of a panel.
    void add_choices(QMenu* menu, const std::string& name);

signals:
    /// The user has chosen something else.
    void changed();

private:
    /// Where a header stands.
    struct Row {
        SectionHeader* header = nullptr;
        QCPLayoutElement* room = nullptr;
    };
    void add_header(const PanelSection& section, int row);
    void place_headers();
    int header_height() const;
    void fold_all(bool on);
    void ask_title(const QString& window_title, const QString& title,
                   const std::function<void(const QString&)>& take);

    MetricPlot* plot_;
    PanelSections chosen_;
    std::vector<PanelSection> shown_;
    std::vector<Row> rows_;
};

}  // namespace rankscope::gui
