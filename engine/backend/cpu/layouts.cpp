// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/dnnl_api.h>
#include <engine/backend/cpu/layouts.h>

#include <array>
#include <utility>
#include <vector>

namespace rankscope::engine::cpu {

using dnnl::memory;
using Md = memory::desc;
using Tag = memory::format_tag;

Md plain(const memory::dims& dims, memory::data_type type) {
    const std::vector<Tag> tags{Tag::undef, Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde};
    return {dims, type, tags.at(dims.size())};
}

Md any(const memory::dims& dims, memory::data_type type) {
    return {dims, type, Tag::any};
}

memory::dims with_batch(std::int64_t batch, const Shape& shape) {
    memory::dims dims{batch};
    dims.insert(dims.end(), shape.begin(), shape.end());
    return dims;
}

Md by_row(std::int64_t batch, const Shape& shape, memory::data_type type) {
    const memory::dims dims = with_batch(batch, shape);
    return shape.size() == 3 ? Md(dims, type, Tag::acdb) : plain(dims, type);
}

Md position_major(const memory::dims& dims, memory::data_type type) {
    const std::int64_t pixel = dims[0] * dims[1];
    return {dims, type, memory::dims{dims[1], 1, dims[3] * pixel, pixel}};
}

std::optional<ChannelView> channel_view(const Md& descriptor) {
    const memory::dims dims = dnnl_api::dims_of(descriptor);
    if (dims.size() != 4) {
        return std::nullopt;
    }
    const auto type = dnnl_api::type_of(descriptor);
    const std::int64_t batch = dims[0];
    const std::int64_t channels = dims[1];
    const std::int64_t pixels = dims[2] * dims[3];
    const auto is = [&](Tag tag) { return descriptor == Md(dims, type, tag); };
    const std::array<std::pair<Tag, std::int64_t>, 3> blocked{
        {{Tag::nChw16c, 16}, {Tag::nChw8c, 8}, {Tag::nChw4c, 4}}};
    for (const auto& [tag, lanes] : blocked) {
        if (is(tag)) {
            const std::int64_t padded = (channels + lanes - 1) / lanes * lanes;
            return ChannelView{channels, lanes, pixels * lanes, batch, padded * pixels, pixels, lanes};
        }
    }
    const std::int64_t lanes = channels % 16 == 0 ? 16 : channels % 8 == 0 ? 8 : channels % 4 == 0 ? 4 : 1;
    if (descriptor == position_major(dims, type)) {
        return ChannelView{channels, lanes, lanes, pixels, batch * channels, batch, channels, false};
    }
    if (is(Tag::acdb)) {
        return ChannelView{channels, lanes, lanes, batch, pixels * channels, pixels, channels};
    }
    if (is(Tag::abcd)) {
        return ChannelView{channels, 1, pixels, batch, channels * pixels, pixels, 1};
    }
    return std::nullopt;
}

namespace {

Md laid_out(const Md& descriptor, const memory::dims& dims, memory::data_type wanted) {
    const memory::dims old = dnnl_api::dims_of(descriptor);
    const auto type = dnnl_api::type_of(descriptor);
    for (const Tag tag : {Tag::nChw16c, Tag::nChw8c, Tag::nChw4c}) {
        if (descriptor == Md(old, type, tag)) {
            return {dims, wanted, tag};
        }
    }
    if (descriptor == position_major(old, type)) {
        return position_major(dims, wanted);
    }
    return {dims, wanted, descriptor == Md(old, type, Tag::acdb) ? Tag::acdb : Tag::abcd};
}

}  // namespace

Md laid_out_like(const Md& descriptor, const memory::dims& dims) {
    return laid_out(descriptor, dims, dnnl_api::type_of(descriptor));
}

Md laid_out_like(const Md& descriptor, memory::data_type type) {
    return laid_out(descriptor, dnnl_api::dims_of(descriptor), type);
}

std::size_t stored_elements(const Md& descriptor) {
    return descriptor.get_size() / memory::data_type_size(dnnl_api::type_of(descriptor));
}

}  // namespace rankscope::engine::cpu
