// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The window under a long, fast run: live_soak [--ranks 1024] [--hz 10] [--metrics 20] [--seconds 600]. Simulated nodes
// write frames as agents do; these are read, tracked, stored and shown by the desk's own code in a whole window. Prints
// how long the event loop stood still, the time from emission to the picture, memory, and whether all arrived. A tool
// for changes to the window, not a test; exit status 1: something was lost.

#include <base/clock.h>
#include <gui/app/compact_heap.h>
#include <gui/app/main_window.h>
#include <gui/app/resources.h>
#include <gui/live/live_page.h>
#include <gui/nccl/nccl_data.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/plot/metric_plot.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <remote/desk/runs/run/event_pump.h>
#include <remote/desk/runs/run/log_diagnosis.h>
#include <remote/wire/event_wire.h>
#include <remote/wire/frame_codec.h>

#include <malloc.h>
#include <qcustomplot.h>
#include <tests/gui/synthetic_run.h>
#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

using namespace rankscope;
using namespace rankscope::gui;

namespace {

struct Load {
    int ranks = 1024;
    int hz = 10;
    int metrics = 20;
    int seconds = 600;
    int ranks_per_node = 8;
};

/// Resident memory, MB: the program's own, and pages of files, which the kernel takes back when it needs them.
struct Memory {
    double own = 0;
    double files = 0;
    double in_use = 0;  ///< of `own`, what was asked for and not given back

    static Memory now() {
        Memory memory;
        std::ifstream status("/proc/self/status");
        for (std::string line; std::getline(status, line);) {
            const double mb =
                std::strtod(line.c_str() + std::min(line.find(':') + 1, line.size()), nullptr) / 1e3;
            if (line.starts_with("RssAnon:")) {
                memory.own = mb;
            } else if (line.starts_with("RssFile:") || line.starts_with("RssShmem:")) {
                memory.files += mb;
            }
        }
        const struct mallinfo2 heap = ::mallinfo2();
        memory.in_use = double(heap.uordblks + heap.hblkhd) / 1e6;
        return memory;
    }
};

double thread_cpu_s() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
}

/// Of times in ms, to a tenth of one. Its memory does not grow: that of the window is measured.
class Quantiles {
public:
    void add(double ms) {
        ++counts_[std::size_t(std::clamp(ms * 10, 0.0, double(counts_.size() - 1)))];
        ++size_;
        worst_ = std::max(worst_, ms);
    }
    double at(double share) const {
        std::size_t before = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            before += counts_[i];
            if (double(before) > share * double(size_)) {
                return double(i + 1) / 10;
            }
        }
        return std::nan("");
    }
    void print(const char* what) const {
        std::printf("%-28s p50 %7.1f ms, p99 %7.1f ms, worst %7.1f ms (%zu)\n", what, at(0.5), at(0.99),
                    worst_, size_);
    }

private:
    std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(200'000);
    std::size_t size_ = 0;
    double worst_ = 0;
};

/// All nodes, on one thread: each rank reports its step once in a period, spread over the period, and a line a second.
class Nodes {
public:
    Nodes(const Load& load, EventPump& pump) : load_(load), pump_(pump) {
        for (int i = 0; i < load.metrics; ++i) {
            names_.push_back(i == 0   ? "loss"
                             : i == 1 ? "acc1"
                                      : "section" + std::to_string(i % 4) + "/value" + std::to_string(i));
        }
        readers_.resize(std::size_t((load.ranks + load.ranks_per_node - 1) / load.ranks_per_node));
        seqs_.resize(readers_.size());
    }

    void run(const std::atomic<bool>& stop) {
        const double begin = monotonic_s();
        const std::int64_t steps = std::int64_t(load_.seconds) * load_.hz;
        for (std::int64_t step = 0; step < steps && !stop; ++step) {
            for (int rank = 0; rank < load_.ranks; ++rank) {
                const double due = begin + (double(step) + double(rank) / load_.ranks) / load_.hz;
                if (const double early = due - monotonic_s(); early > 0.002) {
                    std::this_thread::sleep_for(std::chrono::duration<double>(early));
                }
                report(step, rank);
            }
            steps_ = step + 1;
        }
    }

    std::int64_t steps() const { return steps_; }
    std::int64_t lines() const { return lines_; }
    /// By which the last report was late, seconds: this program itself could not keep up.
    static double late(double begin, const Load& load, std::int64_t steps) {
        return monotonic_s() - begin - double(steps) / load.hz;
    }

private:
    void report(std::int64_t step, int rank) {
        MetricEvent metric;
        metric.step = step;
        metric.epoch = 0;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const double noise = double((step * 7919 + rank * 104729 + std::int64_t(i) * 31) % 1000) / 1000;
            metric.values.emplace_back(names_[i], 2 * std::exp(-double(step) / 2000) + 0.1 * noise);
        }
        send(rank, std::move(metric));
        if ((step + rank) % load_.hz == 0) {
            send(rank, LogEvent{false, line(step, rank), 0});
            ++lines_;
        }
    }
    /// What a script prints, and one line in ten of NCCL, which the NCCL pane keeps, too.
    std::string line(std::int64_t step, int rank) const {
        if ((step / load_.hz + rank) % 10 != 0) {
            return "step " + std::to_string(step) + ": loss 0.6931, 1,270 images/s, data 1.2 ms, rank " +
                   std::to_string(rank) + '\n';
        }
        return "node" + std::to_string(rank / load_.ranks_per_node + 1) + ":4711:4711 [" +
               std::to_string(rank % load_.ranks_per_node) + "] NCCL INFO Channel 00/32 : step " +
               std::to_string(step) + '\n';
    }
    void send(int rank, EventBody body) {
        const auto node = std::size_t(rank / load_.ranks_per_node);
        const Event event{++seqs_[node], now_us(), {}, rank, std::move(body)};
        std::string bytes;
        append_frame(bytes, to_wire(event).SerializeAsString());
        readers_[node].feed(bytes);
        while (const auto payload = readers_[node].next()) {
            wire::Event frame;
            if (frame.ParseFromArray(payload->data(), int(payload->size()))) {
                pump_.post(from_wire(frame, "node" + std::to_string(node + 1)));
            }
        }
    }

    const Load& load_;
    EventPump& pump_;
    std::vector<std::string> names_;
    std::vector<FrameReader> readers_;
    std::vector<std::uint64_t> seqs_;
    std::atomic<std::int64_t> steps_{0};
    std::atomic<std::int64_t> lines_{0};
};

/// What the window's thread sees of it.
class Watch : public QObject {
public:
    Watch(MetricPlot* plot, LiveModel* model, std::shared_ptr<EventQueue> queue)
        : model_(model), queue_(std::move(queue)) {
        constexpr int kRefreshMs = 50;  // as the window does it
        connect(&drain_, &QTimer::timeout, this, [this] { drain(); });
        drain_.start(kRefreshMs);
        // A timer of a millisecond that comes late: the loop was busy.
        connect(&pulse_, &QTimer::timeout, this, [this] {
            stalls_.add(std::max(0.0, double(since_pulse_.nsecsElapsed()) / 1e6 - 1));
            since_pulse_.restart();
        });
        pulse_.setTimerType(Qt::PreciseTimer);
        since_pulse_.start();
        pulse_.start(1);
        connect(plot->plot(), &QCustomPlot::afterReplot, this, [this, plot] {
            // While a worker paints, an earlier picture is seen.
            if (std::any_of(plot->panels().begin(), plot->panels().end(),
                            [](const auto& panel) { return panel->busy(); })) {
                return;
            }
            drawn_.insert(drawn_.end(), taken_.begin(), taken_.end());
            taken_.clear();
        });
        plot->plot()->installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint && !drawn_.empty()) {
            // The picture is on its way to the screen when the paint event is over.
            QTimer::singleShot(0, this, [this, drawn = std::exchange(drawn_, {})] {
                const std::int64_t now = now_us();
                for (const std::int64_t emitted : drawn) {
                    latency_.add(double(now - emitted) / 1e3);
                }
            });
        }
        return QObject::eventFilter(watched, event);
    }

    Quantiles& stalls() { return stalls_; }
    Quantiles& latency() { return latency_; }
    void forget() {
        stalls_ = {};
        latency_ = {};
    }
    std::int64_t reports() const { return reports_; }
    std::int64_t lines() const { return lines_; }
    void drain() {
        const std::vector<QueuedItem> items = queue_->take();
        std::int64_t newest = 0;
        for (const auto& item : items) {
            if (const auto* event = std::get_if<Event>(&item)) {
                reports_ += event->as<MetricEvent>() != nullptr ? 1 : 0;
                lines_ += event->as<LogEvent>() != nullptr ? 1 : 0;
                // One of some hundred is enough, and the oldest of a batch waits longest.
                if (event->as<MetricEvent>() != nullptr && newest == 0) {
                    newest = event->t_us;
                }
            }
        }
        if (newest != 0) {
            taken_.push_back(newest);
        }
        if (!items.empty()) {
            model_->apply(items);
        }
    }

private:
    LiveModel* model_;
    std::shared_ptr<EventQueue> queue_;
    QTimer drain_;
    QTimer pulse_;
    QElapsedTimer since_pulse_;
    Quantiles stalls_;
    Quantiles latency_;
    std::vector<std::int64_t> taken_;
    std::vector<std::int64_t> drawn_;
    std::int64_t reports_ = 0;
    std::int64_t lines_ = 0;
};

Load load_of(const QApplication& app) {
    QCommandLineParser parser;
    parser.addHelpOption();
    Load load;
    std::vector<std::pair<QString, int*>> numbers{{u"ranks"_s, &load.ranks},
                                                  {u"hz"_s, &load.hz},
                                                  {u"metrics"_s, &load.metrics},
                                                  {u"seconds"_s, &load.seconds}};
    for (const auto& [name, value] : numbers) {
        parser.addOption({name, QString(), u"N"_s, QString::number(*value)});
    }
    parser.process(app);
    for (const auto& [name, value] : numbers) {
        *value = std::max(1, parser.value(name).toInt());
    }
    return load;
}

}  // namespace

int main(int argc, char** argv) {
    keep_heap_compact();
    QApplication app(argc, argv);
    load_resources();
    apply_theme(app, ThemeChoice::Light, false);
    const Load load = load_of(app);
    QTemporaryDir folder;
    Options options;
    options.data_dir = ss(folder.path());
    options.inventory_file = ss(folder.path() + u"/cluster.yaml"_s);
    options.probe_this_computer = false;
    MainWindow window(options);
    window.resize(1600, 900);
    window.show();

    testing::SyntheticRun shape;
    shape.ranks = load.ranks;
    shape.nodes.clear();
    for (int node = 0; node * load.ranks_per_node < load.ranks; ++node) {
        shape.nodes.push_back("node" + std::to_string(node + 1));
    }
    const LaunchPlan plan = testing::synthetic_plan(shape);
    RunRecord record = testing::synthetic_record(shape);
    record.plan = plan;
    const auto store = RunStore::open(ss(folder.path() + u"/soak.sqlite"_s));
    if (!store || !(*store)->create_run(record)) {
        std::fprintf(stderr, "live_soak: no store in %s\n", qPrintable(folder.path()));
        return 2;
    }
    LiveModel* model = window.workspace()->session()->model();
    auto queue = std::make_shared<EventQueue>();
    EventPump::Hooks hooks;
    LogDiagnosis reading(
        record.run_id, [](const Event&) {}, ReadingDepth::All);
    hooks.events = [queue, &reading](const Event& event) {
        reading.observe(event);
        queue->push(event);
    };
    hooks.plan = [](const LaunchPlan&) {};
    EventPump pump(record.run_id, *store, std::move(hooks));
    pump.set_plan(plan);
    LiveData data;
    data.set_plan(plan);
    model->reset(std::move(data));
    window.show_page(MainWindow::Page::Live);
    window.live_page()->show_session();
    // No controller runs it, so that the reading is an own one.
    window.live_page()->nccl()->data()->show_run(
        model, nullptr, [&](auto looking) { return reading.look(std::move(looking)); });

    Watch watch(window.live_page()->plot(), model, queue);
    Nodes nodes(load, pump);
    std::atomic<bool> stop{false};
    const double begin = monotonic_s();
    std::thread producer([&] { nodes.run(stop); });

    Memory warm;
    double warm_values = 0;
    const double cpu_begin = thread_cpu_s();
    const double warm_s = std::min(60.0, load.seconds / 4.0);
    const double value_count = double(load.ranks) * load.metrics;
    QElapsedTimer printed;
    printed.start();
    while (monotonic_s() - begin < load.seconds) {
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
        if (warm.own == 0 && monotonic_s() - begin > warm_s) {
            warm = Memory::now();
            warm_values = value_count * double(nodes.steps());
            watch.forget();
        }
        if (printed.elapsed() > 30'000) {
            printed.restart();
            const Memory memory = Memory::now();
            std::printf(
                "%4.0f s: %lld steps, %.1f MB (%.1f in use) and %.0f MB of files, producer late by %.2f s\n",
                monotonic_s() - begin, static_cast<long long>(nodes.steps()), memory.own, memory.in_use,
                memory.files, Nodes::late(begin, load, nodes.steps()));
            std::fflush(stdout);
        }
    }
    const double cpu = thread_cpu_s() - cpu_begin;
    const double took = monotonic_s() - begin;
    const Memory end = Memory::now();
    const double end_values = value_count * double(nodes.steps());
    stop = true;
    producer.join();
    pump.close();
    watch.drain();

    std::printf("%d ranks at %d Hz, %d metrics, %.0f s\n", load.ranks, load.hz, load.metrics, took);
    watch.stalls().print("event loop stands still");
    watch.latency().print("emission to picture");
    std::printf("window's thread: %.0f %% of a core\n", 100 * cpu / took);
    std::printf(
        "memory: %.0f MB after %.0f s, %.0f MB at the end: %.2f bytes for each of %.0f million values "
        "between; of files %.0f and %.0f MB\n",
        warm.own, warm_s, end.own, (end.own - warm.own) * 1e6 / std::max(end_values - warm_values, 1.0),
        (end_values - warm_values) / 1e6, warm.files, end.files);
    const std::int64_t expected = nodes.steps() * load.ranks;
    std::printf("reports %lld of at least %lld, lines %lld of %lld\n",
                static_cast<long long>(watch.reports()), static_cast<long long>(expected),
                static_cast<long long>(watch.lines()), static_cast<long long>(nodes.lines()));
    return watch.reports() >= expected && watch.lines() == nodes.lines() ? 0 : 1;
}
