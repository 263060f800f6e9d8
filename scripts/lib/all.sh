# Everything that the scripts share, in order.
# shellcheck shell=bash

. "$lib/common.sh"
. "$lib/process.sh"
. "$lib/lock.sh"
. "$lib/sandbox.sh"
. "$lib/config.sh"
. "$lib/build.sh"
