# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An SBOM as SPDX 2.3 in JSON: https://spdx.github.io/spdx-spec/v2.3/"""
from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import system
from components import Components

LICENCE = "GPL-3.0-or-later"


@dataclass
class Release:
    version: str
    commit: str
    created: str  # 2026-11-27T12:00:00Z


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _identifier(kind: str, name: str) -> str:
    """What SPDX does not allow in an identifier becomes its code, so that two names never share one."""
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", lambda found: f"-x{ord(found.group()):02x}-", name)


def _ours(identifier: str, name: str, version: str, purpose: str, file: Path | None) -> dict:
    package = {"SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
               "licenseConcluded": LICENCE, "licenseDeclared": LICENCE, "copyrightText": "Rankscope contributors",
               "supplier": "Organization: Rankscope contributors", "primaryPackagePurpose": purpose}
    if file:
        package["packageFileName"] = file.name
        package["checksums"] = [{"algorithm": "SHA256", "checksumValue": sha256(file)}]
    return package


def _debian(package: system.Installed, licence: system.Licence | None, distribution: str) -> dict:
    locator = f"pkg:deb/{distribution}/{quote(package.name, safe='.-_~')}"
    made = {"SPDXID": _identifier("deb", package.name), "name": package.name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence.expression if licence else "NOASSERTION",
            "copyrightText": "NOASSERTION", "supplier": f"Organization: {distribution.capitalize()}"}
    if package.version:
        made["versionInfo"] = package.version
        made["sourceInfo"] = f"built from the source package {package.source} {package.source_version}"
        locator += f"@{quote(package.version, safe='.-_~:')}?arch={package.architecture}"
    if re.match(r"(https?|ftp)://\S+$", package.homepage):
        made["homepage"] = package.homepage
    made["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]
    return made


def document(release: Release, source: Path | None, packages: dict[str, Path], components: list[Components]) -> dict:
    """`packages`: the file of each Debian package of Rankscope, by its name; `components`: what each consists of."""
    identifiers = {"source": "SPDXRef-source", **{name: _identifier("package", name) for name in packages}}
    entries = [_ours(identifiers["source"], "Rankscope", release.version, "SOURCE", source)]
    entries[0]["sourceInfo"] = f"git commit {release.commit}"
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", identifiers["source"])]
    for name, file in packages.items():
        entries.append(_ours(identifiers[name], name, system.output("dpkg-deb", "--field", str(file), "Version").strip(), "INSTALL", file))
        relations += [("SPDXRef-DOCUMENT", "DESCRIBES", identifiers[name]), (identifiers[name], "GENERATED_FROM", identifiers["source"])]

    distribution = system.distribution()
    texts: dict[str, str] = {}
    known = system.installed(sorted({name for one in components for name in one.packages}))
    for name, package in sorted(known.items()):
        licence = system.licence_of(package)
        texts.update(licence.texts if licence else {})
        entries.append(_debian(package, licence, distribution))
        identifiers[name] = entries[-1]["SPDXID"]
    for name, path in sorted({item for one in components for item in one.unowned.items()}):
        entries.append({"SPDXID": _identifier("file", name), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                        "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
                        "comment": "No Debian package has this file.", "packageFileName": name,
                        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(Path(path))}]})
        identifiers[name] = entries[-1]["SPDXID"]
    for name in sorted({name for one in components for name in one.provided}):
        entries.append({"SPDXID": _identifier("provided", name), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                        "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
                        "comment": "Not part of the package: the node has it, where it is needed."})
        identifiers[name] = entries[-1]["SPDXID"]
    for one in components:
        relations += [(identifiers[begin], kind, identifiers[end]) for begin, kind, end in one.relations]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"rankscope-{release.version}",
        # The same release of the same commit is the same document.
        "documentNamespace": f"https://rankscope.github.io/spdx/rankscope-{release.version}-{release.commit}",
        "creationInfo": {"created": release.created, "creators": ["Tool: packaging/release", "Organization: Rankscope contributors"]},
        "packages": entries,
        "hasExtractedLicensingInfos": [{"licenseId": name, "extractedText": text} for name, text in sorted(texts.items())],
        "relationships": [{"spdxElementId": begin, "relationshipType": kind, "relatedSpdxElement": end}
                          for begin, kind, end in dict.fromkeys(relations[:1 + 2 * len(packages)] + sorted(set(relations)))],
    }
