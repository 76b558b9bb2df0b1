# ./dev docs: the site, from docs/, the examples, the manual pages and the headers. Sourced by
# ./dev.
# shellcheck shell=sh

# From the distribution, as everything else: no second package manager, and the same versions
# wherever that runs.
want_docs_tools() {
  want_command doxygen doxygen 'the reference of the interface'
  want_command mandoc mandoc 'the manual pages on the site'
  want_command mkdocs mkdocs 'the documentation site'
  want_command python3 python3 'the documentation site'
  mkdocs_knows_theme || want mkdocs-material 'the look of the documentation site'
}

mkdocs_knows_theme() { have mkdocs && mkdocs build --help 2>/dev/null | grep -q '[^a-z]material[^a-z]'; }

# site_step LOG COMMAND...
site_step() { logged build/docs.log "$@" || fail 'the documentation has errors'; }

docs() {
  if [ $# -gt 0 ]; then refuse "$1: not an option of docs; accepted: --no-install"; fi
  want_docs_tools
  install_missing
  rm -rf build/docs build/site
  mkdir -p build/site
  : >build/docs.log
  site_step python3 -B scripts/site/snippets.py .
  site_step doxygen Doxyfile
  site_step python3 -B scripts/site/assemble.py . build/site build/site/xml
  site_step mkdocs --quiet build --strict --config-file build/site/mkdocs.yml
  site_step python3 -B scripts/site/finish.py build/docs
  say 'The documentation is in build/docs/index.html'
}
