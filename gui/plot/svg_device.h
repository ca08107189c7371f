// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QByteArray>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QSize>
#include <memory>

namespace rankscope::gui {

/// Writes what is painted as SVG: lines, areas, texts and pictures stay what they are. Knows what plots use: solid
/// pens and brushes, dashes, rectangles that clip.
class SvgDevice : public QPaintDevice {
public:
    explicit SvgDevice(const QSize& size);
    ~SvgDevice() override;

    /// The whole file, after painting has ended.
    QByteArray text() const;
    QPaintEngine* paintEngine() const override;

protected:
    int metric(PaintDeviceMetric what) const override;

private:
    class Engine;

    QSize size_;
    std::unique_ptr<Engine> engine_;
};

}  // namespace rankscope::gui
