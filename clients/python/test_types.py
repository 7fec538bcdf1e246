"""The stubs of surety.py say what the module has."""

import ast
import pathlib
import unittest

FOLDER = pathlib.Path(__file__).parent


def _names(path):
    """By name: the public functions and methods, with their parameters."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = _parameters(node)
        if isinstance(node, ast.ClassDef):
            found[node.name] = None
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    found[node.name + "." + inner.name] = _parameters(inner)
    return {name: what for name, what in found.items() if _is_public(name)}


def _parameters(node):
    return [argument.arg for argument in node.args.args]


def _is_public(name):
    first, *rest = name.split(".")
    return all(not part.startswith("_") or part == "__init__" for part in [first, *rest])


class Types(unittest.TestCase):
    def test_stubs_have_the_functions_and_parameters_of_the_module(self):
        module = _names(FOLDER / "surety.py")
        stubs = _names(FOLDER / "surety-stubs" / "__init__.pyi")
        # An exception without its own constructor needs none in the stubs.
        module = {name: what for name, what in module.items() if not name.startswith("InDoubt.")}
        self.assertEqual(module, stubs)


if __name__ == "__main__":
    unittest.main()
