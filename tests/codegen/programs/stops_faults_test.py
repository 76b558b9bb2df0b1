#!/usr/bin/env python3
"""The judge of programs with stops is tested: with a fault in the headers or in the library, runs are found that are not permitted.

Another generator makes other programs of a seed. With --look this looks for files of programs that find the faults."""

import re
import sys
import tempfile

from faults_test import Fault
from stops import unit_text
from stops_test import SETTINGS, Finding, Session, variables_of
from toolchain import INCLUDE, find_compilers

INLETS, CHILD, PART = 'nopal/detail/inlets.hpp', 'nopal/detail/speculative_child.hpp', 'nopal/detail/stop_part_serial.hpp'
WHOLE = 'nopal/detail/unless_stopped.hpp'
MISSED = 'a fork in a stopped scope begins|not stopped, says'


class StopFault(Fault):
    """`where` is the number of the file, of seed 1; `says`, a pattern, what the judge says of it; without a header, the library's fault."""

    def __init__(self, name, where, says, *altered, elided=False):
        super().__init__(name, '', where, '', *altered)
        self.says, self.elided = says, elided


FAULTS = [
    StopFault('two inlets at a time', 5, 'two inlets run at a time', INLETS,
              r'const std::lock_guard guard\(lock_\);\n    return !std::exchange\(runs_, true\);', 'return true;'),
    StopFault('inlets as they come', 4, 'inlets are not in order', INLETS,
              r'in_order_ && first->number != turn_', 'false'),
    StopFault('the end of a stopped child is thrown on', 1, 'throws another error', CHILD,
              r'if \(!part->is_stopped\(\)\) throw;', 'throw;'),
    StopFault('results of children stay', 1, 'objects live at the end', INLETS,
              r'const std::unique_ptr<waiting_inlet> owned\(one\);', ''),
    # Results that are not there are read.
    StopFault('results of a pattern in halves', 1, 'the program ended with', WHOLE,
              r'nopal_enter_stop\(&part_, nopal_stop_shield, nullptr\)', 'nopal_enter_stop(&part_, nopal_stop_skips, nullptr)'),
    StopFault('the elision begins all', 0, 'a fork in a stopped scope begins', PART,
              r'if \(!part.is_stopped\(\)\) return false;.*?return true;', 'return false;', elided=True),
    StopFault('stolen out of its part', 0, MISSED),
    StopFault('request not told', 0, MISSED),
    StopFault('shield left untold', 6, MISSED),
    StopFault('resumed out of its part', 2, MISSED),
]


def run_programs(fault, where, library, include, variables):
    """The first finding of a file of programs, or null."""
    with tempfile.TemporaryDirectory(prefix='nopal_programs_') as directory:
        session = Session(library, include, directory, find_compilers()[:1], variables)
        path = session.build(unit_text(f'1:{where}', 2), 'programs', session.compilers[0], ['-O1'], fault.elided)
        if isinstance(path, Finding):
            return path
        for setting in SETTINGS:
            if finding := session.run(path, variables_of(setting), 300):
                return finding
    return None


def is_found(fault, where, library, faulty_library, twice):
    """What is wrong, or null."""
    library, variables = (library, {}) if fault.header else (faulty_library, {'NOPAL_CHOSEN_FAULT': fault.name})
    if twice and (finding := run_programs(fault, where, library, INCLUDE, {})):
        return f'fails without the fault\n{finding}'
    with tempfile.TemporaryDirectory(prefix='nopal_programs_') as directory:
        include = fault.altered_headers(directory) if fault.header else INCLUDE
        finding = run_programs(fault, where, library, include, variables)
    if finding is None:
        return 'is not found'
    return None if re.search(fault.says, finding.text) else f'is something else\n{finding}'


def main(library, faulty_library, *options):
    failed, looks = False, '--look' in options
    for fault in FAULTS:
        for where in range(40) if looks else [fault.where]:
            result = is_found(fault, where, library, faulty_library, '--twice' in options)
            if result is None:
                break
        failed |= result is not None
        print(f'{fault.name}, file {where}: {result or "is found"}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
