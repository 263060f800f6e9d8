# The Debian mirror and proxy that this machine's own apt uses.
# shellcheck shell=bash

os_release() { sed -n -e "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" /etc/os-release; }

# Prints nothing where apt's sources are not Debian's: debootstrap has a default.
debian_mirror() {
  [[ -r /etc/os-release ]] && have apt-get || return 0
  local id codename
  id=$(os_release ID)
  codename=$(os_release VERSION_CODENAME)
  [[ $id == debian ]] || return 0
  # shellcheck disable=SC2016  # apt expands these, not the shell
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2> /dev/null |
    awk -v codename="$codename" '
      $2 == "main" && $3 ~ /^(https?|file):/ &&
      ($1 == codename || $1 ~ /^(stable|testing|unstable|sid)$/) && !found { print $3; found = 1 }'
}

# export_apt_proxy: debootstrap's downloads go the way of apt's.
export_apt_proxy() {
  have apt-config || return 0
  local http='' https='' settings
  settings=$(apt-config shell http Acquire::http::Proxy https Acquire::https::Proxy)
  eval "$settings"
  [[ -z $http || $http == DIRECT ]] || export http_proxy=${http_proxy:-$http}
  [[ -z $https || $https == DIRECT ]] || export https_proxy=${https_proxy:-$https}
}
