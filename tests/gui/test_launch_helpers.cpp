// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What helps to fill in the Launch form: recipes, the table of variables, GPUs by picture, advice.

#include <gui/launch/env_dialog.h>
#include <gui/launch/gpu_picker.h>
#include <gui/launch/job_text_edit.h>
#include <gui/launch/launch_page.h>
#include <gui/widgets/notice_bar.h>

#include <tests/gui/pages_fixture.h>

#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

namespace rankscope::gui::testing {
namespace {

class LaunchHelpers : public Pages {
protected:
    QDialog* open_recipes() {
        click(find<QPushButton>("openRecipes"));
        QDialog* dialog = wait_dialog("recipesDialog");
        list_ = child<QTreeWidget>(dialog, "recipeList");
        EXPECT_TRUE(wait_until([&] { return list_->topLevelItemCount() > 0; }));
        return dialog;
    }
    bool wait_for_recipe(const QString& name, bool there = true) {
        return wait_until([&] { return list_->findItems(name, Qt::MatchExactly).isEmpty() != there; });
    }
    void choose(const QString& name) {
        const auto items = list_->findItems(name, Qt::MatchExactly);
        ASSERT_FALSE(items.isEmpty()) << qPrintable(name);
        list_->setCurrentItem(items.front());
    }

    QTreeWidget* list_ = nullptr;
};

TEST_F(LaunchHelpers, ARecipeIsSavedRenamedDeletedAndUsed) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    type_into(find<QLineEdit>("launchName"), u"mine"_s);
    QDialog* dialog = open_recipes();
    EXPECT_TRUE(wait_for_recipe(u"mnist-quickstart"_s));
    choose(u"mnist-quickstart"_s);
    EXPECT_FALSE(child<QPushButton>(dialog, "recipeDelete")->isEnabled()) << "it is not the user's";
    EXPECT_EQ(child<QLineEdit>(dialog, "recipeName")->text(), u"mine"_s);
    click(child<QPushButton>(dialog, "recipeSave"));
    ASSERT_TRUE(wait_for_recipe(u"mine"_s));
    EXPECT_TRUE(child<QPlainTextEdit>(dialog, "recipeText")->toPlainText().contains(u"name: mine"_s));
    click(child<QPushButton>(dialog, "recipeSave"));
    auto* fault = child<NoticeBar>(dialog, "recipeFault");
    ASSERT_TRUE(wait_until([&] { return fault->text().contains(u"already"_s); }));
    type_into(child<QLineEdit>(dialog, "recipeNewName"), u"../outside"_s);
    click(child<QPushButton>(dialog, "recipeRename"));
    ASSERT_TRUE(wait_until([&] { return fault->text().contains(u"cannot be the name"_s); }));
    type_into(child<QLineEdit>(dialog, "recipeNewName"), u"nightly"_s);
    click(child<QPushButton>(dialog, "recipeRename"));
    ASSERT_TRUE(wait_for_recipe(u"nightly"_s));
    choose(u"nightly"_s);
    click(child<QPushButton>(dialog, "recipeDelete"));
    ASSERT_TRUE(wait_for_recipe(u"nightly"_s, false));
    click(child<QPushButton>(dialog, "recipeNewsAction"));
    ASSERT_TRUE(wait_for_recipe(u"nightly"_s)) << "deleting can be undone";
    choose(u"random-resnet50"_s);
    click(child<QPushButton>(dialog, "recipeUse"));
    EXPECT_EQ(find<QLineEdit>("launchName")->text(), u"random-resnet50"_s);
    EXPECT_EQ(find<QLabel>("jobFile")->text(), u"recipe random-resnet50"_s);
    click(find<QToolButton>("undoJob"));
    EXPECT_EQ(find<QLineEdit>("launchName")->text(), u"mine"_s) << "the job before is not lost";
}

TEST_F(LaunchHelpers, TheTableOfVariablesKnowsThem) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    EXPECT_TRUE(find<QLineEdit>("launch.env")->isVisibleTo(window_.get())) << "not folded away";
    find<QLineEdit>("launch.env")->setText(u"{ A: b }"_s);
    click(find<QPushButton>("launch.env.table"));
    auto* dialog = qobject_cast<EnvDialog*>(wait_dialog("envDialog"));
    ASSERT_NE(dialog, nullptr);
    auto* table = child<QTableWidget>(dialog, "envTable");
    ASSERT_EQ(table->rowCount(), 2) << "and an empty line to write into";
    table->item(1, 0)->setText(u"NCCL_SOCKET_IFNAM"_s);
    EXPECT_TRUE(table->item(1, 3)->text().contains(u"NCCL_SOCKET_IFNAME"_s))
        << qPrintable(table->item(1, 3)->text());
    table->item(1, 0)->setText(u"NCCL_DEBUG"_s);
    EXPECT_FALSE(table->item(1, 3)->text().isEmpty());
    table->item(1, 1)->setText(u"INFO"_s);
    ASSERT_EQ(table->rowCount(), 3);
    auto* ok = child<QPushButton>(dialog, "envOk");
    table->item(2, 0)->setText(u"A"_s);
    EXPECT_FALSE(ok->isEnabled()) << "twice";
    table->setCurrentCell(2, 0);
    click(child<QPushButton>(dialog, "envRemove"));
    ASSERT_TRUE(ok->isEnabled());
    click(ok);
    EXPECT_EQ(window_->launch_page()->job().env,
              (std::map<std::string, std::string>{{"A", "b"}, {"NCCL_DEBUG", "INFO"}}));
}

TEST_F(LaunchHelpers, AVariableIsForAllRanksANodeOrARank) {
    write(inventory_file(), "nodes:\n  - { name: node1 }\n  - { name: node2 }\n");
    open();
    window_->launch_page()->set_job_text(
        "name: x\nnodes: [node1, node2]\nprocs_per_node: 2\ncommand: [a]\nenv: { A: all }\n"
        "node_env: { node1: { A: one } }\nrank_env: { 3: { A: three } }\n",
        "x.yaml");
    window_->show_page(MainWindow::Page::Launch);
    const LaunchState& state = window_->launch_page()->state();
    ASSERT_TRUE(wait_until([&] { return !state.planning && !state.plan_failure; })) << "there are four ranks";
    click(find<QPushButton>("launch.env.table"));
    auto* dialog = qobject_cast<EnvDialog*>(wait_dialog("envDialog"));
    ASSERT_NE(dialog, nullptr);
    auto* table = child<QTableWidget>(dialog, "envTable");
    ASSERT_EQ(table->rowCount(), 4);
    EXPECT_EQ(table->item(0, 2)->text(), u"all ranks"_s);
    EXPECT_EQ(table->item(1, 2)->text(), u"node node1"_s);
    EXPECT_EQ(table->item(2, 2)->text(), u"rank 3"_s);
    auto* ok = child<QPushButton>(dialog, "envOk");
    auto* fault = child<QLabel>(dialog, "envFault");
    EXPECT_TRUE(ok->isEnabled()) << "the same name for others: " << qPrintable(fault->text());
    table->item(3, 0)->setText(u"B"_s);
    table->item(3, 1)->setText(u"two"_s);
    table->item(3, 2)->setText(u"node node9"_s);
    EXPECT_TRUE(fault->text().contains(u"node9 is not a node"_s)) << qPrintable(fault->text());
    table->item(3, 2)->setText(u"rank 4"_s);
    EXPECT_TRUE(fault->text().contains(u"0 to 3"_s)) << qPrintable(fault->text());
    table->item(3, 2)->setText(u"everybody"_s);
    EXPECT_FALSE(ok->isEnabled()) << qPrintable(fault->text());
    table->item(3, 2)->setText(u"Node node2"_s);
    ASSERT_TRUE(ok->isEnabled()) << qPrintable(fault->text());
    table->item(2, 1)->setText(u"3rd"_s);
    click(ok);
    const Job job = window_->launch_page()->job();
    using Map = std::map<std::string, std::string>;
    EXPECT_EQ(job.env, (Map{{"A", "all"}}));
    EXPECT_EQ(job.node_env,
              (std::map<std::string, Map>{{"node1", {{"A", "one"}}}, {"node2", {{"B", "two"}}}}));
    EXPECT_EQ(job.rank_env, (std::map<int, Map>{{3, {{"A", "3rd"}}}}));
}

TEST_F(LaunchHelpers, FieldsOfTextOfferValuesWithTheirMeaning) {
    write(inventory_file(), "nodes:\n  - { name: node1 }\n  - { name: node2 }\n");
    open();
    NodeFacts facts;
    facts.interfaces = {{"lo", {"127.0.0.1"}, true, true, 65536},
                        {"eth0", {"10.0.0.11"}, true, false, 1500},
                        {"ib0", {"10.1.0.11"}, true, false, 4092},
                        {"eth9", {}, false, false, 1500}};
    window_->workspace()->fleet()->model()->set_ready("node1", facts);
    facts.interfaces.pop_back();
    facts.interfaces.pop_back();
    window_->workspace()->fleet()->model()->set_ready("node2", facts);
    window_->launch_page()->set_job_text(
        "name: x\nnodes: [node1, node2]\ntrain: { model: resnet18, dataset: { name: cifar10 } }\n", "x.yaml");
    window_->show_page(MainWindow::Page::Launch);
    find<QToolButton>("launchMore")->setChecked(true);
    const auto texts = [this](const char* name) {
        auto* menu = find<QMenu>(name);
        emit menu->aboutToShow();
        QStringList all;
        for (const QAction* action : menu->actions()) {
            all += action->text();
        }
        return all;
    };
    const QStringList interfaces = texts("launch.interface.menu");
    ASSERT_EQ(interfaces.size(), 3) << qPrintable(interfaces.join(u" | "_s));
    EXPECT_TRUE(interfaces[0].startsWith(u"auto"_s));
    EXPECT_TRUE(interfaces[1].startsWith(u"eth0 — node1 10.0.0.11, node2"_s)) << qPrintable(interfaces[1]);
    EXPECT_TRUE(interfaces[2].startsWith(u"ib0 — not on all nodes"_s)) << qPrintable(interfaces[2]);
    find<QMenu>("launch.interface.menu")->actions()[1]->trigger();
    EXPECT_EQ(window_->launch_page()->job().interface_name, "eth0");
    const QStringList augment = texts("launch.train.dataset.augment.menu");
    EXPECT_TRUE(augment[1].contains(u"flip left to right"_s)) << qPrintable(augment[1]);
    find<QMenu>("launch.train.dataset.augment.menu")->actions()[2]->trigger();
    EXPECT_TRUE(window_->launch_page()->job_text().find("[random_crop, horizontal_flip]") !=
                std::string::npos)
        << window_->launch_page()->job_text();
    const QStringList normalize = texts("launch.train.dataset.normalize.menu");
    EXPECT_TRUE(normalize.join(u'\n').contains(u"imagenet — mean 0.485"_s))
        << qPrintable(normalize.join(u'\n'));
}

TEST_F(LaunchHelpers, GpusAreTickedByTheirSquares) {
    write(inventory_file(), "nodes:\n  - { name: gpu1 }\n  - { name: gpu2 }\n");
    open();
    NodeFacts facts;
    for (int i = 0; i < 4; ++i) {
        facts.gpus.push_back({i, "NVIDIA H200", std::uint64_t{141} << 30});
    }
    window_->workspace()->fleet()->model()->set_ready("gpu1", facts);
    window_->launch_page()->set_job_text("name: x\nnodes: [gpu1, gpu2]  # both\ncommand: [a]\n", "x.yaml");
    window_->show_page(MainWindow::Page::Launch);
    auto* square = find<QToolButton>("gpu.gpu1.2");
    ASSERT_NE(square, nullptr);
    EXPECT_TRUE(square->isVisibleTo(window_.get()));
    EXPECT_TRUE(square->isChecked()) << "all GPUs at first";
    EXPECT_TRUE(square->accessibleName().contains(u"H200"_s));
    click(square);
    const Job job = window_->launch_page()->job();
    EXPECT_EQ(job.devices, (std::map<std::string, std::vector<int>>{{"gpu1", {0, 1, 3}}}));
    EXPECT_TRUE(window_->launch_page()->job_text().find("devices: { gpu1: [0, 1, 3] }") != std::string::npos)
        << window_->launch_page()->job_text();
    click(square);
    EXPECT_TRUE(window_->launch_page()->job().devices.empty());
    EXPECT_EQ(window_->launch_page()->job_text(), "name: x\nnodes: [gpu1, gpu2]  # both\ncommand: [a]\n");
}

TEST_F(LaunchHelpers, ABatchThatDoesNotFitIntoTheGpuIsNamed) {
    write(inventory_file(), "nodes:\n  - { name: gpu1, address: 192.0.2.7 }\n");
    open();
    NodeFacts facts;
    facts.gpus.push_back({0, "NVIDIA A10", std::uint64_t{24} << 30U});
    window_->workspace()->fleet()->model()->set_ready("gpu1", facts);
    const auto job = [](int batch) {
        return "name: x\nnodes: [gpu1]\ntrain:\n  model: resnet50\n  device: cuda\n  dataset: { name: "
               "image-folder, "
               "root: /data, classes: 1000 }\n  batch_size: " +
               std::to_string(batch) + "\n";
    };
    window_->launch_page()->set_job_text(job(512), "x.yaml");
    window_->show_page(MainWindow::Page::Launch);
    auto* memory = find<QLabel>("adviceMemory");
    ASSERT_TRUE(wait_until([&] { return memory->text().contains(u"A batch of 128 fits."_s); }))
        << qPrintable(memory->text()) << qPrintable(find<QLabel>("startReason")->text());
    EXPECT_TRUE(memory->isVisibleTo(window_.get()));
    EXPECT_EQ(find<QLabel>("adviceCost")->text(),
              u"resnet50: 25.6 million parameters, 24.3 GFLOP for each sample of training; "
              "published accuracy on ImageNet-1k: 76.13 %"_s);
    window_->launch_page()->set_job_text(job(32), "x.yaml");
    EXPECT_TRUE(wait_until([&] { return memory->text().contains(u"that its GPU has"_s); }))
        << qPrintable(memory->text());
}

TEST_F(LaunchHelpers, TheRateIsScaledWithOneClick) {
    open();
    window_->launch_page()->set_job_text(
        "name: x\nnodes: [local]\nprocs_per_node: 4\nmaster_port: 0\ntrain:\n  model: convnet\n  dataset: "
        "mnist\n"
        "  optimizer: { name: sgd, lr: 0.01 }  # for one\n",
        "x.yaml");
    window_->show_page(MainWindow::Page::Launch);
    auto* batch = find<QLabel>("adviceBatch");
    ASSERT_TRUE(wait_until([&] {
        return batch->isVisibleTo(window_.get()) && batch->text().contains(u"400"_s);
    })) << qPrintable(batch->text());
    EXPECT_TRUE(find<QLabel>("adviceScaling")->text().contains(u"0.04"_s));
    auto* scale = find<QPushButton>("adviceScale");
    ASSERT_TRUE(wait_until([&] { return scale->height() > 0; })) << "no place in the layout";
    click(scale);
    EXPECT_TRUE(window_->launch_page()->job_text().find("reference_batch: 100") != std::string::npos);
    EXPECT_TRUE(window_->launch_page()->job_text().find("lr: 0.01 }  # for one") != std::string::npos);
    EXPECT_TRUE(wait_until([&] { return !find<QPushButton>("adviceScale")->isVisibleTo(window_.get()); }));
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
}

TEST_F(LaunchHelpers, AConfigurationOfDistribuuuuOpensAsAJob) {
    const QString file = folder_.path() + u"/resnet18.yaml"_s;
    write(file, "MODEL: {ARCH: resnet18, DUMMY_INPUT: True}\nOPTIM: {MAX_EPOCH: 3, BASE_LR: 0.2}\n");
    Options options = options_in(folder_.path());
    options.job_file = ss(file);
    open(options);
    auto* name = find<QLineEdit>("launchName");
    ASSERT_TRUE(wait_until([&] { return name->text() == u"resnet18"_s; }));
    EXPECT_EQ(find<QLineEdit>("launchEpochs")->text(), u"3"_s);
    EXPECT_TRUE(find<QLabel>("jobFile")->text().contains(u"Distribuuuu"_s));
    EXPECT_FALSE(find<NoticeBar>("jobProblems")->isVisible());

    auto* pairs = find<QLineEdit>("jobOverrides");
    ASSERT_TRUE(pairs->isVisible());
    auto* epochs = find<QLineEdit>("launchEpochs");
    type_into(pairs, u"OPTIM.MAX_EPOCH 7 TRAIN.BATCH_SIZE 16"_s);
    QTest::keyClick(pairs, Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return epochs->text() == u"7"_s; }));
    EXPECT_EQ(find<QLineEdit>("launchBatch")->text(), u"16"_s);
    EXPECT_TRUE(pairs->isVisible()) << "for another try";
    auto* problem = find<QLabel>("jobOverridesProblem");
    for (const auto& [line, key] : {std::pair{u"OPTIM.MAX_EPOCHS 7"_s, u"OPTIM.MAX_EPOCHS"_s},
                                    {u"OPTIM.MAX_EPOCH many"_s, u"OPTIM.MAX_EPOCH"_s},
                                    {u"OPTIM.MAX_EPOCH"_s, u"OPTIM.MAX_EPOCH"_s},
                                    {u"MODEL.ARCH 'resnet"_s, u"'"_s},
                                    {u"OPTIM.MAX_EPOCH 7; rm x"_s, u"one line"_s}}) {
        type_into(pairs, line);
        EXPECT_FALSE(problem->isVisible()) << "while it is typed";
        click(find<QPushButton>("jobOverridesApply"));
        ASSERT_TRUE(wait_until([&] { return problem->isVisible(); })) << qPrintable(line);
        EXPECT_TRUE(problem->text().contains(key)) << qPrintable(problem->text());
        EXPECT_EQ(epochs->text(), u"7"_s) << "nothing changed";
    }
    click(find<QToolButton>("undoJob"));
    EXPECT_EQ(epochs->text(), u"3"_s);
    window_->launch_page()->set_job_text("nodes: [local]\ntrain: { model: convnet }\n", "other.yaml");
    EXPECT_FALSE(pairs->isVisible()) << "another job";
}

TEST_F(LaunchHelpers, AWrongConfigurationOfDistribuuuuIsCorrectedByAPair) {
    const QString file = folder_.path() + u"/net.yaml"_s;
    write(file, "MODEL: {ARCH: no_such_net, DUMMY_INPUT: True}\n");
    Options options = options_in(folder_.path());
    options.job_file = ss(file);
    open(options);
    auto* pairs = find<QLineEdit>("jobOverrides");
    ASSERT_TRUE(wait_until([&] { return pairs->isVisible(); }));
    EXPECT_TRUE(find<NoticeBar>("jobFileFault")->text().contains(u"no_such_net"_s))
        << qPrintable(find<NoticeBar>("jobFileFault")->text());
    type_into(pairs, u"MODEL.ARCH resnet50"_s);
    QTest::keyClick(pairs, Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return find<QLineEdit>("launchName")->text() == u"net"_s; }));
    EXPECT_FALSE(find<NoticeBar>("jobFileFault")->isVisible());
}

}  // namespace
}  // namespace rankscope::gui::testing
