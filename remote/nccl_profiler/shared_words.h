// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ctime>

/// Plain fields of the shared file, used by several threads: each is read and written at once.
namespace rankscope::nccl {

template <typename T>
T load(const T& field, std::memory_order order = std::memory_order_relaxed) {
    return std::atomic_ref<T>(const_cast<T&>(field)).load(order);
}
template <typename T>
void store(T& field, T value, std::memory_order order = std::memory_order_relaxed) {
    std::atomic_ref<T>(field).store(value, order);
}
template <typename T>
T add(T& field, T value, std::memory_order order = std::memory_order_relaxed) {
    return std::atomic_ref<T>(field).fetch_add(value, order);
}
template <typename T>
T set_bits(T& field, T bits) {
    return std::atomic_ref<T>(field).fetch_or(bits, std::memory_order_relaxed);
}
/// True for the one that changed it.
template <typename T>
bool exchange_if(T& field, T from, T to) {
    return std::atomic_ref<T>(field).compare_exchange_strong(from, to, std::memory_order_acq_rel);
}
template <typename T>
void lower_to(T& field, T value) {
    T before = load(field);
    while (value < before && !std::atomic_ref<T>(field).compare_exchange_weak(before, value)) {
    }
}
template <typename T>
void raise_to(T& field, T value) {
    T before = load(field);
    while (value > before && !std::atomic_ref<T>(field).compare_exchange_weak(before, value)) {
    }
}

/// Everything but the first word, which says whether the rest is valid.
template <typename T>
void store_words(T& target, const T& source) {
    using Words = std::array<std::uint64_t, sizeof(T) / sizeof(std::uint64_t)>;
    const auto words = std::bit_cast<Words>(source);
    auto* to = reinterpret_cast<std::uint64_t*>(&target);
    for (std::size_t i = 1; i < words.size(); ++i) {
        store(to[i], words[i]);
    }
}
template <typename T>
void load_words(T& target, const T& source) {
    std::array<std::uint64_t, sizeof(T) / sizeof(std::uint64_t)> words;
    const auto* from = reinterpret_cast<const std::uint64_t*>(&source);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = load(from[i]);
    }
    target = std::bit_cast<T>(words);
}

inline std::uint64_t clock_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}
inline std::uint64_t now_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

}  // namespace rankscope::nccl
