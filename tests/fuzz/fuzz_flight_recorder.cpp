// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A dump of PyTorch's Flight Recorder, written by the user's process: a pickle, which is a program in other hands.

#include "target.h"

#include <remote/observe/flight_recorder/flight_groups.h>
#include <remote/observe/flight_recorder/flight_match.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const std::string_view bytes = fuzz::as_text(data, size);
    const auto dump = read_flight_dump(bytes);
    if (!dump) {
        return 0;
    }
    for (const FlightEntry& entry : dump->entries) {
        fuzz::require(!entry.operation.empty(), "an entry says what was called");
    }
    // Beside itself it differs in nothing; beside a shorter file, perhaps.
    for (const FlightFinding& finding : match_flight_dumps({{0, *dump}, {1, *dump}})) {
        fuzz::require(finding.fault == FlightFault::Unfinished || finding.fault == FlightFault::NoDump,
                      "equal ranks do not differ");
    }
    const auto half = read_flight_dump(bytes.substr(0, size / 2));
    for (const FlightFinding& finding :
         match_flight_dumps({{0, *dump}, {3, half.value_or(FlightDump{})}}, 8)) {
        fuzz::require(!finding.variants.empty(), "a finding says what was called");
    }
    for (const int world : {0, 2, 8}) {
        const std::vector<ObservedGroup> groups =
            observed_groups({{0, *dump}, {1, half.value_or(FlightDump{})}});
        const Mesh mesh = infer_mesh(groups, world);
        fuzz::require(mesh.places.size() == groups.size(), "every group has a place");
        for (const GroupPlace& place : mesh.places) {
            fuzz::require(place.number >= 0 && place.number < place.groups, "numbers count the groups");
            fuzz::require((place.role == GroupRole::Unknown) == place.axis.empty(), "a purpose has a name");
        }
        fuzz::require(mesh.coordinates.size() == static_cast<std::size_t>(world), "every rank has a place");
        for (const std::vector<int>& places : mesh.coordinates) {
            fuzz::require(places.size() == mesh.axes.size(), "a place on each axis");
        }
    }
    return 0;
}
