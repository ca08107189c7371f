// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// For looking at the window: fills it with runs that never were and writes a picture of every page and state.
//   gui_shots DIR [WIDTHxHEIGHT] [light|dark|contrast] [ONLY]

#include <gui/app/main_window.h>
#include <gui/app/resources.h>
#include <gui/doctor/doctor_page.h>
#include <gui/doctor/pair_matrix.h>
#include <gui/fleet/import_dialog.h>
#include <gui/fleet/key_dialog.h>
#include <gui/fleet/leftovers_dialog.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/live/log_pane.h>
#include <gui/plot/metric_plot.h>
#include <gui/prompts/host_key_dialog.h>
#include <gui/prompts/secret_dialog.h>
#include <gui/session/workspace.h>
#include <gui/settings/language.h>
#include <gui/strings.h>
#include <gui/style/look.h>

#include <tests/gui/bundle_shots.h>
#include <tests/gui/collective_shots.h>
#include <tests/gui/curve_shots.h>
#include <tests/gui/fleet_shots.h>
#include <tests/gui/job_shots.h>
#include <tests/gui/nccl_log_shots.h>
#include <tests/gui/nccl_shots.h>
#include <tests/gui/runs_shots.h>
#include <tests/gui/synthetic_preflight.h>
#include <tests/gui/synthetic_run.h>
#include <tests/gui/window_shots.h>

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::gui::testing;

namespace {

const std::string kLongName = "gpu-worker-with-a-name-that-operations-made-eighty-characters-long-0";

void settle(int ms = 400) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < ms) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
}

class Camera {
public:
    Camera(QString folder, QString only) : folder_(std::move(folder)), only_(std::move(only)) {}
    bool wants(const char* name) const {
        return only_.isEmpty() || QString::fromLatin1(name).contains(only_);
    }
    void take(QWidget* widget, const char* name) const {
        settle();
        const QString file = folder_ % u'/' % QString::fromLatin1(name) % u".png"_s;
        std::printf("%s %s\n", qPrintable(file), widget->grab().save(file) ? "" : "FAILED");
    }

private:
    QString folder_;
    QString only_;
};

void fill_store(const QString& folder) {
    auto store = RunStore::open(std::filesystem::path(ss(folder)) / RunStore::default_path().filename());
    if (!store) {
        std::printf("no store: %s\n", store.failure().what.c_str());
        return;
    }
    store_run(**store, {.name = "mnist-quickstart", .id = "a", .ranks = 2, .nodes = {"local"}});
    store_run(**store, {.id = "b", .fate = Fate::Done, .start_us = 1'760'000'900'000'000});
    store_run(**store, {.id = "c", .until = 0.6, .fate = Fate::Killed, .start_us = 1'760'002'000'000'000});
    store_run(**store, {.name = "resnet-" + kLongName,
                        .id = "d",
                        .nodes = {kLongName, "node2"},
                        .until = 0.3,
                        .fate = Fate::Stopped,
                        .start_us = 1'760'003'000'000'000});
    store_run(**store, {.id = "e", .fate = Fate::CannotStart, .start_us = 1'760'004'000'000'000});
}

void fill_inventory(const QString& file, const std::vector<std::string>& names) {
    Inventory inventory;
    for (const std::string& name : names) {
        NodeSpec node;
        node.name = name;
        node.host = name == "node1" ? "10.0.0.11" : name;
        node.user = "trainer";
        node.port = name == "node2" ? 2222 : 0;
        node.cpu_slots = 4;
        inventory.nodes.push_back(node);
    }
    (void)write_inventory(inventory, ss(file));
}

/// A window of its own over folders of its own: no scene sees what another one left.
class Room {
public:
    struct Contents {
        std::vector<std::string> nodes = {"node1", "node2", "node3", kLongName};
        bool runs = true;
    };
    Room(QSize size, const Contents& contents) {
        Options options;
        options.data_dir = ss(folder_.path());
        options.inventory_file = ss(folder_.path() + u"/cluster.yaml"_s);
        options.probe_this_computer = false;
        if (contents.runs) {
            fill_store(folder_.path());
        }
        if (!contents.nodes.empty()) {
            fill_inventory(folder_.path() + u"/cluster.yaml"_s, contents.nodes);
        }
        window = std::make_unique<MainWindow>(options);
        window->resize(size);
        window->show();
        settle(800);
    }

private:
    QTemporaryDir folder_;

public:
    std::unique_ptr<MainWindow> window;
};

void fleet_scenes(MainWindow& window, const Camera& camera) {
    fleet_shots(window, [&](QWidget* widget, const char* name) { camera.take(widget, name); });
}

void launch_shots(MainWindow& window, const Camera& camera) {
    window.show_page(MainWindow::Page::Launch);
    camera.take(&window, "launch");
    PreflightSession* preflight = window.workspace()->preflight();
    preflight->set_report(window.launch_page()->job(), PreflightDepth::Quick, synthetic_preflight({}));
    camera.take(&window, "launch-checked");
    preflight->set_report(window.launch_page()->job(), PreflightDepth::Quick,
                          synthetic_preflight({.faults = true}));
    camera.take(&window, "launch-fault");
    auto* lr = window.findChild<QLineEdit*>(u"launchLr"_s);
    auto* port = window.findChild<QLineEdit*>(u"launchPort"_s);
    lr->setText(u"fast"_s);
    port->setText(u"70000"_s);
    camera.take(&window, "launch-errors");
    lr->setText(u"0.01"_s);
    port->setText(u"0"_s);
    window.findChild<QPushButton*>(u"pasteJob"_s)->click();
    auto* dialog = window.findChild<QDialog*>(u"pasteDialog"_s);
    auto* line = dialog->findChild<QPlainTextEdit*>(u"pasteLine"_s);
    line->setPlainText(
        u"source ~/venv/bin/activate\nNCCL_DEBUG=INFO torchrun --standalone --nproc-per-node=4 \\\n    train.py --data $DATA --lr 0.1 > log.txt"_s);
    camera.take(dialog, "paste");
    line->setPlainText(u"torchrun --nproc-per-node=$GPUS train.py"_s);
    camera.take(dialog, "paste-fault");
    line->setPlainText(
        u"torchrun --nnodes=2 --nproc-per-node=4 pretrain.py --lr 0.1 --data "
        u"/data/a-very-long-name-of-a-dataset\n"
        u"torchrun --nnodes=2 --nproc-per-node=4 pretrain.py --lr 0.05\nsrun -N 2 --ntasks-per-node=4 python3 evaluate.py"_s);
    camera.take(dialog, "paste-starts");
    line->setPlainText(u"source settings.sh\nsrun -N 2 -p $QUEUE python3 train.py --data \"$1\" -m $MODEL"_s);
    settle(1500);
    camera.take(dialog, "paste-values");
    dialog->reject();
    const JobRead own = parse_job(
        "name: finetune\nlauncher: slurm\nslurm: { login: node1, nodes: 2, partition: gpu, time: soon, "
        "gres: 'gpu:4', extra: [--mem=32G] }\ncommand: [python3, train.py, --lr, '0.1']\npush: [train.py, "
        "src]\nvenv: ~/venvs/torch\ncheckpoint: { signal: USR1 }\n",
        "finetune.yaml");
    window.launch_page()->set_job_text(own.yaml, "finetune.yaml");
    camera.take(&window, "launch-slurm");
    auto* scroll = window.findChild<QScrollArea*>(u"launchScroll"_s)->verticalScrollBar();
    scroll->setValue(scroll->maximum());
    camera.take(&window, "launch-program");
    window.findChild<QPushButton*>(u"launchLearn"_s)->click();
    auto* learn = window.findChild<QDialog*>(u"learnDialog"_s);
    learn->findChild<QLineEdit*>(u"learnLine"_s)->setText(u"it 5/100 took 0.21 s, margin 0.31"_s);
    auto* numbers = learn->findChild<QTableWidget*>(u"learnTable"_s);
    numbers->item(0, 2)->setText(u"step"_s);
    numbers->item(3, 2)->setText(u"margin"_s);
    camera.take(learn, "learn");
    learn->reject();
    job_shots(window, [&](QWidget* widget, const char* name) { camera.take(widget, name); });
}

/// Doctor over the nodes of the report, which the job in Launch has.
class DoctorScene {
public:
    DoctorScene(QSize size, const SyntheticPreflight& what)
        : report_(synthetic_preflight(what)), room_(size, {.nodes = nodes_of(report_), .runs = false}) {
        std::string names;
        for (const std::string& node : nodes_of(report_)) {
            names += (names.empty() ? "" : ", ") + node;
        }
        window().launch_page()->set_job_text("name: mnist-convnet\nnodes: [" + names +
                                                 "]\ntrain: { model: convnet, dataset: { name: "
                                                 "synthetic-digits } }\n",
                                             "mnist-convnet.yaml");
        window().show_page(MainWindow::Page::Doctor);
        settle(300);
    }
    MainWindow& window() { return *room_.window; }
    void set_report() {
        window().workspace()->preflight()->set_report(window().launch_page()->job(), PreflightDepth::Full,
                                                      report_);
    }
    template <typename Widget>
    Widget* find(const QString& name) {
        return window().findChild<Widget*>(name);
    }

private:
    /// With those that did not answer.
    static std::vector<std::string> nodes_of(const PreflightReport& report) {
        std::vector<std::string> nodes = report.nodes;
        for (const Check& check : report.checks) {
            for (const std::string& node : check.nodes) {
                if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
                    nodes.push_back(node);
                }
            }
        }
        return nodes;
    }

    PreflightReport report_;
    Room room_;
};

void doctor_shots(QSize size, const Camera& camera) {
    if (camera.wants("doctor-empty")) {
        DoctorScene scene(size, {});
        camera.take(&scene.window(), "doctor-empty");
    }
    const std::vector<std::pair<const char*, SyntheticPreflight>> scenes{
        {"doctor-1", {.nodes = 1}},
        {"doctor-2", {.nodes = 2}},
        {"doctor-healthy", {.nodes = 4}},
        {"doctor-faults", {.nodes = 8, .faults = true}},
        {"doctor-long-names", {.nodes = 8, .faults = true, .long_names = true}},
        {"doctor-64", {.nodes = 64, .faults = true}}};
    for (const auto& [name, what] : scenes) {
        if (camera.wants(name)) {
            DoctorScene scene(size, what);
            scene.set_report();
            camera.take(&scene.window(), name);
        }
    }
    for (const auto& [name, what] : scenes) {
        const std::string nodes = std::string(name) + "-nodes";
        if (what.faults && camera.wants(nodes.c_str())) {
            DoctorScene scene(size, what);
            scene.set_report();
            scene.find<QTabWidget>(u"doctorTabs"_s)->setCurrentIndex(1);
            camera.take(&scene.window(), nodes.c_str());
        }
        const std::string pair = std::string(name) + "-pair";
        if (what.faults && camera.wants(pair.c_str())) {
            DoctorScene scene(size, what);
            scene.set_report();
            PairMatrix* matrix = scene.window().doctor_page()->matrix();
            matrix->set_current(3, 1);
            emit matrix->chosen(3, 1);
            camera.take(&scene.window(), pair.c_str());
        }
        const std::string apply = std::string(name) + "-apply";
        if (what.faults && camera.wants(apply.c_str())) {
            DoctorScene scene(size, what);
            scene.set_report();
            scene.find<QPushButton>(u"fixApply"_s)->click();
            settle(200);
            auto* dialog = scene.find<QDialog>(u"applyDialog"_s);
            camera.take(dialog, apply.c_str());
            dialog->reject();
        }
    }
}

void live_shots(MainWindow& window, const Camera& camera) {
    window.show_page(MainWindow::Page::Live);
    LivePage* live = window.live_page();
    camera.take(&window, "live-empty");
    struct Scene {
        const char* name;
        SyntheticRun run;
    };
    std::vector<std::string> many;
    for (int i = 0; i < 128; ++i) {
        many.push_back("node" + std::to_string(i + 1));
    }
    const std::vector<Scene> scenes{
        {"live-1-rank", {.ranks = 1, .nodes = {"local"}, .until = 0.4, .fate = Fate::Running}},
        {"live-4-ranks", {.until = 0.65, .fate = Fate::Running, .gpus = 0}},
        {"live-4-done", {}},
        {"live-16-ranks",
         {.ranks = 16, .nodes = {"node1", "node2", "node3", "node4"}, .until = 0.8, .fate = Fate::Running}},
        {"live-killed", {.until = 0.7, .fate = Fate::Killed}},
        {"live-cannot-start", {.fate = Fate::CannotStart}},
        {"live-long-names",
         {.name = "resnet-on-" + kLongName,
          .ranks = 8,
          .nodes = {kLongName, kLongName + "1"},
          .until = 0.5,
          .fate = Fate::Running,
          .notices = true,
          .gpus = 2}},
        {"live-1024-ranks",
         {.ranks = 1024, .nodes = many, .steps_per_epoch = 150, .until = 0.9, .fate = Fate::Running}},
        {"live-gpus", {.ranks = 8, .nodes = {"node1"}, .until = 0.4, .fate = Fate::Running, .gpus = 8}},
        {"live-64-nodes",
         {.ranks = 512,
          .nodes = {many.begin(), many.begin() + 64},
          .steps_per_epoch = 60,
          .until = 0.8,
          .fate = Fate::Running,
          .gpus = 8}},
        {"live-2-nodes-gpus", {.ranks = 16, .until = 0.4, .fate = Fate::Running, .gpus = 8}},
        {"live-telemetry-1024",
         {.ranks = 1024,
          .nodes = many,
          .steps_per_epoch = 60,
          .until = 0.5,
          .fate = Fate::Running,
          .gpus = 8}},
        {"live-queued", {.fate = Fate::Queued}},
        {"live-paused", {.until = 0.4, .fate = Fate::Paused}},
        {"live-saving", {.until = 0.4, .fate = Fate::Saving, .gpus = 0}},
        {"live-notices", {.until = 0.4, .fate = Fate::Running, .notices = true, .gpus = 0}},
        {"live-waiting", {.until = 0, .fate = Fate::Running}},
    };
    for (const Scene& scene : scenes) {
        if (camera.wants(scene.name)) {
            live->show_stored(synthetic_data(scene.run));
            camera.take(&window, scene.name);
        }
    }
    const SyntheticRun hanging{
        .ranks = 32, .nodes = {"node1", "node2", "node3", "node4"}, .until = 0.4, .fate = Fate::Running};
    const auto show_verdict = [&](VerdictPhase phase, const char* name) {
        if (camera.wants(name)) {
            LiveData data = synthetic_data(hanging);
            const std::int64_t since = data.state.last_us;
            for (const VerdictPhase step : {VerdictPhase::Live, phase}) {
                data.apply(Event{0, since + 41'000'000, "", -1, synthetic_verdict(hanging, step, since)});
            }
            live->show_stored(std::move(data));
            camera.take(&window, name);
        }
    };
    show_verdict(VerdictPhase::Live, "live-verdict");
    show_verdict(VerdictPhase::Over, "live-verdict-over");
    if (camera.wants("live-verdict-port")) {
        LiveData data = synthetic_data(hanging);
        Verdict verdict;
        verdict.id = "gloo-ports-blocked";
        verdict.node = "node3";
        verdict.title =
            "Ranks 0–7 cannot reach node3 port 43217: SYN sent, no answer; node3's firewall drops it.";
        verdict.phase = VerdictPhase::Live;
        verdict.pairs = {{"node1", "node3"}, {"node2", "node3"}};
        verdict.waiting = {0, 1, 2, 3, 4, 5, 6, 7};
        verdict.since_us = data.state.last_us;
        verdict.evidence = {
            {"", 0, "rank 0: tcp 10.0.0.11:51344 -> 10.0.0.13:43217 SYN_SENT, 4 retransmits"}};
        verdict.fixes = synthetic_preflight({.faults = true}).checks.front().fixes;
        verdict.fixes.push_back({.job = {{"interface", "eth1"}}});
        data.apply(Event{0, data.state.last_us + 15'000'000, "", -1, verdict});
        live->show_stored(std::move(data));
        camera.take(&window, "live-verdict-port");
        window.findChild<QPushButton*>(u"failurePairs"_s)->click();
        camera.take(&window, "live-verdict-doctor");
        window.show_page(MainWindow::Page::Live);
    }
    if (camera.wants("live-verdict-long")) {
        const std::vector<std::string> long_nodes =
            synthetic_preflight({.nodes = 128, .long_names = true}).nodes;
        const SyntheticRun large{.ranks = 1024,
                                 .nodes = long_nodes,
                                 .steps_per_epoch = 60,
                                 .until = 0.4,
                                 .fate = Fate::Running,
                                 .notices = true};
        LiveData data = synthetic_data(large);
        Verdict verdict = synthetic_verdict(large, VerdictPhase::Live, data.state.last_us);
        verdict.title = "Rank 1 on " + verdict.node + " cannot reach " + long_nodes[5] +
                        " port 43217: " + long_nodes[5] + "'s firewall drops it.";
        verdict.evidence = {
            {"/home/trainer/runs/a-run-with-a-long-name/attempt_0/rank1/nccl.log", 1042,
             data.log.lines_of(1, 10).front().text},
            {"", 0,
             long_nodes[5] + ": ip filter INPUT: -A INPUT -s 10.0.0.0/8 -p tcp -m multiport --dports " +
                 "1024:2048,3000:4000,5000:6000,7000:8000,32768:60999 -m comment --comment \"no one knows "
                 "why "
                 "this rule is here, ask operations before you remove it\" -j DROP"}};
        verdict.waiting.clear();
        for (int rank = 0; rank < large.ranks; rank += 2) {
            verdict.waiting.push_back(rank);
        }
        verdict.pairs = {{long_nodes[0], long_nodes[5]}};
        Verdict other = verdict;
        other.rank = -1;
        other.confidence = 0.5;
        for (const Verdict& each : {verdict, other}) {
            data.apply(Event{0, data.state.last_us + 5'000'000, "", -1, each});
        }
        live->show_stored(std::move(data));
        camera.take(&window, "live-verdict-long");
    }
    if (camera.wants("live-waterfall")) {
        live->show_stored(starting_data({.ranks = 8}, {5}));
        camera.take(&window, "live-waterfall");
        live->show_stored(starting_data({.ranks = 1024, .nodes = many}, {77, 78, 900}));
        camera.take(&window, "live-waterfall-1024");
    }
    if (camera.wants("live-selected")) {
        live->show_stored(synthetic_data({.ranks = 64, .nodes = many, .until = 0.9, .fate = Fate::Running}));
        auto* table = window.findChild<QTableView*>(u"rankTable"_s);
        table->selectRow(3);
        window.findChild<QLineEdit*>(u"logSearch"_s)->setText(u"loss 0.1"_s);
        camera.take(&window, "live-selected");
    }
}

void dialog_shots(MainWindow& window, const Camera& camera) {
    HostKeyDialog keys(&window);
    keys.add({"node1", "10.0.0.11", 22, "ssh-ed25519", "SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE"});
    keys.add(
        {"node2", "10.0.0.12", 2222, "ssh-ed25519", "SHA256:XZJ2QmVuxW7rHhHqEk1AHrqwpYVmr0jkLQ8zB2dSq9c"});
    keys.open();
    camera.take(&keys, "dialog-host-keys");
    keys.reject();
    ImportDialog importer(window.workspace()->fleet()->inventory(), &window);
    importer.open();
    importer.findChild<QPlainTextEdit*>(u"importText"_s)
        ->setPlainText(
            u"# the new rack\ngpu1\ntrainer@10.0.0.12:2222\n10.0.0.13 gpu3 gpu3.example.org\nnode1\n"
            u"rack2-[01-03]\nthis is no machine\n"_s);
    camera.take(&importer, "dialog-import");
    importer.reject();
    KeyDialog wizard(window.workspace()->fleet()->inventory().nodes, {}, &window);
    wizard.open();
    camera.take(&wizard, "dialog-keys");
    wizard.reject();
    LeftoversDialog nothing(local_node(), 1, {}, nullptr, &window);
    nothing.open();
    settle(1500);
    camera.take(&nothing, "dialog-port");
    nothing.reject();
    ::setenv("RANKSCOPE_RUN_ID", "20261121-101500-3f9a1c", 1);  // what a run that is over has left
    QProcess left;
    left.start(u"python3"_s, {u"-c"_s, u"import socket\ns = socket.create_server(('', 0))\ninput()"_s});
    ::unsetenv("RANKSCOPE_RUN_ID");
    LeftoversDialog leftovers(local_node(), 0, {}, nullptr, &window);
    leftovers.open();
    settle(2500);
    camera.take(&leftovers, "dialog-leftovers");
    leftovers.reject();
    left.kill();
    left.waitForFinished();
    SecretDialog secret({"node1", "trainer@10.0.0.11", "", false, 2}, &window);
    secret.open();
    camera.take(&secret, "dialog-secret");
    secret.reject();
    window.show_page(MainWindow::Page::Fleet);
    window.findChild<QPushButton*>(u"addNode"_s)->click();
    settle();
    auto* dialog = window.findChild<QDialog*>(u"nodeDialog"_s);
    camera.take(dialog, "dialog-node");
    dialog->findChild<QLineEdit*>(u"nodeName"_s)->setText(u"node1"_s);
    dialog->findChild<QLineEdit*>(u"nodeName"_s)->setText(u"rack2-07"_s);
    dialog->findChild<QLineEdit*>(u"nodeUser"_s)->setText(u"trainer"_s);
    dialog->findChild<QLineEdit*>(u"nodeJump"_s)->setText(u"login"_s);
    settle(1500);
    camera.take(dialog, "dialog-node-way");
    dialog->findChild<QLineEdit*>(u"nodeName"_s)->setText(u"node 1"_s);
    dialog->findChild<QLineEdit*>(u"nodePort"_s)->setText(u"99999"_s);
    camera.take(dialog, "dialog-node-errors");
    dialog->reject();
}

void list_shots(MainWindow& window, const Camera& camera) {
    runs_shots(window, [&](QWidget* widget, const char* name) {
        if (camera.wants(name)) {
            camera.take(widget, name);
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setOrganizationName(u"rankscope-shots"_s);
    load_resources();
    const QStringList args = QApplication::arguments();
    if (args.size() < 2) {
        std::printf("gui_shots DIR [WIDTHxHEIGHT] [light|dark|contrast] [ONLY] [LANGUAGE]\n");
        return 2;
    }
    const QStringList sides = args.value(2, u"1280x800"_s).split(u'x');
    const QSize size(sides.value(0).toInt(), sides.value(1).toInt());
    const bool dark = args.value(3) == u"dark"_s;
    QDir().mkpath(args[1]);
    const Camera camera(args[1], args.value(4));
    install_language(&app, language_for(args.value(5, u"en"_s)));
    translate_other_parts();
    apply_look(app,
               {.theme = args.value(3) == u"contrast"_s ? LookTheme::HighContrast
                         : dark                         ? LookTheme::Dark
                                                        : LookTheme::Light},
               false);

    if (camera.wants("runs-empty")) {
        const Room room(size, {.nodes = {}, .runs = false});
        room.window->show_page(MainWindow::Page::Runs);
        camera.take(room.window.get(), "runs-empty");
        room.window->show_page(MainWindow::Page::Fleet);
        camera.take(room.window.get(), "fleet-empty");
    }
    using Scenes = void (*)(MainWindow&, const Camera&);
    const std::vector<std::pair<const char*, Scenes>> groups{{"fleet", fleet_scenes},
                                                             {"launch", launch_shots},
                                                             {"live", live_shots},
                                                             {"dialog", dialog_shots},
                                                             {"runs", list_shots}};
    for (const auto& [name, scenes] : groups) {
        if (args.value(4).isEmpty() || args.value(4).startsWith(QString::fromLatin1(name))) {
            const Room room(size, {});
            scenes(*room.window, camera);
        }
    }
    if (args.value(4).isEmpty() || args.value(4).startsWith(u"doctor"_s)) {
        doctor_shots(size, camera);
    }
    if (args.value(4).isEmpty() || args.value(4).startsWith(u"nccl"_s)) {
        const auto take = [&](QWidget* widget, const char* name) {
            if (camera.wants(name)) {
                camera.take(widget, name);
            }
        };
        nccl_log_shots(size, take);
        nccl_shots(size, take);
    }
    if (args.value(4).isEmpty() || args.value(4).startsWith(u"bundle"_s)) {
        bundle_shots(size, [&](QWidget* widget, const char* name) {
            if (camera.wants(name)) {
                camera.take(widget, name);
            }
        });
    }
    if (args.value(4).isEmpty() || args.value(4).startsWith(u"window"_s)) {
        window_shots(size, [&](QWidget* widget, const char* name) {
            if (camera.wants(name)) {
                camera.take(widget, name);
            }
        });
    }
    if (args.value(4).isEmpty() || args.value(4).startsWith(u"collectives"_s)) {
        const Room room(size, {});
        collective_shots(*room.window, [&](QWidget* widget, const char* name) {
            if (camera.wants(name)) {
                camera.take(widget, name);
            }
        });
    }
    if (args.value(4).isEmpty() || args.value(4).startsWith(u"curves"_s)) {
        const Room room(size, {});
        curve_shots(*room.window, [&](QWidget* widget, const char* name) {
            if (camera.wants(name)) {
                camera.take(widget, name);
            }
        });
    }
    return 0;
}
