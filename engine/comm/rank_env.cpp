// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>
#include <base/text.h>
#include <engine/comm/rank_env.h>
#include <engine/error.h>

#include <cmath>
#include <cstdlib>

namespace rankscope::engine {
namespace {

std::optional<std::int64_t> whole_number(const EnvLookup& lookup, const std::string& name, std::int64_t min,
                                         std::int64_t max) {
    const std::optional<std::string> text = lookup(name);
    if (!text || text->empty()) {
        return std::nullopt;
    }
    const auto value = parse_number<std::int64_t>(*text);
    if (!value || *value < min || *value > max) {
        throw ConfigError(name + "=" + *text + ": a whole number from " + std::to_string(min) + " to " +
                          std::to_string(max) + " is expected");
    }
    return value;
}

std::chrono::milliseconds seconds(const EnvLookup& lookup, const std::string& name,
                                  std::chrono::milliseconds otherwise) {
    const std::optional<std::string> text = lookup(name);
    if (!text || text->empty()) {
        return otherwise;
    }
    constexpr double kMost = 1e6;
    const auto value = parse_number<double>(*text);
    if (!value || !(*value >= 0) || *value > kMost) {
        throw ConfigError(name + "=" + *text + ": seconds from 0 (never) to 1000000 are expected");
    }
    return std::chrono::milliseconds(std::llround(std::ceil(*value * 1000)));
}

Transport transport(const EnvLookup& lookup) {
    const std::string text = lookup("RANKSCOPE_TRANSPORT").value_or("");
    if (text.empty() || text == "auto") {
        return Transport::automatic;
    }
    if (text == "gloo") {
        return Transport::gloo;
    }
    throw ConfigError("RANKSCOPE_TRANSPORT=" + text +
                      ": auto (shared memory inside a host, Gloo between hosts) or gloo is expected");
}

}  // namespace

RankEnv read_rank_env(const EnvLookup& lookup) {
    constexpr std::int64_t kMaxWorld = 65536;
    RankEnv env;
    const auto world = whole_number(lookup, "WORLD_SIZE", 1, kMaxWorld);
    const auto rank = whole_number(lookup, "RANK", 0, kMaxWorld - 1);
    if (world.has_value() != rank.has_value()) {
        throw ConfigError(std::string(world ? "WORLD_SIZE" : "RANK") + " is set, but " +
                          (world ? "RANK" : "WORLD_SIZE") +
                          " is not; the launcher must set both (or neither)");
    }
    env.world_size = static_cast<int>(world.value_or(1));
    env.rank = static_cast<int>(rank.value_or(0));
    if (env.rank >= env.world_size) {
        throw ConfigError("RANK=" + std::to_string(env.rank) + " with WORLD_SIZE=" +
                          std::to_string(env.world_size) + ": ranks count from 0 to WORLD_SIZE − 1");
    }
    env.local_rank = static_cast<int>(whole_number(lookup, "LOCAL_RANK", 0, kMaxWorld - 1).value_or(0));
    env.local_world_size =
        static_cast<int>(whole_number(lookup, "LOCAL_WORLD_SIZE", 1, kMaxWorld).value_or(1));
    env.master_addr = lookup("MASTER_ADDR").value_or("");
    const auto port = whole_number(lookup, "MASTER_PORT", 1, 65535);
    if (env.world_size > 1 && (env.master_addr.empty() || !port)) {
        throw ConfigError(std::string(env.master_addr.empty() ? "MASTER_ADDR" : "MASTER_PORT") +
                          " is not set, but WORLD_SIZE=" + std::to_string(env.world_size) +
                          ": the ranks cannot find each other without it");
    }
    if (env.master_addr.empty()) {
        env.master_addr = "127.0.0.1";
    }
    env.master_port = static_cast<std::uint16_t>(port.value_or(29500));
    env.token = lookup(kTokenVariable).value_or("");
    env.socket_interface = lookup("GLOO_SOCKET_IFNAME").value_or("");
    env.transport = transport(lookup);
    env.host = lookup("RANKSCOPE_HOST_ID").value_or("");
    env.heartbeat = seconds(lookup, "RANKSCOPE_HEARTBEAT_S", env.heartbeat);
    env.collective_timeout = seconds(lookup, "RANKSCOPE_COLLECTIVE_TIMEOUT_S", env.collective_timeout);
    return env;
}

RankEnv read_rank_env() {
    return read_rank_env([](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    });
}

}  // namespace rankscope::engine
