// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/rules/literal_scan.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

namespace rankscope::logs {
namespace {

constexpr std::size_t kLong = 8;        // letters; shorter words are looked for apart
constexpr std::size_t kLongGroup = 4;   // bytes
constexpr std::size_t kShortGroup = 3;  // bytes
constexpr unsigned kHashBits = 16;
constexpr unsigned kBucketBits = 12;

// What the lines that are most frequent in large logs consist of. Groups of bytes in it are avoided: they would
// lead to comparisons in each line.
constexpr std::array<std::string_view, 6> kFrequent{
    "gpu-node-0:1234567890:1234567890 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA",
    "NCCL INFO Channel 00/0 : 0[0] -> 1[1] [receive] via P2P/CUMEM/read P2P/IPC SHM/direct/direct "
    "NET/Socket/0",
    "NCCL INFO Ring 00 : 0 -> 1 -> 2 NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->1->0",
    "AllReduce: opCount 0 sendbuff 0x7f recvbuff 0x7f count 0 datatype 9 op 0 root 0 comm 0x55 [nranks=8] "
    "stream",
    "ReduceScatter: AllGather: Broadcast: Send: Recv: opCount sendbuff 0x7f",
    "AllReduce: 268435456 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}"};

std::uint32_t hash_of(std::uint32_t group) {
    return (group * 2654435761U) >> (32U - kHashBits);
}

std::uint32_t load(const char* at) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

// The first bytes of a text, with zeros after its end.
std::uint32_t load_end(std::string_view text) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, text.data(), std::min(text.size(), sizeof bytes));
    return bytes;
}

bool is_frequent(std::string_view group) {
    static const auto kGroups = [] {
        std::set<std::string_view> groups;
        for (const auto line : kFrequent) {
            for (const std::size_t size : {kShortGroup, kLongGroup}) {
                for (std::size_t at = 0; at + size <= line.size(); ++at) {
                    groups.insert(line.substr(at, size));
                }
            }
        }
        return groups;
    }();
    return kGroups.contains(group);
}

// Where in the word the groups begin that are looked for: `step` of them, with the fewest that are frequent.
std::size_t best_part(std::string_view word, std::size_t group, std::size_t step) {
    std::vector<std::size_t> before{0};  // frequent groups that begin before a byte
    for (std::size_t at = 0; at + group <= word.size(); ++at) {
        before.push_back(before.back() + (is_frequent(word.substr(at, group)) ? 1U : 0U));
    }
    std::size_t best = 0;
    for (std::size_t begin = 0; begin + step < before.size(); ++begin) {
        if (before[begin + step] - before[begin] < before[best + step] - before[best]) {
            best = begin;
        }
    }
    return best;
}

}  // namespace

LiteralScan::LiteralScan(std::vector<std::string> words) : words_(std::move(words)) {
    std::vector<std::uint32_t> short_words;
    std::vector<std::uint32_t> long_words;
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
        (words_[i].size() < kLong ? short_words : long_words).push_back(i);
    }
    short_ = sampled(kShortGroup, short_words);
    long_ = sampled(kLongGroup, long_words);
}

LiteralScan::Sampled LiteralScan::sampled(std::size_t group,
                                          const std::vector<std::uint32_t>& members) const {
    Sampled sampled;
    if (members.empty()) {
        return sampled;
    }
    auto shortest = words_[members.front()].size();
    for (const auto word : members) {
        shortest = std::min(shortest, words_[word].size());
    }
    sampled.group = group;
    sampled.step = shortest - group + 1;
    sampled.mask = ~0U >> (8 * (sizeof(std::uint32_t) - group));
    sampled.marks.assign((1U << kHashBits) / 64, 0);
    std::vector<std::vector<Sampled::Entry>> buckets(1U << kBucketBits);
    for (const auto word : members) {
        const std::string_view text = words_[word];
        const auto begin = best_part(text, group, sampled.step);
        for (std::size_t i = begin; i < begin + sampled.step; ++i) {
            const auto bytes = load_end(text.substr(i)) & sampled.mask;
            const auto hash = hash_of(bytes);
            sampled.marks[hash / 64] |= std::uint64_t{1} << (hash % 64);
            buckets[hash >> (kHashBits - kBucketBits)].push_back(
                {bytes, word, static_cast<std::uint32_t>(i)});
        }
    }
    for (const auto& bucket : buckets) {
        sampled.begin.push_back(static_cast<std::uint32_t>(sampled.entries.size()));
        sampled.entries.insert(sampled.entries.end(), bucket.begin(), bucket.end());
    }
    sampled.begin.push_back(static_cast<std::uint32_t>(sampled.entries.size()));
    return sampled;
}

void LiteralScan::compare(const Sampled& sampled, std::uint32_t bytes, std::string_view text, std::size_t at,
                          std::vector<std::uint32_t>& found) const {
    const auto bucket = hash_of(bytes) >> (kHashBits - kBucketBits);
    for (auto i = sampled.begin[bucket]; i < sampled.begin[bucket + 1]; ++i) {
        const auto& entry = sampled.entries[i];
        if (entry.bytes == bytes && at >= entry.offset &&
            text.substr(at - entry.offset).starts_with(words_[entry.word])) {
            found.push_back(entry.word);
        }
    }
}

void LiteralScan::scan(const Sampled& sampled, std::string_view text,
                       std::vector<std::uint32_t>& found) const {
    if (sampled.step == 0) {
        return;
    }
    const auto look = [&](std::uint32_t loaded, std::size_t at) {
        const auto bytes = loaded & sampled.mask;
        const auto hash = hash_of(bytes);
        if ((sampled.marks[hash / 64] >> (hash % 64) & 1U) != 0) {
            compare(sampled, bytes, text, at, found);
        }
    };
    std::size_t at = 0;
    for (; at + sizeof(std::uint32_t) <= text.size(); at += sampled.step) {
        look(load(text.data() + at), at);
    }
    if (at + sampled.group <= text.size()) {
        look(load_end(text.substr(at)), at);
    }
}

void LiteralScan::scan(std::string_view text, std::vector<std::uint32_t>& found) const {
    const auto before = static_cast<std::ptrdiff_t>(found.size());
    scan(short_, text, found);
    scan(long_, text, found);
    if (static_cast<std::ptrdiff_t>(found.size()) - before > 1) {
        std::sort(found.begin() + before, found.end());
        found.erase(std::unique(found.begin() + before, found.end()), found.end());
    }
}

}  // namespace rankscope::logs
