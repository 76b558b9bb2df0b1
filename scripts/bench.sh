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
  may_follow=no  # whether names of variants may come next: no program has such a name
  pages=no
  reducers=no
  promotion=no
  for argument in "$@"; do
    shift
    case $may_follow,$argument in
      yes,all | yes,none | yes,eager* | yes,*_deque* | yes,locked_join* | yes,hashed_views* | yes,reclaim_*)
        set -- "$@" "--variants=$argument"
        may_follow=no
        continue
        ;;
      yes,*) set -- "$@" --variants=all ;;
    esac
    may_follow=no
    case $argument in
      --variants) parts="$parts -DNOPAL_BUILD_VARIANTS=ON"; may_follow=yes ;;
      --variants=*) parts="$parts -DNOPAL_BUILD_VARIANTS=ON"; set -- "$@" "$argument" ;;
      --report | --report=*) pages=yes; set -- "$@" "$argument" ;;
      --promotion) promotion=yes; set -- "$@" "$argument" ;;
      --reducers) reducers=yes; set -- "$@" "$argument" ;;
      --peers | --peers=*) parts="$parts -DNOPAL_BUILD_PEERS=ON"; set -- "$@" "$argument" ;;
      *) set -- "$@" "$argument" ;;
    esac
  done
  if [ $may_follow = yes ]; then set -- "$@" --variants=all; fi
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
