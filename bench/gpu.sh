#!/usr/bin/env bash
# make gpu: installs this checkout beside the machine's CuPy, runs the tests that need a GPU, and
# writes the tables of docs/cuda.md. Each part has its limit, so that all end within eight minutes.
set -u
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
VENV=${VENV:-.venv-gpu}
failed=()

part() { # part NAME SECONDS COMMAND...: SIGINT lets pytest write what it has
	echo "== $1: at most $2 s"
	timeout -s INT -k 5 "$2" "${@:3}" && return
	echo "== $1: failed, or took more than $2 s"
	failed+=("$1")
}

# pip takes what the machine has, and the rest from PIP_FIND_LINKS, if PIP_NO_INDEX is set.
part CuPy 15 "$PYTHON" -c 'import cupy; cupy.show_config()'
part environment 15 "$PYTHON" -m venv --system-site-packages "$VENV"
part tools 30 "$VENV/bin/pip" install -q 'setuptools>=77' 'Cython>=3.1' pytest pytest-benchmark hypothesis
part install 120 "$VENV/bin/pip" install -q --no-build-isolation -e .
part tests 110 "$VENV/bin/python" -m pytest -q -m gpu $(grep -rl 'mark\.gpu' tests --include='test_*.py')
part page 150 "$VENV/bin/python" -m bench.page --page docs/cuda.md --sentences 1000000
[ ${#failed[@]} -eq 0 ] || {
	echo "== not done: ${failed[*]}"
	exit 1
}
