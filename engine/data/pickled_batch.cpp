// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/pickled_batch.h>
#include <engine/error.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace rankscope::engine {
namespace {

enum class Kind { mark, none, integer, bytes, list, dictionary, global, array };

/// Everything on the stack, in the memo and within lists is a number into one table of these.
struct Object {
    Kind kind = Kind::none;
    std::int64_t integer = 0;
    std::span<const std::uint8_t> bytes{};  ///< bytes, text, a global's name, an array's data
    std::vector<std::size_t> items{};       ///< list, tuple; dictionary: key, value, key, …; array: shape
};

class Unpickler {
public:
    Unpickler(std::span<const std::uint8_t> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    /// Runs the program up to its end; the object it leaves.
    const Object& run() {
        while (step()) {
        }
        return object(pop());
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ": is not a batch of CIFAR's python version: " + what);
    }

    const Object& object(std::size_t id) const { return objects_[id]; }

    /// The value behind a key, or null.
    const Object* find(const Object& dictionary, std::string_view key) const {
        for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
            const Object& candidate = objects_[dictionary.items[i]];
            if (candidate.kind == Kind::bytes && std::ranges::equal(candidate.bytes, key)) {
                return &objects_[dictionary.items[i + 1]];
            }
        }
        return nullptr;
    }

private:
    std::span<const std::uint8_t> take(std::uint64_t count) {
        if (count > bytes_.size() - at_) {
            fail("it is cut short");
        }
        const auto taken = bytes_.subspan(at_, count);
        at_ += count;
        return taken;
    }
    std::uint64_t number(std::size_t size) {
        std::uint64_t value = 0;
        const auto raw = take(size);
        for (std::size_t i = 0; i < size; ++i) {
            value |= std::uint64_t{raw[i]} << (8 * i);
        }
        return value;
    }
    std::span<const std::uint8_t> line() {
        const auto rest = bytes_.subspan(at_);
        const auto end = std::ranges::find(rest, static_cast<std::uint8_t>('\n'));
        if (end == rest.end()) {
            fail("it is cut short");
        }
        const auto text = take(static_cast<std::size_t>(end - rest.begin()));
        ++at_;
        return text;
    }

    std::size_t add(Object made) {
        // A file of a few million labels has as many; more is an attack on the memory.
        constexpr std::size_t kMost = std::size_t{1} << 24U;
        if (objects_.size() >= kMost) {
            fail("it has too many objects");
        }
        objects_.push_back(std::move(made));
        return objects_.size() - 1;
    }
    void push(Object made) { stack_.push_back(add(std::move(made))); }
    std::size_t pop() {
        if (stack_.empty()) {
            fail("its instructions do not fit together");
        }
        const std::size_t top = stack_.back();
        stack_.pop_back();
        return top;
    }
    Object& top(Kind kind) {
        if (stack_.empty() || objects_[stack_.back()].kind != kind) {
            fail("its instructions do not fit together");
        }
        return objects_[stack_.back()];
    }
    std::vector<std::size_t> pop_to_mark() {
        std::size_t i = stack_.size();
        while (i > 0 && objects_[stack_[i - 1]].kind != Kind::mark) {
            --i;
        }
        if (i == 0) {
            fail("its instructions do not fit together");
        }
        std::vector<std::size_t> items(stack_.begin() + static_cast<std::ptrdiff_t>(i), stack_.end());
        stack_.resize(i - 1);
        return items;
    }
    void push_tuple(std::size_t size) {
        std::vector<std::size_t> items(size);
        for (std::size_t i = size; i > 0; --i) {
            items[i - 1] = pop();
        }
        push({.kind = Kind::list, .items = std::move(items)});
    }
    void push_integer(std::int64_t value) { push({.kind = Kind::integer, .integer = value}); }
    void push_bytes(std::uint64_t size) { push({.kind = Kind::bytes, .bytes = take(size)}); }
    void remember(std::uint64_t place) {
        const std::size_t id = pop();
        stack_.push_back(id);
        memo_[place] = id;
    }
    void recall(std::uint64_t place) {
        const auto found = memo_.find(place);
        if (found == memo_.end()) {
            fail("its instructions do not fit together");
        }
        stack_.push_back(found->second);
    }
    void extend(Kind kind, std::vector<std::size_t> items) {
        std::vector<std::size_t>& target = top(kind).items;
        target.insert(target.end(), items.begin(), items.end());
    }
    void call();
    void build();
    bool step();
    bool step_literal(std::uint8_t code);
    bool step_container(std::uint8_t code);

    std::span<const std::uint8_t> bytes_;
    const std::string& name_;
    std::size_t at_ = 0;
    std::vector<Object> objects_;
    std::vector<std::size_t> stack_;
    std::unordered_map<std::uint64_t, std::size_t> memo_;
};

/// REDUCE: numpy's _reconstruct(…) makes an empty array, dtype(…) a description that we do not need.
void Unpickler::call() {
    pop();  // the arguments
    const std::size_t id = pop();
    const Object& function = objects_[id];
    const std::string_view text(static_cast<const char*>(static_cast<const void*>(function.bytes.data())),
                                function.bytes.size());
    if (function.kind != Kind::global || (text != "_reconstruct" && text != "dtype")) {
        fail("it asks for a call of " + std::string(function.kind == Kind::global ? text : "something") +
             ", which no such batch needs");
    }
    push({.kind = text == "dtype" ? Kind::none : Kind::array});
}

/// BUILD: an array's state is (version, shape, dtype, fortran order, data); a dtype's is passed over.
void Unpickler::build() {
    const Object& state = objects_[pop()];
    if (stack_.empty()) {
        fail("its instructions do not fit together");
    }
    Object& target = objects_[stack_.back()];
    if (target.kind != Kind::array) {
        return;
    }
    if (state.kind != Kind::list || state.items.size() != 5 || objects_[state.items[1]].kind != Kind::list ||
        objects_[state.items[4]].kind != Kind::bytes) {
        fail("its array is not of plain bytes");
    }
    target.items = objects_[state.items[1]].items;
    target.bytes = objects_[state.items[4]].bytes;
    target.integer = objects_[state.items[3]].integer;
}

bool Unpickler::step_literal(std::uint8_t code) {
    switch (code) {
        case 'N':
            push({.kind = Kind::none});
            return true;
        case 0x88:  // True
        case 0x89:  // False
            push_integer(code == 0x88 ? 1 : 0);
            return true;
        case 'K':
            push_integer(static_cast<std::int64_t>(number(1)));
            return true;
        case 'M':
            push_integer(static_cast<std::int64_t>(number(2)));
            return true;
        case 'J':
            push_integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(number(4))));
            return true;
        case 'U':
        case 'C':
        case 0x8C:
            push_bytes(number(1));
            return true;
        case 'T':
        case 'B':
        case 'X':
            push_bytes(number(4));
            return true;
        case 0x8E:
            push_bytes(number(8));
            return true;
        default:
            return false;
    }
}

bool Unpickler::step_container(std::uint8_t code) {
    switch (code) {
        case '}':
            push({.kind = Kind::dictionary});
            return true;
        case ']':
        case ')':
            push({.kind = Kind::list});
            return true;
        case '(':
            push({.kind = Kind::mark});
            return true;
        case 't':
            push({.kind = Kind::list, .items = pop_to_mark()});
            return true;
        case 0x85:
        case 0x86:
        case 0x87:
            push_tuple(code - std::size_t{0x84});
            return true;
        case 'a':
            extend(Kind::list, {pop()});
            return true;
        case 'e':
            extend(Kind::list, pop_to_mark());
            return true;
        case 's': {
            const std::size_t value = pop();
            const std::size_t key = pop();
            extend(Kind::dictionary, {key, value});
            return true;
        }
        case 'u':
            extend(Kind::dictionary, pop_to_mark());
            return true;
        default:
            return false;
    }
}

/// One instruction; false after the last.
bool Unpickler::step() {
    const auto code = static_cast<std::uint8_t>(number(1));
    if (step_literal(code) || step_container(code)) {
        return true;
    }
    switch (code) {
        case '.':
            return false;
        case 0x80:  // protocol
            take(1);
            return true;
        case 0x95:  // frame
            take(8);
            return true;
        case 'q':
            remember(number(1));
            return true;
        case 'r':
            remember(number(4));
            return true;
        case 0x94:
            remember(memo_.size());
            return true;
        case 'h':
            recall(number(1));
            return true;
        case 'j':
            recall(number(4));
            return true;
        case 'c': {
            line();  // the module
            push({.kind = Kind::global, .bytes = line()});
            return true;
        }
        case 0x93: {
            const std::size_t function = pop();
            pop();  // the module
            push({.kind = Kind::global, .bytes = objects_[function].bytes});
            return true;
        }
        case 'R':
            call();
            return true;
        case 'b':
            build();
            return true;
        default:
            fail("it has the instruction " + std::to_string(code) + ", which no such batch needs");
    }
}

}  // namespace

PickledBatch read_pickled_batch(std::span<const std::uint8_t> bytes, const std::string& label_key,
                                const std::string& name) {
    Unpickler unpickler(bytes, name);
    const Object& batch = unpickler.run();
    if (batch.kind != Kind::dictionary) {
        unpickler.fail("there is no dictionary in it");
    }
    const Object* labels = unpickler.find(batch, label_key);
    const Object* data = unpickler.find(batch, "data");
    if (labels == nullptr || data == nullptr || labels->kind != Kind::list || data->kind != Kind::array ||
        data->items.size() != 2 || data->integer != 0) {
        unpickler.fail("it lacks the array data or the list " + label_key);
    }
    const std::int64_t rows = unpickler.object(data->items[0]).integer;
    const std::int64_t row_bytes = unpickler.object(data->items[1]).integer;
    constexpr std::int64_t kMost = std::int64_t{1} << 31U;
    if (rows < 1 || row_bytes < 1 || rows > kMost || row_bytes > kMost ||
        static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(row_bytes) != data->bytes.size() ||
        labels->items.size() != static_cast<std::size_t>(rows)) {
        unpickler.fail("array and labels are not of one length");
    }
    PickledBatch result;
    result.rows = data->bytes;
    result.row_bytes = static_cast<std::size_t>(row_bytes);
    for (const std::size_t item : labels->items) {
        const Object& label = unpickler.object(item);
        if (label.kind != Kind::integer || label.integer < 0 || label.integer > 255) {
            unpickler.fail("a label is not a number from 0 to 255");
        }
        result.labels.push_back(static_cast<std::uint8_t>(label.integer));
    }
    return result;
}

}  // namespace rankscope::engine
