// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/store_gather.h>
#include <engine/comm/store_protocol.h>
#include <engine/error.h>

#include <optional>

namespace rankscope::engine {
namespace {

std::string wait_for(Store& store, const std::string& key, int member, std::chrono::milliseconds timeout) {
    std::optional<std::string> value = store.get(key, timeout);
    if (!value) {
        throw Error("rank " + std::to_string(member) + " did not answer within " +
                    std::to_string(timeout.count() / 1000) + " s while the ranks connected (" + key + ")");
    }
    return *std::move(value);
}

}  // namespace

std::vector<std::string> gather_through(Store& store, const std::string& key, const std::string& mine,
                                        int member, int members, std::chrono::milliseconds timeout) {
    const auto key_of = [&](int of) { return key + "/" + std::to_string(of); };
    if (member == 0) {
        std::vector<std::string> all{mine};
        for (int other = 1; other < members; ++other) {
            all.push_back(wait_for(store, key_of(other), other, timeout));
        }
        store.set(key, store_protocol::encode({0, all}));
        return all;
    }
    store.set(key_of(member), mine);
    const auto message = store_protocol::decode(wait_for(store, key, 0, timeout));
    if (!message || message->fields.size() != static_cast<std::size_t>(members)) {
        throw Error("the store holds something else under " + key + " than a list of " +
                    std::to_string(members) + " texts");
    }
    return message->fields;
}

}  // namespace rankscope::engine
