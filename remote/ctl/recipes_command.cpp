// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/table.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/recipes.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

using nlohmann::json;

struct RecipeOptions {
    std::string name;
    std::string other;  ///< a job file, or the new name
    bool force = false;
};

int fail(const Failure& failure, const GlobalOptions& options) {
    report(failure, options.json);
    return kUsage;
}

int list_recipes(const GlobalOptions& options) {
    json all = json::array();
    std::vector<std::vector<std::string>> rows{{"NAME", "WHOSE", "WHAT"}};
    for (const JobRecipe& recipe : RecipeBook::of_user().list()) {
        all.push_back({{"name", recipe.name},
                       {"own", recipe.own},
                       {"about", recipe.about},
                       {"file", recipe.file.string()}});
        rows.push_back({recipe.name, recipe.own ? "yours" : "Rankscope", recipe.about});
    }
    const std::string out = options.json ? json_line(json{{"recipes", all}}) + '\n' : format_table(rows);
    std::fputs(out.c_str(), stdout);
    return kDone;
}

int show_recipe(const GlobalOptions& options, const RecipeOptions& given) {
    const RecipeBook book = RecipeBook::of_user();
    const auto recipe = book.find(given.name);
    const auto yaml = recipe ? book.content(*recipe) : Result<std::string>(recipe.failure());
    if (!yaml) {
        return fail(yaml.failure(), options);
    }
    if (options.json) {
        print_json(json{{"name", recipe->name},
                        {"own", recipe->own},
                        {"about", recipe->about},
                        {"file", recipe->file.string()},
                        {"job", *yaml}});
    } else {
        std::fputs(yaml->c_str(), stdout);
    }
    return kDone;
}

int save_recipe(const GlobalOptions& options, const RecipeOptions& given) {
    const JobRead read = read_job(given.other);
    if (!read.problems.empty()) {
        return fail(read.problems.front(), options);
    }
    const auto saved = RecipeBook::of_user().save(given.name, read.yaml, given.force);
    if (!saved) {
        return fail(saved.failure(), options);
    }
    std::printf("%s\n", options.json
                            ? json{{"name", saved->name}, {"file", saved->file.string()}}.dump().c_str()
                            : saved->file.c_str());
    return kDone;
}

Result<JobRecipe> find_own(const RecipeBook& book, const std::string& name) {
    auto recipe = book.find(name);
    if (recipe && !recipe->own) {
        return Failure{"bad-field", name, "Rankscope brings the recipe \"" + name + "\".",
                       "Save a copy of your own: rankscopectl recipes save NAME FILE", ""};
    }
    return recipe;
}

int rename_recipe(const GlobalOptions& options, const RecipeOptions& given) {
    const RecipeBook book = RecipeBook::of_user();
    const auto recipe = find_own(book, given.name);
    const auto done = recipe ? book.rename(*recipe, given.other) : Result<void>(recipe.failure());
    return done.ok() ? kDone : fail(done.failure(), options);
}

int remove_recipe(const GlobalOptions& options, const RecipeOptions& given) {
    const RecipeBook book = RecipeBook::of_user();
    const auto recipe = find_own(book, given.name);
    const auto done = recipe ? book.remove(*recipe) : Result<void>(recipe.failure());
    return done.ok() ? kDone : fail(done.failure(), options);
}

}  // namespace

void add_recipes_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* recipes = app.add_subcommand("recipes", "Job files to begin with: those of Rankscope and your own");
    recipes->require_subcommand(1);
    auto given = std::make_shared<RecipeOptions>();
    recipes->add_subcommand("list", "List them")->callback([&options, &code] {
        code = list_recipes(options);
    });
    const auto add = [&](const char* name, const char* help,
                         int (*action)(const GlobalOptions&, const RecipeOptions&)) {
        auto* command = recipes->add_subcommand(name, help);
        command->add_option("name", given->name, "Name of the recipe")->required();
        command->callback([&options, &code, given, action] { code = action(options, *given); });
        return command;
    };
    add("show", "Print one, for rankscopectl run or a file of your own", show_recipe);
    auto* save = add("save", "Keep a job file as a recipe", save_recipe);
    save->add_option("file", given->other, "Job file")->required();
    save->add_flag("--force", given->force, "Replace the recipe of that name");
    add("rename", "Give a recipe of your own another name", rename_recipe)
        ->add_option("to", given->other, "The new name")
        ->required();
    add("remove", "Remove a recipe of your own", remove_recipe);
}

}  // namespace rankscope::ctl
