// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/tensorboard/crc32c.h>
#include <remote/observe/tensorboard/event.pb.h>
#include <remote/observe/tensorboard/event_writer.h>

#include <array>
#include <bit>
#include <cstring>

namespace rankscope::tensorboard {
namespace {

// The file is little-endian, as every machine that Rankscope is built for.
static_assert(std::endian::native == std::endian::little);

template <typename Number>
std::string bytes_of(Number value) {
    std::array<char, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    return {bytes.data(), bytes.size()};
}

std::string record(const Event& event) {
    const std::string data = event.SerializeAsString();
    const std::string length = bytes_of(std::uint64_t{data.size()});
    return length + bytes_of(masked_crc32c(length)) + data + bytes_of(masked_crc32c(data));
}

}  // namespace

std::string version_record(double wall_time) {
    Event event;
    event.set_wall_time(wall_time);
    event.set_file_version("brain.Event:2");
    return record(event);
}

std::string scalars_record(double wall_time, std::int64_t step,
                           const std::vector<std::pair<std::string, double>>& values) {
    Event event;
    event.set_wall_time(wall_time);
    event.set_step(step);
    for (const auto& [tag, number] : values) {
        Value& value = *event.mutable_summary()->add_value();
        value.set_tag(tag);
        value.set_simple_value(static_cast<float>(number));
    }
    return record(event);
}

std::string text_record(double wall_time, std::string_view tag, std::string_view markdown) {
    constexpr int kString = 7;  // tensorflow.DataType
    Event event;
    event.set_wall_time(wall_time);
    Value& value = *event.mutable_summary()->add_value();
    value.set_tag(std::string(tag));
    value.mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
    value.mutable_tensor()->set_dtype(kString);
    value.mutable_tensor()->mutable_shape()->add_dim()->set_size(1);
    value.mutable_tensor()->add_string_val(std::string(markdown));
    return record(event);
}

}  // namespace rankscope::tensorboard
