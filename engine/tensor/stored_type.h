// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankscope::engine {

/// Element types that checkpoint files hold. The engine itself reads f32 and i64; the others are carried.
enum class StoredType {
    f64,
    f32,
    f16,
    bf16,
    i64,
    i32,
    i16,
    i8,
    u64,
    u32,
    u16,
    u8,
    boolean,
    f8_e4m3,
    f8_e5m2
};

/// Bytes of one element.
std::size_t size_of(StoredType dtype);
/// "F32": the name in safetensors' header.
std::string_view safetensors_name(StoredType dtype);
/// "FloatStorage": the class in PyTorch's pickles; empty where PyTorch has none.
std::string_view torch_storage_name(StoredType dtype);

std::optional<StoredType> stored_type_of_safetensors(std::string_view name);
std::optional<StoredType> stored_type_of_torch(std::string_view name);

}  // namespace rankscope::engine
