#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""packaging/release: every place names the same version; archive, checksums and SBOM of a small package made of this build."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY / "packaging" / "sbom"))
sys.dont_write_bytecode = True
import components  # noqa: E402
import spdx  # noqa: E402
import system  # noqa: E402

BUILD = Path(os.environ["RANKSCOPE_BUILD"])
PROGRAMS = os.environ["RANKSCOPE_PROGRAMS"].split()
METAINFO = "packaging/desktop/io.github.rankscope.Rankscope.metainfo.xml"
VERSION = re.search(r"project\(rankscope VERSION ([\d.]+)", (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
# SPDX identifiers that packaging/sbom may write; any other licence needs a reference with its text.
SPDX_LICENCES = {*system.SPDX_NAMES.values(), *(f"{family}-{version}-{kind}" for family, versions in system.GNU_VERSIONS.items()
                                                for version in versions for kind in ("only", "or-later"))}
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost",
               "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@localhost"}


def run(*words, **options) -> subprocess.CompletedProcess:
    options = {"env": ENVIRONMENT, "check": True, **options}
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **options)


class Stage(unittest.TestCase):
    """A small repository with the script and the files that it reads."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.tree = self.folder / "tree"
        shutil.copytree(REPOSITORY / "packaging", self.tree / "packaging", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("CMakeLists.txt", "CHANGELOG.md"):
            shutil.copy(REPOSITORY / name, self.tree / name)
        # Whatever is written above the newest version at the moment.
        self.change("CHANGELOG.md", r"(?s)\A.*?(?=^## \d)", "# Changelog\n\n## Unreleased\n\n")
        self.git("init", "--quiet")
        self.commit("all")
        self.out = self.folder / "out"

    def git(self, *words) -> str:
        return run("git", *words, cwd=self.tree).stdout.strip()

    def commit(self, subject: str):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)

    def change(self, name: str, pattern: str, text: str):
        path = self.tree / name
        changed, count = re.subn(pattern, text, path.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
        self.assertEqual(count, 1, f"{pattern} is not in {name}")
        path.write_text(changed, encoding="utf-8")

    def release(self, *words, **options) -> subprocess.CompletedProcess:
        return run(self.tree / "packaging" / "release", *words, **{"check": False, **options})

    def refuses(self, *words, **options) -> str:
        done = self.release(*words, **options)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertTrue(done.stderr.startswith("release: "), done.stderr)
        return done.stderr

    def makes(self, *words, **options) -> str:
        done = self.release(*words, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class Versions(Stage):
    def test_every_place_names_the_same(self):
        done = run(REPOSITORY / "packaging" / "release", "--check", "--build", BUILD, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        places = dict(reversed(line.split(maxsplit=1)) for line in done.stdout.splitlines()[:-1])
        self.assertEqual(set(places.values()), {VERSION})
        self.assertLessEqual({"CMakeLists.txt", "CHANGELOG.md", METAINFO, *(f"{name} --version" for name in PROGRAMS)}, set(places))
        self.assertEqual(len([place for place in places if place.startswith("manual page")]), len(list((BUILD / "texts").glob("*.1"))))

    def test_another_one_is_reported_with_its_place(self):
        self.change(METAINFO, r'release version="[\d.]+"', 'release version="9.8.7"')
        self.assertIn(f"{METAINFO} says 9.8.7", self.refuses("--check", "--build", self.folder))
        self.change("CHANGELOG.md", r"^## \d+\.\d+\.\d+", "## 9.8.7")
        self.assertIn("CHANGELOG.md says 9.8.7", self.refuses("--check", "--build", self.folder))

    def test_another_program_is_reported(self):
        program = self.folder / "bin" / "rankscopectl"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho rankscopectl 0.0.1\n", encoding="utf-8")
        program.chmod(0o755)
        self.assertIn("rankscopectl --version says 0.0.1", self.refuses("--check", "--build", self.folder))

    def test_another_day_is_reported(self):
        self.change(METAINFO, r'date="[\d-]+"', 'date="2001-02-03"')
        self.assertIn("2001-02-03", self.refuses("--check", "--build", self.folder))


class Refusals(Stage):
    def test_changed_and_new_files(self):
        self.change("CMakeLists.txt", r"\Z", "# more\n")
        (self.tree / "new.txt").write_text("", encoding="utf-8")
        said = self.refuses("--only", "source", "--build", self.folder, "--out", self.out)
        self.assertIn("CMakeLists.txt", said)
        self.assertIn("new.txt", said)
        self.assertFalse(self.out.exists())

    def test_changes_above_the_version(self):
        self.change("CHANGELOG.md", "^## Unreleased\n", "## Unreleased\n\n* Something new.\n")
        self.commit("more")
        self.assertIn("CHANGELOG.md lists changes above", self.refuses("--only", "source", "--build", self.folder, "--out", self.out))

    def test_tag_of_another_commit(self):
        self.git("tag", f"v{VERSION}")
        self.makes("--only", "source", "--build", self.folder, "--out", self.out)
        (self.tree / "new.txt").write_text("", encoding="utf-8")
        self.commit("more")
        self.assertIn(f"v{VERSION} names another commit", self.refuses("--only", "source", "--build", self.folder, "--out", self.out))

    def test_strange_files_in_the_folder(self):
        self.out.mkdir()
        (self.out / "notes.txt").write_text("", encoding="utf-8")
        self.assertIn("notes.txt", self.refuses("--only", "source", "--build", self.folder, "--out", self.out))

    def test_sbom_without_packages(self):
        self.assertIn("--only deb,sbom", self.refuses("--only", "sbom", "--build", self.folder, "--out", self.out))

    def test_missing_program_with_its_package(self):
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("git", "python3", "env", "ninja", "dpkg-deb", "dpkg-query"):
            (programs / name).symlink_to(shutil.which(name))
        said = self.refuses("--only", "source,sbom", "--build", self.folder, "--out", self.out, env={**ENVIRONMENT, "PATH": str(programs)})
        self.assertIn("readelf missing: apt-get install binutils", said)

    def test_unknown_step(self):
        self.assertEqual(self.release("--only", "source,sbomb").returncode, 2)

    def test_build_that_the_packages_are_not_of(self):
        done = self.release("--build", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--packages", done.stderr)

    def test_dry_run_makes_nothing(self):
        said = self.makes("--dry-run", "--only", "source,sums", "--build", self.folder, "--out", self.out)
        self.assertIn("1/2 the source archive", said)
        self.assertFalse(self.out.exists())


class Artefacts(Stage):
    def test_archive_of_a_commit_is_always_the_same(self):
        self.makes("--only", "source,sums", "--build", self.folder, "--out", self.out)
        again = self.folder / "again"
        shutil.copytree(self.tree, again)
        for path in again.glob("*.md"):
            path.chmod(0o600)
            os.utime(path, (1, 1))
        run(again / "packaging" / "release", "--only", "source,sums", "--build", self.folder, "--out", self.folder / "out2",
            env={**ENVIRONMENT, "TZ": "Asia/Tokyo"}, umask=0o077)
        name = f"rankscope-{VERSION}.tar.gz"
        self.assertEqual((self.out / name).read_bytes(), (self.folder / "out2" / name).read_bytes())
        self.assertEqual((self.out / "SHA256SUMS").read_bytes(), (self.folder / "out2" / "SHA256SUMS").read_bytes())
        with tarfile.open(self.out / name) as archive:
            files = {member.name for member in archive if member.isfile()}
        self.assertEqual(files, {f"rankscope-{VERSION}/{path}" for path in self.git("ls-files").splitlines()})

    def small_package(self) -> Path:
        """Programs of this build, two of the libraries that are copied beside the worker, and a control file as cpack writes it."""
        root, packages = self.folder / "root", self.folder / "packages"
        worker = root / "usr/lib/rankscope/worker"
        for folder in (worker, root / "DEBIAN", packages):
            folder.mkdir(parents=True)
        for name in ("rankscope-agent", "rankscope-askpass"):
            shutil.copy(BUILD / "bin" / name, root / "usr/lib/rankscope")
        for name in ("rankscope-worker", "libgloo.so.0", "libsodium.so.23"):
            shutil.copy(BUILD / "bundle/worker" / name, worker)
        (root / "DEBIAN/control").write_text(
            f"Package: rankscope-headless\nVersion: {VERSION}-1\nArchitecture: amd64\nMaintainer: a <a@localhost>\nDescription: small\n"
            "Depends: libc6 (>= 2.35), no-such-package | openssh-client\nRecommends: bubblewrap, curl\n", encoding="utf-8")
        run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", root, packages / f"rankscope-headless_{VERSION}-1_amd64.deb")
        return packages

    def check_document(self, made: dict):
        """What SPDX 2.3 asks of every document."""
        self.assertEqual((made["spdxVersion"], made["dataLicense"], made["SPDXID"]), ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(made["documentNamespace"], r"^https://[^#\s]+$")
        self.assertRegex(made["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for creator in made["creationInfo"]["creators"]:
            self.assertRegex(creator, r"^(Tool|Organization|Person): .")
        identifiers = [entry["SPDXID"] for entry in made["packages"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        references = {entry["licenseId"] for entry in made["hasExtractedLicensingInfos"]}
        self.assertTrue(all(entry["extractedText"] for entry in made["hasExtractedLicensingInfos"]))
        used = set()
        for entry in made["packages"]:
            self.assertRegex(entry["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertTrue(entry["name"])
            self.assertEqual(entry["downloadLocation"], "NOASSERTION")
            self.assertIs(entry["filesAnalyzed"], False)
            for name in set(re.findall(r"[^\s()]+", entry["licenseDeclared"])) - {"AND", "OR"}:
                used.add(name)
                self.assertIn(name, SPDX_LICENCES | references | {"NOASSERTION"}, entry["name"])
            self.assertEqual(entry["licenseDeclared"].count("("), entry["licenseDeclared"].count(")"))
            for checksum in entry.get("checksums", []):
                self.assertEqual(checksum["algorithm"], "SHA256")
                self.assertRegex(checksum["checksumValue"], "^[0-9a-f]{64}$")
        self.assertLessEqual(references, used)
        known = {"SPDXRef-DOCUMENT", *identifiers}
        for relation in made["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, known)
        pairs = [tuple(relation.values()) for relation in made["relationships"]]
        self.assertEqual(len(pairs), len(set(pairs)))
        # Everything hangs together: no entry that nothing relates to.
        related = {end for relation in made["relationships"] for end in (relation["spdxElementId"], relation["relatedSpdxElement"])}
        self.assertEqual(related, known)

    def test_sbom_and_checksums_of_a_package(self):
        if not (BUILD / "build.ninja").exists():
            self.skipTest("this build is not Ninja's")
        said = self.makes("--only", "source,deb,sbom,sums", "--packages", self.small_package(), "--build", BUILD, "--out", self.out)
        self.assertIn("4/4 SHA256SUMS", said)
        names = [f"rankscope-{VERSION}.tar.gz", f"rankscope-headless_{VERSION}-1_amd64.deb", f"rankscope-{VERSION}.spdx.json"]
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), sorted([*names, "SHA256SUMS"]))
        self.assertEqual(run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.out).stdout, "".join(f"{name}: OK\n" for name in names))

        made = json.loads((self.out / names[2]).read_text(encoding="utf-8"))
        self.check_document(made)
        entries = {entry["name"]: entry for entry in made["packages"]}
        for file in names[:2]:
            entry = next(entry for entry in made["packages"] if entry.get("packageFileName") == file)
            self.assertEqual(entry["checksums"][0]["checksumValue"], hashlib.sha256((self.out / file).read_bytes()).hexdigest())
            self.assertEqual((entry["licenseDeclared"], entry["versionInfo"].partition("-")[0]), ("GPL-3.0-or-later", VERSION))
        relations = {}
        by_identifier = {entry["SPDXID"]: name for name, entry in entries.items()}
        for relation in made["relationships"]:
            begin, end = by_identifier.get(relation["spdxElementId"]), by_identifier[relation["relatedSpdxElement"]]
            if begin == "rankscope-headless":
                relations.setdefault(relation["relationshipType"], set()).add(end)
            elif end == "rankscope-headless":
                relations.setdefault(relation["relationshipType"], set()).add(begin)

        # Asked in another way than the script does: the compiler for archives, the loader for libraries.
        for archive in ("libzstd.a", "libz.a", "libsodium.a", "libprotobuf-lite.a", "libstdc++.a", "libc.a"):
            path = os.path.realpath(run("c++", f"-print-file-name={archive}").stdout.strip())
            self.assertIn(system.owners([path])[path], relations["STATIC_LINK"], archive)
        loaded = re.findall(r"=> (/\S+)", "".join(run("ldd", BUILD / "bin" / name).stdout for name in ("rankscope-askpass", "rankscope-worker")))
        self.assertGreater(len(loaded), 5)
        for path in (path for path in loaded if not path.startswith(str(BUILD))):
            self.assertIn(system.owners([path])[path], entries, path)
        copied = {system.owners([path])[path] for path in map(system.library, ("libgloo.so.0", "libsodium.so.23"))}
        self.assertEqual(relations["CONTAINS"], copied)
        self.assertIn("libc6", relations["DYNAMIC_LINK"])
        self.assertEqual(relations["DEPENDS_ON"], {"openssh-client"})
        self.assertEqual(relations["OPTIONAL_DEPENDENCY_OF"], {"bubblewrap", "curl"})
        self.assertLessEqual({"nlohmann-json3-dev"}, relations["BUILD_DEPENDENCY_OF"])
        self.assertNotIn("libgtest-dev", entries)
        version = run("dpkg-query", "--show", "--showformat", "${Version}", "libc6").stdout
        self.assertEqual(entries["libc6"]["versionInfo"], version)
        self.assertEqual(entries["libc6"]["externalRefs"][0]["referenceLocator"],
                         f"pkg:deb/{system.distribution()}/libc6@{version.replace('+', '%2B')}?arch="
                         + run("dpkg", "--print-architecture").stdout.strip())

    def test_package_of_another_version(self):
        packages = self.small_package()
        self.change("CMakeLists.txt", r"VERSION \d+\.\d+\.\d+", "VERSION 9.8.7")
        self.change("CHANGELOG.md", r"^## \d+\.\d+\.\d+", "## 9.8.7")
        self.change(METAINFO, r'release version="[\d.]+"', 'release version="9.8.7"')
        self.commit("9.8.7")
        self.assertIn(f"amd64.deb says {VERSION}", self.refuses("--only", "deb", "--packages", packages, "--build", self.folder, "--out", self.out))


class Foreign(unittest.TestCase):
    """Parts that no Debian package has, as NVIDIA's are."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.build = self.folder / "build"
        vendor, root = self.folder / "vendor", self.folder / "root"
        for path in (self.build / "lib", vendor, root / "usr/lib/own", root / "DEBIAN"):
            path.mkdir(parents=True)
        for name, text in {"used": "int used() { return 1; }", "unused": "int unused() { return 1; }", "node": "int node() { return 1; }",
                           "own": "int used(); int node(); int own() { return used() + node(); }"}.items():
            (vendor / f"{name}.cpp").write_text(text, encoding="utf-8")
            run("c++", "-fPIC", "-c", f"{name}.cpp", "-o", self.build / "own.o" if name == "own" else f"{name}.o", cwd=vendor)
        for name in ("used", "unused"):
            run("ar", "rcs", f"lib{name}.a", f"{name}.o", cwd=vendor)
        run("c++", "-shared", "node.o", "-Wl,-soname,libof-the-node.so.3", "-o", "libnode.so", cwd=vendor)
        (self.build / "CMakeCache.txt").write_text("", encoding="utf-8")
        (self.build / "build.ninja").write_text(f"""rule CXX_SHARED_LIBRARY_LINKER__own_Release
  command = : && c++ -shared $in -o $out {vendor}/libunused.a {vendor}/libused.a -L{vendor} -lnode && :
build lib/libown.so: CXX_SHARED_LIBRARY_LINKER__own_Release own.o
""", encoding="utf-8")
        run("ninja", "-C", self.build)
        shutil.copy(self.build / "lib/libown.so", root / "usr/lib/own")
        (root / "DEBIAN/control").write_text("Package: own\nVersion: 1-1\nArchitecture: amd64\nMaintainer: a <a@localhost>\nDescription: own\n",
                                             encoding="utf-8")
        self.root = root

    def package(self) -> Path:
        run("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", self.root, self.folder / "own.deb")
        return self.folder / "own.deb"

    def test_archives_and_libraries_of_the_node(self):
        package = self.package()
        found = components.components_of(package, components.Build(self.build))
        self.assertEqual(found.unowned, {"libused.a": str(self.folder.resolve() / "vendor/libused.a")})
        self.assertEqual(found.provided, {"libof-the-node.so.3"})
        self.assertIn(("own", "STATIC_LINK", "libused.a"), found.relations)
        made = spdx.document(spdx.Release("1", "0" * 40, "2026-01-01T00:00:00Z"), None, {"own": package}, [found])
        entry = next(entry for entry in made["packages"] if entry["name"] == "libused.a")
        self.assertEqual(entry["checksums"][0]["checksumValue"], hashlib.sha256((self.folder / "vendor/libused.a").read_bytes()).hexdigest())
        self.assertNotIn("externalRefs", entry)

    def test_library_that_nobody_knows(self):
        shutil.copy(self.folder / "vendor/libnode.so", self.root / "usr/lib/own/libstrange.so.1")
        with self.assertRaisesRegex(RuntimeError, "where does usr/lib/own/libstrange.so.1 come from"):
            components.components_of(self.package(), components.Build(self.build))


class Licences(unittest.TestCase):
    HEAD = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"

    def expression(self, *names) -> str:
        text = self.HEAD + "\n\n".join(f"Files: {index}/*\nCopyright: x\nLicense: {name}" for index, name in enumerate(names))
        return system.read_licence(text, "lib").expression

    def test_short_names(self):
        self.assertEqual(self.expression("Expat"), "MIT")
        self.assertEqual(self.expression("GPL-2+"), "GPL-2.0-or-later")
        self.assertEqual(self.expression("LGPL-2.1", "BSD-3-clause", "LGPL-2.1"), "BSD-3-Clause AND LGPL-2.1-only")

    def test_alternatives(self):
        self.assertEqual(self.expression("GPL-2+ or Expat"), "(GPL-2.0-or-later OR MIT)")
        self.assertEqual(self.expression("GPL-2 or Expat, and ISC"), "((GPL-2.0-only OR MIT) AND ISC)")
        self.assertEqual(self.expression("ISC OR Expat"), "(ISC OR MIT)")
        self.assertEqual(self.expression("GPL-2 or Expat and ISC"), "(GPL-2.0-only OR (MIT AND ISC))")

    def test_unknown_names_keep_their_text(self):
        found = system.read_licence(self.HEAD + "Files: *\nLicense: own~1\n\nLicense: own~1\n Do what you like.\n .\n Or not.\n", "lib")
        self.assertEqual(found.expression, "LicenseRef-lib-own-1")
        self.assertEqual(found.texts, {"LicenseRef-lib-own-1": "Do what you like.\n\nOr not."})

    def test_packaging_of_debian_is_not_the_library(self):
        found = system.read_licence(self.HEAD + "Files: *\nLicense: ISC\n\nFiles: debian/*\nLicense: GPL-3+\n", "lib")
        self.assertEqual(found.expression, "ISC")

    def test_prose_says_nothing(self):
        self.assertIsNone(system.read_licence("This package was debianized by hand.\n\nLicense: GPL-2\n", "lib"))
        self.assertIsNone(system.read_licence("", "lib"))


if __name__ == "__main__":
    unittest.main()
