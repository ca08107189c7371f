// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/rank_grid.h>
#include <gui/data/x_scale.h>
#include <gui/latest_job.h>
#include <gui/plot/panel_item.h>
#include <gui/plot/rank_view.h>

#include <QImage>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// Which image of a heat map: a pixel column for each bucket from view.begin on, with room for those to come.
struct HeatKey {
    GridView view;
    int width = 0;
    int rows = 0;
    int ranks = 0;
    float scale_end = 0;        ///< the distance that has the full colour, in the metric's unit
    std::vector<QRgb> palette;  ///< from far below to far above the median
    std::uint64_t revision = 0;

    /// Columns of the one can be painted into the other.
    bool same_place(const HeatKey& other) const;
    bool operator==(const HeatKey&) const = default;
};

/// Values only: a worker may paint it.
struct HeatRequest {
    HeatKey key;
    std::vector<std::pair<std::int64_t, GridColumn>> columns;  ///< by bucket
};

struct HeatImage {
    HeatKey key;
    QImage image;
};

/// Where ranks share a row, the one that is furthest from the median has it.
void paint_heat_column(HeatImage& target, std::int64_t bucket, const GridColumn& column);
HeatImage paint_heat(const HeatRequest& request);

/// Ranks × steps: the colour is the distance from the median of all ranks at these steps, blue below, orange above,
/// so that a rank that is different is seen whatever the trend. Where ranks share a row, the one that is furthest
/// from the median has it. New columns are painted at once, all of them by a worker: until then the last image remains.
class HeatMap : public PanelPlottable {
    Q_OBJECT

public:
    HeatMap(QCPAxis* x, QCPAxis* y, const XScale* scale, const RankView* view, QThreadPool* pool);

    /// What is under a place; nothing beside the values.
    struct Cell {
        int rank = 0;
        double first_step = 0;
        double last_step = 0;
        float value = 0;
        float median = 0;
    };
    std::optional<Cell> cell_at(const QPointF& place) const;

    void set_colors(const ThemeColors& colors);
    void set_selected(const std::vector<int>& ranks) { selected_ = ranks; }
    void set_ranks(int count) { ranks_ = count; }
    /// For pictures that are made once: no worker.
    void set_at_once(bool on) { at_once_ = on; }
    /// What is seen is not yet what it should be.
    bool painting() const { return job_.running(); }
    /// The distance that has the full colour, in the metric's unit.
    float scale_end() const { return last_.key.scale_end; }

signals:
    /// A worker has painted what was missing: the scale may be another one.
    void painted();

protected:
    void draw(QCPPainter* painter) override;

private:
    /// Of what is in view; nothing while the view is empty.
    std::optional<HeatKey> key_for(int rows);
    void prepare(int rows);
    bool paint_new_columns(const HeatKey& key);
    void paint_all(const HeatKey& key);
    void draw_image(QCPPainter* painter) const;
    int rank_at(double y) const;

    const XScale* scale_;
    const RankView* view_;
    ThemeColors colors_;
    std::vector<QRgb> palette_;  ///< from far below to far above the median
    std::vector<int> selected_;
    int ranks_ = 0;
    bool at_once_ = false;
    GridView scaled_view_;  ///< what scale_end_ was counted for
    std::uint64_t scaled_ = 0;
    float scale_end_ = 0;
    HeatImage last_;
    HeatKey asked_;  ///< of the worker
    LatestJob<HeatRequest, HeatImage> job_;
};

}  // namespace rankscope::gui
