// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/dtype.h>

#include <algorithm>
#include <array>

namespace rankscope::engine {
namespace {

struct Description {
    DType dtype;
    std::size_t size;
    std::string_view safetensors;
    std::string_view torch_storage;
};

// In the order of the enumeration.
constexpr std::array<Description, 15> kDescriptions{{{DType::f64, 8, "F64", "DoubleStorage"},
                                                     {DType::f32, 4, "F32", "FloatStorage"},
                                                     {DType::f16, 2, "F16", "HalfStorage"},
                                                     {DType::bf16, 2, "BF16", "BFloat16Storage"},
                                                     {DType::i64, 8, "I64", "LongStorage"},
                                                     {DType::i32, 4, "I32", "IntStorage"},
                                                     {DType::i16, 2, "I16", "ShortStorage"},
                                                     {DType::i8, 1, "I8", "CharStorage"},
                                                     {DType::u64, 8, "U64", ""},
                                                     {DType::u32, 4, "U32", ""},
                                                     {DType::u16, 2, "U16", ""},
                                                     {DType::u8, 1, "U8", "ByteStorage"},
                                                     {DType::boolean, 1, "BOOL", "BoolStorage"},
                                                     {DType::f8_e4m3, 1, "F8_E4M3", ""},
                                                     {DType::f8_e5m2, 1, "F8_E5M2", ""}}};

const Description& describe(DType dtype) {
    return kDescriptions.at(static_cast<std::size_t>(dtype));
}

template <typename Matches>
std::optional<DType> find(Matches matches) {
    const auto* found = std::find_if(kDescriptions.begin(), kDescriptions.end(), matches);
    return found == kDescriptions.end() ? std::nullopt : std::optional(found->dtype);
}

}  // namespace

std::size_t size_of(DType dtype) {
    return describe(dtype).size;
}

std::string_view safetensors_name(DType dtype) {
    return describe(dtype).safetensors;
}

std::string_view torch_storage_name(DType dtype) {
    return describe(dtype).torch_storage;
}

std::optional<DType> dtype_of_safetensors(std::string_view name) {
    return find([&](const Description& one) { return one.safetensors == name; });
}

std::optional<DType> dtype_of_torch_storage(std::string_view name) {
    return find([&](const Description& one) { return !name.empty() && one.torch_storage == name; });
}

}  // namespace rankscope::engine
