// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a frame of the curves costs: plot_timing RANKS STEPS. Prints CPU milliseconds (median and worst) of
// taking one more step of every rank and drawing it, and the memory of a point. A tool for changes to the
// plot, not a test.

#include <gui/app/resources.h>
#include <gui/data/live_model.h>
#include <gui/plot/metric_plot.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <tests/gui/synthetic_run.h>
#include <unistd.h>

#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

namespace {

constexpr int kFrames = 100;

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

/// Resident memory, bytes.
double resident() {
    long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%*d %ld", &pages) != 1) {
            pages = 0;
        }
        std::fclose(file);
    }
    return double(pages) * double(sysconf(_SC_PAGESIZE));
}

}  // namespace

int main(int argc, char** argv) {
    using namespace rankscope;
    using namespace rankscope::gui;
    QApplication app(argc, argv);
    load_resources();
    apply_theme(app, ThemeChoice::Light, false);
    const QStringList args = QApplication::arguments();
    const int ranks = std::max(args.value(1).toInt(), 1);
    const int steps = std::max(args.value(2).toInt(), 1);

    std::mt19937 random(1);
    std::normal_distribution<float> noise(0, 1);
    LiveData data;
    data.set_plan(testing::synthetic_plan({.ranks = ranks}));
    const auto add_step = [&](std::vector<MetricSeries>& series, int step) {
        for (MetricSeries& rank : series) {
            rank.add(MetricId{0}, step, 2 + noise(random));
            rank.add(MetricId{1}, step, 0.5F + noise(random) / 10);
            rank.add(MetricId{2}, step, 1000 + noise(random));
        }
    };
    // The names in the order of their ids, as the first event of each rank brings them.
    for (int rank = 0; rank < ranks; ++rank) {
        data.apply(Event{0, 1, "node1", rank,
                         MetricEvent{0, 1, {{"loss", 2}, {"acc1", 0.5}, {"images_per_s", 1000}}, {}}});
    }
    const double before = resident();
    for (int step = 1; step <= steps; ++step) {
        add_step(data.series, step);
    }
    const double bytes = (resident() - before) / (3.0 * ranks * steps);
    LiveModel live;
    live.reset(std::move(data));
    MetricPlot plot;
    plot.resize(1190, 300);
    plot.set_live(&live);
    plot.set_metrics({"loss", "acc1", "images_per_s"});
    plot.show();
    QCoreApplication::processEvents();

    std::vector<double> frames;
    for (int frame = 0; frame < kFrames; ++frame) {
        // A step of every rank through the same door as live events.
        std::vector<QueuedItem> items;
        for (int rank = 0; rank < ranks; ++rank) {
            MetricEvent metric;
            metric.step = steps + 1 + frame;
            metric.values = {{"loss", 2 + noise(random)}, {"acc1", 0.5}, {"images_per_s", 1000}};
            items.emplace_back(Event{0, 1, "node1", rank, metric});
        }
        const double begin = cpu_ms();
        live.apply(items);
        plot.refresh();
        plot.plot()->replot(QCustomPlot::rpImmediateRefresh);
        frames.push_back(cpu_ms() - begin);
    }
    std::sort(frames.begin(), frames.end());
    std::printf(
        "%d ranks x %d steps x 3 metrics: %.1f ms a frame (median), %.1f ms (worst), %.2f bytes a point\n",
        ranks, steps, frames[kFrames / 2], frames.back(), bytes);
    return 0;
}
