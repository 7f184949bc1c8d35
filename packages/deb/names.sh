#!/bin/sh
# The names of the commands in /usr/bin: the script that dpkg calls as postinst and as prerm.
#
# gondwana and oshcc.gondwana are always there. oshcc, oshrun and the like are also names of
# openmpi-bin, which has them as plain links: an alternative that is installed there replaces them,
# and its removal deletes them. So these names are ours only while they are nobody else's. dpkg calls
# again (triggers) when another package brings or takes one of them.
set -e

prefix=/opt/gondwana
root=${DPKG_ROOT:-}
shared='oshcc oshc++ oshcxx oshCC shmemcc shmemc++ shmemcxx shmemCC oshrun'

# Not there, or an alternative already.
is_free() {
  link=$root/usr/bin/$1
  [ "$(readlink "$link")" = "/etc/alternatives/$1" ] || { [ ! -e "$link" ] && [ ! -L "$link" ]; }
}

take() { update-alternatives --install "/usr/bin/$1" "$1" "$prefix/bin/$1" 50; }

# Leaves the link of another package as it was.
give_back() {
  link=$root/usr/bin/$1
  target=$(readlink "$link") || target=
  update-alternatives --remove "$1" "$prefix/bin/$1"
  if [ -n "$target" ] && [ "$target" != "/etc/alternatives/$1" ] && [ ! -L "$link" ]; then
    ln -s "$target" "$link"
  fi
}

take_own_names() {
  set -- --install /usr/bin/gondwana gondwana "$prefix/bin/gondwana" 50
  for name in $shared; do
    set -- "$@" --slave "/usr/bin/$name.gondwana" "$name.gondwana" "$prefix/bin/$name"
  done
  update-alternatives "$@"
}

take_shared_names() {
  foreign=
  for name in $shared; do
    if is_free "$name"; then
      take "$name"
    else
      give_back "$name"
      foreign="$foreign $name"
    fi
  done
  if [ -n "$foreign" ]; then
    echo "gondwana: in /usr/bin these are of other packages, Gondwana's end in .gondwana:$foreign"
  fi
}

case $1 in
  configure | abort-*)
    take_own_names
    take_shared_names
    ;;
  triggered) take_shared_names ;;
  remove | deconfigure)
    for name in $shared; do give_back "$name"; done
    update-alternatives --remove gondwana "$prefix/bin/gondwana"
    ;;
esac
