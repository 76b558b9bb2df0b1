#!/bin/sh
# says.sh CODE BEGIN COMMAND [ARGUMENT...]: passes if the command ends with this code, and what it writes to stderr begins so.
set -u
code=$1 begin=$2
shift 2
said=$("$@" 2>&1 >/dev/null)
found=$?
case $said in "$begin"*) [ $found = "$code" ] && exit 0 ;; esac
printf 'exit code %s\n%s\n' $found "$said"
exit 1
