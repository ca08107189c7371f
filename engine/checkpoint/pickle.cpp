// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/pickle/opcodes.h>
#include <base/pickle/unpickler.h>
#include <engine/checkpoint/pickle.h>
#include <engine/error.h>

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <limits>

namespace rankscope::engine {
namespace {

struct PickleStorage {
    StoredType dtype = StoredType::f32;
    std::string key;
};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// torch.float32, … : they come as a tensor's or a module's attribute.
bool is_dtype(std::string_view name) {
    return is_one_of(name,
                     {"torch.float64", "torch.float32", "torch.float16", "torch.bfloat16", "torch.int64",
                      "torch.int32", "torch.int16", "torch.int8", "torch.uint8", "torch.bool"});
}

bool is_opaque_maker(const std::string& name) {
    return is_one_of(name, {"torch.device", "_codecs.encode", "builtins.set", "__builtin__.set",
                            "builtins.complex", "__builtin__.complex", "builtins.bytearray",
                            "__builtin__.bytearray", "torch.serialization._get_layout"});
}

bool is_known_function(const std::string& name) {
    return is_opaque_maker(name) ||
           is_one_of(name, {"collections.OrderedDict", "collections.Counter", "torch.Size",
                            "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2",
                            "torch._utils._rebuild_parameter"});
}

std::optional<StoredType> storage_type(std::string_view name) {
    constexpr std::string_view kModule = "torch.";
    return name.starts_with(kModule) ? stored_type_of_torch(name.substr(kModule.size())) : std::nullopt;
}

Shape dimensions(Unpickler& reader, PickleId id) {
    Shape shape;
    for (const PickleId item : reader.as<PickleTuple>(id, "dimensions are needed").items) {
        shape.push_back(reader.as<std::int64_t>(item, "a dimension is needed"));
    }
    return shape;
}

void push_tensor(Unpickler& reader, const std::vector<PickleId>& arguments) {
    const auto& from = reader.object<PickleStorage>(arguments[0], "a storage is needed");
    PickleTensor tensor{from.dtype, from.key, reader.as<std::int64_t>(arguments[1], "an offset is needed"),
                        dimensions(reader, arguments[2]), dimensions(reader, arguments[3])};
    if (tensor.shape.size() != tensor.stride.size() || tensor.shape.size() > kMaxPickleDepth) {
        reader.refuse("a tensor's shape and strides do not fit");
    }
    reader.push(PickleObject{std::move(tensor)});
}

/// The globals of a state dict: those that torch.load(weights_only=True) takes.
class TorchRules final : public PickleRules {
public:
    std::string subject() const override { return "a state dict"; }
    int newest_protocol() const override { return 2; }
    std::size_t most_values() const override { return std::size_t{1} << 20U; }

    void check_global(const std::string& name) const override {
        if (!is_known_function(name) && !is_dtype(name) && !storage_type(name)) {
            throw Error(
                "it holds the Python object " + name +
                ", which only running its code could build; torch.load(weights_only=True) would not do "
                "that either. In PyTorch, save plain tensors: torch.save(model.state_dict(), FILE)");
        }
    }

    void call(Unpickler& reader, const std::string& name,
              const std::vector<PickleId>& arguments) const override {
        if (name == "collections.OrderedDict" && arguments.empty()) {
            return reader.push(PickleDict{});
        }
        if (name == "collections.Counter" && arguments.size() == 1) {
            return reader.push_known(arguments[0]);
        }
        if (name == "torch.Size" && arguments.size() == 1) {
            reader.as<PickleTuple>(arguments[0], "a size is needed");
            return reader.push_known(arguments[0]);
        }
        if (name == "torch._utils._rebuild_parameter" && arguments.size() == 3) {
            reader.object<PickleTensor>(arguments[0], "a tensor is needed");
            return reader.push_known(arguments[0]);
        }
        if ((name == "torch._utils._rebuild_tensor_v2" && (arguments.size() == 6 || arguments.size() == 7)) ||
            (name == "torch._utils._rebuild_tensor" && arguments.size() == 4)) {
            return push_tensor(reader, arguments);
        }
        if (is_opaque_maker(name)) {
            return reader.push(PickleObject{});
        }
        reader.refuse(name + " is called in a way that PyTorch does not use");
    }

    /// An OrderedDict's attributes, which state_dict() sets (_metadata): not needed.
    void build(Unpickler& reader, PickleId object, PickleId state) const override {
        reader.as<PickleDict>(state, "attributes are needed");
        reader.as<PickleDict>(object, "only a dict may have attributes");
    }

    /// A storage: ("storage", type, key, device, elements).
    void persistent(Unpickler& reader, PickleId id) const override {
        const std::vector<PickleId> items = reader.as<PickleTuple>(id, "a storage's name is needed").items;
        if (items.size() != 5 || reader.as<std::string_view>(items[0], "a text is needed") != "storage") {
            reader.refuse("a storage is described in a way that PyTorch does not use");
        }
        const std::string type(reader.as<PickleGlobal>(items[1], "a storage's type is needed").name);
        const auto stored = storage_type(type);
        if (!stored) {
            reader.refuse(type + " is not a type of storage");
        }
        const auto key = reader.as<std::string_view>(items[2], "a storage's key is needed");
        reader.push(PickleObject{PickleStorage{*stored, std::string(key)}});
    }
};

void append_number(std::string& bytes, std::uint64_t number, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        bytes += static_cast<char>((number >> (8 * i)) & 0xFFU);
    }
}

}  // namespace

PickleTree read_pickle(std::string_view bytes) {
    if (bytes.size() > kMaxPickle) {
        throw Error("its pickle is too large (" + std::to_string(bytes.size()) + " bytes)");
    }
    try {
        const TorchRules rules;
        return Unpickler(bytes, &rules).read();
    } catch (const PickleError& error) {
        throw Error(error.what());
    }
}

PickleWriter::PickleWriter() {
    bytes_ += static_cast<char>(kProto);
    bytes_ += '\2';
}

void PickleWriter::none() {
    bytes_ += static_cast<char>(kNone);
}

void PickleWriter::boolean(bool value) {
    bytes_ += static_cast<char>(value ? kNewTrue : kNewFalse);
}

void PickleWriter::integer(std::int64_t value) {
    if (value >= std::numeric_limits<std::int32_t>::min() &&
        value <= std::numeric_limits<std::int32_t>::max()) {
        bytes_ += static_cast<char>(kBinInt);
        append_number(bytes_, static_cast<std::uint64_t>(value), 4);
    } else {
        bytes_ += static_cast<char>(kLong1);
        bytes_ += '\10';
        append_number(bytes_, static_cast<std::uint64_t>(value), 8);
    }
}

void PickleWriter::real(double value) {
    auto bytes = std::bit_cast<std::array<char, sizeof(double)>>(value);
    std::reverse(bytes.begin(), bytes.end());
    bytes_ += static_cast<char>(kBinFloat);
    bytes_.append(bytes.data(), bytes.size());
}

void PickleWriter::text(std::string_view value) {
    bytes_ += static_cast<char>(kBinUnicode);
    append_number(bytes_, value.size(), 4);
    bytes_ += value;
}

void PickleWriter::begin_dict() {
    bytes_ += static_cast<char>(kEmptyDict);
    bytes_ += static_cast<char>(kMark);
}

void PickleWriter::begin_ordered_dict() {
    global("collections", "OrderedDict");
    bytes_ += static_cast<char>(kEmptyTuple);
    bytes_ += static_cast<char>(kReduce);
    bytes_ += static_cast<char>(kMark);
}

void PickleWriter::end_dict() {
    bytes_ += static_cast<char>(kSetItems);
}

void PickleWriter::begin_list() {
    bytes_ += static_cast<char>(kEmptyList);
    bytes_ += static_cast<char>(kMark);
}

void PickleWriter::end_list() {
    bytes_ += static_cast<char>(kAppends);
}

void PickleWriter::begin_tuple() {
    bytes_ += static_cast<char>(kMark);
}

void PickleWriter::end_tuple() {
    bytes_ += static_cast<char>(kTuple);
}

void PickleWriter::tensor(StoredType dtype, const std::string& key, const Shape& shape) {
    const std::string_view type = torch_storage_name(dtype);
    if (type.empty()) {
        throw Error("PyTorch's files have no type " + std::string(safetensors_name(dtype)));
    }
    std::int64_t elements = 1;
    Shape stride(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        stride[i] = elements;
        elements *= std::max<std::int64_t>(shape[i], 1);
    }
    const auto dimensions = [this](const Shape& values) {
        begin_tuple();
        for (const std::int64_t value : values) {
            integer(value);
        }
        end_tuple();
    };
    global("torch._utils", "_rebuild_tensor_v2");
    begin_tuple();
    begin_tuple();
    text("storage");
    global("torch", std::string(type));
    text(key);
    text("cpu");
    integer(element_count(shape));
    end_tuple();
    bytes_ += static_cast<char>(kBinPersid);
    integer(0);
    dimensions(shape);
    dimensions(stride);
    boolean(false);
    begin_ordered_dict();
    end_dict();
    end_tuple();
    bytes_ += static_cast<char>(kReduce);
}

std::string PickleWriter::finish() {
    bytes_ += static_cast<char>(kStop);
    return std::move(bytes_);
}

void PickleWriter::global(const std::string& module, const std::string& name) {
    std::string full = module;
    full.append("\n").append(name).append("\n");
    const auto found = std::find(globals_.begin(), globals_.end(), full);
    const auto number = static_cast<std::uint64_t>(found - globals_.begin());
    if (found == globals_.end()) {
        bytes_ += static_cast<char>(kGlobal);
        bytes_ += full;
        bytes_ += static_cast<char>(kBinPut);
        globals_.push_back(full);
    } else {
        bytes_ += static_cast<char>(kBinGet);
    }
    append_number(bytes_, number, 1);
}

}  // namespace rankscope::engine
