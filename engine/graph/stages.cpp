// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/graph/cuts.h>
#include <engine/graph/graph_cost.h>
#include <engine/graph/rewrite.h>
#include <engine/graph/stages.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace rankscope::engine {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

/// Of a micro-batch, in multiply-adds. A number that an operation writes costs about as much as twenty: some 12 bytes of
/// memory traffic in the forward and the backward pass. A parameter costs as much as fifty, whatever the number of samples: its
/// weight is read three times, its gradient written, and added to that of other micro-batches. Vectors do not count: they
/// are few, and a bias may be on one slice of a network only, whose slices must be cut alike.
double work_of(const Graph& graph, const Node& node, std::int64_t samples) {
    constexpr double kPerElement = 20;
    constexpr double kPerParameter = 50;
    double parameters = 0;
    for (const ParameterId id : node.parameters) {
        const Shape& shape = graph.parameters[id].shape;
        parameters += shape.size() > 1 ? static_cast<double>(element_count(shape)) : 0;
    }
    return static_cast<double>(samples) *
               (multiply_adds(graph, node) +
                kPerElement * static_cast<double>(element_count(graph.values[node.output].shape))) +
           kPerParameter * parameters;
}

/// Where stages may end: behind a cut, with parameters on both sides.
struct Places {
    std::vector<std::size_t> ends;    ///< numbers of nodes before the place; the last one: all
    std::vector<double> work;         ///< of the nodes before each place
    std::vector<std::size_t> layers;  ///< with parameters, before each place
};

Places places_of(const Graph& graph, std::int64_t samples) {
    Places places;
    std::vector<std::size_t> ends;
    for (const std::size_t cut : cuts(graph)) {
        ends.push_back(cut + 1);
    }
    ends.push_back(graph.nodes.size());
    double work = 0;
    std::size_t layers = 0;
    std::size_t next = 0;
    for (const std::size_t end : ends) {
        for (; next < end; ++next) {
            work += work_of(graph, graph.nodes[next], samples);
            layers += graph.nodes[next].parameters.empty() ? 0 : 1;
        }
        places.ends.push_back(end);
        places.work.push_back(work);
        places.layers.push_back(layers);
    }
    return places;
}

struct Division {
    double cost = kImpossible;
    std::vector<std::size_t> ends;  ///< of the stages, numbers of nodes
};

/// Divides the network into stages of which each has at most `limit` work, with the least cost: `join` adds the work of a stage
/// to the cost of those before it.
template <typename Join>
Division divide(const Places& places, int stages, double limit, const Join& join) {
    const std::size_t count = places.ends.size();
    const auto work = [&](std::size_t from,
                          std::size_t to) {  // places; from = count: the begin of the network
        const bool begin = from == count;
        const std::size_t layers = places.layers[to] - (begin ? 0 : places.layers[from]);
        const double done = places.work[to] - (begin ? 0 : places.work[from]);
        return layers == 0 || done > limit ? kImpossible : done;
    };
    // The least cost of the first stages that end at each place, and where the one before ends.
    std::vector<std::vector<double>> least;
    std::vector<std::vector<std::size_t>> before;
    for (int stage = 0; stage < stages; ++stage) {
        std::vector<double> now(count, kImpossible);
        std::vector<std::size_t> from(count, count);
        for (std::size_t to = 0; to < count; ++to) {
            if (stage == 0) {
                now[to] = join(0.0, work(count, to));
                continue;
            }
            for (std::size_t at = 0; at < to; ++at) {
                const double cost = join(least.back()[at], work(at, to));
                if (cost < now[to]) {
                    now[to] = cost;
                    from[to] = at;
                }
            }
        }
        least.push_back(std::move(now));
        before.push_back(std::move(from));
    }
    Division division{.cost = least.back().back(), .ends = {}};
    if (division.cost == kImpossible) {
        return division;
    }
    std::size_t at = count - 1;
    for (std::size_t stage = least.size(); stage-- > 0;) {
        division.ends.push_back(places.ends[at]);
        at = before[stage][at];
    }
    std::reverse(division.ends.begin(), division.ends.end());
    return division;
}

/// Where the stages end: the longest one is as short as can be, but for a fiftieth, and the others are as equal as that
/// permits; empty: there are not enough places.
std::vector<std::size_t> best_ends(const Places& places, int stages) {
    constexpr double kSlack = 1.02;
    const Division shortest = divide(places, stages, kImpossible,
                                     [](double longest, double work) { return std::max(longest, work); });
    if (shortest.ends.empty()) {
        return {};
    }
    return divide(places, stages, kSlack * shortest.cost,
                  [](double sum, double work) { return sum + work * work; })
        .ends;
}

/// A graph of the nodes [begin, end).
class StageBuilder {
public:
    StageBuilder(const Graph& whole, std::size_t begin, std::size_t end) : whole_(whole) {
        const bool first = begin == 0;
        const ValueId input = first ? kInputValue : whole.nodes[begin - 1].output;
        values_[input] = kInputValue;
        stage_.graph.values.add(whole.values[input]);
        stage_.graph.continues = !first;
        for (std::size_t i = begin; i < end; ++i) {
            add(whole.nodes[i]);
        }
        if (end == whole.nodes.size()) {
            stage_.graph.classes = whole.classes;
            stage_.graph.rows = whole.rows;
        } else {
            hand_over();
        }
    }
    PipelineStage take() { return std::move(stage_); }

private:
    void add(Node node) {
        Graph& graph = stage_.graph;
        for (ValueId& input : node.inputs) {
            input = values_.at(input);
        }
        const ValueId output = graph.values.add(whole_.values[node.output]);
        values_[node.output] = output;
        node.output = output;
        for (ParameterId& parameter : node.parameters) {
            const auto [known, fresh] = parameters_.try_emplace(parameter, ParameterId{});
            if (fresh) {
                known->second = graph.parameters.add(whole_.parameters[parameter]);
                stage_.parameters.add(parameter);
            }
            parameter = known->second;
        }
        for (StatisticId& statistic : node.statistics) {
            stage_.statistics.add(statistic);
            statistic = graph.statistics.add(whole_.statistics[statistic]);
        }
        graph.nodes.push_back(std::move(node));
    }

    void hand_over() {
        Graph& graph = stage_.graph;
        const ValueId result = graph.nodes.back().output;
        const ValueId end = graph.values.add(graph.values[result]);
        graph.nodes.push_back({.operation = Handover{},
                               .inputs = {result},
                               .output = end,
                               .parameters = {},
                               .statistics = {},
                               .name = "handover"});
        graph.classes = element_count(graph.values[result].shape);
    }

    const Graph& whole_;
    PipelineStage stage_;
    std::map<ValueId, ValueId> values_;
    std::map<ParameterId, ParameterId> parameters_;
};

void mark_shared(std::vector<PipelineStage>& stages) {
    std::map<ParameterId, int> users;
    for (const PipelineStage& stage : stages) {
        for (const ParameterId parameter : stage.parameters) {
            ++users[parameter];
        }
    }
    for (PipelineStage& stage : stages) {
        for (const ParameterId id : stage.graph.parameters.indices()) {
            stage.graph.parameters[id].shared = users[stage.parameters[id]] > 1;
        }
    }
}

}  // namespace

std::string PipelineStage::layers() const {
    std::string first;
    std::string last;
    for (const Node& node : graph.nodes) {
        if (!node.parameters.empty()) {
            first = first.empty() ? node.name : first;
            last = node.name;
        }
    }
    return first == last ? first : first + " to " + last;
}

int most_pipeline_stages(const Graph& network) {
    const Places places = places_of(fuse(network), 1);
    int stages = 0;
    std::size_t layers = 0;
    for (std::size_t i = 0; i < places.ends.size(); ++i) {
        if (places.layers[i] > layers &&
            (i + 1 == places.ends.size() || places.layers[i] < places.layers.back())) {
            ++stages;
            layers = places.layers[i];
        }
    }
    return stages;
}

std::vector<PipelineStage> pipeline_stages(const Graph& network, int stages, std::int64_t samples) {
    const Graph whole = fuse(network);
    const std::vector<std::size_t> ends = best_ends(places_of(whole, samples), stages);
    if (ends.empty()) {
        throw ConfigError("the network cannot be cut into " + std::to_string(stages) +
                          " stages: parallel.pipeline.stages is at most " +
                          std::to_string(most_pipeline_stages(network)));
    }
    std::vector<PipelineStage> result;
    std::size_t begin = 0;
    double all = 0;
    for (const std::size_t end : ends) {
        result.push_back(StageBuilder(whole, begin, end).take());
        for (std::size_t i = begin; i < end; ++i) {
            result.back().share += work_of(whole, whole.nodes[i], samples);
        }
        all += result.back().share;
        begin = end;
    }
    for (PipelineStage& stage : result) {
        stage.share /= all;
    }
    mark_shared(result);
    return result;
}

std::int64_t handed_over(const Graph& stage) {
    return stage.hands_over() ? stage.classes : 0;
}

}  // namespace rankscope::engine
