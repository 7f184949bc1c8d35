"""Tests of ci/layers.py on small trees written for the purpose."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ci"))
sys.dont_write_bytecode = True

from layers import violations  # noqa: E402


def including(*names: str) -> str:
    """Source text that includes these, one per line."""
    return "".join(f'#include "{name}"\n' for name in names)


class Layers(unittest.TestCase):
    def check(self, files: dict[str, str]) -> list[str]:
        """The report of layers.py on a tree with `files`: path and text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return violations(Path(folder), sorted(files))

    def assert_refused(self, files: dict[str, str], place: str) -> None:
        found = self.check(files)
        self.assertEqual(1, len(found), found)
        self.assertTrue(found[0].startswith(place), found[0])

    def test_includes_of_lower_layers_are_allowed(self):
        found = self.check(
            {
                "src/core/types.hpp": including("vector"),
                "src/memory/heap.hpp": including("core/types.hpp"),
                "src/remote/client/client.hpp": including("memory/heap.hpp"),
                "src/bootstrap/join.hpp": including("core/types.hpp"),
                "src/engine/engine.hpp": including("remote/client/client.hpp", "bootstrap/join.hpp"),
                "src/front/shmem/put.hpp": including("engine/engine.hpp"),
            }
        )
        self.assertEqual([], found)

    def test_an_include_of_a_higher_layer_is_refused_with_file_and_line(self):
        files = {
            "src/engine/engine.hpp": "",
            "src/core/types.hpp": '#include <vector>\n\n  #  include "engine/engine.hpp"\n',
        }
        self.assert_refused(files, "src/core/types.hpp:3: core may not include engine/engine.hpp")

    def test_rooms_of_the_engine_see_only_those_before_them(self):
        files = {
            "src/engine/wait/waiter.hpp": including("engine/rma/rma.hpp"),
            "src/engine/rma/rma.hpp": including("engine/arguments.hpp", "rma/lane.hpp"),
            "src/engine/arguments.hpp": "",
        }
        self.assert_refused(files, "src/engine/wait/waiter.hpp:1:")

    def test_no_room_of_the_engine_sees_the_whole(self):
        files = {
            "src/engine/collectives/node/sync.cpp": including("engine/engine.hpp"),
            "src/engine/engine.hpp": including("engine/collectives/collectives.hpp"),
            "src/engine/collectives/collectives.hpp": "",
        }
        self.assert_refused(files, "src/engine/collectives/node/sync.cpp:1:")

    def test_the_table_of_networks_and_tests_see_the_folders_of_libraries(self):
        found = self.check(
            {
                "src/network/ofi/open.hpp": including("network/endpoint.hpp"),
                "src/network/ofi/endpoint.cpp": including("network/ofi/open.hpp"),
                "src/network/endpoint.hpp": "",
                "src/network/networks.cpp": including("network/ofi/open.hpp"),
                "tests/unit/provider_test.cpp": including("network/ofi/open.hpp"),
                "src/remote/client/client.cpp": including("network/endpoint.hpp"),
            }
        )
        self.assertEqual([], found)

    def test_nothing_else_sees_the_folder_of_a_library(self):
        for file in (
            "src/remote/agent/agent.cpp",
            "src/network/settings.cpp",
            "src/network/ucx/endpoint.cpp",
            "src/process/process.cpp",
        ):
            files = {file: including("network/ofi/open.hpp"), "src/network/ofi/open.hpp": ""}
            self.assert_refused(files, f"{file}:1:")

    def test_memory_does_not_see_the_bootstrap(self):
        files = {
            "src/memory/heap.cpp": including("../bootstrap/join.hpp"),
            "src/bootstrap/join.hpp": "",
        }
        self.assert_refused(files, "src/memory/heap.cpp:1:")

    def test_remote_does_not_see_the_bootstrap(self):
        self.assert_refused(
            {"src/remote/a.cpp": including("bootstrap/join.hpp")}, "src/remote/a.cpp:1:"
        )

    def test_a_layer_is_known_by_its_name_when_the_header_is_generated_later(self):
        self.assert_refused(
            {"src/core/a.cpp": including("front/shmem/made.hpp")}, "src/core/a.cpp:1:"
        )

    def test_a_front_door_does_not_include_another(self):
        files = {
            "src/front/gasnet/a.cpp": including("front/shmem/put.hpp"),
            "src/front/shmem/put.hpp": "",
        }
        self.assert_refused(files, "src/front/gasnet/a.cpp:1:")

    def test_a_front_door_includes_its_own_public_headers_only(self):
        files = {
            "include/shmem.h": "",
            "include/pshmem.h": "",
            "include/armci.h": "",
            "src/front/shmem/a.cpp": including("shmem.h", "pshmem.h", "armci.h"),
        }
        self.assert_refused(files, "src/front/shmem/a.cpp:3:")

    def test_the_engine_does_not_know_a_public_header(self):
        self.assert_refused(
            {"include/shmem.h": "", "src/engine/a.cpp": including("shmem.h")},
            "src/engine/a.cpp:1:",
        )

    def test_a_folder_that_is_no_layer_is_refused(self):
        self.assert_refused({"src/util/a.hpp": ""}, "src/util/a.hpp:1:")

    def test_tools_see_what_is_below_the_engine(self):
        files = {
            "src/core/a.hpp": "",
            "src/bootstrap/b.hpp": "",
            "src/engine/c.hpp": "",
            "tools/gondwana/own.hpp": "",
            "tools/gondwana/main.cpp": including(
                "own.hpp", "core/a.hpp", "bootstrap/b.hpp", "engine/c.hpp"
            ),
        }
        self.assert_refused(files, "tools/gondwana/main.cpp:4:")

    def test_floors_of_the_command_see_only_those_below(self):
        files = {
            "tools/gondwana/base/a.hpp": "",
            "tools/gondwana/link/b.hpp": including("base/a.hpp", "run/node/c.hpp"),
            "tools/gondwana/run/node/c.hpp": including("link/b.hpp"),
        }
        self.assert_refused(files, "tools/gondwana/link/b.hpp:2:")

    def test_a_file_may_be_a_floor_below_that_of_its_folder(self):
        files = {
            "tools/gondwana/run/remote/frames.hpp": "",
            "tools/gondwana/run/remote/conductor.hpp": including("run/command_line/task.hpp"),
            "tools/gondwana/run/command_line/task.hpp": including(
                "run/remote/frames.hpp", "run/remote/conductor.hpp"
            ),
        }
        self.assert_refused(files, "tools/gondwana/run/command_line/task.hpp:2:")

    def test_folders_of_one_floor_do_not_see_each_other(self):
        files = {
            "tools/gondwana/report/info/a.hpp": "",
            "tools/gondwana/report/why/b.hpp": including("report/info/a.hpp"),
        }
        self.assert_refused(files, "tools/gondwana/report/why/b.hpp:1:")

    def test_the_profiler_sees_the_lowest_floor_of_the_command(self):
        files = {
            "tools/gondwana/base/a.hpp": "",
            "tools/gondwana/link/b.hpp": "",
            "tools/profile/c.cpp": including("base/a.hpp", "link/b.hpp"),
        }
        self.assert_refused(files, "tools/profile/c.cpp:2:")

    def test_a_folder_of_the_command_is_a_namespace(self):
        files = {
            "tools/gondwana/base/a.hpp": "namespace gondwana {\n}\n",
            "tools/gondwana/link/b.hpp": "namespace gondwana::link {\n}\n",
            "tools/gondwana/observe/jobs/c.hpp": "namespace gondwana::top {\n}\n",
        }
        self.assert_refused(files, "tools/gondwana/observe/jobs/c.hpp:1:")

    def test_examples_see_public_headers_only(self):
        files = {
            "include/shmem.h": "",
            "src/core/a.hpp": "",
            "examples/own.h": "",
            "examples/heat.c": including("shmem.h", "math.h", "own.h", "core/a.hpp"),
        }
        self.assert_refused(files, "examples/heat.c:4:")

    def test_tests_include_anything_and_nothing_else_includes_tests(self):
        files = {
            "tests/support/world.hpp": including("engine/a.hpp"),
            "src/engine/a.hpp": "",
            "src/engine/b.hpp": including("support/world.hpp"),
        }
        self.assert_refused(files, "src/engine/b.hpp:1:")


if __name__ == "__main__":
    unittest.main()
