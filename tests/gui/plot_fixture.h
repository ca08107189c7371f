// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/metric_plot.h>

#include <gtest/gtest.h>
#include <tests/gui/gui_test.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::gui::testing {

/// The curves of a run, without a window around them.
class ShownPlot : public ::testing::Test {
protected:
    void show(LiveData data, const std::vector<std::string>& names = {"loss"}) {
        live_.reset(std::move(data));
        plot_.resize(900, 320);
        plot_.set_live(&live_);
        plot_.set_metrics(names);
        plot_.show();
        settle();
    }
    /// Until no worker counts or paints.
    void settle() {
        ASSERT_TRUE(wait_until([&] {
            return std::none_of(plot_.panels().begin(), plot_.panels().end(),
                                [](const auto& panel) { return panel->busy(); });
        }));
        plot_.refresh();
        plot_.plot()->replot(QCustomPlot::rpImmediateRefresh);
    }
    MetricPanel& loss() { return *plot_.panels().front(); }

    LiveModel live_;
    MetricPlot plot_;
};

}  // namespace rankscope::gui::testing
