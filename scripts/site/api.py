"""Pages of the public interface, one for each public header, from Doxygen's XML."""

import html
import pathlib
import re
import xml.etree.ElementTree as ElementTree

ORDER = ["scope.hpp", "parallel.hpp", "parallel_ranges.hpp", "blocked_range.hpp", "sort.hpp", "reducer.hpp", "monoids.hpp", "bag.hpp", "runtime.hpp", "profile.hpp", "nopal.h"]


class Reader:
    """The XML, and which public header each file belongs to: those in detail/ to the one that includes them."""

    def __init__(self, directory):
        self.directory = directory
        index = ElementTree.parse(directory / "index.xml").getroot()
        self.compounds = []
        for entry in index:
            if entry.get("kind") in ("class", "struct", "concept", "namespace", "file"):
                tree = ElementTree.parse(directory / f"{entry.get('refid')}.xml")
                self.compounds.append(tree.getroot().find("compounddef"))
        # In the order of the headers.
        self.compounds.sort(key=lambda each: int(each.find("location").get("line") or 0))
        self.includes = {}
        for each in self.compounds:
            if each.get("kind") == "file":
                name = each.find("location").get("file")
                self.includes[name] = ["include/" + one.text for one in each.findall("includes")
                                       if one.text.startswith("nopal/")]

    def headers(self):
        return sorted(name for name in self.includes if "/detail/" not in name)

    def header_of(self, file):
        if "/detail/" not in file:
            return file
        # The umbrella header includes all.
        users = [name for name in self.headers() if name.count("/") and not name.endswith("/nopal.hpp")]
        for depth in range(3):
            for name in users:
                if file in self.reached(name, depth):
                    return name
        return None

    def reached(self, name, depth):
        """The detail headers that `name` includes, through `depth` others."""
        found = {one for one in self.includes.get(name, []) if "/detail/" in one}
        for _ in range(depth):
            found |= {more for one in found for more in self.includes.get(one, []) if "/detail/" in more}
        return found


def escaped(text):
    return re.sub(r"([\\`*_\[\]])", r"\\\1", html.escape(text, quote=False))


def flat(element):
    return "".join(element.itertext()) if element is not None else ""


def prose(element):
    """A description as Markdown."""
    if element is None:
        return ""
    parts = []

    def walk(node):
        if node.tag == "computeroutput":
            parts.append(f"`{flat(node).strip()}`")
        elif node.tag in ("verbatim", "programlisting"):
            parts.append(f"\n\n```cpp\n{flat(node).rstrip()}\n```\n\n")
        elif node.tag == "listitem":
            parts.append("\n* " + " ".join(prose(node).split()))
        else:
            parts.append(escaped(node.text or ""))
            for child in node:
                walk(child)
                parts.append(escaped(child.tail or ""))
            if node.tag in ("para", "itemizedlist"):
                parts.append("\n\n")

    for child in [element] if element.tag != "listitem" else list(element):
        walk(child)
    return re.sub(r"\n\n\s+", "\n\n", "".join(parts)).strip()


def description(element):
    return "\n\n".join(filter(None, (prose(element.find("briefdescription")), prose(element.find("detaileddescription")))))


def is_documented(element):
    return bool(description(element))


def template_line(element):
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    shown = []
    for one in parameters.findall("param"):
        name = flat(one.find("declname"))
        default = flat(one.find("defval"))
        shown.append(flat(one.find("type")) + (f" {name}" if name else "") + (f" = {default}" if default else ""))
    return f"template <{', '.join(shown)}>\n"


def tidy(line):
    """Doxygen's spaces around references, pointers and template arguments, as we write them."""
    line = re.sub(r" ([&*]+)(\.\.\.)?(?=[ \w,)]|$)", r"\1\2 ", line)
    return re.sub(r" +", " ", line.replace("< ", "<").replace(" >", ">").replace(" ,", ",").replace(" )", ")")).rstrip()


def signature(member):
    kind, name = member.get("kind"), flat(member.find("name"))
    if kind == "define":
        parameters = [flat(one.find("defname")) for one in member.findall("param")]
        return f"#define {name}" + (f"({', '.join(parameters)})" if parameters and parameters[0] else "")
    arguments = flat(member.find("argsstring"))
    if kind == "typedef":
        return f"using {name} = {flat(member.find('type'))};"
    type_text = flat(member.find("type"))
    requires = flat(member.find("requiresclause"))
    text = template_line(member) + (f"requires {requires.strip()}\n" if requires else "")
    text += ("static " if member.get("static") == "yes" and kind == "variable" else "")
    text += f"{type_text} {name}{arguments}".strip()
    return "\n".join(tidy(line) for line in text.splitlines()) + ";"


def table(rows, *heads):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + [f"| {' | '.join(' '.join(cell.split()) for cell in row)} |" for row in rows])


def values_of(enumeration):
    return table([(f"`{flat(one.find('name'))}`", description(one)) for one in enumeration.findall("enumvalue")],
                 "value", "meaning")


def member_text(member, heading):
    """One function, type or constant."""
    kind = member.get("kind")
    parts = [heading] if heading else []
    if kind == "enum":
        return "\n\n".join(parts + [description(member), values_of(member)])
    return "\n\n".join(parts + [f"```cpp\n{signature(member)}\n```", description(member)])


def members_of(compound):
    for section in compound.findall("sectiondef"):
        if not section.get("kind").startswith("private"):
            yield from (one for one in section.findall("memberdef") if is_documented(one))


def all_members_text(members, level):
    """Overloads that follow one another share a heading."""
    texts, last = [], None
    for member in members:
        name = flat(member.find("name"))
        if level == 2:  # not that of a class's member
            name = (flat(member.find("qualifiedname")) or name).removeprefix("nopal::")
        texts.append(member_text(member, None if name == last else f"{'#' * level} `{name}`"))
        last = name
    return texts


def class_text(compound):
    name = flat(compound.find("compoundname"))
    short = name.removeprefix("nopal::")
    parts = [f"## `{short}`"]
    if compound.get("kind") == "concept":
        return "\n\n".join(parts + [description(compound)])
    bases = ", ".join(tidy(flat(one)) for one in compound.findall("basecompoundref") if "detail" not in flat(one))
    parts.append(f"```cpp\n{template_line(compound)}{compound.get('kind')} {name}{' : public ' + bases if bases else ''};\n```")
    parts.append(description(compound))
    members = list(members_of(compound))
    fields = [one for one in members if one.get("kind") == "variable" and one.get("static") == "no"]
    if fields:
        rows = [(f"`{flat(one.find('name'))}`", f"`{flat(one.find('type'))}{flat(one.find('argsstring'))}`", description(one))
                for one in fields]
        parts.append(table(rows, "member", "type", "meaning"))
    functions = [one for one in members if one not in fields]
    if {flat(one.find("name")) for one in functions} == {"value_type", "identity", "reduce"}:
        return "\n\n".join(parts)  # a monoid, whose members say no more than that
    return "\n\n".join(parts + all_members_text(functions, 3))


def add_page(reader, header, pages):
    name = header.removeprefix("include/nopal/")
    texts, about = [], ""
    members = {}
    classes = {flat(one.find("compoundname")) for one in reader.compounds if one.get("kind") in ("class", "struct")}
    for compound in reader.compounds:
        kind, place = compound.get("kind"), compound.find("location")
        if kind in ("namespace", "file"):
            for member in compound.iter("memberdef"):
                where = member.find("location")
                if is_documented(member) and reader.header_of(where.get("declfile") or where.get("file")) == header:
                    # A plain record's typedef of its own name says nothing more than the record.
                    if not (member.get("kind") == "typedef" and flat(member.find("type")).split()[-1:] == [flat(member.find("name"))]):
                        members.setdefault(member.get("id"), member)
            if kind == "file" and place.get("file") == header:
                about = description(compound)
        elif is_documented(compound) and flat(compound.find("compoundname")).rpartition("::")[0] not in classes:
            if reader.header_of(place.get("file")) == header:
                texts.append(class_text(compound))
    texts += all_members_text(members.values(), 2)
    if not texts:
        return None
    page = pages / "api" / f"{name.replace('/', '_')}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n\n".join([f"# `<nopal/{name}>`", about, *texts]) + "\n")
    return f"nopal/{name}", f"api/{page.name}"


def add_pages(directory, pages):
    """Writes them and returns their place in the navigation."""
    reader = Reader(pathlib.Path(directory))

    def rank(header):
        name = header.removeprefix("include/nopal/")
        return (ORDER.index(name) if name in ORDER else len(ORDER), name)

    found = filter(None, (add_page(reader, header, pages) for header in sorted(reader.headers(), key=rank)))
    return [f"{title}: {page}" for title, page in found]
