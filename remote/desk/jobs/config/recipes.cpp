// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/paths.h>
#include <remote/desk/jobs/config/recipes.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/read/own_resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rankscope::inline jobs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "Recipes";
constexpr std::size_t kMost = 1000;
constexpr std::size_t kMostAbout = 200;
constexpr std::size_t kLongestName = 64;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} * 1024;

Failure failed(const fs::path& file, int error) {
    return {"cannot-write", file.string(),
            text(kContext, "The recipe cannot be changed: %1.", {std::strerror(error)}),
            text(kContext, "Check the folder's permissions and free space."), ""};
}

/// The comment at the top of the file.
std::string about_of(const fs::path& file) {
    std::error_code missing;
    const auto size = fs::file_size(file, missing);
    const auto content = missing || size > kMostBytes ? std::nullopt : read_file(file);
    std::string about;
    std::size_t at = 0;
    while (content && at < content->size() && (*content)[at] == '#' && about.size() < kMostAbout) {
        const std::size_t end = std::min(content->find('\n', at), content->size());
        std::size_t begin = std::min(content->find_first_not_of("# \t", at), end);
        if (!about.empty()) {
            about += ' ';
        }
        about.append(*content, begin, end - begin);
        at = end + 1;
    }
    if (about.size() > kMostAbout) {
        const std::size_t blank = about.rfind(' ', kMostAbout);
        about.resize(blank == std::string::npos ? 0 : blank);
        about += "…";
    }
    return about;
}

void add_folder(const fs::path& folder, bool own, std::vector<JobRecipe>& recipes) {
    std::error_code missing;
    std::vector<JobRecipe> found;
    fs::directory_iterator entries(folder, missing);
    for (; !missing && entries != fs::directory_iterator() && found.size() < kMost;
         entries.increment(missing)) {
        const fs::path& file = entries->path();
        std::error_code ignored;
        if (file.extension() == ".yaml" && !file.filename().string().starts_with('.') &&
            fs::is_regular_file(file, ignored)) {
            found.push_back({file.stem().string(), about_of(file), file, own});
        }
    }
    std::sort(found.begin(), found.end(),
              [](const JobRecipe& a, const JobRecipe& b) { return a.name < b.name; });
    recipes.insert(recipes.end(), found.begin(), found.end());
}

bool is_name(const std::string& name) {
    const auto fits = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte != 0x7f && c != '/' && c != '\\';
    };
    return !name.empty() && name.size() <= kLongestName && name.front() != '.' && name.front() != '-' &&
           name.front() != ' ' && name.back() != ' ' && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

RecipeBook::RecipeBook(fs::path brought, fs::path own) : brought_(std::move(brought)), own_(std::move(own)) {}

RecipeBook RecipeBook::of_user() {
    return {logs::own_resource("recipes"), user_config_dir() / "recipes"};
}

std::vector<JobRecipe> RecipeBook::list() const {
    std::vector<JobRecipe> recipes;
    add_folder(own_, true, recipes);
    if (!brought_.empty()) {
        add_folder(brought_, false, recipes);
    }
    return recipes;
}

Result<JobRecipe> RecipeBook::find(const std::string& name) const {
    std::vector<JobRecipe> all = list();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const JobRecipe& one) { return one.name == name; });
    if (found == all.end()) {
        return Failure{"bad-field", name, text(kContext, "There is no recipe \"%1\".", {name}),
                       text(kContext, "rankscopectl recipes list names them."), ""};
    }
    return std::move(*found);
}

Result<std::string> RecipeBook::content(const JobRecipe& recipe) const {
    auto content = read_file(recipe.file);
    if (!content) {
        return Failure{"bad-file", recipe.file.string(),
                       text(kContext, "The recipe cannot be read: %1.", {std::strerror(errno)}), "", ""};
    }
    return std::move(*content);
}

Result<fs::path> RecipeBook::own_file(const std::string& name, bool replace) const {
    if (!is_name(name)) {
        return Failure{
            "bad-field", name, text(kContext, "\"%1\" cannot be the name of a recipe.", {name}),
            text(kContext, "Give up to 64 letters without / that begin with none of a dot, a dash, a blank."),
            ""};
    }
    const fs::path file = own_ / (name + ".yaml");
    std::error_code ignored;
    if (!replace && fs::exists(file, ignored)) {
        return Failure{"file-exists", file.string(),
                       text(kContext, "There is a recipe \"%1\" already.", {name}),
                       text(kContext, "Choose another name."), ""};
    }
    return file;
}

Result<JobRecipe> RecipeBook::save(const std::string& name, const std::string& yaml, bool replace) const {
    const auto file = own_file(name, replace);
    if (!file) {
        return file.failure();
    }
    if (const int error = write_file_atomically(*file, yaml); error != 0) {
        return failed(*file, error);
    }
    return JobRecipe{name, about_of(*file), *file, true};
}

Result<void> RecipeBook::rename(const JobRecipe& recipe, const std::string& name) const {
    const auto file = own_file(name, false);
    if (!file) {
        return file.failure();
    }
    std::error_code error;
    fs::rename(recipe.file, *file, error);
    return error ? Result<void>(failed(recipe.file, error.value())) : Result<void>();
}

Result<void> RecipeBook::remove(const JobRecipe& recipe) const {
    std::error_code error;
    if (!fs::remove(recipe.file, error) && !error) {
        return failed(recipe.file, ENOENT);
    }
    return error ? Result<void>(failed(recipe.file, error.value())) : Result<void>();
}

}  // namespace rankscope::inline jobs
