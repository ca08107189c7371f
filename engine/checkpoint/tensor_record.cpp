// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/tensor_record.h>
#include <engine/error.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace rankscope::engine {

// Files are little-endian and are copied as they are.
static_assert(std::endian::native == std::endian::little);

namespace {

void expect(const TensorRecord& record, StoredType dtype) {
    if (record.dtype != dtype) {
        throw Error("tensor " + record.name + " has type " + std::string(safetensors_name(record.dtype)) +
                    " where " + std::string(safetensors_name(dtype)) + " is needed");
    }
}

template <typename Stored, typename Widen>
std::vector<float> widened(const TensorRecord& record, Widen widen) {
    std::vector<float> values(record.bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored{};
        std::memcpy(&stored, record.bytes.data() + i * sizeof(Stored), sizeof(Stored));
        values[i] = widen(stored);
    }
    return values;
}

/// IEEE 754 binary16: 1 bit sign, 5 bits exponent (bias 15), 10 bits fraction.
float of_half(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16U;
    const std::uint32_t exponent = (half >> 10U) & 0x1FU;
    const std::uint32_t fraction = half & 0x3FFU;
    if (exponent == 0) {
        constexpr float kSmallest = 0x1p-24F;
        const float value = static_cast<float>(fraction) * kSmallest;
        return sign != 0 ? -value : value;
    }
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 127 - 15;
    return std::bit_cast<float>(sign | (wide << 23U) | (fraction << 13U));
}

}  // namespace

TensorView view_of(const TensorRecord& record) {
    return {record.name, record.dtype, record.shape, record.bytes};
}

std::vector<TensorView> views_of(std::span<const TensorRecord> records) {
    std::vector<TensorView> views;
    views.reserve(records.size());
    for (const TensorRecord& record : records) {
        views.push_back(view_of(record));
    }
    return views;
}

std::optional<std::uint64_t> byte_size(StoredType dtype, const Shape& shape) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 62U;
    std::uint64_t size = size_of(dtype);
    bool empty = false;
    for (const std::int64_t dimension : shape) {
        if (dimension < 0) {
            return std::nullopt;
        }
        if (dimension == 0) {
            empty = true;
        } else if (size > kLimit / static_cast<std::uint64_t>(dimension)) {
            return std::nullopt;
        } else {
            size *= static_cast<std::uint64_t>(dimension);
        }
    }
    return empty ? 0 : size;
}

void reuse(TensorRecord& record, std::string name, StoredType dtype, Shape shape) {
    const auto size = byte_size(dtype, shape);
    if (!size) {
        throw Error("tensor " + name + " has the impossible shape " + to_string(shape));
    }
    record.name = std::move(name);
    record.dtype = dtype;
    record.shape = std::move(shape);
    record.bytes.resize(*size);
}

std::span<float> floats_of(TensorRecord& record) {
    expect(record, StoredType::f32);
    return {static_cast<float*>(static_cast<void*>(record.bytes.data())),
            record.bytes.size() / sizeof(float)};
}

TensorRecord float_tensor(std::string name, Shape shape, std::span<const float> values) {
    TensorRecord record;
    reuse(record, std::move(name), StoredType::f32, std::move(shape));
    if (record.bytes.size() != values.size_bytes()) {
        throw Error("tensor " + record.name + " of shape " + to_string(record.shape) + " cannot hold " +
                    std::to_string(values.size()) + " values");
    }
    std::memcpy(record.bytes.data(), values.data(), values.size_bytes());
    return record;
}

TensorRecord int64_scalar(std::string name, std::int64_t value) {
    TensorRecord record;
    reuse(record, std::move(name), StoredType::i64, {});
    std::memcpy(record.bytes.data(), &value, sizeof(value));
    return record;
}

std::vector<float> float_values(const TensorRecord& record) {
    expect(record, StoredType::f32);
    std::vector<float> values(record.bytes.size() / sizeof(float));
    std::memcpy(values.data(), record.bytes.data(), values.size() * sizeof(float));
    return values;
}

std::vector<float> widened_values(const TensorRecord& record) {
    switch (record.dtype) {
        case StoredType::f64:
            return widened<double>(record, [](double value) { return static_cast<float>(value); });
        case StoredType::f16:
            return widened<std::uint16_t>(record, of_half);
        case StoredType::bf16:
            return widened<std::uint16_t>(
                record, [](std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); });
        default:
            return float_values(record);
    }
}

std::int64_t int64_value(const TensorRecord& record) {
    expect(record, StoredType::i64);
    std::int64_t value = 0;
    if (record.bytes.size() != sizeof(value)) {
        throw Error("tensor " + record.name + " of shape " + to_string(record.shape) +
                    " is not a single number");
    }
    std::memcpy(&value, record.bytes.data(), sizeof(value));
    return value;
}

const TensorRecord* find_tensor(std::span<const TensorRecord> records, std::string_view name) {
    const auto found =
        std::find_if(records.begin(), records.end(), [&](const auto& one) { return one.name == name; });
    return found == records.end() ? nullptr : &*found;
}

std::string unwrapped_name(std::string_view name) {
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view prefix : {std::string_view("module."), std::string_view("_orig_mod.")}) {
            if (name.starts_with(prefix) && name.size() > prefix.size()) {
                name.remove_prefix(prefix.size());
                again = true;
            }
        }
    }
    return std::string(name);
}

}  // namespace rankscope::engine
