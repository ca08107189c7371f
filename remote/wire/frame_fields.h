// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <base/failure_id.h>
#include <remote/wire/nccl_event.h>

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

/// Copies the fields that a value and its frame have under one name. RANKSCOPE_FIELDS(code, reason) stands for both
/// directions: event.code, frame.code(), frame.set_code(…); the variables event, frame and copy (FromFrame or ToFrame)
/// are the function's.
namespace rankscope {

/// A field as its frame has it: numbers of another type, enumerations by number.
template <typename Field, typename Value>
decltype(auto) as_field(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value> || NamedEnum<Value>) {
        return static_cast<std::decay_t<Field>>(value);
    } else if constexpr (std::is_same_v<Value, FailureId>) {
        return std::string(value.str());
    } else if constexpr (std::is_same_v<Value, CommunicatorHash>) {
        return std::uint64_t{value.value};
    } else {
        return (value);
    }
}

struct FromFrame {
    template <typename T>
    void operator()(T& field, const auto& frame, auto get, auto /*set*/, auto /*add*/) const {
        if constexpr (std::is_arithmetic_v<T>) {
            field = static_cast<T>(get(frame));
        } else if constexpr (std::is_same_v<T, NcclPhase>) {
            field = enum_from_number<T>(static_cast<int>(get(frame))).value_or(NcclPhase::Abandoned);
        } else if constexpr (NamedEnum<T>) {
            field = enum_from_number<T>(static_cast<int>(get(frame))).value_or(T{});
        } else if constexpr (std::is_same_v<T, FailureId>) {
            field = FailureId::from(get(frame));
        } else if constexpr (std::is_same_v<T, CommunicatorHash>) {
            field.value = get(frame);
        } else if constexpr (std::is_same_v<T, std::string>) {
            field = get(frame);
        } else {
            field.assign(get(frame).begin(), get(frame).end());
        }
    }
};

struct ToFrame {
    template <typename T>
    void operator()(const T& field, auto& frame, auto /*get*/, auto set, auto /*add*/) const {
        set(frame, field);
    }
    template <typename T>
    void operator()(const std::vector<T>& field, auto& frame, auto /*get*/, auto /*set*/, auto add) const {
        for (const auto& entry : field) {
            add(frame, entry);
        }
    }
};

/// The frame of a function that copies in both directions, constant or not.
template <typename T, typename Frame>
concept FrameOf = std::same_as<std::remove_const_t<T>, Frame>;

#define RANKSCOPE_FIELD(name)                                                                     \
    copy(                                                                                         \
        event.name, frame, [](const auto& from) -> decltype(auto) { return from.name(); },        \
        [](auto& to, const auto& value) { to.set_##name(as_field<decltype(to.name())>(value)); }, \
        [](auto& to, const auto& value) { to.add_##name(value); })

// RANKSCOPE_FIELD for each of up to 64 names.
#define RANKSCOPE_FIELDS(...) RANKSCOPE_SCAN(RANKSCOPE_EACH(__VA_ARGS__))
#define RANKSCOPE_EACH(name, ...) \
    RANKSCOPE_FIELD(name);        \
    __VA_OPT__(RANKSCOPE_NEXT RANKSCOPE_NONE(__VA_ARGS__))
#define RANKSCOPE_NEXT() RANKSCOPE_EACH
#define RANKSCOPE_NONE ()
#define RANKSCOPE_SCAN(...) \
    RANKSCOPE_SCAN_16(RANKSCOPE_SCAN_16(RANKSCOPE_SCAN_16(RANKSCOPE_SCAN_16(__VA_ARGS__))))
#define RANKSCOPE_SCAN_16(...) \
    RANKSCOPE_SCAN_4(RANKSCOPE_SCAN_4(RANKSCOPE_SCAN_4(RANKSCOPE_SCAN_4(__VA_ARGS__))))
#define RANKSCOPE_SCAN_4(...) \
    RANKSCOPE_SCAN_1(RANKSCOPE_SCAN_1(RANKSCOPE_SCAN_1(RANKSCOPE_SCAN_1(__VA_ARGS__))))
#define RANKSCOPE_SCAN_1(...) __VA_ARGS__

}  // namespace rankscope
