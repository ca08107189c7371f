// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// A job file to begin with.
struct JobRecipe {
    std::string name;   ///< of its file, without ".yaml"
    std::string about;  ///< the comment at its top, in one line
    std::filesystem::path file;
    bool own = false;  ///< made by the user; can be renamed and removed
};

/// The job files that Rankscope brings, and the user's own in a folder. Reads files: not for the window's thread.
class RecipeBook {
public:
    /// `own`: the folder of the user's; it need not exist.
    RecipeBook(std::filesystem::path brought, std::filesystem::path own);
    /// Those of this installation and of ~/.config/rankscope/recipes.
    static RecipeBook of_user();

    /// By name, the user's first. At most 1,000.
    std::vector<JobRecipe> list() const;
    /// The user's own before one of the same name that Rankscope brings. Failure: there is none of that name.
    Result<JobRecipe> find(const std::string& name) const;
    Result<std::string> content(const JobRecipe& recipe) const;

    /// Failures: the name is no file name, there is such a recipe already, the folder cannot be written.
    Result<JobRecipe> save(const std::string& name, const std::string& yaml, bool replace = false) const;
    Result<void> rename(const JobRecipe& recipe, const std::string& name) const;
    Result<void> remove(const JobRecipe& recipe) const;

private:
    Result<std::filesystem::path> own_file(const std::string& name, bool replace) const;

    std::filesystem::path brought_;
    std::filesystem::path own_;
};

}  // namespace rankscope::inline jobs
