// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/safetensors.h>
#include <engine/error.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>

namespace rankscope::engine {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 64;
constexpr std::string_view kMetadata = "__metadata__";

[[noreturn]] void refuse(const std::string& what) {
    throw Error("not a safetensors file: " + what);
}

/// Takes the header as events: a tree would lose names that come twice, and costs many times its text.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit HeaderReader(SafetensorsHeader& header) : header_(header) {}

    bool start_object(std::size_t /*elements*/) override {
        switch (place_) {
            case Place::outside:
                place_ = Place::top;
                return true;
            case Place::top_value:
                place_ = name_ == kMetadata ? Place::metadata : Place::tensor;
                seen_ = {};
                if (place_ == Place::tensor) {
                    header_.tensors.emplace_back().name = name_;
                }
                return true;
            default:
                return unexpected("an object");
        }
    }
    bool key(string_t& text) override {
        switch (place_) {
            case Place::top:
                if (!names_.insert(text).second) {
                    refuse("the name " + text + " comes twice");
                }
                name_ = text;
                place_ = Place::top_value;
                return true;
            case Place::metadata:
                if (header_.metadata.contains(text)) {
                    refuse("the metadata " + text + " comes twice");
                }
                name_ = text;
                place_ = Place::metadata_value;
                return true;
            case Place::tensor:
                return member(text);
            default:
                return unexpected("a name");
        }
    }
    bool end_object() override {
        if (place_ == Place::tensor) {
            if (!seen_.dtype || !seen_.shape || !seen_.offsets) {
                refuse("tensor " + tensor().name + " lacks dtype, shape or data_offsets");
            }
            place_ = Place::top;
        } else if (place_ == Place::metadata) {
            place_ = Place::top;
        } else {
            place_ = Place::outside;
        }
        return true;
    }
    bool string(string_t& text) override {
        if (place_ == Place::metadata_value) {
            header_.metadata.emplace(name_, text);
            place_ = Place::metadata;
            return true;
        }
        if (place_ != Place::dtype) {
            return unexpected("a text");
        }
        const auto dtype = stored_type_of_safetensors(text);
        if (!dtype) {
            refuse("tensor " + tensor().name + " has the unknown type " + text);
        }
        tensor().dtype = *dtype;
        place_ = Place::tensor;
        return true;
    }
    bool start_array(std::size_t /*elements*/) override {
        if (place_ != Place::shape && place_ != Place::offsets) {
            return unexpected("a list");
        }
        place_ = place_ == Place::shape ? Place::in_shape : Place::in_offsets;
        offsets_ = 0;
        return true;
    }
    bool end_array() override {
        if (place_ == Place::in_offsets && offsets_ != 2) {
            refuse("tensor " + tensor().name + ": data_offsets are not two numbers");
        }
        place_ = Place::tensor;
        return true;
    }
    bool number_unsigned(number_unsigned_t number) override {
        if (number > std::uint64_t{1} << 62U) {
            refuse("tensor " + name_ + " has an impossible number");
        }
        if (place_ == Place::in_shape) {
            tensor().shape.push_back(static_cast<std::int64_t>(number));
            return true;
        }
        if (place_ != Place::in_offsets || offsets_ == 2) {
            return unexpected("a number");
        }
        (offsets_++ == 0 ? tensor().begin : tensor().end) = number;
        return true;
    }
    bool null() override { return unexpected("null"); }
    bool boolean(bool /*value*/) override { return unexpected("a truth value"); }
    bool number_integer(number_integer_t /*value*/) override { return unexpected("a negative number"); }
    bool number_float(number_float_t /*value*/, const string_t& text) override {
        return unexpected("the number " + text);
    }
    bool binary(binary_t& /*value*/) override { return unexpected("bytes"); }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& /*error*/) override {
        refuse("its header is not JSON at byte " + std::to_string(position));
    }

private:
    enum class Place {
        outside,
        top,
        top_value,
        metadata,
        metadata_value,
        tensor,
        dtype,
        shape,
        in_shape,
        offsets,
        in_offsets
    };
    struct Seen {
        bool dtype = false;
        bool shape = false;
        bool offsets = false;
    };

    SafetensorsEntry& tensor() { return header_.tensors.back(); }
    bool unexpected(const std::string& what) {
        refuse("its header has " + what + " where none belongs" +
               (name_.empty() ? "" : " (at " + name_ + ")"));
    }
    bool member(const std::string& text) {
        bool* seen = nullptr;
        if (text == "dtype") {
            seen = &seen_.dtype;
            place_ = Place::dtype;
        } else if (text == "shape") {
            seen = &seen_.shape;
            place_ = Place::shape;
        } else if (text == "data_offsets") {
            seen = &seen_.offsets;
            place_ = Place::offsets;
        }
        if (seen == nullptr || *seen) {
            refuse("tensor " + tensor().name + " has " + text +
                   (seen == nullptr ? ", which is unknown" : " twice"));
        }
        *seen = true;
        return true;
    }

    SafetensorsHeader& header_;
    Place place_ = Place::outside;
    std::string name_;
    std::set<std::string> names_;
    Seen seen_;
    int offsets_ = 0;
};

void check_ranges(SafetensorsHeader& header, std::uint64_t data_size) {
    std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const auto& a, const auto& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const SafetensorsEntry& tensor : header.tensors) {
        const auto size = byte_size(tensor.dtype, tensor.shape);
        if (!size || tensor.end < tensor.begin || tensor.end - tensor.begin != *size) {
            refuse("tensor " + tensor.name + " of shape " + to_string(tensor.shape) + " and type " +
                   std::string(safetensors_name(tensor.dtype)) + " does not take the bytes " +
                   std::to_string(tensor.begin) + " to " + std::to_string(tensor.end));
        }
        if (tensor.begin != at) {
            refuse(std::string(tensor.begin > at ? "there is a gap before" : "something overlaps") +
                   " tensor " + tensor.name);
        }
        at = tensor.end;
    }
    if (at != data_size) {
        refuse("its tensors take " + std::to_string(at) + " bytes, and there are " +
               std::to_string(data_size) + (at > data_size ? ": it was cut off" : ""));
    }
}

std::uint64_t header_size(std::span<const std::byte, kLengthBytes> length, std::uint64_t file_size) {
    std::uint64_t size = 0;
    std::memcpy(&size, length.data(), sizeof(size));
    if (size > kMaxSafetensorsHeader) {
        refuse("its header would be " + std::to_string(size) + " bytes long (at most " +
               std::to_string(kMaxSafetensorsHeader) + ")");
    }
    if (size > file_size - kLengthBytes) {
        refuse("it ends within its header: it was cut off");
    }
    return size;
}

std::string quoted(const std::string& name) {
    try {
        return nlohmann::json(name).dump();
    } catch (const nlohmann::json::exception&) {
        throw Error("the name of a tensor is not UTF-8");
    }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_size) {
    if (text.empty() || text.front() != '{') {
        refuse("its header does not begin with {");
    }
    SafetensorsHeader header;
    HeaderReader reader(header);
    nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
    check_ranges(header, data_size);
    return header;
}

SafetensorsViews parse_safetensors(std::span<const std::byte> file) {
    if (file.size() < kLengthBytes) {
        refuse("it is shorter than 8 bytes");
    }
    const std::uint64_t size = header_size(file.first<kLengthBytes>(), file.size());
    const auto text = file.subspan(kLengthBytes, size);
    const auto data = file.subspan(kLengthBytes + size);
    SafetensorsHeader header = parse_safetensors_header(
        {static_cast<const char*>(static_cast<const void*>(text.data())), text.size()}, data.size());
    SafetensorsViews views{std::move(header.metadata), {}};
    for (SafetensorsEntry& tensor : header.tensors) {
        views.tensors.push_back({std::move(tensor.name), tensor.dtype, std::move(tensor.shape),
                                 data.subspan(tensor.begin, tensor.end - tensor.begin)});
    }
    return views;
}

SafetensorsContent read_safetensors(InputFile& file) {
    try {
        if (file.size() < kLengthBytes) {
            refuse("it is shorter than 8 bytes");
        }
        std::array<std::byte, kLengthBytes> length{};
        file.read(length);
        std::string text(header_size(length, file.size()), '\0');
        file.read(std::as_writable_bytes(std::span(text)));
        SafetensorsHeader header = parse_safetensors_header(text, file.size() - file.position());
        SafetensorsContent content{std::move(header.metadata), {}};
        for (SafetensorsEntry& tensor : header.tensors) {
            TensorRecord& record = content.tensors.emplace_back();
            reuse(record, std::move(tensor.name), tensor.dtype, std::move(tensor.shape));
            file.read(record.bytes);
        }
        return content;
    } catch (const Error& error) {
        const std::string what = error.what();
        throw Error(what.starts_with(file.path().string()) ? what : file.path().string() + " is " + what);
    }
}

SafetensorsContent read_safetensors(const std::filesystem::path& path) {
    InputFile file(path);
    return read_safetensors(file);
}

SafetensorsLayout lay_out_safetensors(std::span<const TensorView> tensors) {
    SafetensorsLayout layout;
    layout.order.resize(tensors.size());
    std::iota(layout.order.begin(), layout.order.end(), 0);
    std::stable_sort(layout.order.begin(), layout.order.end(), [&](std::size_t a, std::size_t b) {
        return size_of(tensors[a].dtype) > size_of(tensors[b].dtype);
    });
    std::set<std::string_view> names{kMetadata};
    std::string text = R"({"__metadata__":{"format":"pt"})";
    for (const std::size_t index : layout.order) {
        const TensorView& tensor = tensors[index];
        if (byte_size(tensor.dtype, tensor.shape) != tensor.bytes.size()) {
            throw Error("tensor " + tensor.name + " of shape " + to_string(tensor.shape) + " has " +
                        std::to_string(tensor.bytes.size()) + " bytes");
        }
        if (!names.insert(tensor.name).second) {
            throw Error("two tensors have the name " + tensor.name);
        }
        const std::uint64_t end = layout.data_size + tensor.bytes.size();
        // Text by text: a tree that keeps its order looks up every name from the front.
        text.append(",").append(quoted(tensor.name));
        text.append(R"(:{"dtype":")").append(safetensors_name(tensor.dtype));
        text.append(R"(","shape":)").append(nlohmann::json(tensor.shape).dump());
        text.append(R"(,"data_offsets":[)").append(std::to_string(layout.data_size));
        text.append(",").append(std::to_string(end)).append("]}");
        layout.data_size = end;
    }
    text += "}";
    text.append((kAlignment - (kLengthBytes + text.size()) % kAlignment) % kAlignment, ' ');
    const std::uint64_t length = text.size();
    layout.head.resize(kLengthBytes);
    std::memcpy(layout.head.data(), &length, kLengthBytes);
    layout.head += text;
    return layout;
}

void write_safetensors(OutputFile& file, std::span<const TensorView> tensors) {
    const SafetensorsLayout layout = lay_out_safetensors(tensors);
    file.write(layout.head);
    for (const std::size_t index : layout.order) {
        file.write(tensors[index].bytes);
    }
}

void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors) {
    write_file_atomically(path, [&](OutputFile& file) { write_safetensors(file, tensors); });
}

}  // namespace rankscope::engine
