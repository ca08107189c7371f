// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/tensor/stored_type.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A named tensor as checkpoint files hold it: row-major, little-endian, shape {} for a scalar.
struct TensorRecord {
    std::string name;
    StoredType dtype = StoredType::f32;
    Shape shape;
    std::vector<std::byte> bytes;

    bool operator==(const TensorRecord&) const = default;
};

/// The same without owning the bytes.
struct TensorView {
    std::string name;
    StoredType dtype = StoredType::f32;
    Shape shape;
    std::span<const std::byte> bytes;
};

TensorView view_of(const TensorRecord& record);
std::vector<TensorView> views_of(std::span<const TensorRecord> records);

/// Bytes that a tensor of this shape takes; nothing for a negative dimension or where it would not fit into
/// 63 bits.
std::optional<std::uint64_t> byte_size(StoredType dtype, const Shape& shape);

/// Memory for the tensor, or what it had, where it is the same already: a snapshot's buffers are used again.
void reuse(TensorRecord& record, std::string name, StoredType dtype, Shape shape);

/// The memory of an f32 tensor as numbers (std::vector's memory is aligned for them). Throws Error naming the
/// tensor when it has another type.
std::span<float> floats_of(TensorRecord& record);

TensorRecord float_tensor(std::string name, Shape shape, std::span<const float> values);
TensorRecord int64_scalar(std::string name, std::int64_t value);
/// The values of an f32 tensor. Throws Error naming the tensor when it has another type.
std::vector<float> float_values(const TensorRecord& record);
/// The values of a tensor of any floating type (f32, f64, f16, bf16), as floats.
std::vector<float> widened_values(const TensorRecord& record);
/// The number in an i64 scalar; throws Error as above.
std::int64_t int64_value(const TensorRecord& record);

/// Null where there is none.
const TensorRecord* find_tensor(std::span<const TensorRecord> records, std::string_view name);

/// The name without the prefixes that PyTorch's wrappers put before it: "module." by
/// DistributedDataParallel, "_orig_mod." by torch.compile; in any order, as often as they come.
std::string unwrapped_name(std::string_view name);

}  // namespace rankscope::engine
