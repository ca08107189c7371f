// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>
#include <engine/comm/gloo_terminate.h>
#include <engine/error.h>
#include <engine/train/process_exit.h>
#include <engine/train/run_worker.h>
#include <engine/worker/program.h>

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>

namespace rankscope::engine {
namespace {

/// libgomp's threads spin while they wait. On a machine whose cores are shared with other programs that costs
/// most of the speed (measured with two threads beside a busy neighbour: 515 images/s instead of 1541). It
/// reads its variables before main, so the process starts itself a second time, once.
void disable_openmp_spinning(char** argv) {
    const char* threads = std::getenv("OMP_NUM_THREADS");
    const bool single = threads != nullptr && std::string_view(threads) == "1";
    if (!single && std::getenv("GOMP_SPINCOUNT") == nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr) {
        setenv("GOMP_SPINCOUNT", "0", 1);
        execv("/proc/self/exe", argv);  // where that fails, training is only slower
    }
}

int run(const std::function<int(MetricsSink&)>& work) {
    end_on_signals();
    end_on_exceptions_of_gloo([](const std::string& what) {
        std::this_thread::sleep_for(std::chrono::seconds(1));  // the watch names the rank, if it can
        end_process(kExitPeerLost, "another rank is gone: " + what);
    });
    const char* pipe = std::getenv(kMetricsPipeVariable);
    MetricsSink metrics(pipe == nullptr ? "" : pipe);
    try {
        return work(metrics);
    } catch (const PeerLostError& error) {
        end_after_peer_loss(metrics, error.what(), error.rank());
    } catch (const ConfigError& error) {
        end_process(kExitWrongUse, error.what());
    }
}

}  // namespace

int run_program(char** argv, const std::function<int(MetricsSink&)>& work) {
    disable_openmp_spinning(argv);
    try {
        return run(work);
    } catch (const std::exception& error) {
        end_process(1, error.what());
    }
}

}  // namespace rankscope::engine
