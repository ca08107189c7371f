// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// The parts of the native engine that lie beside this program.
struct EngineParts {
    /// Read from the bundle that is sent to nodes with this processor; empty: this computer's.
    static EngineParts of_bundle(const std::string& machine = {});
    /// The parts that the engines of all nodes have. A node without known facts counts as this computer.
    static EngineParts of_nodes(const Inventory& inventory, const Job& job, const KnownFacts& facts);

    bool cuda = false;           ///< it was built with CUDA
    std::string cuda_version{};  ///< "13.0"; empty: not known
};

/// A value of a key, and why this run cannot use it; empty: it can.
struct ComputeOffer {
    std::string value;
    std::string why_not;
};

/// What the nodes of a job offer for device, backend and precision. What is not known of a node hinders nothing.
struct ComputeOffers {
    std::vector<ComputeOffer> devices;     ///< of train.device
    std::vector<ComputeOffer> backends;    ///< of backend
    std::vector<ComputeOffer> precisions;  ///< of train.precision, on `device`
    std::string device;                    ///< "cuda" or "cpu": what the native engine computes on
    std::string why;                       ///< that device, where the job leaves it to the plan

    /// Why not; empty: it can be used, or is not a value of the key.
    static std::string why_not(const std::vector<ComputeOffer>& offers, const std::string& value);
};

ComputeOffers compute_offers(const std::vector<NodeSpec>& nodes, const Job& job, const KnownFacts& facts,
                             const EngineParts& engine);

/// make_node_plan() (launch_plan.h) with another engine than the one beside this program.
Result<LaunchPlan> make_node_plan(const Inventory& inventory, const Job& job, const KnownFacts& facts,
                                  const EngineParts& engine);

/// Says what the native engine computes on, where the job leaves it to the plan, and what its precision means there.
void add_device_notes(const Job& job, const ComputeOffers& offers, std::vector<std::string>& notes);

/// The GPUs that this node offers to the run. `facts` may be null.
std::vector<int> gpus_of(const NodeSpec& node, const Job& job, const NodeFacts* facts);
/// A value of the native engine's section, such as "device"; empty: the job does not give it.
std::string train_word(const Job& job, const std::string& key);

}  // namespace rankscope::inline jobs
