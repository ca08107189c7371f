// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The pickle in a file of torch.save: in other hands a program, here data only.

#include "target.h"

#include <engine/checkpoint/pickle.h>
#include <engine/error.h>

namespace {

using namespace rankscope;
using namespace rankscope::engine;

/// Every value refers to values that are there, and nothing below it leads back.
void walk(const PickleTree& tree, PickleId id, int depth) {
    fuzz::require(depth < 200, "the nesting is bounded");
    const PickleValue& value = tree.at(id);
    if (const auto* dict = std::get_if<PickleDict>(&value); dict != nullptr && depth < 4) {
        for (const auto& [key, item] : dict->items) {
            walk(tree, key, depth + 1);
            walk(tree, item, depth + 1);
        }
    } else if (const auto* tensor = tree.object<PickleTensor>(id)) {
        fuzz::require(tensor->shape.size() == tensor->stride.size(), "a stride for each dimension");
    }
    tree.number(id);
    tree.find(id, "state_dict");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const PickleTree tree = read_pickle(fuzz::as_text(data, size));
        fuzz::require(tree.nodes.size() <= size, "no more values than bytes");
        walk(tree, tree.root, 0);
    } catch (const Error&) {
    }
    return 0;
}
