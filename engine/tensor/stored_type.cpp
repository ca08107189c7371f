// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/tensor/stored_type.h>

#include <algorithm>
#include <array>

namespace rankscope::engine {
namespace {

struct Description {
    StoredType dtype;
    std::size_t size;
    std::string_view safetensors;
    std::string_view torch_storage;
};

// In the order of the enumeration.
constexpr std::array<Description, 15> kDescriptions{{{StoredType::f64, 8, "F64", "DoubleStorage"},
                                                     {StoredType::f32, 4, "F32", "FloatStorage"},
                                                     {StoredType::f16, 2, "F16", "HalfStorage"},
                                                     {StoredType::bf16, 2, "BF16", "BFloat16Storage"},
                                                     {StoredType::i64, 8, "I64", "LongStorage"},
                                                     {StoredType::i32, 4, "I32", "IntStorage"},
                                                     {StoredType::i16, 2, "I16", "ShortStorage"},
                                                     {StoredType::i8, 1, "I8", "CharStorage"},
                                                     {StoredType::u64, 8, "U64", ""},
                                                     {StoredType::u32, 4, "U32", ""},
                                                     {StoredType::u16, 2, "U16", ""},
                                                     {StoredType::u8, 1, "U8", "ByteStorage"},
                                                     {StoredType::boolean, 1, "BOOL", "BoolStorage"},
                                                     {StoredType::f8_e4m3, 1, "F8_E4M3", ""},
                                                     {StoredType::f8_e5m2, 1, "F8_E5M2", ""}}};

const Description& describe(StoredType dtype) {
    return kDescriptions.at(static_cast<std::size_t>(dtype));
}

template <typename Matches>
std::optional<StoredType> find(Matches matches) {
    const auto* found = std::find_if(kDescriptions.begin(), kDescriptions.end(), matches);
    return found == kDescriptions.end() ? std::nullopt : std::optional(found->dtype);
}

}  // namespace

std::size_t size_of(StoredType dtype) {
    return describe(dtype).size;
}

std::string_view safetensors_name(StoredType dtype) {
    return describe(dtype).safetensors;
}

std::string_view torch_storage_name(StoredType dtype) {
    return describe(dtype).torch_storage;
}

std::optional<StoredType> stored_type_of_safetensors(std::string_view name) {
    return find([&](const Description& one) { return one.safetensors == name; });
}

std::optional<StoredType> stored_type_of_torch(std::string_view name) {
    return find([&](const Description& one) { return !name.empty() && one.torch_storage == name; });
}

}  // namespace rankscope::engine
