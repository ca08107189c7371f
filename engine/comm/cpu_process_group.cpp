// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/cpu_process_group.h>
#include <engine/comm/hierarchical_collectives.h>
#include <engine/comm/store.h>
#include <engine/comm/store_protocol.h>
#include <engine/error.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

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

/// Every member's text, by member, gathered through the store before there is anything faster: the first
/// member collects and publishes them, so that it takes requests in proportion to the members, not to their
/// square. `key` must be new. Throws Error naming the member that did not come in time.
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

std::string namespace_number(const char* path) {
    struct stat status {};
    return stat(path, &status) == 0 ? std::to_string(status.st_ino) : "unknown";
}

/// Processes with the same text may share memory: the same start of the same machine, the same user, and the
/// same PID and network namespace (two containers of one machine count as two hosts, as their ranks cannot
/// find one another in /proc).
std::string host_identity() {
    std::string boot = "unknown boot";
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    return boot + " user " + std::to_string(geteuid()) + " pid " + namespace_number("/proc/self/ns/pid") +
           " net " + namespace_number("/proc/self/ns/net");
}

/// What all groups of this rank have in common.
struct World {
    CpuGroupOptions options;
    Store& store;
    std::shared_ptr<HostMemory> memory;  ///< null where this rank shares none
    std::vector<int> host;               ///< by rank: a number for all that share memory
    std::vector<int> place;              ///< by rank: in its host's HostMemory
};

std::vector<std::vector<int>> by_host(const std::vector<std::string>& hosts) {
    std::vector<std::vector<int>> result;
    std::map<std::string, std::size_t> known;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        const auto [entry, fresh] = known.emplace(hosts[rank], result.size());
        if (fresh) {
            result.emplace_back();
        }
        result[entry->second].push_back(static_cast<int>(rank));
    }
    return result;
}

/// A rank's line in the first exchange.
struct Introduction {
    std::string host;
    std::string address;  ///< of its HostMemory; empty: it has none
    std::string why;      ///< it has none
    std::string text() const { return host + "\n" + address + "\n" + why; }
    static Introduction parse(const std::string& text) {
        const std::size_t first = text.find('\n');
        const std::size_t second = text.find('\n', first + 1);
        return {text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
    }
};

constexpr const char* kByWish = "switched off";

Introduction introduce(const CpuGroupOptions& options, std::shared_ptr<HostMemory>& memory) {
    Introduction mine{options.host.empty() ? host_identity() : options.host, "", ""};
    if (options.transport == Transport::gloo) {
        mine.why = kByWish;
        return mine;
    }
    try {
        memory = HostMemory::create();
        mine.address = memory->address();
    } catch (const Error& error) {
        mine.why = error.what();
    }
    return mine;
}

/// Maps the tables of the ranks that share `ranks`; an empty text: it worked.
std::string try_to_share(HostMemory* memory, const std::vector<Introduction>& all,
                         const std::vector<int>& ranks, int self) {
    std::vector<std::string> addresses;
    int place = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const Introduction& member = all[static_cast<std::size_t>(ranks[i])];
        if (member.address.empty()) {
            return "rank " + std::to_string(ranks[i]) + ": " + member.why;
        }
        addresses.push_back(member.address);
        place = ranks[i] == self ? static_cast<int>(i) : place;
    }
    try {
        memory->connect(addresses, place);
        return "";
    } catch (const Error& error) {
        return "rank " + std::to_string(self) + ": " + error.what();
    }
}

std::shared_ptr<World> meet(const CpuGroupOptions& options, Store& store) {
    auto world = std::make_shared<World>(World{options, store, nullptr, {}, {}});
    if (!world->options.recorder) {
        world->options.recorder = std::make_shared<FlightRecorder>();
    }
    if (!world->options.note) {
        world->options.note = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
    }
    const int ranks = options.world_size;
    const auto gather = [&](const char* key, const std::string& mine) {
        return gather_through(store, key, mine, options.rank, ranks, options.connect_timeout);
    };
    std::shared_ptr<HostMemory> memory;
    std::vector<Introduction> all;
    std::vector<std::string> names;
    for (const std::string& text : gather("group/world/members", introduce(options, memory).text())) {
        all.push_back(Introduction::parse(text));
        names.push_back(all.back().host);
    }
    const std::vector<std::vector<int>> hosts = by_host(names);
    world->host.resize(static_cast<std::size_t>(ranks));
    world->place.resize(static_cast<std::size_t>(ranks));
    std::vector<std::string> outcomes(static_cast<std::size_t>(ranks));
    if (hosts.size() < static_cast<std::size_t>(ranks)) {
        std::string mine;
        for (const std::vector<int>& host : hosts) {
            if (host.size() > 1 && std::find(host.begin(), host.end(), options.rank) != host.end()) {
                mine = try_to_share(memory.get(), all, host, options.rank);
            }
        }
        outcomes = gather("group/world/shared_memory", mine);
    }
    int number = 0;
    for (const std::vector<int>& host : hosts) {
        const auto failed = std::find_if(host.begin(), host.end(), [&](int rank) {
            return !outcomes[static_cast<std::size_t>(rank)].empty();
        });
        const bool shares = host.size() > 1 && failed == host.end();
        for (std::size_t i = 0; i < host.size(); ++i) {
            const auto rank = static_cast<std::size_t>(host[i]);
            number += shares && i > 0 ? 0 : 1;
            world->host[rank] = number;
            world->place[rank] = static_cast<int>(i);
            if (shares && host[i] == options.rank) {
                world->memory = memory;
            }
        }
        if (failed != host.end() && host.front() == options.rank) {
            const std::string& why = outcomes[static_cast<std::size_t>(*failed)];
            if (why.find(kByWish) == std::string::npos) {
                world->options.note("rank " + rank_list(host) +
                                    " of this host cannot share memory and use Gloo over TCP instead, which "
                                    "is slower (" +
                                    why + ")");
            }
        }
    }
    return world;
}

/// `members`: world ranks, by rank in the group.
std::unique_ptr<Collectives> connect(const World& world, const std::vector<int>& members, int rank,
                                     const std::string& name) {
    std::vector<std::string> names;
    names.reserve(members.size());
    for (const int member : members) {
        names.push_back(std::to_string(world.host[static_cast<std::size_t>(member)]));
    }
    const std::vector<std::vector<int>> hosts = by_host(names);
    std::size_t host = 0;
    while (std::find(hosts[host].begin(), hosts[host].end(), rank) == hosts[host].end()) {
        ++host;
    }
    const std::vector<int>& here = hosts[host];
    const bool leads = here.front() == rank;
    const auto over_gloo = [&](const std::string& group, int as, std::size_t size) {
        return std::make_unique<GlooCollectives>(GlooOptions{.rank = as,
                                                             .world_size = static_cast<int>(size),
                                                             .interface_name = world.options.interface_name,
                                                             .address = world.options.address,
                                                             .name = group,
                                                             .connect_timeout = world.options.connect_timeout,
                                                             .timeout = world.options.timeout},
                                                 world.store);
    };
    if (hosts.size() == members.size() && members.size() > 1) {
        return over_gloo(name, rank, members.size());
    }
    std::unique_ptr<SharedMemoryCollectives> inside;
    if (here.size() > 1) {
        std::vector<SharedMemoryCollectives::Member> locals;
        for (const int local : here) {
            const int member = members[static_cast<std::size_t>(local)];
            locals.push_back({world.place[static_cast<std::size_t>(member)], member});
        }
        const int place = static_cast<int>(std::find(here.begin(), here.end(), rank) - here.begin());
        const std::string key = "group/" + name + "/host" + std::to_string(host);
        inside = std::make_unique<SharedMemoryCollectives>(
            world.memory, locals, place,
            [&](const std::string& mine) {
                return gather_through(world.store, key, mine, place, static_cast<int>(here.size()),
                                      world.options.connect_timeout);
            },
            world.options.timeout);
    }
    if (hosts.size() == 1 && inside) {
        return inside;
    }
    std::unique_ptr<GlooCollectives> between;
    if (leads && hosts.size() > 1) {
        between = over_gloo(name + "/leaders", static_cast<int>(host), hosts.size());
    }
    return std::make_unique<HierarchicalCollectives>(hosts, rank, std::move(inside), std::move(between));
}

std::shared_ptr<float> plain_memory(std::size_t count) {
    constexpr std::align_val_t kPage{4096};
    const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(float);
    auto* memory = static_cast<float*>(::operator new(bytes, kPage));
    std::shared_ptr<float> result(memory, [](float* at) { ::operator delete(at, kPage); });
    std::memset(memory, 0, bytes);
    return result;
}

class CpuProcessGroup final : public ProcessGroup {
public:
    CpuProcessGroup(std::shared_ptr<World> world, const std::vector<int>& members, int rank,
                    const std::string& name)
        : world_(std::move(world)),
          members_(members),
          collectives_(connect(*world_, members, rank, name)),
          record_(world_->options.recorder->add(
              name, members,
              [collectives = collectives_.get()](const std::string& why) { collectives->abort(why); })) {}

    ~CpuProcessGroup() override {
        world_->options.recorder->drop(record_);
        collectives_->abort("the process group was closed");
    }

    int rank() const override { return collectives_->rank(); }
    int size() const override { return collectives_->size(); }
    std::string_view backend() const override { return "gloo"; }
    std::string transport() const override { return collectives_->transport(); }

    std::shared_ptr<float> allocate(std::size_t count) override {
        if (!world_->memory) {
            return plain_memory(count);
        }
        const std::shared_ptr<std::byte[]> block = world_->memory->allocate(count * sizeof(float));
        return {block, static_cast<float*>(static_cast<void*>(block.get()))};
    }

    Work all_reduce(const Reduction& reduction, When when) override {
        return queue_.submit(
            [this, pieces = std::vector<Piece>(reduction.pieces.begin(), reduction.pieces.end()),
             type = reduction.type,
             scale = reduction.scale] { reduce({.pieces = pieces, .type = type, .scale = scale}); },
            when);
    }

    Work reduce_scatter(const Reduction& reduction, Shares shares, When when) override {
        return queue_.submit(
            [this, pieces = std::vector<Piece>(reduction.pieces.begin(), reduction.pieces.end()),
             type = reduction.type, scale = reduction.scale,
             own = std::vector<std::size_t>(shares.begin(), shares.end())] {
                const Reduction part{.pieces = pieces, .type = type, .scale = scale};
                recorded(CollectiveKind::reduce_scatter, part.bytes(),
                         [&] { collectives_->reduce_scatter(part, own); });
            },
            when);
    }

    Work gather_shares(std::span<const Piece> pieces, Shares shares, When when) override {
        return queue_.submit(
            [this, all = std::vector<Piece>(pieces.begin(), pieces.end()),
             own = std::vector<std::size_t>(shares.begin(), shares.end())] {
                recorded(CollectiveKind::all_gather, element_count(all) * sizeof(float),
                         [&] { collectives_->gather_shares(all, ElementType::f32, own); });
            },
            when);
    }

    void send(std::span<const std::byte> bytes, int to) override {
        queue_.run(
            [&] { recorded(CollectiveKind::send, bytes.size(), [&] { collectives_->send(bytes, to); }); });
    }

    void receive(std::span<std::byte> bytes, int from) override {
        queue_.run([&] {
            recorded(CollectiveKind::receive, bytes.size(), [&] { collectives_->receive(bytes, from); });
        });
    }

    Traffic traffic() const override {
        Traffic result;
        for (std::size_t kind = 0; kind < sent_.size(); ++kind) {
            result.bytes[kind] = sent_[kind];
        }
        return result;
    }

    void sum(std::span<float> values) override { sum_of(ElementType::f32, values.data(), values.size()); }
    void sum(std::span<double> values) override { sum_of(ElementType::f64, values.data(), values.size()); }

    void broadcast(std::span<std::byte> bytes, int root) override {
        queue_.run([&] {
            recorded(CollectiveKind::broadcast, bytes.size(), [&] { collectives_->broadcast(bytes, root); });
        });
    }

    std::vector<std::string> all_gather(const std::string& bytes) override {
        std::vector<char> all(bytes.size() * static_cast<std::size_t>(size()));
        queue_.run([&] {
            recorded(CollectiveKind::all_gather, bytes.size(), [&] {
                collectives_->all_gather(std::as_bytes(std::span(bytes)),
                                         std::as_writable_bytes(std::span(all)));
            });
        });
        std::vector<std::string> result;
        for (std::size_t begin = 0; result.size() < members_.size(); begin += bytes.size()) {
            result.emplace_back(all.data() + begin, bytes.size());
        }
        return result;
    }

    void barrier() override {
        queue_.run([&] { recorded(CollectiveKind::barrier, 0, [&] { collectives_->barrier(); }); });
    }

    std::unique_ptr<ProcessGroup> split(int colour) override {
        std::string mine(sizeof(colour), '\0');
        std::memcpy(mine.data(), &colour, sizeof(colour));
        const std::vector<std::string> colours = all_gather(mine);
        const std::string name =
            record_->name() + "/" + std::to_string(++splits_) + "." + std::to_string(colour);
        std::vector<int> members;
        int place = 0;
        for (std::size_t i = 0; i < colours.size(); ++i) {
            if (static_cast<int>(i) == rank()) {
                place = static_cast<int>(members.size());
            }
            if (colours[i] == mine) {
                members.push_back(members_[i]);
            }
        }
        return colour < 0 ? nullptr : std::make_unique<CpuProcessGroup>(world_, members, place, name);
    }

    void abort(const std::string& why) override { collectives_->abort(why); }

private:
    void reduce(const Reduction& reduction) {
        recorded(CollectiveKind::all_reduce, reduction.bytes(), [&] { collectives_->all_reduce(reduction); });
    }

    /// One operation, on whichever thread runs the queue.
    template <typename Operation>
    void recorded(CollectiveKind kind, std::size_t bytes, const Operation& operation) {
        const std::uint64_t before = collectives_->sent();
        record_->start(kind, bytes);
        operation();
        record_->finish();
        sent_[static_cast<std::size_t>(kind)] += collectives_->sent() - before;
    }

    void sum_of(ElementType type, void* values, std::size_t count) {
        const Piece piece{values, count};
        queue_.run([&] { reduce({.pieces = {&piece, 1}, .type = type}); });
    }

    std::shared_ptr<World> world_;
    std::vector<int> members_;  ///< world ranks, by rank in the group
    std::unique_ptr<Collectives> collectives_;
    std::shared_ptr<GroupRecord> record_;
    int splits_ = 0;
    std::array<std::atomic<std::uint64_t>, kCollectiveKinds> sent_{};  ///< read by other threads, too
    WorkQueue queue_;  // last: its thread uses the collectives
};

}  // namespace

std::unique_ptr<ProcessGroup> make_cpu_process_group(const CpuGroupOptions& options, Store& store) {
    std::vector<int> all_ranks(static_cast<std::size_t>(options.world_size));
    for (std::size_t rank = 0; rank < all_ranks.size(); ++rank) {
        all_ranks[rank] = static_cast<int>(rank);
    }
    return std::make_unique<CpuProcessGroup>(meet(options, store), all_ranks, options.rank, "world");
}

}  // namespace rankscope::engine
