# Progress of a root's creation, read from the messages of debootstrap and apt.
# shellcheck shell=bash

# debootstrap handles each package of the base system four times: about 300 messages,
# counted as the first 40 percent. apt tells its own percentage, once for the
# downloads and once for the installation.
root_progress() { # NAME LOG; standard input: the messages
  local name=$1 log=$2 line fields count=0 percent=0 stage='reading the package index' last=-10
  local bar='########################################'
  while IFS= read -r line; do
    printf '%s\n' "$line" >> "$log"
    case $line in
      'I: Retrieving '* | 'I: Validating '* | 'I: Unpacking '* | 'I: Configuring '*)
        stage='installing the base system'
        count=$((count < 300 ? count + 1 : 300))
        percent=$((40 * count / 300))
        ;;
      dlstatus:* | pmstatus:*)
        IFS=: read -r -a fields <<< "$line"
        [[ ${fields[2]:-} =~ ^[0-9]+(\.|$) ]] || continue
        if [[ $line == dl* ]]; then
          stage='downloading packages'
          percent=$((40 + 20 * ${fields[2]%.*} / 100))
        else
          stage='installing packages'
          percent=$((60 + 39 * ${fields[2]%.*} / 100))
        fi
        ;;
      *) continue ;;
    esac
    if [[ -t 2 ]]; then
      printf '\r%s root [%-40s] %3d %% %-26s' "$name" "${bar:0:percent*40/100}" "$percent" "$stage" >&2
    elif ((SECONDS - last >= 10)); then
      last=$SECONDS
      printf '%s root: %d %%, %s\n' "$name" "$percent" "$stage" >&2
    fi
  done
  [[ ! -t 2 ]] || printf '\r%*s\r' 90 '' >&2
}
