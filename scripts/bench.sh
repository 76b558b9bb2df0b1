# What `./dev bench` builds and measures. Sourced by ./dev.
# shellcheck shell=sh

# has_graph ARG...: whether --graph is among them.
has_graph() {
  for argument in "$@"; do
    case $argument in --graph | --graph=*) return 0 ;; esac
  done
  return 1
}

# bench ARG...: --variants alone means all of them; the rest goes to `nopal bench` as it is.
bench() {
  pages=no
  reducers=no
  promotion=no
  for argument in "$@"; do
    shift
    case $argument in
      --variants | --variants=*)
        parts="$parts -DNOPAL_BUILD_VARIANTS=ON"
        case $argument in --variants) argument=--variants=all ;; esac
        set -- "$@" "$argument"
        ;;
      --report | --report=*) pages=yes; set -- "$@" "$argument" ;;
      --promotion) promotion=yes; set -- "$@" "$argument" ;;
      --reducers) reducers=yes; set -- "$@" "$argument" ;;
      --peers | --peers=*) parts="$parts -DNOPAL_BUILD_PEERS=ON"; set -- "$@" "$argument" ;;
      *) set -- "$@" "$argument" ;;
    esac
  done
  case $reducers$parts in yes*VARIANTS*) refuse '--variants: not with --reducers; accepted: one of them' ;; esac
  # No peers, variants or graphs, in a report either.
  if [ $promotion$reducers = yesno ]; then
    parts=''
    tool bench "$@"
    return
  fi
  # A real graph beside those that are made, where the system's package lists are.
  if [ $pages$reducers != nono ] && ! has_graph "$@"; then
    graph="${root:?}/build/package_graph.mtx"
    mkdir -p "$root/build"
    if "$root/bench/matrices/package_graph.sh" "$graph" >&2; then set -- "$@" --graph "$graph"; fi
  fi
  if [ $reducers = yes ]; then
    parts='-DNOPAL_BUILD_VARIANTS=ON'
    tool bench "$@"
    return
  fi
  if [ $pages = yes ]; then
    want_peers
    parts='-DNOPAL_BUILD_PEERS=ON -DNOPAL_BUILD_VARIANTS=ON'
    tool bench "$@"
    return
  fi
  case $parts in *PEERS*) want_peers ;; esac
  tool bench "$@"
}
