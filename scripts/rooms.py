"""Each room of src/ includes only what the table of docs/house.md lets it know, and the drawing there shows the same.

    rooms.py ROOT

A room is a folder of src/; a file that lies in src/ itself is one by its name. Every room knows include/ and testing, which know
none. Rooms know each other in a circle only where the page says of two that they know each other.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| ([^|]*) \|", re.MULTILINE)
MUTUAL = re.compile(r"`(\w+)`\s+and\s+`(\w+)`\s+know\s+each\s+other")
EVERYBODYS = "testing"
ARROW = re.compile(r'data-from="(\w+)" data-to="(\w+)"')


def includes(root, folder):
    """Where each file of the folder includes one of src/: the line, and both files' paths in src/ or include/."""
    for source in sorted((root / folder).rglob("*")):
        if source.suffix not in (".cpp", ".hpp", ".h", ".inc", ".S"):
            continue
        text = source.read_text()
        for match in INCLUDE.finditer(text):
            for base in (source.parent, root / "src"):
                target = (base / match[1]).resolve()
                if target.is_file() and target.is_relative_to(root / "src"):
                    line = text.count("\n", 0, match.start(1)) + 1
                    yield f"{source.relative_to(root)}:{line}", source.relative_to(root / folder), target.relative_to(root / "src")
                    break


def room_of(path):
    return path.parts[0] if len(path.parts) > 1 else path.stem


def faults_of(root):
    page = (root / "docs" / "house.md").read_text()
    table = {room: set(re.findall(r"`(\w+)`", known)) for room, known in ROW.findall(page)}
    told = {(room, known) for room, rooms in table.items() for known in rooms}
    drawn = set(ARROW.findall((root / "docs" / "drawings" / "house.svg").read_text()))
    for room, known in sorted(told ^ drawn):
        where = "the drawing" if (room, known) in drawn else "the table"
        yield f"docs/house.md: only {where} says that {room} knows {known}"

    seen = set()
    for where, source, target in includes(root, "src"):
        room, known = room_of(source), room_of(target)
        if room == known or known == EVERYBODYS:
            continue
        seen.add((room, known))
        if room not in table:
            yield f"{where}: docs/house.md has no room {room}"
        elif (room, known) not in told:
            yield f"{where}: {room} includes {target}, and may know {', '.join(sorted(table[room])) or 'no room'} (docs/house.md)"
    for room, known in sorted(told - seen):
        yield f"docs/house.md: {room} knows {known} nowhere"
    for where, _, target in includes(root, "include"):
        yield f"{where}: a public header includes {target}"

    # Rooms that know each other in a circle cannot be read one after the other.
    left = {room: set(rooms) for room, rooms in table.items()}
    for one, other in MUTUAL.findall(page):
        if left.get(one) and left.get(other):
            # As one room, to which both belong.
            left[one] = (left[one] | left.pop(other)) - {one, other}
            left = {room: {one if known == other else known for known in rooms} for room, rooms in left.items()}
    while free := [room for room, rooms in left.items() if not rooms & left.keys()]:
        for room in free:
            del left[room]
    if left:
        yield f"docs/house.md: a circle among {', '.join(left)}"
    if not seen:
        yield "src/: no room knows another"


def main():
    faults = list(faults_of(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join([*faults, f"rooms: {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
