"""The compilers that are installed, random flags, and the commands that build a file of programs."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.normpath(os.path.join(HERE, '..', '..', '..', 'include'))
OLDEST = {'gcc': 12, 'clang': 16}
# Where programs of another processor are built and run: its name for compilers, the words that run a program.
TRIPLE, EMULATOR = os.environ.get('NOPAL_TEST_TRIPLE', ''), os.environ.get('NOPAL_TEST_EMULATOR', '').split()
GCC_PREFIX = TRIPLE + '-' if EMULATOR else ''


class Compiler:
    def __init__(self, family, major, cc, cxx):
        self.family, self.major, self.cc, self.cxx = family, major, cc, cxx
        self.name = f'{family}-{major}'
        self.accepted = {}

    def accepts(self, flags):
        """Whether a program builds with these flags and runs."""
        key = ' '.join(flags)
        if key not in self.accepted:
            with tempfile.TemporaryDirectory(prefix='nopal_programs_') as directory:
                out, source = os.path.join(directory, 'out'), 'int main(void) { return 0; }\n'
                command = [self.cc, *self.target(), '-x', 'c', '-Werror', *flags, '-', '-o', out]
                built = subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0
                self.accepted[key] = built and subprocess.run([*EMULATOR, out]).returncode == 0
        return self.accepted[key]

    def target(self):
        return [f'--target={TRIPLE}'] if EMULATOR and self.family == 'clang' else []


def find_compilers():
    """Every GCC and Clang on the path that is new enough, both languages of each."""
    found = {}
    for directory in os.environ.get('PATH', '').split(':'):
        for cxx in sorted(glob.glob(os.path.join(directory, GCC_PREFIX + 'g++*')) + glob.glob(os.path.join(directory, 'clang++*'))):
            if not re.fullmatch(r'(%sg\+\+|clang\+\+)(-\d+)?' % GCC_PREFIX, os.path.basename(cxx)):
                continue
            family = 'clang' if 'clang' in os.path.basename(cxx) else 'gcc'
            cc = os.path.join(directory, os.path.basename(cxx).replace('clang++', 'clang').replace('g++', 'gcc'))
            version = subprocess.run([cxx, '-dumpversion'], text=True, capture_output=True)
            if version.returncode != 0 or not shutil.which(cc):
                continue
            major = int(version.stdout.split('.')[0])
            if major >= OLDEST[family]:
                found.setdefault((family, major), Compiler(family, major, cc, cxx))
    return [found[key] for key in sorted(found)]


def architectures():
    if EMULATOR:
        return [[], ['-march=armv8.2-a'], ['-mno-outline-atomics'], ['-mbranch-protection=standard']] if TRIPLE.startswith('aarch64') else [[]]
    with open('/proc/cpuinfo') as info:
        flags = set(re.search(r'^flags\s*:(.*)$', info.read(), re.M).group(1).split())
    levels = [[], ['-march=x86-64'], ['-march=native']]
    if {'sse4_2', 'ssse3', 'popcnt', 'cx16'} <= flags:
        levels.append(['-march=x86-64-v2'])
    if {'avx2', 'bmi1', 'bmi2', 'fma', 'f16c', 'movbe'} <= flags:
        levels += [['-march=x86-64-v3'], ['-march=x86-64-v3']]
    if {'avx512f', 'avx512bw', 'avx512cd', 'avx512dq', 'avx512vl'} <= flags:
        levels.append(['-march=x86-64-v4'])
    return levels


LEVELS = ['-O0', '-O1', '-O1', '-O2', '-O2', '-O2', '-O3', '-O3', '-Os', '-Og']
PLACES = [[], [], [], ['-fPIC'], ['-fno-pie', '-no-pie'], ['-fPIE', '-pie'], ['-fno-plt', '-fPIC']]
# Each with how often. What a compiler does not know is left out.
OTHERS = [
    (0.12, ['-fstack-protector-all']), (0.12, ['-fstack-protector-strong']), (0.15, ['-fstack-clash-protection']),
    (0.15, ['-fomit-frame-pointer']), (0.1, ['-fno-omit-frame-pointer']), (0.1, ['-momit-leaf-frame-pointer']),
    (0.15, ['-fcf-protection=full']), (0.05, ['-fcf-protection=none']), (0.1, ['-funroll-loops']),
    (0.1, ['-fipa-ra']), (0.05, ['-fno-ipa-ra']), (0.1, ['-D_FORTIFY_SOURCE=2']), (0.1, ['-fharden-compares']),
    (0.1, ['-fharden-conditional-branches']), (0.1, ['-g']), (0.1, ['-fno-inline']), (0.1, ['-finline-limit=2000']),
    (0.1, ['-fno-shrink-wrap']), (0.1, ['-fno-optimize-sibling-calls']), (0.08, ['-fno-tree-vectorize']), (0.1, ['-fno-vect-cost-model']),
    (0.1, ['-mtune=haswell']), (0.1, ['-mtune=znver3']),
    (0.08, ['-fno-strict-aliasing']), (0.08, ['-mprefer-vector-width=512']), (0.06, ['-mno-red-zone']),
    (0.06, ['-ftrivial-auto-var-init=pattern']), (0.06, ['-fzero-call-used-regs=used']), (0.08, ['-mno-vzeroupper']),
    (0.06, ['-fschedule-insns']), (0.06, ['-fno-caller-saves']), (0.06, ['-fstack-reuse=none']), (0.06, ['-maccumulate-outgoing-args', '-DNOPAL_DYNAMIC_FRAMES']),
    (0.06, ['-fsel-sched-pressure', '-fselective-scheduling2']), (0.06, ['-fno-ira-share-spill-slots']),
    (0.06, ['-mstackrealign']), (0.05, ['-fasynchronous-unwind-tables']), (0.05, ['-fwrapv']), (0.05, ['-fno-semantic-interposition']),
    (0.05, ['-fsplit-wide-types-early']), (0.05, ['-fgcse-las', '-fgcse-sm']),
]
# Forks are latent without it.
EAGER = '-DNOPAL_FORKS_EAGER'
LINK_TIME = {'gcc': [['-flto'], ['-flto', '-fno-fat-lto-objects']], 'clang': [['-flto', '-fuse-ld=lld'], ['-flto=thin', '-fuse-ld=lld']]}


class Build:
    """How one file is built: a compiler, flags, a library."""

    def __init__(self, compiler, flags, library, include=INCLUDE):
        self.compiler, self.flags, self.library, self.include = compiler, flags, library, include
        self.profile = ''  # a folder: built for counting first, run, and built again from the counts

    def with_flags(self, flags):
        build = Build(self.compiler, flags, self.library, self.include)
        build.profile = self.profile
        return build

    def command(self, unit, source, output, elided, profile='use'):
        cpp = unit.language == 'c++'
        language = ['-std=gnu++20'] if cpp else ['-std=gnu11']
        if cpp and not unit.exceptions:
            language.append('-fno-exceptions')
        elision = ['-DNOPAL_ELIDE'] if elided else []
        counts = [f'-fprofile-{profile}={self.profile}', '-fprofile-update=atomic', '-Wno-coverage-mismatch'] if self.profile else []
        return [self.compiler.cxx if cpp else self.compiler.cc, *self.compiler.target(), *language, '-w', '-ffp-contract=off', '-frounding-math',
                *self.flags, *counts, *elision, f'-I{self.include}', f'-I{HERE}', source, '-o', output, self.library,
                *([] if cpp else ['-lstdc++']), '-lpthread', '-lm']


def random_flags(rng, compiler):
    flags = [rng.choice(LEVELS), *rng.choice(architectures()), *rng.choice(PLACES)]
    for chance, more in OTHERS:
        if rng.random() < chance and compiler.accepts(['-O1', *more]):
            flags += more
    if rng.random() < 0.12:
        more = rng.choice(LINK_TIME[compiler.family])
        if compiler.accepts(more):
            flags += more
    if rng.random() < 0.4 and '-fPIC' not in flags:
        flags.append('-DNOPAL_STATIC')
    # The other processors have no latent forks.
    if rng.random() < 0.5 or EMULATOR:
        flags.append(EAGER)
    return flags
