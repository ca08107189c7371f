// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/byte_source.h>
#include <engine/data/idx_file.h>

#include <algorithm>
#include <array>
#include <string>

namespace rankscope::engine {
namespace {

constexpr std::size_t kLargest = std::size_t{4} << 30U;  // bytes; a header that claims more is damaged

std::vector<std::size_t> read_header(ByteSource& reader, std::size_t dimensions) {
    std::array<std::uint8_t, 4> magic{};
    if (reader.read(magic.data(), magic.size()) != magic.size() || magic[0] != 0 || magic[1] != 0) {
        reader.fail("is not an IDX file: it must begin with two zero bytes");
    }
    if (magic[2] != 0x08) {
        reader.fail("element type " + std::to_string(magic[2]) +
                    " in the IDX header; 8 (unsigned byte) is expected");
    }
    if (magic[3] != dimensions) {
        reader.fail(std::to_string(magic[3]) + " dimensions in the IDX header; " +
                    std::to_string(dimensions) + " are expected (are images and labels mixed up?)");
    }
    std::vector<std::size_t> dims;
    for (std::size_t i = 0; i < dimensions; ++i) {
        std::array<std::uint8_t, 4> size{};
        if (reader.read(size.data(), size.size()) != size.size()) {
            reader.fail("the IDX header is cut short");
        }
        dims.push_back(std::size_t{size[0]} << 24U | std::size_t{size[1]} << 16U |
                       std::size_t{size[2]} << 8U | std::size_t{size[3]});
        if (dims.back() == 0) {
            reader.fail("dimension " + std::to_string(i + 1) + " in the IDX header is 0");
        }
    }
    return dims;
}

}  // namespace

IdxArray read_idx(const std::filesystem::path& file, std::size_t dimensions, std::size_t max_items) {
    ByteSource reader(file);
    IdxArray array;
    array.dims = read_header(reader, dimensions);
    std::size_t item = 1;
    for (std::size_t i = 1; i < array.dims.size(); ++i) {
        item = item > kLargest / array.dims[i] ? kLargest + 1 : item * array.dims[i];
    }
    if (item > kLargest / array.dims[0]) {
        reader.fail("the IDX header claims more than 4 GiB of data: it is damaged");
    }
    const bool all = array.dims[0] <= max_items;
    const std::size_t claimed = array.dims[0];
    array.dims[0] = std::min(claimed, max_items);
    const std::size_t bytes = array.dims[0] * item;
    const std::size_t got = reader.append(array.data, bytes);
    if (got < bytes) {
        reader.fail("cut short: the header promises " + std::to_string(claimed) + " items of " +
                    std::to_string(item) + " bytes, there are " + std::to_string(got) + " bytes of data");
    }
    std::uint8_t extra = 0;
    if (all && reader.read(&extra, 1) != 0) {
        reader.fail("more data than the " + std::to_string(claimed) + " items that the header promises");
    }
    return array;
}

}  // namespace rankscope::engine
