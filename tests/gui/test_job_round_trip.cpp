// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Job files pass through the Launch form: what the user does not change stays byte for byte.

#include <gui/app/main_window.h>
#include <gui/launch/launch_page.h>
#include <gui/session/workspace.h>

#include <tests/gui/gui_test.h>

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace rankscope::gui::testing {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// The blocks between ```yaml and ``` of a page.
void add_examples(const fs::path& page, std::map<std::string, std::string>& jobs) {
    std::string block;
    bool inside = false;
    int number = 0;
    for (const std::string& line : lines_of(content(page))) {
        if (inside && line.starts_with("```")) {
            jobs[page.filename().string() + " " + std::to_string(++number)] = block;
            inside = false;
        } else if (inside) {
            block += line + '\n';
        } else if (line == "```yaml") {
            inside = true;
            block.clear();
        }
    }
}

const char* const kUnusual = R"(# Indented by three columns, quotes of both kinds, a list in the key's column.
'name': "odd one"      # why
nodes:
- node1   # the master
- 'node2'

master_port:   0
my_notes: { owner: me }   # not Rankscope's
"train":
   model:   {name: resnet18, classes: 10}
   dataset:
      name: random   # made up
      shape: [3, 32, 32]
   epochs: 3 # few

   optimizer:
      name: adamw

      lr: 1.0e-3   # small
   seed: 7
# The end.
)";

/// Every job file of the repository and every example of its pages, by name.
std::map<std::string, std::string> all_jobs() {
    const fs::path root = RANKSCOPE_SOURCE_DIR;
    std::map<std::string, std::string> texts{{"unusual", kUnusual}};
    for (const char* folder : {"docs", "resources", "tests"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const fs::path& file = entry.path();
            if (file.extension() == ".md") {
                add_examples(file, texts);
            } else if (file.extension() == ".yaml" || file.parent_path() == root / "tests/fuzz/corpus/job") {
                texts[fs::relative(file, root).string()] = content(file);
            }
        }
    }
    std::map<std::string, std::string> jobs;
    for (const auto& [name, text] : texts) {
        const JobRead read = parse_job(text, "job.yaml");
        const bool errors = std::any_of(read.faults.begin(), read.faults.end(),
                                        [](const auto& fault) { return !fault.unknown_key; });
        if (!errors && (read.job.train || !read.job.command.empty())) {
            jobs[name] = text;
        }
    }
    return jobs;
}

class JobRoundTrip : public ::testing::Test {
protected:
    void SetUp() override {
        std::ofstream(ss(folder_.path() + u"/cluster.yaml"_s))
            << "nodes:\n  - name: node1\n  - name: node2\n";
        window_ = std::make_unique<MainWindow>(options_in(folder_.path()));
        window_->show();
        ASSERT_TRUE(wait_until([&] {
            return window_->workspace()->fleet()->loaded() && window_->workspace()->store_settled();
        }));
        window_->show_page(MainWindow::Page::Launch);
        page_ = window_->findChild<LaunchPage*>();
        child<QToolButton>(page_, "launchMore")->setChecked(true);
    }

    template <typename Widget>
    Widget* find(const QString& name) {
        return page_->findChild<Widget*>(name);
    }

    /// Nothing but one line of the text is different: changed or added, or in place of the lines of a block.
    static void expect_one_line(const std::string& before, const std::string& after,
                                const std::string& where) {
        const auto old_lines = lines_of(before);
        const auto new_lines = lines_of(after);
        const std::size_t least = std::min(old_lines.size(), new_lines.size());
        std::size_t head = 0;
        while (head < least && old_lines[head] == new_lines[head]) {
            ++head;
        }
        std::size_t tail = 0;
        while (tail < least - head &&
               old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail]) {
            ++tail;
        }
        EXPECT_EQ(new_lines.size() - head - tail, 1U) << where << "\n" << before << "---\n" << after;
        EXPECT_LE(old_lines.size() - head - tail, before.find("\nenv:\n") == std::string::npos ? 1U : 2U)
            << where << "\n"
            << before << "---\n"
            << after;
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    LaunchPage* page_ = nullptr;
};

TEST_F(JobRoundTrip, AnUnchangedJobKeepsEveryByte) {
    const auto jobs = all_jobs();
    EXPECT_GE(jobs.size(), 10U);
    for (const auto& [name, text] : jobs) {
        page_->set_job_text(text, fs::path(ss(folder_.path())) / "job.yaml");
        EXPECT_EQ(page_->job_text(), text) << name;
    }
}

TEST_F(JobRoundTrip, AChangedFieldChangesOneLine) {
    const std::pair<const char*, const char*> changes[] = {
        {"launchName", "another"},
        {"launchPort", "29777"},
        {"launchProcs", "3"},
        {"launchEpochs", "77"},
        {"launchBatch", "48"},
        {"launchLr", "0.125"},
        {"launchMomentum", "0.5"},
        {"launchDecay", "0.25"},
        {"launchRoot", "~/other data"},
        {"launch.workdir", "/else where"},
        {"launch.log_dir", "~/logs: here"},
        {"launch.push", "a.py 'b c.py'"},
        {"launchCommand", "python3 other.py --lr '0.5'"},
        {"launch.slurm.partition", "other"},
        {"launch.slurm.gres", "gpu:8"},
        {"launch.slurm.time", "2-00:00:00"},
        {"launch.telemetry.every_s", "7"},
        {"launch.on_failure.peer_timeout_s", "77"},
        {"launch.on_failure.max_restarts", "3"},
        {"launch.on_failure.grace_s", "11"},
        {"launch.on_failure.stopped_limit_s", "33"},
        {"launch.interface", "eth7"},
        {"launch.env", "{ A: b }"},
        {"launch.train.seed", "99"},
        {"launch.train.checkpoint.folder", "./c k"},
    };
    int changed = 0;
    for (const auto& [name, text] : all_jobs()) {
        for (const auto& [field, value] : changes) {
            page_->set_job_text(text, fs::path(ss(folder_.path())) / "job.yaml");
            auto* edit = find<QLineEdit>(QString::fromLatin1(field));
            ASSERT_NE(edit, nullptr) << field;
            if (!edit->isVisibleTo(page_) || edit->text() == QString::fromLatin1(value)) {
                continue;
            }
            edit->setText(QString::fromLatin1(value));
            const JobRead read = parse_job(page_->job_text(), "job.yaml");
            EXPECT_EQ(to_yaml(read.job), to_yaml(page_->job())) << name << " " << field;
            expect_one_line(text, page_->job_text(), name + " " + field);
            ++changed;
        }
    }
    EXPECT_GE(changed, 100);
}

TEST_F(JobRoundTrip, AllNodesStayUntilTheUserTicksOthers) {
    const std::string text = "nodes: all  # of the inventory\ncommand: [python3, a.py]\n";
    page_->set_job_text(text, "job.yaml");
    EXPECT_TRUE(page_->job().all_nodes);
    auto* nodes = find<QListWidget>(u"launchNodes"_s);
    ASSERT_EQ(nodes->count(), 3);
    EXPECT_EQ(nodes->item(1)->checkState(), Qt::Checked);
    EXPECT_EQ(nodes->item(2)->checkState(), Qt::Checked);
    nodes->item(2)->setCheckState(Qt::Unchecked);
    EXPECT_EQ(page_->job().nodes, std::vector<std::string>{"node1"});
    EXPECT_EQ(page_->job_text(), "nodes: [node1]  # of the inventory\ncommand: [python3, a.py]\n");
}

}  // namespace
}  // namespace rankscope::gui::testing
