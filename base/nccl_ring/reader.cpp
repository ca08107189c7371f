// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/nccl_ring/reader.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <type_traits>
#include <unordered_map>

namespace rankscope::nccl_ring {
namespace {

/// Records are read in pieces; the other tables as a whole, 12 MiB at most.
constexpr std::uint32_t kMostRecords = 1U << 24U;
constexpr std::uint32_t kMostEntries = 1U << 16U;

bool usable(std::uint32_t capacity, std::uint32_t most) {
    return std::has_single_bit(capacity) && capacity <= most;
}

bool valid(const Header& header, std::uint64_t file_bytes) {
    return header.magic == kMagic && header.layout_version == kLayoutVersion &&
           usable(header.record_capacity, kMostRecords) && usable(header.operation_capacity, kMostEntries) &&
           usable(header.communicator_capacity, kMostEntries) &&
           usable(header.network_capacity, kMostEntries) &&
           Places(header.record_capacity, header.operation_capacity, header.communicator_capacity,
                  header.network_capacity)
                   .end <= file_bytes;
}

/// Whether the capacities, which fix all places, are still the same.
bool same_shape(const Header& a, const Header& b) {
    return a.magic == b.magic && a.layout_version == b.layout_version &&
           a.record_capacity == b.record_capacity && a.operation_capacity == b.operation_capacity &&
           a.communicator_capacity == b.communicator_capacity && a.network_capacity == b.network_capacity;
}

bool exact_read(int file, void* target, std::size_t size, std::uint64_t offset) {
    auto* bytes = static_cast<char*>(target);
    while (size > 0) {
        const ssize_t got = pread(file, bytes, size, static_cast<off_t>(offset));
        if (got <= 0) {
            if (got < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        bytes += got;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

/// Anything else than these would not be in range of its type.
bool in_range(const Record& record) {
    return record.kind > RecordKind::none && record.kind <= RecordKind::abandoned &&
           record.operation_kind <= OperationKind::copy_engine;
}

bool open_now(const Operation& operation) {
    return operation.id != 0 && operation.kind > OperationKind::none &&
           operation.kind <= OperationKind::copy_engine &&
           operation.phase >= static_cast<std::uint32_t>(Phase::begun) &&
           operation.phase <= static_cast<std::uint32_t>(Phase::running);
}

bool is_call(const Operation& operation) {
    return operation.kind == OperationKind::collective_call || operation.kind == OperationKind::p2p_call;
}

UniqueFd open_own(const std::filesystem::path& file, int flags, struct stat& status) {
    UniqueFd opened(::open(file.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    if (opened && (fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
                   (status.st_uid != geteuid() && geteuid() != 0))) {
        errno = EPERM;
        return {};
    }
    return opened;
}

}  // namespace

std::optional<Reader> Reader::open(const std::filesystem::path& file) {
    struct stat status {};
    UniqueFd opened = open_own(file, O_RDONLY, status);
    Header header{};
    if (!opened || !exact_read(opened.get(), &header, sizeof header, 0) ||
        !valid(header, static_cast<std::uint64_t>(status.st_size))) {
        return std::nullopt;
    }
    return Reader(std::move(opened), header);
}

Reader::Reader(UniqueFd file, const Header& header)
    : file_(std::move(file)),
      header_(header),
      places_(header.record_capacity, header.operation_capacity, header.communicator_capacity,
              header.network_capacity) {}

bool Reader::read_at(void* target, std::size_t size, std::uint64_t offset) const {
    return exact_read(file_.get(), target, size, offset);
}

bool Reader::refresh() {
    Header now{};
    if (!read_at(&now, sizeof now, 0) || !same_shape(now, header_)) {
        return false;
    }
    header_ = now;
    return true;
}

template <typename Entry>
std::vector<Entry> Reader::table(std::uint64_t offset, std::size_t count) const {
    static_assert(std::is_trivially_copyable_v<Entry>);
    std::vector<Entry> entries(count);
    if (!read_at(entries.data(), count * sizeof(Entry), offset)) {
        entries.clear();
    }
    return entries;
}

RecordBatch Reader::read(std::size_t limit) {
    RecordBatch batch;
    if (!refresh()) {
        return batch;
    }
    const std::uint64_t capacity = header_.record_capacity;
    const std::uint64_t head = header_.head;
    if (head < next_) {
        return batch;  // not ours to explain: the file was written by something else
    }
    if (head - next_ > capacity) {
        batch.lost += head - capacity - next_;
        next_ = head - capacity;
    }
    const std::uint64_t count = std::min<std::uint64_t>(head - next_, limit);
    const std::uint64_t first = next_ % capacity;
    const std::uint64_t before_end = std::min(count, capacity - first);
    std::vector<Record> slots = table<Record>(places_.records + first * sizeof(Record), before_end);
    if (before_end < count) {
        const std::vector<Record> rest = table<Record>(places_.records, count - before_end);
        slots.insert(slots.end(), rest.begin(), rest.end());
    }
    // The writer claims a number before it writes: what was claimed meanwhile may be torn in our copy.
    if (slots.size() != count || !refresh() || header_.head < head) {
        return batch;
    }
    for (const Record& record : slots) {
        const bool overwritten = header_.head - next_ > capacity;
        if (!overwritten && record.ticket != 2 * next_ + 2 && waited_for_ != next_) {
            waited_for_ = next_;  // it may be written at this moment; the next call does without
            return batch;
        }
        if (overwritten || record.ticket != 2 * next_ + 2 || !in_range(record)) {
            ++batch.lost;
        } else {
            batch.records.push_back(record);
        }
        ++next_;
    }
    return batch;
}

std::vector<OpenOperation> Reader::open_operations() {
    std::vector<OpenOperation> result;
    if (!refresh()) {
        return result;
    }
    const auto operations = table<Operation>(places_.operations, header_.operation_capacity);
    const auto communicators_now = table<Communicator>(places_.communicators, header_.communicator_capacity);
    std::unordered_map<std::uint64_t, bool> open_groups;
    for (const Operation& operation : operations) {
        if (operation.kind == OperationKind::group && open_now(operation)) {
            open_groups[operation.id] = true;
        }
    }
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (!open_now(operations[i])) {
            continue;
        }
        OpenOperation open;
        // A second look: the first may have caught the place while it changed hands.
        if (!read_at(&open.operation, sizeof open.operation, places_.operations + i * sizeof(Operation)) ||
            open.operation.id != operations[i].id || !open_now(open.operation)) {
            continue;
        }
        const Operation& operation = open.operation;
        open.channels_seen = static_cast<unsigned>(std::popcount(operation.channels_seen));
        open.channels_done = static_cast<unsigned>(std::popcount(operation.channels_done));
        open.group_over =
            is_call(operation) && operation.end_ns != 0 && !open_groups.contains(operation.parent);
        if (operation.communicator_slot < communicators_now.size()) {
            const Communicator& communicator = communicators_now[operation.communicator_slot];
            open.overtaken = communicator.id == operation.communicator &&
                             operation.start_ns < communicator.last_finished_start_ns;
        }
        result.push_back(open);
    }
    std::sort(result.begin(), result.end(), [](const OpenOperation& a, const OpenOperation& b) {
        return a.operation.start_ns < b.operation.start_ns;
    });
    return result;
}

std::vector<Communicator> Reader::communicators() {
    std::vector<Communicator> entries;
    if (refresh()) {
        entries = table<Communicator>(places_.communicators, header_.communicator_capacity);
    }
    std::erase_if(entries, [](const Communicator& entry) {
        return entry.generation == 0 || entry.state == CommunicatorState::none ||
               entry.state > CommunicatorState::closed;
    });
    return entries;
}

std::vector<NetworkOperation> Reader::open_network() {
    std::vector<NetworkOperation> entries;
    if (refresh()) {
        entries = table<NetworkOperation>(places_.network, header_.network_capacity);
    }
    std::erase_if(entries, [](const NetworkOperation& entry) { return entry.id == 0 || entry.stop_ns != 0; });
    return entries;
}

std::uint64_t Reader::realtime_ns(std::uint64_t monotonic_ns) const {
    return header_.start_realtime_ns + (monotonic_ns - header_.start_monotonic_ns);
}

int set_level(const std::filesystem::path& file, std::uint32_t level) {
    struct stat status {};
    const UniqueFd opened = open_own(file, O_RDWR, status);
    Header header{};
    if (!opened) {
        return errno;
    }
    if (!exact_read(opened.get(), &header, sizeof header, 0) ||
        !valid(header, static_cast<std::uint64_t>(status.st_size))) {
        return EINVAL;
    }
    const ssize_t written = pwrite(opened.get(), &level, sizeof level, offsetof(Header, level_wanted));
    return written == static_cast<ssize_t>(sizeof level) ? 0 : (written < 0 ? errno : EIO);
}

std::string name_of(const Communicator& communicator) {
    std::string name;
    for (const char c : communicator.name) {
        if (c == '\0') {
            break;
        }
        name += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
    return name;
}

}  // namespace rankscope::nccl_ring
