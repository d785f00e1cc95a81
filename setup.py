"""Builds the compiled part with CMake; everything else is in pyproject.toml.

HWGCN_BUILD_DIR names a CMake build of the target hwgcn_python that is there already: nothing is compiled twice.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).parent.resolve()


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        build = os.environ.get("HWGCN_BUILD_DIR")
        if not build:
            build = str(pathlib.Path(self.build_temp).resolve())
            configure = ["cmake", "-S", str(ROOT), "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
            subprocess.check_call(configure + ["-DHWGCN_PYTHON_ONLY=ON", f"-DPYTHON_EXECUTABLE={sys.executable}"])
            subprocess.check_call(["cmake", "--build", build, "--target", "hwgcn_python"])
        built = sorted(pathlib.Path(build, "python", "hwgcn").glob("_core*.so"))
        if not built:
            raise SystemExit(f"{build}: no hwgcn/_core*.so there; build the target hwgcn_python first")
        shutil.copy2(built[0], target)


version = re.search(r"project\(hwgcn VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
setup(version=version, ext_modules=[Extension("hwgcn._core", [])], cmdclass={"build_ext": CMakeBuild})
