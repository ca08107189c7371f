// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <engine/comm/gloo_collectives.h>
#include <engine/comm/reduce.h>
#include <engine/error.h>

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>

namespace rankscope::engine {
namespace {

/// Between two ranks the single round halves the latency but doubles the additions: worth it while latency
/// counts.
constexpr std::size_t kExchangeBytes = std::size_t{1} << 20U;
/// Copying this much costs less than registering another buffer with Gloo.
constexpr std::size_t kPackedBytes = std::size_t{256} << 10U;
constexpr std::size_t kWindow = 32;
constexpr std::size_t kMaxBuffers = 64;

/// Apart from the numbers that Gloo's own collectives use.
constexpr std::uint64_t kSlots = std::uint64_t{0x52} << 56U;
constexpr std::uint64_t kMessageSlots = std::uint64_t{0x53} << 56U;

std::set<int> descriptors() {
    std::set<int> found;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
        found.insert(parse_number<int>(entry.path().filename().native()).value_or(-1));
    }
    return found;
}

/// The TCP sockets that Gloo opens after this object is made. Gloo gives no access to them, hence a look at
/// /proc/self/fd before and after it connects; descriptors that were open before belong to others and are left alone.
class SocketsOfGloo {
public:
    /// Switches off TCP's delayed sending. Gloo 0.5 leaves it on: the small "ready to receive" message of one side then
    /// waits for the acknowledgement of the other's last segment, which the kernel holds back for 40 ms, so that an
    /// all-reduce of a few hundred kilobytes now and then takes 44 ms instead of 0.3 ms.
    void disable_tcp_delay() const {
        for (const int descriptor : descriptors()) {
            if (!before_.contains(descriptor)) {
                // Fails harmlessly for what is not a TCP socket.
                const int on = 1;
                setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
            }
        }
    }

private:
    std::set<int> before_ = descriptors();
};

/// Lets Gloo exchange its addresses through our store, so that only ranks with the token take part.
class GlooStore final : public gloo::rendezvous::Store {
public:
    GlooStore(engine::Store& store, const GlooOptions& options)
        : store_(store), prefix_("gloo/" + options.name + "/"), timeout_(options.connect_timeout) {}

    void set(const std::string& key, const std::vector<char>& data) override {
        store_.set(prefix_ + key, std::string(data.begin(), data.end()));
    }
    std::vector<char> get(const std::string& key) override {
        const std::optional<std::string> value = store_.get(prefix_ + key, timeout_);
        if (!value) {
            throw Error("a rank did not publish its Gloo address within " +
                        std::to_string(timeout_.count() / 1000) + " s");
        }
        return {value->begin(), value->end()};
    }
    void wait(const std::vector<std::string>& keys) override {
        for (const std::string& key : keys) {
            get(key);
        }
    }
    void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& /*timeout*/) override {
        wait(keys);
    }

private:
    engine::Store& store_;
    std::string prefix_;
    std::chrono::milliseconds timeout_;
};

std::shared_ptr<gloo::transport::Device> make_device(const GlooOptions& options) {
    gloo::transport::tcp::attr attributes;
    attributes.iface = options.interface_name;
    attributes.hostname = options.interface_name.empty() ? options.address : "";
    try {
        return gloo::transport::tcp::CreateDevice(attributes);
    } catch (const std::exception& exception) {
        throw Error("Gloo cannot use " +
                    (options.interface_name.empty()
                         ? "the local address \"" + options.address + "\""
                         : "the network device \"" + options.interface_name + "\" (GLOO_SOCKET_IFNAME)") +
                    ": " + exception.what());
    }
}

std::uint64_t mix(std::uint64_t value) {
    value *= 0x9E3779B97F4A7C15U;
    return value ^ (value >> 32U);
}

/// Of the n-th message between two ranks.
std::uint64_t message_slot(std::uint64_t number, std::size_t bytes) {
    return kMessageSlots | (number & 0xFFFFFFU) << 32U | (mix(bytes + 1) & 0xFFFFFFFFU);
}

}  // namespace

GlooCollectives::GlooCollectives(const GlooOptions& options, Store& store)
    : timeout_(options.connect_timeout) {
    std::shared_ptr<gloo::transport::Device> device = make_device(options);
    auto context = std::make_shared<gloo::rendezvous::Context>(options.rank, options.world_size);
    context->setTimeout(options.connect_timeout);
    GlooStore adapter(store, options);
    const SocketsOfGloo sockets;
    try {
        context->connectFullMesh(adapter, device);
        context_ = context;
        sockets.disable_tcp_delay();
        // Who has its own connections may be done and gone before another one has seen its end of them.
        barrier();
    } catch (const PeerLostError&) {
        throw;
    } catch (const std::exception& exception) {
        throw Error(
            std::string("the ranks cannot connect with one another (Gloo, from ") +
            (options.interface_name.empty() ? options.address : options.interface_name) +
            "): " + exception.what() +
            ". The nodes must reach each other on all TCP ports; GLOO_SOCKET_IFNAME names the device.");
    }
    context_->setTimeout(options.timeout);
    timeout_ = options.timeout;
}

GlooCollectives::~GlooCollectives() {
    context_->closeConnections();  // before freeing the buffers that Gloo's thread uses
}

void GlooCollectives::begin(CollectiveKind operation, std::size_t bytes, int detail) {
    aborted_.check();
    ++operation_;
    signature_ = mix(mix(static_cast<std::uint64_t>(operation) + 1) + mix(bytes + 1) +
                     static_cast<std::uint64_t>(detail + 2));
}

std::uint64_t GlooCollectives::slot(unsigned round) const {
    return kSlots | (operation_ & 0xFFFFFFU) << 32U | (signature_ & 0xFFFFFFU) << 8U | round;
}

GlooCollectives::Buffer& GlooCollectives::buffer_of(std::byte* data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const Known& known) {
        return known.data == data && known.bytes == bytes;
    });
    if (found != buffers_.end()) {
        buffers_.splice(buffers_.begin(), buffers_, found);
    } else {
        aborted_.check();
        buffers_.push_front({data, bytes, context_->createUnboundBuffer(data, bytes)});
        if (buffers_.size() > kMaxBuffers) {
            buffers_.pop_back();
        }
    }
    return *buffers_.front().buffer;
}

std::byte* GlooCollectives::grow(std::vector<std::byte>& memory, std::size_t bytes) {
    if (memory.size() < bytes) {
        // Buffers made for the old memory would point into nothing.
        const std::lock_guard lock(mutex_);
        std::erase_if(buffers_, [&](const Known& known) {
            return known.data >= memory.data() && known.data < memory.data() + memory.size();
        });
        memory = std::vector<std::byte>(bytes);
    }
    return memory.data();
}

void GlooCollectives::run(Buffer& out, std::span<const Message> sends, Buffer& in,
                          std::span<const Message> receives, unsigned round) {
    for (const Message& message : receives) {
        in.recv(message.peer, slot(round), message.offset, message.bytes);
    }
    for (const Message& message : sends) {
        out.send(message.peer, slot(round), message.offset, message.bytes);
        sent_ += message.bytes;
    }
    for (std::size_t i = 0; i < receives.size(); ++i) {
        finished(in.waitRecv(timeout_));
    }
    for (std::size_t i = 0; i < sends.size(); ++i) {
        finished(out.waitSend(timeout_));
    }
}

template <typename Send, typename Receive>
void GlooCollectives::exchange_all(unsigned round, Buffer& out, Buffer& in, const Send& send,
                                   const Receive& receive) {
    std::vector<Message> sends;
    std::vector<Message> receives;
    const auto add = [](std::vector<Message>& list, const Message& message) {
        if (message.bytes > 0) {
            list.push_back(message);
        }
    };
    for (int step = 1; step < size(); ++step) {
        add(sends, send((rank() + step) % size()));
        add(receives, receive((rank() - step + size()) % size()));
        if (static_cast<std::size_t>(step) % kWindow == 0 || step + 1 == size()) {
            run(out, sends, in, receives, round);
            sends.clear();
            receives.clear();
        }
    }
}

void GlooCollectives::all_reduce(const Reduction& reduction) {
    const std::size_t bytes = reduction.bytes();
    begin(CollectiveKind::all_reduce, bytes, static_cast<int>(reduction.type));
    in_one_array(reduction, [&](std::byte* values) {
        if (size() <= 2 && bytes <= kExchangeBytes) {
            add_directly(reduction, values);
            return;
        }
        const std::size_t count = reduction.count();
        const auto ranks = static_cast<std::size_t>(size());
        const std::size_t share = (count + ranks - 1) / ranks;
        std::vector<std::size_t> shares(ranks + 1);
        for (std::size_t rank = 0; rank < shares.size(); ++rank) {
            shares[rank] = std::min(rank * share, count);
        }
        add_own_share(reduction, shares, values, 0);
        give_own_share(values, size_of(reduction.type), shares, 1);
    });
}

void GlooCollectives::reduce_scatter(const Reduction& reduction, Shares shares) {
    begin(CollectiveKind::reduce_scatter, reduction.bytes(), static_cast<int>(reduction.type));
    in_one_array(reduction, [&](std::byte* values) { add_own_share(reduction, shares, values, 0); });
}

void GlooCollectives::gather_shares(std::span<const Piece> pieces, ElementType type, Shares shares) {
    const Reduction all{.pieces = pieces, .type = type};
    begin(CollectiveKind::all_gather, all.bytes(), static_cast<int>(type));
    in_one_array(all, [&](std::byte* values) { give_own_share(values, size_of(type), shares, 0); });
}

/// Little data, and what lies in several pieces, is copied into one array and back.
void GlooCollectives::in_one_array(const Reduction& reduction, const std::function<void(std::byte*)>& work) {
    const std::size_t bytes = reduction.bytes();
    if (bytes == 0) {
        return;
    }
    const bool packed = reduction.pieces.size() != 1 || bytes <= kPackedBytes;
    auto* values = packed ? grow(packed_, bytes) : static_cast<std::byte*>(reduction.pieces.front().data);
    const auto each = [&](const auto& copy) {
        std::byte* at = values;
        for (const Piece& piece : reduction.pieces) {
            copy(at, static_cast<std::byte*>(piece.data), piece.count * size_of(reduction.type));
            at += piece.count * size_of(reduction.type);
        }
    };
    if (packed) {
        each([](std::byte* to, const std::byte* from, std::size_t length) { std::memcpy(to, from, length); });
    }
    work(values);
    if (packed) {
        each([](const std::byte* from, std::byte* to, std::size_t length) { std::memcpy(to, from, length); });
    }
}

void GlooCollectives::add_directly(const Reduction& reduction, std::byte* values) {
    const std::size_t bytes = reduction.bytes();
    void* target = values;
    if (size() == 1) {
        const void* source = values;
        reduce(reduction.type, reduction.scale, {&source, 1}, {&target, 1}, reduction.count());
        return;
    }
    std::byte* theirs = grow(parts_, bytes);
    const Message message{1 - rank(), 0, bytes};
    run(buffer_of(values, bytes), {&message, 1}, buffer_of(theirs, bytes), {&message, 1}, 0);
    const std::array<const void*, 2> sources =
        rank() == 0 ? std::array<const void*, 2>{values, theirs} : std::array<const void*, 2>{theirs, values};
    reduce(reduction.type, reduction.scale, sources, {&target, 1}, reduction.count());
}

/// All send this rank their part of its share; it adds them in rank order.
void GlooCollectives::add_own_share(const Reduction& reduction, Shares shares, std::byte* values,
                                    unsigned round) {
    const std::size_t element = size_of(reduction.type);
    const auto begin = [&](int rank) { return shares[static_cast<std::size_t>(rank)] * element; };
    const auto length = [&](int rank) { return begin(rank + 1) - begin(rank); };
    const std::size_t own = length(rank());
    const auto ranks = static_cast<std::size_t>(size());
    std::byte* parts = grow(parts_, std::max<std::size_t>(own * ranks, 1));
    const auto part = [&](int rank) { return static_cast<std::size_t>(rank) * own; };
    exchange_all(
        round, buffer_of(values, reduction.bytes()), buffer_of(parts, std::max<std::size_t>(own * ranks, 1)),
        [&](int peer) {
            return Message{peer, begin(peer), length(peer)};
        },
        [&](int peer) {
            return Message{peer, part(peer), own};
        });
    if (own > 0) {
        std::vector<const void*> sources;
        for (int rank = 0; rank < size(); ++rank) {
            sources.push_back(rank == this->rank() ? values + begin(rank) : parts + part(rank));
        }
        void* target = values + begin(rank());
        reduce(reduction.type, reduction.scale, sources, {&target, 1}, own / element);
    }
}

void GlooCollectives::give_own_share(std::byte* values, std::size_t element, Shares shares, unsigned round) {
    const auto begin = [&](int rank) { return shares[static_cast<std::size_t>(rank)] * element; };
    const auto length = [&](int rank) { return begin(rank + 1) - begin(rank); };
    Buffer& all = buffer_of(values, shares.back() * element);
    exchange_all(
        round, all, all,
        [&](int peer) {
            return Message{peer, begin(rank()), length(rank())};
        },
        [&](int peer) {
            return Message{peer, begin(peer), length(peer)};
        });
}

/// A binomial tree: in round k, the 2^k ranks that have the data send it to as many others.
void GlooCollectives::broadcast(std::span<std::byte> bytes, int root) {
    begin(CollectiveKind::broadcast, bytes.size(), root);
    if (size() == 1 || bytes.empty()) {
        return;
    }
    const bool packed = bytes.size() <= kPackedBytes;
    std::byte* data = packed ? grow(packed_, bytes.size()) : bytes.data();
    if (packed) {
        std::memcpy(data, bytes.data(), bytes.size());
    }
    Buffer& buffer = buffer_of(data, bytes.size());
    const int place = (rank() - root + size()) % size();
    for (int have = 1; have < size(); have *= 2) {
        const auto peer = [&](int other) { return Message{(other + root) % size(), 0, bytes.size()}; };
        if (place < have && place + have < size()) {
            const Message message = peer(place + have);
            run(buffer, {&message, 1}, buffer, {}, 0);
        } else if (place >= have && place < 2 * have) {
            const Message message = peer(place - have);
            run(buffer, {}, buffer, {&message, 1}, 0);
        }
    }
    if (packed) {
        std::memcpy(bytes.data(), data, bytes.size());
    }
}

void GlooCollectives::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
    begin(CollectiveKind::all_gather, mine.size(), 0);
    std::byte* joined = grow(parts_, all.size());
    const auto place = [&](int rank) { return static_cast<std::size_t>(rank) * mine.size(); };
    std::copy(mine.begin(), mine.end(), joined + place(rank()));  // unlike memcpy, also of nothing
    if (size() > 1 && !mine.empty()) {
        Buffer& buffer = buffer_of(joined, all.size());
        exchange_all(
            0, buffer, buffer,
            [&](int peer) {
                return Message{peer, place(rank()), mine.size()};
            },
            [&](int peer) {
                return Message{peer, place(peer), mine.size()};
            });
    }
    std::copy_n(joined, all.size(), all.data());
}

/// Dissemination: after round k every rank has data, directly or not, from 2^(k+1) ranks.
void GlooCollectives::barrier() {
    begin(CollectiveKind::barrier, 0, 0);
    std::byte* bytes = grow(packed_, 2);
    Buffer& out = buffer_of(bytes, 1);
    Buffer& in = buffer_of(bytes + 1, 1);
    unsigned round = 0;
    for (int step = 1; step < size(); step *= 2) {
        const Message to{(rank() + step) % size(), 0, 1};
        const Message from{(rank() - step + size()) % size(), 0, 1};
        run(out, {&to, 1}, in, {&from, 1}, round++);
    }
}

void GlooCollectives::send(std::span<const std::byte> bytes, int to) {
    aborted_.check();
    Outgoing& outgoing = [&]() -> Outgoing& {
        const std::lock_guard lock(mutex_);
        return outgoing_[to];
    }();
    if (outgoing.messages > 0) {
        finished(outgoing.buffer->waitSend(timeout_));
    }
    if (!outgoing.buffer || outgoing.bytes.size() < bytes.size()) {
        const std::lock_guard lock(mutex_);
        aborted_.check();
        outgoing.buffer.reset();
        outgoing.bytes = std::vector<std::byte>(std::max<std::size_t>(bytes.size(), 1));
        outgoing.buffer = context_->createUnboundBuffer(outgoing.bytes.data(), outgoing.bytes.size());
    }
    std::copy(bytes.begin(), bytes.end(), outgoing.bytes.begin());
    outgoing.buffer->send(to, message_slot(outgoing.messages, bytes.size()), 0, bytes.size());
    ++outgoing.messages;
    sent_ += bytes.size();
}

void GlooCollectives::receive(std::span<std::byte> bytes, int from) {
    aborted_.check();
    const bool packed = bytes.size() <= kPackedBytes;
    std::byte* data = packed ? grow(packed_, std::max<std::size_t>(bytes.size(), 1)) : bytes.data();
    Buffer& buffer = buffer_of(data, std::max<std::size_t>(bytes.size(), 1));
    std::uint64_t& messages = received_[from];
    buffer.recv(from, message_slot(messages, bytes.size()), 0, bytes.size());
    finished(buffer.waitRecv(timeout_));
    ++messages;
    if (packed) {
        std::copy_n(data, bytes.size(), bytes.data());
    }
}

/// What became of a wait.
void GlooCollectives::finished(bool done) const {
    if (!done) {
        aborted_.check();
        throw PeerLostError("an operation was abandoned");
    }
}

void GlooCollectives::abort(const std::string& why) {
    aborted_.set(why);
    const std::lock_guard lock(mutex_);
    for (const Known& known : buffers_) {
        known.buffer->abortWaitRecv();
        known.buffer->abortWaitSend();
    }
    for (const auto& [rank, outgoing] : outgoing_) {
        if (outgoing.buffer) {
            outgoing.buffer->abortWaitSend();
        }
    }
}

}  // namespace rankscope::engine
