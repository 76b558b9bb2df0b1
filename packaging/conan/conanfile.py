"""Nopal for Conan 2, of the sources it lies in: conan create packaging/conan"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd, stdcpp_library
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.scm import Version

required_conan_version = ">=2.0"


class NopalConan(ConanFile):
    name = "nopal"
    description = "Fork-join parallelism for ordinary C and C++ on stock compilers"
    license = "MIT"
    topics = ("parallelism", "fork-join", "work-stealing", "scheduler")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def sources_of_project(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self.sources_of_project(), "include", "nopal", "version.hpp"))
        self.version = re.search(r'NOPAL_VERSION_STRING "([^"]+)"', header).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "check/*", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, self.sources_of_project(), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux" or self.settings.arch != "x86_64":
            raise ConanInvalidConfiguration(f"{self.ref} runs on x86-64 Linux")
        least = {"gcc": "12", "clang": "16"}.get(str(self.settings.compiler))
        if least is None or Version(self.settings.compiler.version) < least:
            raise ConanInvalidConfiguration(f"{self.ref} needs GCC 12 or Clang 16 at least")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TOOLS", "BENCH", "TESTS", "EXAMPLES", "IO"):
            toolchain.cache_variables[f"NOPAL_BUILD_{part}"] = False
        toolchain.cache_variables["NOPAL_BUILD_MPI"] = "OFF"
        toolchain.cache_variables["NOPAL_BUILD_IN_PLACE"] = "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan writes what finds the package.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "nopal")
        self.cpp_info.set_property("cmake_target_name", "nopal::nopal")
        self.cpp_info.set_property("pkg_config_name", "nopal")
        self.cpp_info.libs = ["nopal"]
        self.cpp_info.system_libs = ["pthread"]
        if not self.options.shared:
            self.cpp_info.defines = ["NOPAL_STATIC"]
            library = stdcpp_library(self)
            if library:
                self.cpp_info.system_libs.append(library)
