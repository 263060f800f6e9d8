# The whole sandbox: roots and how to enter them; needs common.sh, process.sh and lock.sh.
# shellcheck shell=bash

# The oldest Kokkos that a build without the sandbox may use.
native_kokkos_minimum=4.5

. "$lib/mirror.sh"
. "$lib/progress.sh"
. "$lib/fixups.sh"
. "$lib/roots.sh"
. "$lib/enter.sh"
