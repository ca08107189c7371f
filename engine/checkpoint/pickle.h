// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/stored_type.h>
#include <engine/graph/graph.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// What torch.save pickles, read without running anything: protocol 2 with the few globals that a state dict
/// needs, those that torch.load(weights_only=True) takes. Anything else is refused by its name.
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
/// Something allowed that has no value for us: a device, a dtype, a set, an integer beyond 64 bits.
struct PickleOpaque {
    std::string what;
};
/// Only inside the reader; a finished tree may hold them where a tensor's arguments were.
struct PickleGlobal {
    std::string name;
};
struct PickleStorage {
    StoredType dtype = StoredType::f32;
    std::string key;
};

using PickleValue = std::variant<PickleNone, bool, std::int64_t, double, std::string, PickleList, PickleTuple,
                                 PickleDict, PickleTensor, PickleOpaque, PickleGlobal, PickleStorage>;

/// Values refer to one another by number; one value may be referred to many times, but never by itself.
struct PickleTree {
    std::vector<PickleValue> nodes;
    PickleId root = 0;

    const PickleValue& at(PickleId id) const { return nodes.at(id); }
    /// The value at a text key of a dict; none where it is no dict or has no such key.
    std::optional<PickleId> find(PickleId dict, std::string_view key) const;
    std::optional<std::int64_t> integer(PickleId id) const;
    /// Of a real or whole number.
    std::optional<double> number(PickleId id) const;
};

inline constexpr std::size_t kMaxPickle = std::size_t{64}
                                          << 20U;  ///< bytes; a state dict takes 300 per tensor

/// Throws Error: damaged, too large, too deep, or holding what is not allowed.
PickleTree read_pickle(std::string_view bytes);

/// Writes one value, depth first, as torch.load expects it (protocol 2).
class PickleWriter {
public:
    PickleWriter();

    void none();
    void boolean(bool value);
    void integer(std::int64_t value);
    void real(double value);
    void text(std::string_view value);  ///< UTF-8
    // Between begin and end: keys and values in turn.
    void begin_dict();
    void begin_ordered_dict();
    void end_dict();
    void begin_list();
    void end_list();
    void begin_tuple();
    void end_tuple();
    /// A contiguous tensor that takes up the whole storage `key`.
    void tensor(StoredType dtype, const std::string& key, const Shape& shape);
    /// The finished pickle.
    std::string finish();

private:
    /// Named in full once, afterwards by number.
    void global(const std::string& module, const std::string& name);

    std::string bytes_;
    std::vector<std::string> globals_;
};

}  // namespace rankscope::engine
