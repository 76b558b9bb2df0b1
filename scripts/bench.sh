# What `./dev bench` builds and measures. Sourced by ./dev.
# shellcheck shell=sh

# bench ARG...: --variants is ours; everything else goes to `nopal bench`.
bench() {
  pages=no
  for argument in "$@"; do
    shift
    case $argument in
      --variants) parts="$parts -DNOPAL_BUILD_VARIANTS=ON" ;;
      --report | --report=*) pages=yes; set -- "$@" "$argument" ;;
      --peers | --peers=*) parts="$parts -DNOPAL_BUILD_PEERS=ON"; set -- "$@" "$argument" ;;
      *) set -- "$@" "$argument" ;;
    esac
  done
  if [ $pages = yes ]; then
    want_peers
    want_plots
    parts='-DNOPAL_BUILD_PEERS=ON -DNOPAL_BUILD_VARIANTS=ON'
    tool bench "$@"
    return
  fi
  case $parts in
    *VARIANTS*PEERS* | *PEERS*VARIANTS*) refuse 'only one of --peers and --variants is accepted' ;;
    *VARIANTS*) set -- --peers all --peer-directory "${root:?}/build/gcc-release/tools/variants" "$@" ;;
    *PEERS*) want_peers ;;
  esac
  tool bench "$@"
}
