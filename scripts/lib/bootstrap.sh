#!/usr/bin/env bash
# Installs Debian sid and packages into a folder; runs in namespaces of its own.
# usage: bootstrap.sh FOLDER PACKAGES_FILE [MIRROR]
# What is mounted here is seen by this namespace alone, and ends with it.
set -euo pipefail

trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

folder=$1
mapfile -t packages < <(grep -v '^#' "$2")
shift 2

# In the background, because bash handles no signal while a foreground command runs.
step() {
  "$@" 2>&1 &
  wait $!
}

# debootstrap cannot install below a path with spaces, so it sees another one.
mount -t proc proc /proc
mount --bind "$folder" /mnt
step debootstrap --variant=minbase sid /mnt "$@"

# debootstrap knows no alternatives and no virtual packages: apt installs the rest.
mount -t proc proc /mnt/proc
mount --rbind /dev /mnt/dev
cat > /mnt/etc/dpkg/dpkg.cfg.d/kokkos-kv << 'SETTINGS'
force-unsafe-io
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
SETTINGS
# The index of an unstable distribution's mirror may be older than it says to last.
cat > /mnt/etc/apt/apt.conf.d/90kokkos-kv << 'SETTINGS'
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
APT::Install-Recommends "false";
SETTINGS
step chroot /mnt apt-get --quiet --quiet update
step env DEBIAN_FRONTEND=noninteractive \
  chroot /mnt apt-get --quiet --yes -o APT::Status-Fd=1 install "${packages[@]}"

# What only the installation needed would be half of the root.
rm -rf /mnt/*.deb /mnt/var/cache/apt/archives/*.deb /mnt/var/lib/apt/lists/*
