// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/x_scale.h>
#include <gui/latest_job.h>
#include <gui/plot/curve_shape.h>
#include <gui/plot/panel_item.h>

#include <QImage>
#include <vector>

namespace rankscope::gui {

/// A band or a line that stands in the picture of its panel.
class CurvePart {
public:
    virtual ~CurvePart() = default;
    /// Itself as it is to be painted, in pixels of the plot.
    virtual void add_to(CurveShape& shape) = 0;
};

/// True: a CurvePicture paints for the parts. They paint themselves where the target is a file.
bool is_screen(const QCPPainter& painter);

/// Where a picture stands and what it was painted for.
struct CurveFrame {
    QRect box;
    qreal ratio = 1;  ///< device pixels to one of the plot
    QCPRange x;
    QCPRange y;
    bool log = false;
    XUnit unit = XUnit::Step;
    bool x_log = false;
    CurveShape shape;

    bool same_axes(const CurveFrame& other) const {
        return log == other.log && unit == other.unit && x_log == other.x_log;
    }
    bool same_place(const CurveFrame& other) const;
};

struct CurveImage {
    CurveFrame frame;
    QImage image;
};

CurveImage paint_curves(const CurveFrame& frame);

/// The band and the lines of a panel on the screen, as an image. A few pixels that are new are painted at once; all of
/// it by a worker, and until then the last image stands where its values are now.
class CurvePicture : public PanelPlottable {
    Q_OBJECT

public:
    CurvePicture(QCPAxis* x, QCPAxis* y, const XScale* scale, QThreadPool* pool);

    /// From the lowest to the topmost. They must remain until others are set.
    void set_parts(std::vector<CurvePart*> parts) { parts_ = std::move(parts); }
    /// For pictures that are made once: no worker.
    void set_at_once(bool on) { at_once_ = on; }
    /// What is seen is not yet what it should be.
    bool painting() const { return job_.running(); }

signals:
    /// A worker has painted what was missing: replot.
    void painted();

protected:
    void draw(QCPPainter* painter) override;

private:
    CurveFrame frame_now() const;
    void bring_up_to_date(const CurveFrame& frame);
    bool paint_new_part(const CurveFrame& frame);
    void request(const CurveFrame& frame);
    void draw_moved(QCPPainter* painter) const;

    const XScale* scale_;
    std::vector<CurvePart*> parts_;
    CurveImage last_;
    CurveFrame asked_;  ///< of the worker
    bool at_once_ = false;
    LatestJob<CurveFrame, CurveImage> job_;
};

}  // namespace rankscope::gui
