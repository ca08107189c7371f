// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/tensor/stored_type.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The values of a Python pickle, as data.
namespace rankscope::engine {

using PickleId = std::size_t;  ///< index into PickleTree::nodes

struct PickleNone {};
struct PickleList {
    std::vector<PickleId> items;
};
struct PickleTuple {
    std::vector<PickleId> items;
};
/// dict and OrderedDict, in order. A key may come more than once: the last one counts.
struct PickleDict {
    std::vector<std::pair<PickleId, PickleId>> items;
};
/// A view of a storage, as torch._utils._rebuild_tensor_v2 takes it: in elements, not yet checked against the
/// storage's real size.
struct PickleTensor {
    StoredType dtype = StoredType::f32;
    std::string storage;  ///< key: the entry data/KEY of the archive
    std::int64_t offset = 0;
    Shape shape;
    Shape stride;
};
/// Something allowed whose value is not needed: a device, a dtype, a set, an integer beyond 64 bits.
struct PickleOpaque {
    std::string what;
};
/// Bytes of the file, where they lie in it (file formats with large byte strings).
struct PickleBytes {
    std::size_t offset = 0;
    std::size_t size = 0;
};
/// A NumPy array of plain bytes.
struct PickleArray {
    Shape shape;
    bool by_columns = false;
    PickleBytes data;
};
/// Only inside the reader; a finished tree may hold them where a tensor's arguments were.
struct PickleGlobal {
    std::string name;
};
struct PickleStorage {
    StoredType dtype = StoredType::f32;
    std::string key;
};

using PickleValue =
    std::variant<PickleNone, bool, std::int64_t, double, std::string, PickleList, PickleTuple, PickleDict,
                 PickleBytes, PickleArray, PickleTensor, PickleOpaque, PickleGlobal, PickleStorage>;

/// Values refer to one another by number; one value may be referred to many times, but never by itself.
struct PickleTree {
    std::string_view source;  ///< the bytes that were read, of the caller; for text() of PickleBytes
    std::vector<PickleValue> nodes;
    PickleId root = 0;

    const PickleValue& at(PickleId id) const { return nodes.at(id); }
    /// The value at a text key of a dict; none where it is no dict or has no such key.
    std::optional<PickleId> find(PickleId dict, std::string_view key) const;
    /// Of a text or bytes.
    std::optional<std::string_view> text(PickleId id) const;
    std::optional<std::int64_t> integer(PickleId id) const;
    /// Of a real or whole number.
    std::optional<double> number(PickleId id) const;
};

}  // namespace rankscope::engine
