# Sourced: puts Go on the path, and fetches it where this machine has none. Sets `tools`, a folder for what suites fetch.

tools=${XDG_CACHE_HOME:-$HOME/.cache}/platen-test
export PATH=$PATH:$tools/bin:/usr/local/go/bin

as_root() { if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi; }

# Go fetches its own toolchains as modules; so does this.
require_go() {
  local version=go1.26.8
  command -v go >/dev/null && return
  local bin=$tools/modules/golang.org/toolchain@v0.0.1-$version.linux-amd64/bin
  mkdir -p "$tools/modules"
  # Suites that run beside each other need it, and one fetches it.
  ( flock 9; [[ -x $bin/go ]] || fetch_go "$version" "$bin" ) 9>"$tools/go.lock"
  export PATH=$PATH:$bin
}

fetch_go() {
  as_root apt-get install -y -qq curl unzip >/dev/null
  local zip; zip=$(mktemp)
  curl -fsSL "https://proxy.golang.org/golang.org/toolchain/@v/v0.0.1-$1.linux-amd64.zip" -o "$zip"
  unzip -q -o "$zip" -d "$tools/modules" && rm "$zip"
  chmod -R +x "$2" "$2/../pkg/tool"
}
