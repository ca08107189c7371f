// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/reduce.h>
#include <engine/comm/shared_memory_collectives.h>

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <new>

namespace rankscope::engine {
namespace {

/// One meeting and more reading, or two meetings and less: where they cost the same (measured with two ranks:
/// at about 1.5 KB; a line that one core always writes and another always reads is the slowest there is).
constexpr std::size_t kSlot = std::size_t{1} << 10U;
constexpr std::size_t kOneShotBytes = 4 * kSlot;
/// What is staged stays in the second-level cache from one side's copy to the other's.
constexpr std::size_t kStaging = std::size_t{256} << 10U;
constexpr std::size_t kLine = 64;

int usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// A place of the whole array in the part of it that has `total` elements behind `before` others.
std::size_t within(std::size_t place, std::size_t before, std::size_t total) {
    return std::clamp(place, before, before + total) - before;
}

}  // namespace

/// What this rank believes it is doing, compared at the first meeting of every operation.
struct SharedMemoryCollectives::Signature {
    CollectiveKind operation = CollectiveKind::barrier;
    ElementType type = ElementType::f32;
    std::int32_t root = -1;
    std::uint64_t bytes = 0;
    bool operator==(const Signature&) const = default;
};

/// Where this rank's array lies.
struct SharedMemoryCollectives::Descriptor {
    struct Place {
        HostMemory::Location at;
        std::uint64_t count = 0;
    };
    bool direct = false;  ///< in `pieces`; otherwise it passes through `staging`
    std::uint32_t count = 0;
    HostMemory::Location staging;
    HostMemory::Location result;
    std::array<Place, kMaxPieces> pieces;
};

/// A rank's page of the group. Everything but the counter is written before the counter moves and read after
/// it has been seen to move, and there are two of each: a fast rank may begin the next operation while a slow
/// one still reads what belongs to this one.
struct SharedMemoryCollectives::Control {
    alignas(kLine) PhaseCounter phase;
    std::array<Signature, 2> signature;
    alignas(kLine) std::array<std::array<std::byte, kSlot>, 2> slot;
    alignas(kLine) std::array<Descriptor, 2> descriptor;
};

/// The arrays of all ranks as far as an operation can reach them at present.
struct SharedMemoryCollectives::Windows {
    std::size_t pieces = 0;
    bool direct = true;                 ///< all ranks' are; else the others come chunk by chunk
    std::byte* const* bases = nullptr;  ///< [rank][piece], or [rank][0]: the staging block
};

SharedMemoryCollectives::SharedMemoryCollectives(
    std::shared_ptr<HostMemory> memory, std::vector<Member> members, int rank,
    const std::function<std::vector<std::string>(const std::string&)>& exchange,
    std::chrono::milliseconds timeout)
    : memory_(std::move(memory)),
      members_(std::move(members)),
      rank_(rank),
      timeout_(timeout),
      own_control_(memory_->allocate(sizeof(Control))),
      patience_(usable_cores() >= memory_->ranks()),
      messages_(memory_, members_, rank, timeout, aborted_) {
    new (own_control_.get()) Control{};
    const HostMemory::Location mine = *memory_->locate(own_control_.get(), sizeof(Control));
    const std::vector<std::string> all =
        exchange(std::to_string(mine.block) + " " + std::to_string(messages_.block()));
    std::vector<std::uint32_t> boxes(members_.size());
    for (std::size_t other = 0; other < members_.size(); ++other) {
        HostMemory::Location location;
        const char* const end = all[other].data() + all[other].size();
        const char* const space = std::from_chars(all[other].data(), end, location.block).ptr;
        std::from_chars(space + (space < end ? 1 : 0), end, boxes[other]);
        std::byte* page = memory_->resolve(members_[other].place, location);
        controls_.push_back(std::launder(static_cast<Control*>(static_cast<void*>(page))));
    }
    messages_.connect(boxes);
    barrier();  // no rank may unlink its page before all have mapped it
}

SharedMemoryCollectives::~SharedMemoryCollectives() = default;

void SharedMemoryCollectives::begin(const Signature& signature) {
    aborted_.check();
    ++operation_;
    began_ = {};
    own().signature[parity()] = signature;
}

void SharedMemoryCollectives::meet() {
    own().phase.advance(++phase_);
    const int ranks = size();
    for (int step = 1; step < ranks; ++step) {
        const int other = (rank_ + step) % ranks;
        patience_.wait(control(other).phase, phase_, [this] {
            aborted_.check();
            check_time();
        });
        verify(other);
    }
}

void SharedMemoryCollectives::verify(int other) const {
    const Signature& mine = own().signature[parity()];
    const Signature& theirs = control(other).signature[parity()];
    if (mine == theirs) {
        return;
    }
    const auto say = [&](const Signature& signature) {
        return describe(signature.operation, operation_, signature.bytes) +
               (signature.operation == CollectiveKind::all_reduce ||
                        signature.operation == CollectiveKind::reduce_scatter
                    ? std::string(" of ") + name_of(signature.type)
                    : "") +
               (signature.root >= 0 ? " from " + std::to_string(signature.root) : "");
    };
    throw Error("the ranks are out of step: rank " + std::to_string(members_[std::size_t(rank_)].name) +
                " is in " + say(mine) + ", rank " + std::to_string(members_[std::size_t(other)].name) +
                " in " + say(theirs) + ". All ranks must do the same in the same order.");
}

void SharedMemoryCollectives::check_time() {
    const auto now = std::chrono::steady_clock::now();
    if (began_ == std::chrono::steady_clock::time_point{}) {
        began_ = now;
    }
    if (now - began_ < timeout_) {
        return;
    }
    std::vector<int> missing;
    for (int other = 0; other < size(); ++other) {
        if (!control(other).phase.reached(phase_)) {
            missing.push_back(members_[static_cast<std::size_t>(other)].name);
        }
    }
    throw PeerLostError(
        "rank " + rank_list(missing) + " did not come to " +
        describe(own().signature[parity()].operation, operation_, own().signature[parity()].bytes) +
        " within " + std::to_string(timeout_.count() / 1000) + " s");
}

std::byte* SharedMemoryCollectives::slot(int rank) const {
    return control(rank).slot[parity()].data();
}

std::byte* SharedMemoryCollectives::staging() {
    if (!staging_) {
        staging_ = memory_->allocate(kStaging);
    }
    return staging_.get();
}

std::byte* SharedMemoryCollectives::result_buffer() {
    if (!result_) {
        result_ = memory_->allocate(kMiddleBytes);
    }
    return result_.get();
}

void SharedMemoryCollectives::barrier() {
    begin({.operation = CollectiveKind::barrier});
    meet();
}

void SharedMemoryCollectives::send(std::span<const std::byte> bytes, int to) {
    messages_.send(bytes, to);
    sent_ += bytes.size();
}

void SharedMemoryCollectives::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
    begin({.operation = CollectiveKind::all_gather, .bytes = mine.size()});
    sent_ += mine.size() * (members_.size() - 1);
    if (mine.size() <= kSlot) {
        std::copy(mine.begin(), mine.end(), slot(rank_));  // unlike memcpy, also of nothing
        meet();
        for (int other = 0; other < size(); ++other) {
            std::copy_n(slot(other), mine.size(), all.data() + static_cast<std::size_t>(other) * mine.size());
        }
        return;
    }
    const Piece piece{staging(), kStaging};
    publish({&piece, 1}, 1);
    for (std::size_t begin = 0; begin < mine.size(); begin += kStaging) {
        const std::size_t length = std::min(kStaging, mine.size() - begin);
        std::memcpy(staging(), mine.data() + begin, length);
        meet();
        for (int other = 0; other < size(); ++other) {
            const Descriptor& theirs = control(other).descriptor[parity()];
            const std::byte* from =
                memory_->resolve(members_[static_cast<std::size_t>(other)].place, theirs.pieces[0].at);
            std::memcpy(all.data() + static_cast<std::size_t>(other) * mine.size() + begin, from, length);
        }
        meet();
    }
}

void SharedMemoryCollectives::broadcast(std::span<std::byte> bytes, int root) {
    begin({.operation = CollectiveKind::broadcast, .root = root, .bytes = bytes.size()});
    const bool giving = root == rank_;
    sent_ += giving ? bytes.size() * (members_.size() - 1) : 0;
    if (bytes.size() <= kSlot) {
        if (giving) {
            std::copy(bytes.begin(), bytes.end(), slot(rank_));
        }
        meet();
        if (!giving) {
            std::copy_n(slot(root), bytes.size(), bytes.data());
        }
        return;
    }
    const Descriptor& given = control(root).descriptor[parity()];
    if (giving) {
        const Piece piece{bytes.data(), bytes.size()};
        publish({&piece, 1}, 1);
    }
    for (std::size_t begin = 0; begin < bytes.size();) {
        if (giving && !given.direct) {
            std::memcpy(staging(), bytes.data() + begin, std::min(kStaging, bytes.size() - begin));
        }
        meet();
        const std::size_t length = std::min(given.direct ? bytes.size() : kStaging, bytes.size() - begin);
        if (!giving) {
            const int place = members_[static_cast<std::size_t>(root)].place;
            std::memcpy(bytes.data() + begin,
                        memory_->resolve(place, given.direct ? given.pieces[0].at : given.staging), length);
        }
        meet();
        begin += length;
    }
}

void SharedMemoryCollectives::all_reduce_through(const Reduction& reduction, const Middle& middle) {
    begin({.operation = CollectiveKind::all_reduce, .type = reduction.type, .bytes = reduction.bytes()});
    if (reduction.bytes() <= kSlot && reduction.bytes() * members_.size() <= kOneShotBytes) {
        reduce_small(reduction, middle);
        return;
    }
    if (size() == 1 && !middle) {
        for (const Piece& piece : reduction.pieces) {
            const void* source = piece.data;
            void* target = piece.data;
            reduce(reduction.type, reduction.scale, {&source, 1}, {&target, 1}, piece.count);
        }
        return;
    }
    in_parts(reduction, [&](const Reduction& part, std::size_t /*before*/) { reduce_large(part, middle); });
}

/// Calls `work` with some of the pieces after the other, and with the number of elements before them. The operation has
/// begun.
void SharedMemoryCollectives::in_parts(const Reduction& reduction,
                                       const std::function<void(const Reduction&, std::size_t)>& work) {
    std::size_t before = 0;
    for (std::span<const Piece> rest = reduction.pieces; !rest.empty();) {
        const std::size_t some = std::min(kMaxPieces, rest.size());
        Reduction part = reduction;
        part.pieces = rest.first(some);
        rest = rest.subspan(some);
        work(part, before);
        before += part.count();
        if (!rest.empty()) {
            begin(Signature(own().signature[parity()]));
        }
    }
}

void SharedMemoryCollectives::reduce_small(const Reduction& reduction, const Middle& middle) {
    const std::size_t element = size_of(reduction.type);
    std::byte* in = slot(rank_);
    sent_ += reduction.bytes() * (members_.size() - 1);
    for (const Piece& piece : reduction.pieces) {
        std::memcpy(in, piece.data, piece.count * element);
        in += piece.count * element;
    }
    if (middle && rank_ == 0) {
        result_buffer();
        publish({}, element);
    }
    meet();
    sources_.clear();
    for (int other = 0; other < size(); ++other) {
        sources_.push_back(slot(other));
    }
    if (middle) {
        const std::size_t count = reduction.count();
        if (rank_ == 0) {
            void* sum = result_buffer();
            reduce(reduction.type, reduction.scale, sources_, {&sum, 1}, count);
            middle({sum, count});
        }
        meet();
        const std::byte* sum = memory_->resolve(members_[0].place, control(0).descriptor[parity()].result);
        for (const Piece& piece : reduction.pieces) {
            std::memcpy(piece.data, sum, piece.count * element);
            sum += piece.count * element;
        }
        return;
    }
    for (const Piece& piece : reduction.pieces) {
        void* target = piece.data;
        reduce(reduction.type, reduction.scale, sources_, {&target, 1}, piece.count);
        for (const void*& source : sources_) {
            source = static_cast<const std::byte*>(source) + piece.count * element;
        }
    }
}

/// Sends the others where these pieces, each of `count` elements, can be reached.
void SharedMemoryCollectives::publish(std::span<const Piece> pieces, std::size_t element) {
    Descriptor& mine = own().descriptor[parity()];
    mine.count = static_cast<std::uint32_t>(pieces.size());
    mine.direct = true;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto found = memory_->locate(pieces[i].data, pieces[i].count * element);
        mine.direct = mine.direct && found;
        mine.pieces[i] = {found.value_or(HostMemory::Location{}), pieces[i].count};
    }
    if (!mine.direct) {
        mine.staging = *memory_->locate(staging(), kStaging);
    }
    if (result_) {
        mine.result = *memory_->locate(result_.get(), kMiddleBytes);
    }
}

SharedMemoryCollectives::Windows SharedMemoryCollectives::open_windows(const Reduction& reduction) {
    Windows windows;
    windows.pieces = reduction.pieces.size();
    staged_.resize(members_.size());
    bases_.resize(members_.size() * windows.pieces);
    for (std::size_t other = 0; other < members_.size(); ++other) {
        const Descriptor& theirs = control(static_cast<int>(other)).descriptor[parity()];
        std::byte** bases = bases_.data() + other * windows.pieces;
        const int place = members_[other].place;
        bool fits = theirs.count == windows.pieces;
        for (std::size_t i = 0; fits && i < windows.pieces; ++i) {
            fits = theirs.pieces[i].count == reduction.pieces[i].count;
        }
        if (!fits) {
            throw Error("the ranks are out of step: rank " + std::to_string(members_[other].name) +
                        " divides its array differently from rank " +
                        std::to_string(members_[static_cast<std::size_t>(rank_)].name) + " in " +
                        describe(own().signature[parity()].operation, operation_, reduction.bytes()));
        }
        staged_[other] = !theirs.direct;
        windows.direct = windows.direct && theirs.direct;
        if (!theirs.direct) {
            bases[0] = memory_->resolve(place, theirs.staging);
            continue;
        }
        for (std::size_t i = 0; i < windows.pieces; ++i) {
            const HostMemory::Location& at = theirs.pieces[i].at;
            const HostMemory::Location& before = theirs.pieces[i == 0 ? 0 : i - 1].at;
            bases[i] = i > 0 && at.block == before.block
                           ? bases[i - 1] + (static_cast<std::ptrdiff_t>(at.offset) -
                                             static_cast<std::ptrdiff_t>(before.offset))
                           : memory_->resolve(place, at);
        }
    }
    windows.bases = bases_.data();
    return windows;
}

std::byte* SharedMemoryCollectives::element_of(const Windows& windows, std::size_t rank, std::size_t piece,
                                               std::size_t offset, std::size_t in_chunk) const {
    std::byte* const* bases = windows.bases + rank * windows.pieces;
    return staged_[rank] ? bases[0] + in_chunk : bases[piece] + offset;
}

/// Adds up this rank's share of the chunk [begin, end), into `result`, or into all ranks' arrays where that is null.
void SharedMemoryCollectives::reduce_shard(const Reduction& reduction, const Windows& windows,
                                           std::size_t begin, std::size_t end, std::byte* result) {
    const std::size_t element = size_of(reduction.type);
    const std::size_t ranks = members_.size();
    const std::size_t line = kLine / element;
    const std::size_t share = ((end - begin + ranks - 1) / ranks + line - 1) / line * line;
    const std::size_t from = std::min(begin + static_cast<std::size_t>(rank_) * share, end);
    const std::size_t to = std::min(from + share, end);
    sent_ += ((end - begin) - (to - from)) * element + (to - from) * (ranks - 1) * element;
    sources_.resize(ranks);
    targets_.resize(result == nullptr ? ranks : 1);
    over_range(reduction.pieces, from, to,
               [&](std::size_t piece, std::size_t offset, std::size_t length, std::size_t position) {
                   const std::size_t in_chunk = (from - begin + position) * element;
                   for (std::size_t rank = 0; rank < ranks; ++rank) {
                       std::byte* at = element_of(windows, rank, piece, offset * element, in_chunk);
                       sources_[rank] = at;
                       if (result == nullptr) {
                           targets_[rank] = at;
                       }
                   }
                   if (result != nullptr) {
                       targets_[0] = result + in_chunk;
                   }
                   reduce(reduction.type, reduction.scale, sources_, targets_, length);
               });
}

/// Calls `work` while all ranks' arrays can be reached, in one chunk or, where some are not memory that the ranks share,
/// chunk by chunk. Of this rank's array, the others see [given, given_end).
void SharedMemoryCollectives::over_windows(const Reduction& reduction, std::size_t given,
                                           std::size_t given_end, const ChunkWork& work) {
    const std::size_t element = size_of(reduction.type);
    const std::size_t total = reduction.count();
    publish(reduction.pieces, element);
    const bool staged = !own().descriptor[parity()].direct;
    const auto copy_in = [&](std::size_t begin, std::size_t end) {
        const std::size_t from = std::max(begin, given);
        over_range(reduction.pieces, from, std::min(end, given_end),
                   [&](std::size_t piece, std::size_t offset, std::size_t length, std::size_t position) {
                       const auto* source = static_cast<const std::byte*>(reduction.pieces[piece].data);
                       std::memcpy(staging() + (from - begin + position) * element, source + offset * element,
                                   length * element);
                   });
    };
    if (staged) {
        copy_in(0, std::min(total, kStaging / element));
    }
    meet();
    const Windows windows = open_windows(reduction);
    const std::size_t chunk = windows.direct ? total : kStaging / element;
    for (std::size_t begin = 0; begin < total; begin += chunk) {
        const std::size_t end = std::min(begin + chunk, total);
        if (begin > 0) {
            if (staged) {
                copy_in(begin, end);
            }
            meet();
        }
        work(windows, begin, end);
    }
}

void SharedMemoryCollectives::reduce_large(const Reduction& reduction, const Middle& middle) {
    const std::size_t element = size_of(reduction.type);
    const std::size_t total = reduction.count();
    if (middle && rank_ == 0) {
        result_buffer();
    }
    const auto copy_out = [&](const std::byte* from, std::size_t begin, std::size_t end) {
        over_range(reduction.pieces, begin, end,
                   [&](std::size_t piece, std::size_t offset, std::size_t length, std::size_t position) {
                       auto* to = static_cast<std::byte*>(reduction.pieces[piece].data);
                       std::memcpy(to + offset * element, from + position * element, length * element);
                   });
    };
    std::byte* result = nullptr;
    over_windows(reduction, 0, total, [&](const Windows& windows, std::size_t begin, std::size_t end) {
        if (middle) {
            result = memory_->resolve(members_[0].place, control(0).descriptor[parity()].result);
        }
        reduce_shard(reduction, windows, begin, end, middle ? result + begin * element : nullptr);
        meet();
        if (!own().descriptor[parity()].direct && !middle) {
            copy_out(staging(), begin, end);
        }
    });
    if (middle) {
        if (rank_ == 0) {
            middle({result, total});
        }
        meet();
        copy_out(result, 0, total);
    }
}

void SharedMemoryCollectives::reduce_scatter(const Reduction& reduction, Shares shares) {
    const std::size_t element = size_of(reduction.type);
    const auto self = static_cast<std::size_t>(rank_);
    if (reduction.count() == 0) {
        return;  // every operation that begins has a meeting: without one, a rank could overtake another
    }
    begin({.operation = CollectiveKind::reduce_scatter, .type = reduction.type, .bytes = reduction.bytes()});
    in_parts(reduction, [&](const Reduction& part, std::size_t before) {
        const std::size_t total = part.count();
        const std::size_t mine = within(shares[self], before, total);
        const std::size_t mine_end = within(shares[self + 1], before, total);
        sent_ += (total - (mine_end - mine)) * element;
        over_windows(part, 0, total, [&](const Windows& windows, std::size_t begin, std::size_t end) {
            const std::size_t from = std::clamp(mine, begin, end);
            sources_.resize(members_.size());
            over_range(part.pieces, from, std::clamp(mine_end, begin, end),
                       [&](std::size_t piece, std::size_t offset, std::size_t length, std::size_t position) {
                           const std::size_t in_chunk = (from - begin + position) * element;
                           for (std::size_t rank = 0; rank < sources_.size(); ++rank) {
                               sources_[rank] = element_of(windows, rank, piece, offset * element, in_chunk);
                           }
                           // Also where the others cannot reach it.
                           void* target = static_cast<std::byte*>(part.pieces[piece].data) + offset * element;
                           sources_[self] = target;
                           reduce(part.type, part.scale, sources_, {&target, 1}, length);
                       });
            meet();
        });
    });
}

void SharedMemoryCollectives::gather_shares(std::span<const Piece> pieces, ElementType type, Shares shares) {
    const std::size_t element = size_of(type);
    const Reduction all{.pieces = pieces, .type = type};
    if (all.count() == 0) {
        return;
    }
    begin({.operation = CollectiveKind::all_gather, .type = type, .bytes = all.bytes()});
    const auto self = static_cast<std::size_t>(rank_);
    sent_ += (shares[self + 1] - shares[self]) * element * (members_.size() - 1);
    in_parts(all, [&](const Reduction& part, std::size_t before) {
        const std::size_t total = part.count();
        const auto share = [&](std::size_t rank) { return within(shares[rank], before, total); };
        over_windows(part, share(self), share(self + 1),
                     [&](const Windows& windows, std::size_t begin, std::size_t end) {
                         for (std::size_t rank = 0; rank < members_.size(); ++rank) {
                             if (rank == self) {
                                 continue;
                             }
                             const std::size_t from = std::clamp(share(rank), begin, end);
                             over_range(part.pieces, from, std::clamp(share(rank + 1), begin, end),
                                        [&](std::size_t piece, std::size_t offset, std::size_t length,
                                            std::size_t position) {
                                            auto* to = static_cast<std::byte*>(part.pieces[piece].data);
                                            std::memcpy(to + offset * element,
                                                        element_of(windows, rank, piece, offset * element,
                                                                   (from - begin + position) * element),
                                                        length * element);
                                        });
                         }
                         meet();
                     });
    });
}

}  // namespace rankscope::engine
