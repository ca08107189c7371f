// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/torch_archive.h>
#include <engine/error.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace rankscope::engine {
namespace {

// What a file may grow to: tensors that share a storage are copied one by one.
constexpr std::uint64_t kGrowth = 16;

std::string_view as_text(std::span<const std::byte> bytes) {
    return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

/// The first bytes identify formats that this reader does not support.
void refuse_other_formats(std::span<const std::byte> bytes) {
    constexpr std::string_view kLegacy = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
    if (as_text(bytes).starts_with(kLegacy)) {
        throw Error(
            "it is in the format of torch.save before PyTorch 1.6. Write it again with a newer one: "
            "torch.save(torch.load(FILE, map_location='cpu'), FILE)");
    }
    if (!as_text(bytes).starts_with("PK")) {
        throw Error("it is not a file of torch.save (not a ZIP archive)");
    }
}

/// Copies a tensor with any strides into row-major order.
void gather(const PickleTensor& tensor, std::span<const std::byte> storage, std::size_t element,
            std::span<std::byte> out) {
    Shape index(tensor.shape.size(), 0);
    std::int64_t at = tensor.offset;
    // The innermost dimensions that are packed are copied as one run.
    std::size_t outer = tensor.shape.size();
    std::int64_t run_elements = 1;
    while (outer > 0 && (tensor.stride[outer - 1] == run_elements || tensor.shape[outer - 1] == 1)) {
        run_elements *= tensor.shape[--outer];
    }
    const auto run = static_cast<std::size_t>(run_elements);
    for (std::size_t done = 0; done < out.size(); done += run * element) {
        std::memcpy(out.data() + done, storage.data() + static_cast<std::size_t>(at) * element,
                    run * element);
        for (std::size_t i = outer; i-- > 0;) {
            at += tensor.stride[i];
            if (++index[i] < tensor.shape[i]) {
                break;
            }
            at -= tensor.stride[i] * tensor.shape[i];
            index[i] = 0;
        }
    }
}

}  // namespace

TorchArchive::TorchArchive(std::vector<std::byte> bytes)
    : bytes_(std::move(bytes)), budget_(bytes_.size() * kGrowth) {
    refuse_other_formats(bytes_);
    const std::vector<ZipEntry> entries = read_zip(bytes_);
    const ZipEntry* pickle = nullptr;
    for (const ZipEntry& entry : entries) {
        const std::size_t slash = entry.name.find('/');
        const std::string name = slash == std::string::npos ? "" : entry.name.substr(slash + 1);
        if (name == "data.pkl") {
            pickle = &entry;
        } else if (name.starts_with("data/")) {
            storages_[name.substr(5)] = entry;
        } else if (name == "byteorder" && as_text(entry.bytes) != "little") {
            throw Error("it was written on a big-endian machine");
        } else if (name == "constants.pkl") {
            throw Error(
                "it is a TorchScript program, not a state dict. Save the weights: "
                "torch.save(torch.jit.load(FILE).state_dict(), NEW)");
        }
    }
    if (pickle == nullptr) {
        throw Error("it is a ZIP archive, but not of torch.save (it has no data.pkl)");
    }
    check(*pickle);
    values_ = read_pickle(as_text(pickle->bytes));
}

TorchArchive TorchArchive::read(const std::filesystem::path& path) {
    InputFile file(path);
    std::vector<std::byte> bytes(file.size());
    file.read(bytes);
    try {
        return TorchArchive(std::move(bytes));
    } catch (const Error& error) {
        throw Error(path.string() + " cannot be used: " + error.what());
    }
}

TensorRecord TorchArchive::tensor(PickleId id, const std::string& name) const {
    const auto refuse = [&](const std::string& what) { throw Error("tensor " + name + " " + what); };
    const auto* tensor = values_.object<PickleTensor>(id);
    if (tensor == nullptr) {
        refuse("is not a tensor");
    }
    const auto found = storages_.find(tensor->storage);
    if (found == storages_.end()) {
        refuse("lies in storage " + tensor->storage + ", which is missing");
    }
    const std::span<const std::byte> storage = found->second.bytes;
    const std::size_t element = size_of(tensor->dtype);
    const auto size = byte_size(tensor->dtype, tensor->shape);
    if (!size || *size > budget_ - spent_) {
        refuse("has the shape " + to_string(tensor->shape) + ", more than its file can hold");
    }
    // The last element must lie within the storage.
    const auto elements = static_cast<std::int64_t>(storage.size() / element);
    std::int64_t last = tensor->offset;
    bool fits = tensor->offset >= 0 && tensor->offset <= elements;
    for (std::size_t i = 0; fits && *size > 0 && i < tensor->shape.size(); ++i) {
        const std::int64_t steps = tensor->shape[i] - 1;
        fits = steps == 0 || (tensor->stride[i] >= 0 && tensor->stride[i] <= (elements - last) / steps);
        last += fits && steps > 0 ? steps * tensor->stride[i] : 0;
    }
    if (!fits || (*size > 0 && last >= elements)) {
        refuse("goes beyond its storage");
    }
    if (!std::exchange(checked_[tensor->storage], true)) {
        check(found->second);
    }
    TensorRecord record;
    reuse(record, name, tensor->dtype, tensor->shape);
    spent_ += *size;
    // Strides of dimensions of one element are arbitrary and must not be used.
    PickleTensor used = *tensor;
    for (std::size_t i = 0; i < used.shape.size(); ++i) {
        used.stride[i] = used.shape[i] == 1 ? 0 : used.stride[i];
    }
    gather(used, storage, element, record.bytes);
    return record;
}

std::vector<TensorRecord> TorchArchive::tensors(PickleId dict) const {
    const auto* items = std::get_if<PickleDict>(&values_.at(dict));
    if (items == nullptr) {
        throw Error("it holds no dict of tensors");
    }
    std::map<std::string_view, PickleId> last;
    std::vector<std::string_view> order;
    for (const auto& [key, value] : items->items) {
        const auto* name = std::get_if<std::string_view>(&values_.at(key));
        if (name != nullptr && last.insert_or_assign(*name, value).second) {
            order.push_back(*name);
        }
    }
    std::vector<TensorRecord> records;
    for (const std::string_view name : order) {
        if (values_.object<PickleTensor>(last[name]) != nullptr) {
            records.push_back(tensor(last[name], std::string(name)));
        }
    }
    return records;
}

void TorchArchiveWriter::tensor(const TensorView& tensor) {
    if (byte_size(tensor.dtype, tensor.shape) != tensor.bytes.size()) {
        throw Error("tensor " + tensor.name + " of shape " + to_string(tensor.shape) + " has " +
                    std::to_string(tensor.bytes.size()) + " bytes");
    }
    pickle_.tensor(tensor.dtype, std::to_string(storages_.size()), tensor.shape);
    storages_.push_back(tensor.bytes);
}

void TorchArchiveWriter::write(OutputFile& file) {
    ZipWriter zip(file);
    zip.add("archive/data.pkl", pickle_.finish());
    zip.add("archive/byteorder", "little");
    for (std::size_t i = 0; i < storages_.size(); ++i) {
        zip.add("archive/data/" + std::to_string(i), storages_[i]);
    }
    zip.add("archive/version", "3\n");
    zip.finish();
}

}  // namespace rankscope::engine
