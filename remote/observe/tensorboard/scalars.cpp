// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/tensorboard/event.pb.h>
#include <remote/observe/tensorboard/scalars.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace rankscope::tensorboard {
namespace {

// Numbers of tensorflow.DataType (core/framework/types.proto).
enum DataType : int { kFloat = 1, kDouble = 2, kInt32 = 3, kInt64 = 9, kBfloat16 = 14, kHalf = 19 };

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits.
double half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 0x1f;
    const double fraction = bits & 0x3ff;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 0x1f) {
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

// The upper half of a float.
double bfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Little-endian in the file, as on every machine that the agent is built for.
template <typename Number>
std::optional<double> number_in(const std::string& content, double (*convert)(Number)) {
    Number value{};
    if (content.size() != sizeof value) {
        return std::nullopt;
    }
    std::memcpy(&value, content.data(), sizeof value);
    return convert(value);
}

template <typename Number>
double as_double(Number value) {
    return static_cast<double>(value);
}

std::optional<double> in_content(const Tensor& tensor) {
    switch (tensor.dtype()) {
        case kFloat:
            return number_in<float>(tensor.content(), as_double);
        case kDouble:
            return number_in<double>(tensor.content(), as_double);
        case kInt32:
            return number_in<std::int32_t>(tensor.content(), as_double);
        case kInt64:
            return number_in<std::int64_t>(tensor.content(), as_double);
        case kBfloat16:
            return number_in<std::uint16_t>(tensor.content(), bfloat16);
        case kHalf:
            return number_in<std::uint16_t>(tensor.content(), half);
        default:
            return std::nullopt;
    }
}

template <typename Values>
std::optional<double> only(const Values& values) {
    return values.size() == 1 ? std::optional<double>(static_cast<double>(values.Get(0))) : std::nullopt;
}

std::optional<double> in_field(const Tensor& tensor) {
    switch (tensor.dtype()) {
        case kFloat:
            return only(tensor.float_val());
        case kDouble:
            return only(tensor.double_val());
        case kInt32:
            return only(tensor.int_val());
        case kInt64:
            return only(tensor.int64_val());
        case kBfloat16:
        case kHalf: {
            const auto bits = only(tensor.half_val());
            if (!bits || *bits < 0 || *bits > 0xffff) {
                return std::nullopt;
            }
            const auto value = static_cast<std::uint16_t>(*bits);
            return tensor.dtype() == kHalf ? half(value) : bfloat16(value);
        }
        default:
            return std::nullopt;
    }
}

std::optional<double> scalar_of(const Value& value) {
    const auto& plugin = value.metadata().plugin_data().plugin_name();
    if (!plugin.empty() && plugin != "scalars") {
        return std::nullopt;
    }
    if (value.has_simple_value()) {
        return value.simple_value();
    }
    // Of rank 0: a shape of (1) is what the hparams plugin writes where it has nothing to say.
    if (!value.has_tensor() || value.tensor().shape().dim_size() != 0 ||
        value.tensor().shape().unknown_rank()) {
        return std::nullopt;
    }
    return value.tensor().content().empty() ? in_field(value.tensor()) : in_content(value.tensor());
}

}  // namespace

std::optional<Scalars> read_scalars(std::string_view record) {
    Event event;
    if (!event.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
        return std::nullopt;
    }
    Scalars scalars;
    scalars.step = event.step();
    scalars.wall_time = event.wall_time();
    for (const auto& value : event.summary().value()) {
        if (const auto scalar = scalar_of(value)) {
            scalars.values.emplace_back(value.tag(), *scalar);
        }
    }
    return scalars;
}

}  // namespace rankscope::tensorboard
