// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a frame of the curves costs: plot_timing RANKS STEPS [METRICS]. Prints CPU milliseconds of the window's thread
// (median and worst) of taking one more step of every rank and drawing it as curves or band and as heat map; of a full
// redraw, which workers count and paint: the longest piece and all together; the same step of plain QCPGraph; the
// memory of a value; and a formula over all ranks. A tool for changes to the plot, not a test.

#include <gui/app/resources.h>
#include <gui/data/live_model.h>
#include <gui/plot/metric_plot.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <tests/gui/synthetic_run.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::gui;

namespace {

constexpr int kFrames = 100;

/// Of this thread: workers are not the window's.
double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

struct Cost {
    double median = 0;
    double worst = 0;
};

Cost cost_of(std::vector<double> costs) {
    std::sort(costs.begin(), costs.end());
    return {costs[costs.size() / 2], costs.back()};
}

Cost cost_of(int frames, const std::function<void(int)>& frame) {
    std::vector<double> costs;
    for (int i = 0; i < frames; ++i) {
        const double begin = cpu_ms();
        frame(i);
        costs.push_back(cpu_ms() - begin);
    }
    return cost_of(std::move(costs));
}

void print(const QString& what, const Cost& cost) {
    std::printf("  %-44s %7.1f ms (median) %7.1f ms (worst)\n", qPrintable(what), cost.median, cost.worst);
    std::fflush(stdout);
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

constexpr int kMostPlainValues = 200'000'000;  ///< 16 bytes each

const char* const kNames[] = {"loss", "acc1", "images_per_s"};

class Timing {
public:
    Timing(int ranks, int steps, int metrics) : ranks_(ranks), steps_(steps), metrics_(metrics) { fill(); }

    void run() {
        MetricPlot plot;
        plot.resize(1190, 300);
        plot.set_live(&live_);
        plot.set_metrics({kNames, kNames + metrics_});
        plot.show();
        settle(plot);
        measure(plot, ranks_ > 16 ? u"bands"_s : u"curves"_s);
        // Where there are several, the first remains a band.
        for (int metric = metrics_ - 1; metric >= 0 && ranks_ > 1; --metric) {
            plot.set_settings(kNames[metric], {.heat = true});
            if (metric == 1 || metrics_ == 1) {
                settle(plot);
                measure(plot, metrics_ == 1 ? u"heat map"_s : u"a band, heat maps"_s);
                break;
            }
        }
        plot.set_x_log(true);
        settle(plot);
        measure(plot, u"logarithmic x axis"_s);
        plot.set_all_settings({});
        settle(plot);
        measure(plot, u"logarithmic x axis, no heat map"_s);
        plot.set_x_log(false);
        formula(plot);
        plain();
    }

private:
    void fill() {
        LiveData data;
        data.set_plan(testing::synthetic_plan({.ranks = ranks_}));
        // The names in the order of their ids, as the first event of each rank brings them.
        for (int rank = 0; rank < ranks_; ++rank) {
            data.apply(Event{0, 1, "node1", rank, MetricEvent{0, 1, values(), {}}});
        }
        const double before = resident();
        for (int step = 1; step <= steps_; ++step) {
            for (MetricSeries& rank : data.series) {
                for (int metric = 0; metric < metrics_; ++metric) {
                    rank.add(MetricId{std::size_t(metric)}, step, 2 + noise_(random_));
                }
            }
        }
        const double bytes = (resident() - before) / (double(metrics_) * ranks_ * steps_);
        std::printf("%d ranks x %d steps x %d metrics: %.2f bytes a value\n", ranks_, steps_, metrics_,
                    bytes);
        last_ = steps_;
        live_.reset(std::move(data));
    }
    std::vector<std::pair<std::string, double>> values() {
        std::vector<std::pair<std::string, double>> values;
        for (int metric = 0; metric < metrics_; ++metric) {
            values.emplace_back(kNames[metric], 2 + double(noise_(random_)));
        }
        return values;
    }
    void measure(MetricPlot& plot, const QString& what) {
        std::vector<double> takes;
        std::vector<double> steps;
        for (int i = 0; i < kFrames; ++i) {
            const std::vector<QueuedItem> items = next_step();
            const double begin = cpu_ms();
            live_.apply(items);  // the same door as live events
            takes.push_back(cpu_ms() - begin);
            plot.refresh();
            plot.plot()->replot(QCustomPlot::rpImmediateRefresh);
            steps.push_back(cpu_ms() - begin);
        }
        if (live_.data().last_step() != double(last_)) {
            std::printf("  the last step was not taken\n");
        }
        print(what % u": a step more"_s, cost_of(std::move(steps)));
        print(u"  of that, taking the values"_s, cost_of(std::move(takes)));
        settle(plot);
        std::vector<double> longest;
        std::vector<double> all;
        for (int i = 0; i < kFrames / 10; ++i) {
            const double begin = cpu_ms();
            const double first = (i % 2) * 0.1 * steps_;
            plot.show_x(first, first + 0.89 * steps_);
            plot.plot()->replot(QCustomPlot::rpImmediateRefresh);
            const double asked = cpu_ms() - begin;
            longest.push_back(std::max(asked, finish(plot)));
            all.push_back(cpu_ms() - begin);
        }
        print(what % u": full redraw, longest piece"_s, cost_of(std::move(longest)));
        print(u"  all pieces"_s, cost_of(std::move(all)));
        plot.set_following(true);
        settle(plot);
    }
    /// A formula over all ranks beside the metrics: until it is there, and a step more.
    void formula(MetricPlot& plot) {
        const std::string name = "=loss - loss@mean";
        std::vector<std::string> names = plot.shown_metrics();
        for (const std::string& metric : names) {
            plot.set_settings(metric, {});
        }
        names.push_back(name);
        QElapsedTimer clock;
        clock.start();
        int draws = 0;
        const auto counted = QObject::connect(plot.plot(), &QCustomPlot::afterReplot, [&] { ++draws; });
        const double begin = cpu_ms();
        plot.set_metrics(names);
        const double asked = cpu_ms() - begin;
        const double longest = std::max(asked, finish(plot));
        std::printf(
            "  a formula of all ranks: %.1f s, of the window's thread %.0f ms, longest piece %.1f ms, %d "
            "redraws\n",
            double(clock.elapsed()) / 1e3, cpu_ms() - begin, longest, draws);
        QObject::disconnect(counted);
        measure(plot, u"with a formula"_s);
    }
    std::vector<QueuedItem> next_step() {
        ++last_;
        std::vector<QueuedItem> items;
        for (int rank = 0; rank < ranks_; ++rank) {
            items.emplace_back(Event{0, 1, "node1", rank, MetricEvent{last_, 1, values(), {}}});
        }
        return items;
    }
    /// Until the workers have counted and painted all, and it is drawn. The longest that the thread was busy.
    static double finish(MetricPlot& plot) {
        double longest = 0;
        const auto busy = [&] {
            return std::any_of(plot.panels().begin(), plot.panels().end(),
                               [](const auto& panel) { return panel->busy(); });
        };
        for (int idle = 0; idle < 3 || busy(); ++idle) {
            const double begin = cpu_ms();
            QCoreApplication::processEvents(QEventLoop::AllEvents);
            longest = std::max(longest, cpu_ms() - begin);
            idle = busy() ? -1 : idle;
            QThread::usleep(100);
        }
        return longest;
    }
    static void settle(MetricPlot& plot) {
        finish(plot);
        plot.refresh();
        plot.plot()->replot(QCustomPlot::rpImmediateRefresh);
        finish(plot);
    }
    /// What a program that gives all values to QCustomPlot pays for the same step.
    void plain() {
        if (double(ranks_) * steps_ > kMostPlainValues) {
            std::printf("  plain QCPGraph: left out, %.1f GB\n", 16e-9 * ranks_ * steps_);
            return;
        }
        QCustomPlot plot;
        plot.resize(1190, 300);
        for (int rank = 0; rank < ranks_; ++rank) {
            QVector<double> x(steps_);
            QVector<double> y(steps_);
            for (int i = 0; i < steps_; ++i) {
                x[i] = i + 1;
                y[i] = 2 + double(noise_(random_));
            }
            plot.addGraph()->setData(x, y, true);
        }
        plot.yAxis->setRange(-3, 7);
        plot.show();
        int last = steps_;
        print(u"plain QCPGraph, one panel: a step more"_s, cost_of(5, [&](int) {
                  ++last;
                  for (int rank = 0; rank < ranks_; ++rank) {
                      plot.graph(rank)->addData(last, 2);
                  }
                  plot.xAxis->setRange(0, last);
                  plot.replot(QCustomPlot::rpImmediateRefresh);
              }));
    }

    int ranks_;
    int steps_;
    int metrics_;
    std::int64_t last_ = 0;
    std::mt19937 random_{1};
    std::normal_distribution<float> noise_{0, 1};
    LiveModel live_;
};

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    load_resources();
    apply_theme(app, ThemeChoice::Light, false);
    const QStringList args = QApplication::arguments();
    const int metrics = std::clamp(args.size() > 3 ? args.value(3).toInt() : 3, 1, 3);
    Timing(std::max(args.value(1).toInt(), 1), std::max(args.value(2).toInt(), 1), metrics).run();
    return 0;
}
