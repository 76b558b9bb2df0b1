"""Builds a file of programs, in parallel and elided, runs it, and compares."""

import os
import shutil
import signal
import subprocess

from toolchain import EAGER, EMULATOR

BUILD_SECONDS, RUN_SECONDS = 300, 90

# Workers, share of pushes whose continuation must be taken, inputs, repetitions, microseconds between questions for latent forks.
SETTINGS = [(1, 100, 3, 2, 0), (3, 100, 6, 24, 0), (7, 100, 6, 24, 0), (3, 0, 6, 24, 0), (7, 40, 6, 24, 0)]
# Where each fork is asked for, none is latent; where few are, questions come at any instruction.
LATENT_SETTINGS = [(1, 0, 3, 2, 0), (3, 100, 6, 24, 0), (3, 0, 6, 24, 20), (7, 10, 6, 24, 20), (7, 0, 6, 24, 200)]


def settings_of(build):
    return SETTINGS if EAGER in build.flags else LATENT_SETTINGS


class Failure:
    """What went wrong: `kind` is build, elided, differs, status or hangs."""

    def __init__(self, kind, text, setting=None, command=None):
        self.kind, self.text, self.setting, self.command = kind, text, setting, command


def run(command, seconds, variables=None):
    """Status (None if it took too long), output, errors. Kills what it started, with its children."""
    environment = dict(os.environ, **(variables or {}))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=seconds)
        return process.returncode, output.decode(errors='replace'), errors.decode(errors='replace')
    except subprocess.TimeoutExpired:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        output, errors = process.communicate()
        return None, output.decode(errors='replace'), errors.decode(errors='replace')


def variables_of(setting):
    workers, percent, _, _, ask_every = setting
    return {'NOPAL_WORKERS': str(workers), 'NOPAL_TAKE_PERCENT': str(percent), 'NOPAL_ASK_EVERY': str(ask_every)}


def build_unit(unit, build, directory, removed=frozenset(), only=(False, True)):
    """Paths of the two programs, or a failure."""
    source = os.path.join(directory, 'unit.c' if unit.language == 'c' else 'unit.cpp')
    with open(source, 'w') as file:
        file.write(unit.text(removed))
    paths = []
    for elided in only:
        path = os.path.join(directory, 'elided' if elided else 'parallel')
        if build.profile:
            shutil.rmtree(build.profile, ignore_errors=True)
            if run(build.command(unit, source, path, elided, 'generate'), BUILD_SECONDS)[0] == 0:
                run([*EMULATOR, path, '2', '2'], RUN_SECONDS, variables_of(SETTINGS[1]))
        command = build.command(unit, source, path, elided)
        status, output, errors = run(command, BUILD_SECONDS)
        if status != 0:
            return Failure('build', f'the compiler ended with {status}\n{(output + errors)[:4000]}', command=command)
        paths.append(path)
    return paths


def lines_of(output):
    return [line for line in output.splitlines() if not line.startswith('#')]


def steals_in(output):
    return sum(int(line.split()[1]) for line in output.splitlines() if line.startswith('#'))


def expected_of(path, inputs):
    """The elision's lines, run twice: a program whose own result varies is the generator's fault."""
    command = [*EMULATOR, path, str(inputs), '2']
    status, output, errors = run(command, RUN_SECONDS)
    lines = lines_of(output)
    if status != 0:
        return Failure('elided', f'the elision ended with {status}\n{errors[-2000:]}', command=command)
    return lines


def run_parallel(path, setting, expected, counts=None):
    """A failure, or null."""
    inputs, repetitions = setting[2:4]
    command = [*EMULATOR, path, str(inputs), str(repetitions)]
    status, output, errors = run(command, RUN_SECONDS, variables_of(setting))
    lines = lines_of(output)
    wanted = [line for line in expected if int(line.split()[1]) < inputs]
    if counts is not None:
        counts['runs'] += len(set(wanted) & set(lines)) * repetitions
        counts['steals'] += steals_in(output)
    if status is None:
        return Failure('hangs', f'no end within {RUN_SECONDS} s\n{errors[-2000:]}', setting, command)
    different = sorted(set(lines) - set(wanted))
    if different:
        line = different[0]
        right = [w for w in wanted if w.split()[:2] == line.split()[:2]]
        return Failure('differs', f'parallel: {line}\nelided:   {" ".join(right)}\n{errors[-2000:]}', setting, command)
    if status != 0:
        last = lines[-1] if lines else 'nothing'
        return Failure('status', f'ended with {status} after {last}\n{errors[-2000:]}', setting, command)
    if set(wanted) != set(lines):
        return Failure('differs', f'missing: {sorted(set(wanted) - set(lines))[0]}', setting, command)
    return None


def check_unit(unit, build, directory, settings=None, counts=None):
    """Builds and runs all. The first failure, or null."""
    settings = settings or settings_of(build)
    paths = build_unit(unit, build, directory)
    if isinstance(paths, Failure):
        return paths
    parallel, elided = paths
    expected = expected_of(elided, max(s[2] for s in settings))
    if isinstance(expected, Failure):
        return expected
    for setting in settings:
        failure = run_parallel(parallel, setting, expected, counts)
        if failure is not None:
            return failure
    return None
