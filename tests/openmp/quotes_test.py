"""Every block of C++ in a page is a piece of a file that the tests build and run.

Usage: quotes_test.py PROJECT PAGE...

A block follows a line `<!-- FILE: NAME -->` and is what stands between the two lines `// [NAME]` of that file.
"""

import pathlib
import re
import sys

project = pathlib.Path(sys.argv[1])
checked, wrong = 0, []
for page in sys.argv[2:]:
    text = (project / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^(?:<!-- (\S+): ([^\n]+) -->\n)?```cpp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if text.count("```cpp") != len(blocks):
        wrong.append(f"{page}: a block of C++ does not end")
    for file, name, block in blocks:
        if not file:
            wrong.append(f"{page}: no line says which file this is of:\n{block}")
            continue
        pieces = (project / file).read_text(encoding="utf-8").split(f"// [{name}]\n")
        if len(pieces) != 3:
            wrong.append(f"{page}: {file} has no piece [{name}]")
        elif pieces[1].strip("\n") != block.strip("\n"):
            wrong.append(f"{page}: not as [{name}] in {file}:\n{block}")
        checked += 1
if not checked:
    wrong.append("no block was found")
if wrong:
    sys.exit("\n".join(wrong))
print(f"{checked} blocks are as in their files")
