// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/pickle.h>
#include <engine/error.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <unordered_map>

namespace rankscope::engine {
namespace {

constexpr std::size_t kMaxNodes = std::size_t{1} << 20U;
constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxName = 256;

// Opcodes of pickle (Python's Lib/pickletools.py), those that protocol 2 uses.
enum Opcode : unsigned char {
    kProto = 0x80,
    kStop = '.',
    kMark = '(',
    kGlobal = 'c',
    kReduce = 'R',
    kBuild = 'b',
    kBinPersid = 'Q',
    kNone = 'N',
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kBinInt = 'J',
    kBinInt1 = 'K',
    kBinInt2 = 'M',
    kLong1 = 0x8a,
    kBinFloat = 'G',
    kBinUnicode = 'X',
    kShortBinString = 'U',
    kEmptyTuple = ')',
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kTuple = 't',
    kEmptyList = ']',
    kAppend = 'a',
    kAppends = 'e',
    kEmptyDict = '}',
    kSetItem = 's',
    kSetItems = 'u',
    kBinGet = 'h',
    kLongBinGet = 'j',
    kBinPut = 'q',
    kLongBinPut = 'r',
};

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// torch.float32, … : they come as a tensor's or a module's attribute.
bool is_dtype(const std::string& name) {
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

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    PickleTree read() {
        if (take<unsigned char>() != kProto || take<unsigned char>() != 2) {
            refuse("it is not in protocol 2, torch.save's default");
        }
        for (;;) {
            const auto opcode = take<unsigned char>();
            if (opcode == kStop) {
                break;
            }
            step(opcode);
            if (tree_.nodes.size() > kMaxNodes) {
                refuse("it holds too many values");
            }
        }
        tree_.root = pop();
        if (!stack_.empty() || !marks_.empty()) {
            refuse("values are left over");
        }
        check(tree_.root, 0);
        return std::move(tree_);
    }

private:
    enum class Visit : unsigned char { none, open, done };

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error("its pickle cannot be read: " + what + " (at byte " + std::to_string(at_) + ")");
    }

    // ---- bytes

    std::string_view raw(std::uint64_t size) {
        if (size > bytes_.size() - at_) {
            refuse("it ends too early");
        }
        const std::string_view part = bytes_.substr(at_, size);
        at_ += size;
        return part;
    }
    template <typename Number>
    Number take() {
        Number number{};
        const std::string_view part = raw(sizeof(number));
        std::memcpy(&number, part.data(), sizeof(number));
        return number;
    }
    std::string line() {
        const std::size_t end = bytes_.find('\n', at_);
        if (end == std::string_view::npos || end - at_ > kMaxName) {
            refuse("a name without end");
        }
        std::string text(bytes_.substr(at_, end - at_));
        at_ = end + 1;
        return text;
    }

    // ---- stack

    void push(PickleValue value) {
        stack_.push_back(tree_.nodes.size());
        tree_.nodes.push_back(std::move(value));
    }
    PickleId pop() {
        if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) {
            refuse("a value is missing");
        }
        const PickleId id = stack_.back();
        stack_.pop_back();
        return id;
    }
    PickleId top() {
        const PickleId id = pop();
        stack_.push_back(id);
        return id;
    }
    std::vector<PickleId> pop_to_mark() {
        if (marks_.empty()) {
            refuse("a mark is missing");
        }
        const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<PickleId> items(first, stack_.end());
        stack_.erase(first, stack_.end());
        marks_.pop_back();
        return items;
    }
    std::vector<PickleId> pop_many(std::size_t count) {
        std::vector<PickleId> items(count);
        for (std::size_t i = count; i-- > 0;) {
            items[i] = pop();
        }
        return items;
    }
    template <typename Kind>
    Kind& as(PickleId id, const char* what) {
        Kind* value = std::get_if<Kind>(&tree_.nodes[id]);
        if (value == nullptr) {
            refuse(std::string(what) + " where something else is");
        }
        return *value;
    }

    // ---- opcodes

    void step(unsigned char opcode) {
        switch (opcode) {
            case kMark:
                return marks_.push_back(stack_.size());
            case kGlobal:
                return global();
            case kReduce:
                return reduce();
            case kBuild:
                return build();
            case kBinPersid:
                return storage();
            case kNone:
                return push(PickleNone{});
            case kNewTrue:
                return push(true);
            case kNewFalse:
                return push(false);
            case kBinInt:
                return push(std::int64_t{take<std::int32_t>()});
            case kBinInt1:
                return push(std::int64_t{take<std::uint8_t>()});
            case kBinInt2:
                return push(std::int64_t{take<std::uint16_t>()});
            case kLong1:
                return long_integer();
            case kBinFloat:
                return real();
            case kBinUnicode:
                return push(std::string(raw(take<std::uint32_t>())));
            case kShortBinString:
                return push(std::string(raw(take<std::uint8_t>())));
            default:
                return container_or_memo(opcode);
        }
    }

    void container_or_memo(unsigned char opcode) {
        switch (opcode) {
            case kEmptyTuple:
                return push(PickleTuple{});
            case kTuple1:
            case kTuple2:
            case kTuple3:
                return push(PickleTuple{pop_many(opcode - kTuple1 + std::size_t{1})});
            case kTuple:
                return push(PickleTuple{pop_to_mark()});
            case kEmptyList:
                return push(PickleList{});
            case kAppend:
                return append(pop_many(1));
            case kAppends:
                return append(pop_to_mark());
            case kEmptyDict:
                return push(PickleDict{});
            case kSetItem:
                return set_items(pop_many(2));
            case kSetItems:
                return set_items(pop_to_mark());
            case kBinGet:
                return get(take<std::uint8_t>());
            case kLongBinGet:
                return get(take<std::uint32_t>());
            case kBinPut:
                return put(take<std::uint8_t>());
            case kLongBinPut:
                return put(take<std::uint32_t>());
            default:
                refuse("it has an instruction (" + std::to_string(opcode) +
                       ") that a state dict does not need");
        }
    }

    void get(std::uint32_t key) {
        const auto found = memo_.find(key);
        if (found == memo_.end()) {
            refuse("it refers to a value that is not there");
        }
        stack_.push_back(found->second);
    }
    void put(std::uint32_t key) { memo_[key] = top(); }

    void append(const std::vector<PickleId>& items) {
        auto& list = as<PickleList>(top(), "a list is needed").items;
        list.insert(list.end(), items.begin(), items.end());
    }
    void set_items(const std::vector<PickleId>& items) {
        auto& dict = as<PickleDict>(top(), "a dict is needed").items;
        if (items.size() % 2 != 0) {
            refuse("a key without a value");
        }
        for (std::size_t i = 0; i < items.size(); i += 2) {
            dict.emplace_back(items[i], items[i + 1]);
        }
    }

    void long_integer() {
        const std::string_view bytes = raw(take<std::uint8_t>());
        if (bytes.size() > sizeof(std::int64_t)) {
            return push(PickleOpaque{"an integer of more than 64 bits"});
        }
        std::int64_t value = !bytes.empty() && (bytes.back() & 0x80) != 0 ? -1 : 0;
        std::memcpy(&value, bytes.data(), bytes.size());  // two's complement, little-endian
        push(value);
    }
    void real() {
        std::array<char, sizeof(double)> bytes{};
        const std::string_view stored = raw(bytes.size());  // big-endian, alone of all
        std::reverse_copy(stored.begin(), stored.end(), bytes.begin());
        push(std::bit_cast<double>(bytes));
    }

    void global() {
        const std::string module = line();
        const std::string name = module + "." + line();
        if (!is_known_function(name) && !is_dtype(name) && !storage_type(name)) {
            throw Error(
                "it holds the Python object " + name +
                ", which only running its code could build; torch.load(weights_only=True) would not do "
                "that either. In PyTorch, save plain tensors: torch.save(model.state_dict(), FILE)");
        }
        push(PickleGlobal{name});
    }
    static std::optional<StoredType> storage_type(const std::string& name) {
        constexpr std::string_view kModule = "torch.";
        return name.starts_with(kModule)
                   ? dtype_of_torch_storage(std::string_view(name).substr(kModule.size()))
                   : std::nullopt;
    }

    void reduce() {
        const std::vector<PickleId> arguments = as<PickleTuple>(pop(), "arguments are needed").items;
        const std::string name = as<PickleGlobal>(pop(), "a function is needed").name;
        if (name == "collections.OrderedDict" && arguments.empty()) {
            return push(PickleDict{});
        }
        if (name == "collections.Counter" && arguments.size() == 1) {
            return stack_.push_back(arguments[0]);
        }
        if (name == "torch.Size" && arguments.size() == 1) {
            as<PickleTuple>(arguments[0], "a size is needed");
            return stack_.push_back(arguments[0]);
        }
        if (name == "torch._utils._rebuild_parameter" && arguments.size() == 3) {
            as<PickleTensor>(arguments[0], "a tensor is needed");
            return stack_.push_back(arguments[0]);
        }
        if ((name == "torch._utils._rebuild_tensor_v2" && (arguments.size() == 6 || arguments.size() == 7)) ||
            (name == "torch._utils._rebuild_tensor" && arguments.size() == 4)) {
            return tensor(arguments);
        }
        if (is_opaque_maker(name)) {
            return push(PickleOpaque{name});
        }
        refuse(name + " is called in a way that PyTorch does not use");
    }

    /// An OrderedDict's attributes, which state_dict() sets (_metadata): not needed.
    void build() {
        as<PickleDict>(pop(), "attributes are needed");
        as<PickleDict>(top(), "only a dict may have attributes");
    }

    void storage() {
        const std::vector<PickleId> items = as<PickleTuple>(pop(), "a storage's name is needed").items;
        if (items.size() != 5 || as<std::string>(items[0], "a text is needed") != "storage") {
            refuse("a storage is described in a way that PyTorch does not use");
        }
        const std::string type = as<PickleGlobal>(items[1], "a storage's type is needed").name;
        const auto dtype = storage_type(type);
        if (!dtype) {
            refuse(type + " is no type of storage");
        }
        push(PickleStorage{*dtype, as<std::string>(items[2], "a storage's key is needed")});
    }

    Shape dimensions(PickleId id) {
        Shape shape;
        for (const PickleId item : as<PickleTuple>(id, "dimensions are needed").items) {
            shape.push_back(as<std::int64_t>(item, "a dimension is needed"));
        }
        return shape;
    }
    void tensor(const std::vector<PickleId>& arguments) {
        const auto& from = as<PickleStorage>(arguments[0], "a storage is needed");
        PickleTensor tensor{from.dtype, from.key, as<std::int64_t>(arguments[1], "an offset is needed"),
                            dimensions(arguments[2]), dimensions(arguments[3])};
        if (tensor.shape.size() != tensor.stride.size() || tensor.shape.size() > kMaxDepth) {
            refuse("a tensor's shape and strides do not fit");
        }
        push(std::move(tensor));
    }

    /// What refers to itself, or is nested without measure, would lead every reader astray.
    void check(PickleId id, int depth) {
        visits_.resize(tree_.nodes.size(), Visit::none);
        if (visits_[id] == Visit::done) {
            return;
        }
        if (visits_[id] == Visit::open || depth > kMaxDepth) {
            refuse(depth > kMaxDepth ? "it is nested too deeply" : "a value holds itself");
        }
        visits_[id] = Visit::open;
        const PickleValue& value = tree_.nodes[id];
        if (const auto* list = std::get_if<PickleList>(&value)) {
            check_all(list->items, depth);
        } else if (const auto* tuple = std::get_if<PickleTuple>(&value)) {
            check_all(tuple->items, depth);
        } else if (const auto* dict = std::get_if<PickleDict>(&value)) {
            for (const auto& [key, item] : dict->items) {
                check(key, depth + 1);
                check(item, depth + 1);
            }
        }
        visits_[id] = Visit::done;
    }
    void check_all(const std::vector<PickleId>& items, int depth) {
        for (const PickleId item : items) {
            check(item, depth + 1);
        }
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    PickleTree tree_;
    std::vector<PickleId> stack_;
    std::vector<std::size_t> marks_;  ///< sizes of the stack
    std::unordered_map<std::uint32_t, PickleId> memo_;
    std::vector<Visit> visits_;
};

void append_number(std::string& bytes, std::uint64_t number, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        bytes += static_cast<char>((number >> (8 * i)) & 0xFFU);
    }
}

}  // namespace

std::optional<PickleId> PickleTree::find(PickleId dict, std::string_view key) const {
    std::optional<PickleId> found;
    if (const auto* items = std::get_if<PickleDict>(&at(dict))) {
        for (const auto& [name, value] : items->items) {
            const auto* text = std::get_if<std::string>(&at(name));
            if (text != nullptr && *text == key) {
                found = value;
            }
        }
    }
    return found;
}

std::optional<std::int64_t> PickleTree::integer(PickleId id) const {
    const auto* value = std::get_if<std::int64_t>(&at(id));
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> PickleTree::number(PickleId id) const {
    if (const auto* value = std::get_if<double>(&at(id))) {
        return *value;
    }
    const auto whole = integer(id);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

PickleTree read_pickle(std::string_view bytes) {
    if (bytes.size() > kMaxPickle) {
        throw Error("its pickle is too large (" + std::to_string(bytes.size()) + " bytes)");
    }
    return Reader(bytes).read();
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
        throw Error("PyTorch's files know no type " + std::string(safetensors_name(dtype)));
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
