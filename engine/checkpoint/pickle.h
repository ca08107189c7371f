// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/pickle/pickle_tree.h>
#include <engine/graph/graph.h>
#include <engine/tensor/stored_type.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What torch.save pickles, read without running anything: protocol 2 with the few globals that a state dict
/// needs, those that torch.load(weights_only=True) takes. Anything else is refused by its name.
namespace rankscope::engine {

/// A view of a storage, as torch._utils._rebuild_tensor_v2 takes it: in elements, not yet checked against the
/// storage's real size.
struct PickleTensor {
    StoredType dtype = StoredType::f32;
    std::string storage;  ///< key: the entry data/KEY of the archive
    std::int64_t offset = 0;
    Shape shape;
    Shape stride;
};

inline constexpr std::size_t kMaxPickle = std::size_t{64}
                                          << 20U;  ///< bytes; a state dict takes 300 per tensor

/// Tensors are objects of the kind PickleTensor. The tree refers to `bytes`. Throws Error: damaged, too large, too
/// deep, or holding what is not allowed.
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
    /// A contiguous tensor that fills the whole storage `key`.
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
