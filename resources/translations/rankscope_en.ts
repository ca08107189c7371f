<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en">
    <context>
        <name>Collectives</name>
        <message numerus="yes">
            <source>%1, %n ranks</source>
            <translation>
                <numerusform>%1, %n rank</numerusform>
                <numerusform>%1, %n ranks</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>EpochTime</name>
        <message numerus="yes">
            <source>About %1 an epoch, %2 for this job (from the run of %3 on %n rank(s)).</source>
            <translation>
                <numerusform>About %1 an epoch, %2 for this job (from the run of %3 on %n rank).</numerusform>
                <numerusform>About %1 an epoch, %2 for this job (from the run of %3 on %n ranks).</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>This job has %n rank(s).</source>
            <translation>
                <numerusform>This job has %n rank.</numerusform>
                <numerusform>This job has %n ranks.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>LeaveRuns</name>
        <message numerus="yes">
            <source>%n runs are in progress. What should happen to them?</source>
            <translation>
                <numerusform>%n run is in progress. What should happen to it?</numerusform>
                <numerusform>%n runs are in progress. What should happen to them?</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::AddedBar</name>
        <message numerus="yes">
            <source>%n node(s) added</source>
            <translation>
                <numerusform>%n node added</numerusform>
                <numerusform>%n nodes added</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::AdvicePanel</name>
        <message numerus="yes">
            <source> × %n rank(s)</source>
            <translation>
                <numerusform> × %n rank</numerusform>
                <numerusform> × %n ranks</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source> × %n replica(s)</source>
            <translation>
                <numerusform> × %n replica</numerusform>
                <numerusform> × %n replicas</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::CollectivesTab</name>
        <message numerus="yes">
            <source>%n ranks are behind: %1</source>
            <translation>
                <numerusform>%n rank is behind: %1</numerusform>
                <numerusform>%n ranks are behind: %1</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::DoctorPage</name>
        <message numerus="yes">
            <source>and %n more check(s)</source>
            <translation>
                <numerusform>and %n more check</numerusform>
                <numerusform>and %n more checks</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::EventsPane</name>
        <message numerus="yes">
            <source>%n event(s)</source>
            <translation>
                <numerusform>%n event</numerusform>
                <numerusform>%n events</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%1 of %n event(s)</source>
            <translation>
                <numerusform>%1 of %n event</numerusform>
                <numerusform>%1 of %n events</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FleetModel</name>
        <message numerus="yes">
            <source>%n GPU(s)</source>
            <translation>
                <numerusform>%n GPU</numerusform>
                <numerusform>%n GPUs</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::FoldedTab</name>
        <message numerus="yes">
            <source>%n rows in this part of the run</source>
            <translation>
                <numerusform>%n row in this part of the run</numerusform>
                <numerusform>%n rows in this part of the run</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::GpuPicker</name>
        <message numerus="yes">
            <source>%n more node(s): name their GPUs in the field below.</source>
            <translation>
                <numerusform>%n more node: name its GPUs in the field below.</numerusform>
                <numerusform>%n more nodes: name their GPUs in the field below.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LabelEditor</name>
        <message numerus="yes">
            <source>%n run(s)</source>
            <translation>
                <numerusform>%n run</numerusform>
                <numerusform>%n runs</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LaunchPage</name>
        <message numerus="yes">
            <source>Job &amp;file: %n error(s)</source>
            <translation>
                <numerusform>Job &amp;file: %n error</numerusform>
                <numerusform>Job &amp;file: %n errors</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n runs</source>
            <translation>
                <numerusform>%n run</numerusform>
                <numerusform>%n runs</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LogPane</name>
        <message numerus="yes">
            <source>%1 of the output are left out, in %n place(s): these ranks write more than is kept. The lines marked with • show where.</source>
            <translation>
                <numerusform>%1 of the output are left out, in %n place: these ranks write more than is kept. The lines marked with • show where.</numerusform>
                <numerusform>%1 of the output are left out, in %n places: these ranks write more than is kept. The lines marked with • show where.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n line(s) are not shown: the log is full. The run store has them.</source>
            <translation>
                <numerusform>%n line is not shown: the log is full. The run store has it.</numerusform>
                <numerusform>%n lines are not shown: the log is full. The run store has them.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::LogView</name>
        <message numerus="yes">
            <source>Printed by rank(s) %1.</source>
            <translation>
                <numerusform>Printed by rank %1.</numerusform>
                <numerusform>Printed by ranks %1.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Not by rank(s) %1.</source>
            <translation>
                <numerusform>Not by rank %1.</numerusform>
                <numerusform>Not by ranks %1.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::MainWindow</name>
        <message numerus="yes">
            <source>%1 and %n more in progress — Rankscope</source>
            <translation>
                <numerusform>%1 and %n more in progress — Rankscope</numerusform>
                <numerusform>%1 and %n more in progress — Rankscope</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::NcclLevel</name>
        <message numerus="yes">
            <source>NCCL in %1: %2, on %n node(s).</source>
            <translation>
                <numerusform>NCCL in %1: %2, on %n node.</numerusform>
                <numerusform>NCCL in %1: %2, on %n nodes.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::PasteDialog</name>
        <message numerus="yes">
            <source>The line asks for %n node(s): tick them.</source>
            <translation>
                <numerusform>The line asks for %n node: tick it.</numerusform>
                <numerusform>The line asks for %n nodes: tick them.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Tick %n node(s) below.</source>
            <translation>
                <numerusform>Tick %n node below.</numerusform>
                <numerusform>Tick %n nodes below.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::RunHeader</name>
        <message numerus="yes">
            <source>restarted %n time(s)</source>
            <translation>
                <numerusform>restarted %n time</numerusform>
                <numerusform>restarted %n times</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n &amp;notice(s)</source>
            <translation>
                <numerusform>%n &amp;notice</numerusform>
                <numerusform>%n &amp;notices</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::SectionHeader</name>
        <message numerus="yes">
            <source>%n panel(s)</source>
            <translation>
                <numerusform>%n panel</numerusform>
                <numerusform>%n panels</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>rankscope::gui::TrashDialog</name>
        <message numerus="yes">
            <source>%n day(s)</source>
            <translation>
                <numerusform>%n day</numerusform>
                <numerusform>%n days</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n run(s), about %1. A deleted run stays complete for %2 days; then it is removed for good.</source>
            <translation>
                <numerusform>%n run, about %1. A deleted run stays complete for %2 days; then it is removed for good.</numerusform>
                <numerusform>%n runs, about %1. A deleted run stays complete for %2 days; then it is removed for good.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n run(s) restored.</source>
            <translation>
                <numerusform>%n run restored.</numerusform>
                <numerusform>%n runs restored.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Remove %n run(s) for good?</source>
            <translation>
                <numerusform>Remove %n run for good?</numerusform>
                <numerusform>Remove %n runs for good?</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n run(s) removed.</source>
            <translation>
                <numerusform>%n run removed.</numerusform>
                <numerusform>%n runs removed.</numerusform>
            </translation>
        </message>
    </context>
</TS>
