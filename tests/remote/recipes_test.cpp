// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/recipes.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

const fs::path kBrought = fs::path(RANKSCOPE_DOCS) / "../resources/recipes";

TEST(Recipes, ThoseOfRankscopeAreJobsWithoutFaults) {
    const RecipeBook book(kBrought, "/nowhere");
    const auto all = book.list();
    EXPECT_GE(all.size(), 8U);
    for (const JobRecipe& recipe : all) {
        EXPECT_FALSE(recipe.own);
        EXPECT_FALSE(recipe.about.empty()) << recipe.name;
        const auto yaml = book.content(recipe);
        ASSERT_TRUE(yaml) << recipe.name;
        const JobRead read = parse_job(*yaml, recipe.file);
        EXPECT_TRUE(read.problems.empty()) << recipe.name << ": " << read.problems.front().what;
    }
}

TEST(Recipes, OwnOnesAreSavedRenamedAndRemoved) {
    const test::TemporaryFolder folder;
    const RecipeBook book(kBrought, folder.path() / "deep" / "recipes");
    const std::string yaml = "# Ours,\n#   every night.\nname: x\ncommand: [a]\n";
    const auto saved = book.save("night run", yaml);
    ASSERT_TRUE(saved) << saved.failure().what;
    EXPECT_EQ(saved->about, "Ours, every night.");
    EXPECT_EQ(book.save("night run", "b: 1\n").failure().code.text(), "file-exists");
    EXPECT_EQ(*book.content(*book.find("night run")), yaml);
    EXPECT_EQ(book.list().front().name, "night run") << "the user's own come first";
    ASSERT_TRUE(book.save("mnist-quickstart", yaml));
    EXPECT_TRUE(book.find("mnist-quickstart")->own) << "and before one of the same name";
    EXPECT_EQ(book.rename(*book.find("night run"), "mnist-quickstart").failure().code.text(), "file-exists");
    ASSERT_TRUE(book.rename(*book.find("night run"), "day").ok());
    EXPECT_FALSE(book.find("night run"));
    ASSERT_TRUE(book.remove(*book.find("day")).ok());
    EXPECT_EQ(book.find("day").failure().code.text(), "bad-field");
}

TEST(Recipes, HostileNamesAndFilesAreRefused) {
    const test::TemporaryFolder folder;
    const RecipeBook book({}, folder.path());
    for (const char* name : {"", ".", "..", "../x", "a/b", "-rf", " a", "a ", "a\nb", "a\\b", ".hidden"}) {
        EXPECT_EQ(book.save(name, "a: 1\n").failure().code.text(), "bad-field") << name;
    }
    EXPECT_EQ(book.save(std::string(65, 'a'), "a: 1\n").failure().code.text(), "bad-field");
    std::ofstream(folder.path() / "large.yaml") << "# " << std::string(1 << 20, 'x');
    std::ofstream(folder.path() / "long.yaml") << "# " << std::string(5000, 'y') << "\n";
    fs::create_directory(folder.path() / "folder.yaml");
    fs::create_symlink("/nowhere/at/all", folder.path() / "gone.yaml");
    const auto all = book.list();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_LE(all[0].about.size(), 300U);
    EXPECT_LE(all[1].about.size(), 300U);
}

}  // namespace
}  // namespace rankscope
