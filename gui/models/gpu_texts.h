// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/gpu_samples.h>

#include <QString>

/// The samples of a GPU in words.
namespace rankscope::gui {

/// "812", "61.4": three digits are enough.
QString short_number(double value);
/// "11.2 GB/s".
QString rate_text(double bytes_per_s);
/// "1.98 GHz", "345 MHz".
QString clock_text(double hz);
/// "heat", "power limit", "nothing"; empty: not known.
QString clock_limit_text(ClockLimit limit);
/// What its link carries or is, in one cell: "NVLink 212 GB/s", "PCIe 5 ×16"; empty: not reported.
QString gpu_link_text(const GpuSample& gpu);
/// Bytes per second over its links, of both directions; NaN: not reported.
double gpu_link_rate(const GpuSample& gpu);
/// NVLink and PCIe, a line each, with their errors.
QString gpu_link_tip(const GpuSample& gpu);
/// All that is reported, a figure a line.
QString gpu_tip(const GpuSample& gpu);

/// Why a GPU has no such figure: its driver never reported it, or has stopped doing so.
QString why_absent(const GpuSample& gpu, GpuFigure figure);
/// Why a node has no GPUs to show.
QString why_no_gpus(const NodeSamples& node);

}  // namespace rankscope::gui
