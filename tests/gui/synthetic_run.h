// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>
#include <remote/desk/runs/store/run_store.h>

#include <functional>
#include <string>
#include <vector>

/// Synthetic runs, with the events that nodes and desk would send: for tests and for looking at the
/// window.
namespace rankscope::gui::testing {

/// Queued: under Slurm, no nodes yet. Paused, Saving: requested by the user and in progress.
enum class Fate { Running, Done, Killed, CannotStart, Stopped, Queued, Paused, Saving };

struct SyntheticRun {
    std::string name = "mnist-convnet";
    std::string id = "run-1";
    int ranks = 4;
    std::vector<std::string> nodes = {"node1", "node2"};
    int epochs = 2;
    int steps_per_epoch = 300;
    double until = 1;  ///< share of all steps that were done
    Fate fate = Fate::Done;
    std::int64_t start_us = 1'760'000'000'000'000;
    int log_every = 50;
    bool notices = false;  ///< the nodes notice this and that
    int gpus = -1;         ///< of each node that is sampled; -1: no samples
};

LaunchPlan synthetic_plan(const SyntheticRun& run);
void synthetic_events(const SyntheticRun& run, const std::function<void(const Event&)>& sink);
LiveData synthetic_data(const SyntheticRun& run);
/// The run before its first step: these ranks are not at the rendezvous.
LiveData starting_data(const SyntheticRun& run, const std::vector<int>& missing, double waited_s = 12);
/// Rank 1 reads a file whose server does not answer; the others wait for it.
Verdict synthetic_verdict(const SyntheticRun& run, VerdictPhase phase, std::int64_t since_us);
RunRecord synthetic_record(const SyntheticRun& run);
/// Writes the run into a store, as a run that happened there.
void store_run(RunStore& store, const SyntheticRun& run);

NodeFacts synthetic_facts(const std::string& hostname, int gpus);

}  // namespace rankscope::gui::testing
