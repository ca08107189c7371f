// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/pickle/unpickler.h>
#include <engine/data/pickled_batch.h>
#include <engine/error.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope::engine {
namespace {

/// A NumPy array of plain bytes.
struct PickleArray {
    std::vector<std::int64_t> shape;
    bool by_columns = false;
    std::string_view data;
};

/// The globals of a NumPy array of bytes. Source: NumPy's ndarray.__reduce__.
class NumpyRules final : public PickleRules {
public:
    std::string subject() const override { return "such a batch"; }
    int newest_protocol() const override { return 4; }
    /// A file of a few million labels has as many; more is an attack on the memory.
    std::size_t most_values() const override { return std::size_t{1} << 22U; }

    void check_global(const std::string& name) const override {
        constexpr std::array<std::string_view, 4> kKnown{"numpy.core.multiarray._reconstruct",
                                                         "numpy._core.multiarray._reconstruct",
                                                         "numpy.ndarray", "numpy.dtype"};
        if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) {
            throw Error("it names the Python object " + name + ", which such a batch does not need");
        }
    }

    /// _reconstruct(…) makes an empty array, dtype(…) a description that is not needed.
    void call(Unpickler& reader, const std::string& function,
              const std::vector<PickleId>& /*arguments*/) const override {
        if (function == "numpy.ndarray") {
            reader.refuse("it calls numpy.ndarray, which such a batch does not need");
        }
        if (function == "numpy.dtype") {
            return reader.push(PickleNone{});
        }
        reader.push(PickleObject{PickleArray{}});
    }

    /// An array's state is (version, shape, dtype, fortran order, data); a dtype's is skipped.
    void build(Unpickler& reader, PickleId object, PickleId state) const override {
        if (std::holds_alternative<PickleNone>(reader.value(object))) {
            return;
        }
        reader.object<PickleArray>(object, "an array is needed");
        const std::vector<PickleId> items = reader.as<PickleTuple>(state, "an array's state is needed").items;
        if (items.size() != 5) {
            reader.refuse("its array is not of plain bytes");
        }
        PickleArray array;
        for (const PickleId item : reader.as<PickleTuple>(items[1], "a shape is needed").items) {
            array.shape.push_back(reader.as<std::int64_t>(item, "a dimension is needed"));
        }
        array.by_columns = reader.as<bool>(items[3], "the order of an array is needed");
        array.data = reader.as<std::string_view>(items[4], "an array's bytes are needed");
        reader.value(object) = PickleObject{std::move(array)};
    }

    void persistent(Unpickler& reader, PickleId /*id*/) const override {
        reader.refuse("it refers to another file");
    }
};

std::string_view as_text(std::span<const std::uint8_t> bytes) {
    return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

std::span<const std::uint8_t> as_bytes(std::string_view text) {
    return {static_cast<const std::uint8_t*>(static_cast<const void*>(text.data())), text.size()};
}

PickledBatch batch_of(const PickleTree& tree, const std::string& label_key) {
    const auto label_list = tree.find(tree.root, label_key);
    const auto data_array = tree.find(tree.root, "data");
    const auto* labels = label_list ? std::get_if<PickleList>(&tree.at(*label_list)) : nullptr;
    const auto* data = data_array ? tree.object<PickleArray>(*data_array) : nullptr;
    if (labels == nullptr || data == nullptr || data->shape.size() != 2 || data->by_columns) {
        throw Error("it lacks the array data or the list " + label_key);
    }
    const std::int64_t rows = data->shape[0];
    const std::int64_t row_bytes = data->shape[1];
    constexpr std::int64_t kMost = std::int64_t{1} << 31U;
    if (rows < 1 || row_bytes < 1 || rows > kMost || row_bytes > kMost ||
        static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(row_bytes) != data->data.size() ||
        labels->items.size() != static_cast<std::size_t>(rows)) {
        throw Error("array and labels are not of one length");
    }
    PickledBatch result;
    result.rows = as_bytes(data->data);
    result.row_bytes = static_cast<std::size_t>(row_bytes);
    for (const PickleId item : labels->items) {
        const std::int64_t label = tree.integer(item).value_or(-1);
        if (label < 0 || label > 255) {
            throw Error("a label is not a number from 0 to 255");
        }
        result.labels.push_back(static_cast<std::uint8_t>(label));
    }
    return result;
}

}  // namespace

PickledBatch read_pickled_batch(std::span<const std::uint8_t> bytes, const std::string& label_key,
                                const std::string& name) {
    try {
        const NumpyRules rules;
        return batch_of(Unpickler(as_text(bytes), &rules).read(), label_key);
    } catch (const std::runtime_error& error) {
        throw Error(name + ": is not a batch of CIFAR's python version: " + error.what());
    }
}

}  // namespace rankscope::engine
