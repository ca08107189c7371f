// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/group_words.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";

}  // namespace

std::string group_words(const GroupPlace& place, const ObservedGroup& group) {
    if (place.axis.empty() || place.role == GroupRole::World) {
        return {};
    }
    return place.groups > 1 ? text(kContext, "%1 group %2 (ranks %3)",
                                   {place.axis, std::to_string(place.number), list_ranks(group.ranks)})
                            : text(kContext, "%1 group (ranks %2)", {place.axis, list_ranks(group.ranks)});
}

std::map<std::string, std::string> words_of_groups(const std::vector<ObservedGroup>& groups, int world_size) {
    const Mesh mesh = infer_mesh(groups, world_size);
    std::map<std::string, std::string> words;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (std::string one = group_words(mesh.places[i], groups[i]); !one.empty()) {
            words.emplace(groups[i].name, std::move(one));
        }
    }
    return words;
}

}  // namespace rankscope::inline runs
