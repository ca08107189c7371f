// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/logs/file_log.h>
#include <gui/logs/logs_page.h>
#include <gui/nccl/map_view.h>
#include <gui/nccl/nccl_data.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <tests/gui/nccl_shots.h>
#include <tests/gui/synthetic_nccl.h>
#include <tests/gui/synthetic_run.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rankscope::gui::testing {

namespace {

void wait_for_log(const std::function<bool()>& condition) {
    QElapsedTimer timer;
    timer.start();
    while (!condition() && timer.elapsed() < 20000) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
}

std::string shared_log(const char* name) {
    const char* given = std::getenv("RANKSCOPE_SHARED");
    const std::filesystem::path folder = given != nullptr ? given : "../shared";
    return (folder / "nccl-logs" / name).string();
}

/// The run's ranks print the log, each its lines.
void print(RunStore& store, const SyntheticRun& run, const SyntheticNccl& what) {
    std::vector<Event> events;
    const std::string log = nccl_log(what);
    for (int rank = 0; rank < run.ranks; ++rank) {
        const std::string host =
            what.host + std::to_string(rank / what.gpus) + ':' + std::to_string(100 + rank % what.gpus) + ':';
        std::string own;
        for (std::size_t at = 0; at < log.size();) {
            const std::size_t end = log.find('\n', at) + 1;
            if (log.compare(at, host.size(), host) == 0) {
                own += log.substr(at, end - at);
            }
            at = end;
        }
        events.push_back({std::uint64_t(rank) + 1, run.start_us, "nccl", rank, LogEvent{false, own, 0}});
    }
    (void)store.append(run.id, events);
}

void live_shot(QSize size, const std::function<void(QWidget*, const char*)>& take) {
    const QTemporaryDir folder;
    Options options;
    options.data_dir = ss(folder.path());
    options.inventory_file = ss(folder.path() + u"/cluster.yaml"_s);
    options.probe_this_computer = false;
    const SyntheticRun run{.id = "nccl", .ranks = 16, .gpus = 8};
    const SyntheticNccl what{.nodes = 2, .gpus = 8, .channels = 4, .all_devices = true, .host = "node"};
    MainWindow window(options);
    window.resize(size);
    window.show();
    wait_for_log([&] { return window.workspace()->store_settled(); });
    store_run(*window.workspace()->store(), run);
    print(*window.workspace()->store(), run, what);
    LiveData data = synthetic_data(run);
    for (int rank = 0; rank < run.ranks; ++rank) {
        data.log.append(rank, false, "node-line\n", run.start_us);
    }
    window.show_page(MainWindow::Page::Live);
    window.live_page()->show_stored(std::move(data));
    window.findChild<QToolButton*>(u"showNccl"_s)->click();
    NcclData* nccl = window.live_page()->nccl()->data();
    auto* view = window.findChild<MapView*>(u"ncclMap"_s);
    wait_for_log([&] { return nccl->snapshot()->complete && view->picture(); });
    take(&window, "nccl-live");
}

void logs_shots(QSize size, const std::function<void(QWidget*, const char*)>& take) {
    const QTemporaryDir folder;
    Options options;
    options.data_dir = ss(folder.path());
    options.inventory_file = ss(folder.path() + u"/cluster.yaml"_s);
    options.probe_this_computer = false;
    MainWindow window(options);
    window.resize(size);
    window.show();
    window.show_page(MainWindow::Page::Logs);
    take(&window, "nccl-logs-empty");
    const auto shoot = [&](const std::string& file, const char* name, int tab) {
        if (!std::filesystem::exists(file)) {
            return;
        }
        window.logs_page()->open({file});
        wait_for_log([&] { return window.logs_page()->data().snapshot()->complete; });
        const auto* lines = window.findChild<FileLog*>(u"fileLog"_s);
        wait_for_log([&] { return !lines->lines().reading() && !lines->merged().merging(); });
        window.findChild<QTabWidget*>(u"logsTabs"_s)->setCurrentIndex(tab);
        auto* card = window.logs_page()->findChild<FailureBanner*>();
        if (card != nullptr && card->report().lines.at(0).line > 0) {
            emit card->placeRequested(qs(card->report().lines.at(0).file), card->report().lines.at(0).line);
        }
        take(&window, name);
    };
    const std::string file = ss(folder.path()) + "/node-a and node-b.log";
    std::ofstream(file)
        << nccl_log({.between = "NET/Socket/0", .network = "Socket"})
        << "node-0:100:100 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ens9\n"
           "node-0:100:100 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found\n";
    shoot(file, "nccl-logs-map", 0);
    shoot(file, "nccl-logs-timeline", 1);
    shoot(file, "nccl-logs-facts", 2);
    const std::filesystem::path ranks = std::filesystem::path(ss(folder.path())) / "attempt_0";
    for (int rank = 0; rank < 4; ++rank) {
        const auto own = ranks / std::to_string(rank);
        std::filesystem::create_directories(own);
        std::ofstream log(own / "stderr.log");
        for (int step = 0; step < 40; ++step) {
            log << "2026-01-02 03:0" << step / 10 << ':' << 10 + step % 10 * 5 + rank
                << ",250 INFO train step " << step
                << (step % 7 == rank ? "\n    loss 0.31, the gradient's norm is 2.7\n" : "\n");
        }
    }
    window.findChild<QToolButton*>(u"fileLogByTime"_s)->setChecked(true);
    shoot(ranks.string(), "nccl-logs-by-time", 1);
    const std::filesystem::path dumps = std::filesystem::path(ss(folder.path())) / "dumps";
    std::filesystem::create_directories(dumps);
    for (const std::string rank : {"0", "1"}) {
        std::filesystem::copy_file(RANKSCOPE_TEST_DATA "/flight_recorder/nccl-skipped-" + rank + ".pickle",
                                   dumps / ("nccl_trace_rank_" + rank));
    }
    shoot(dumps.string(), "nccl-logs-dumps", 2);
    shoot(shared_log("log-0127.txt"), "nccl-logs-healthy", 0);
    shoot(shared_log("log-0089.txt"), "nccl-logs-real", 1);
}

}  // namespace

void nccl_shots(QSize size, const std::function<void(QWidget*, const char*)>& take) {
    live_shot(size, take);
    logs_shots(size, take);
    const QTemporaryDir folder;
    const auto shoot = [&](const std::string& file, const char* name, bool open_one = false) {
        if (!std::filesystem::exists(file)) {
            return;
        }
        NcclData data(QThreadPool::globalInstance());
        NcclPane pane(&data);
        pane.resize(size.width() - 110, size.height() * 6 / 10);
        pane.show();
        data.show_files({file});
        auto* view = pane.findChild<MapView*>(u"ncclMap"_s);
        wait_for_log([&] {
            return data.snapshot()->complete &&
                   (data.snapshot()->facts.nccl_lines == 0 ||
                    (view->picture() && view->picture()->snapshot == data.snapshot()));
        });
        if (open_one) {
            QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                              view->to_viewport(view->layout_shown().boxes.at(9).box.center()));
        }
        take(&pane, name);
    };
    const auto shoot_text = [&](const std::string& text, const char* name, bool open_one = false) {
        const std::string file = ss(folder.path()) + "/" + name + ".log";
        std::ofstream(file) << text;
        shoot(file, name, open_one);
    };
    shoot_text(nccl_log({.channels = 4, .all_devices = true}), "nccl-healthy");
    shoot_text(nccl_log({.between = "NET/Socket/0", .network = "Socket"}), "nccl-tcp");
    shoot_text(nccl_log({.inside = "SHM/direct/direct", .between = "NET/IB/0"}) +
                   "node-0:100:100 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1\n",
               "nccl-shm");
    shoot_text(nccl_log({.channels = 4, .all_devices = true, .silent = {3, 12}}), "nccl-gap");
    shoot_text(nccl_log({.nodes = 128, .channels = 4, .all_devices = true}), "nccl-thousand");
    shoot_text(nccl_log({.nodes = 128, .channels = 4, .all_devices = true}), "nccl-thousand-open", true);
    shoot_text(nccl_log({.nodes = 1, .gpus = 1}), "nccl-one");
    shoot_text(nccl_log({.nodes = 3,
                         .gpus = 4,
                         .host = "gpu-worker-with-a-name-that-operations-made-eighty-characters-long-"}),
               "nccl-names");
    shoot_text("epoch 1\n", "nccl-none");
    shoot(shared_log("log-0134.txt"), "nccl-real-tcp");
    shoot(shared_log("log-0285.txt"), "nccl-real-efa");
    shoot(shared_log("log-0127.txt"), "nccl-real-one-node");
}

}  // namespace rankscope::gui::testing
