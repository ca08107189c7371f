// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <engine/data/folder_images.h>
#include <engine/data/image_decoder.h>

#include <span>

namespace rankscope::engine {
namespace {

class FolderReader final : public ImageReader {
public:
    explicit FolderReader(const FolderImages& images) : images_(images) {}
    ImageSize open(std::int64_t index) override { return decoder_.open(images_.file(index)); }
    ImageView read(const Box& needed) override { return decoder_.read(needed); }

private:
    const FolderImages& images_;
    ImageDecoder decoder_;
};

}  // namespace

void FolderImages::add(const std::string& name) {
    names_ += name;
    ends_.push_back(names_.size());
}

std::string FolderImages::file(std::int64_t index) const {
    const auto at = static_cast<std::size_t>(index);
    const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
    return (folder_ / names_.substr(begin, ends_[at] - begin)).string();
}

std::unique_ptr<ImageReader> FolderImages::reader() const {
    return std::make_unique<FolderReader>(*this);
}

std::string FolderImages::identity() const {
    return sha256_hex(std::as_bytes(std::span(names_)));
}

}  // namespace rankscope::engine
