#!/bin/sh
# symbols.sh DDEB DEB: the package of symbols that cpack has made, as Debian wants it. cpack lists its files by their paths on this
# machine, and leaves out the folder of documents, which is that of the main package.
set -eu
made=$(readlink -f "$1")
wanted=$(readlink -f "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dpkg-deb --raw-extract "$made" "$folder/root"
cd "$folder/root"
name=$(sed -n 's/^Package: //p' DEBIAN/control)
mkdir -p usr/share/doc
ln -sfn "${name%-dbgsym}" "usr/share/doc/$name"
find . -path ./DEBIAN -prune -o -type f -print | sed 's,^\./,,' | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums
chmod -R u+rwX,go+rX,go-w .
chmod 644 DEBIAN/*
dpkg-deb --build --root-owner-group . "$wanted" >/dev/null
