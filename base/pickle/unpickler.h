// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/pickle/pickle_tree.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Reads pickles without running anything. Source: CPython's pickletools.
namespace rankscope {

class Unpickler;

/// Damaged, too large, too deep, or holding what is not allowed.
class PickleError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What one kind of file may hold beside plain values: the globals that it may name, and what their calls mean.
class PickleRules {
public:
    virtual ~PickleRules() = default;
    /// "a state dict", for messages.
    virtual std::string subject() const = 0;
    /// 2: nothing else is read; 4: protocols 2 to 4, with byte strings, which stay where they are in the file.
    virtual int newest_protocol() const = 0;
    virtual std::size_t most_values() const = 0;
    /// Throws for a Python object that is not allowed.
    virtual void check_global(const std::string& name) const = 0;
    /// Pushes what the function makes of these arguments; refuses other calls.
    virtual void call(Unpickler& reader, const std::string& function,
                      const std::vector<PickleId>& arguments) const = 0;
    /// Sets the state of an object that call() made.
    virtual void build(Unpickler& reader, PickleId object, PickleId state) const = 0;
    /// Pushes what a persistent id stands for.
    virtual void persistent(Unpickler& reader, PickleId id) const = 0;
};

inline constexpr std::size_t kMaxPickleDepth = 100;
inline constexpr std::size_t kMostPlainValues = 4'000'000;

/// A pickle of plain values (protocols 2 to 4), up to where it is cut off. Nothing: it is no pickle, or names Python code. The
/// tree refers to `bytes`; a value of a hostile file may hold itself.
std::optional<PickleTree> salvage_plain_pickle(std::string_view bytes);

/// The pickle machine.
class Unpickler {
public:
    /// No rules: plain values only.
    Unpickler(std::string_view bytes, const PickleRules* rules);

    /// A tree without circles, which refers to the bytes. Throws PickleError, and what the rules throw.
    PickleTree read();
    std::optional<PickleTree> salvage();

    // For the rules.
    void push(PickleValue value);
    void push_known(PickleId id) { stack_.push_back(id); }
    PickleValue& value(PickleId id) { return tree_.nodes[id]; }
    /// Refuses with "`what` where something else is" unless the value is of this kind.
    template <typename Kind>
    Kind& as(PickleId id, const char* what) {
        Kind* found = std::get_if<Kind>(&tree_.nodes[id]);
        if (found == nullptr) {
            refuse(std::string(what) + " where something else is");
        }
        return *found;
    }
    template <typename Kind>
    const Kind& object(PickleId id, const char* what) {
        const Kind* found = tree_.object<Kind>(id);
        if (found == nullptr) {
            refuse(std::string(what) + " where something else is");
        }
        return *found;
    }
    [[noreturn]] void refuse(const std::string& what) const;

private:
    enum class Visit : unsigned char { none, open, done };

    std::string_view raw(std::uint64_t size);
    template <typename Number>
    Number take();
    std::string line();
    void push_text(std::uint64_t size) { push(raw(size)); }

    void need(std::size_t count) const;
    PickleId pop();
    PickleId top();
    std::vector<PickleId> pop_to_mark();
    std::vector<PickleId> pop_many(std::size_t count);

    void run();
    void end_open_values();
    void read_protocol();
    void step(unsigned char opcode);
    void step_container(unsigned char opcode);
    void step_memo(unsigned char opcode);
    void step_protocol_4(unsigned char opcode);
    [[noreturn]] void refuse_opcode(unsigned char opcode) const;
    void get(std::uint32_t key);
    void put(std::uint32_t key);
    void append(const std::vector<PickleId>& items);
    void set_items(const std::vector<PickleId>& items);
    void long_integer();
    void real();
    void global(std::string name);
    void reduce();
    void check(PickleId id, std::size_t depth);
    void check_all(const std::vector<PickleId>& items, std::size_t depth);

    std::string_view bytes_;
    const PickleRules* rules_;
    int newest_protocol_;
    std::size_t most_values_;
    std::size_t at_ = 0;
    PickleTree tree_;
    std::vector<PickleId> stack_;
    std::vector<std::size_t> marks_;  ///< sizes of the stack
    std::unordered_map<std::uint32_t, PickleId> memo_;
    std::vector<Visit> visits_;
};

}  // namespace rankscope
