#!/bin/sh
# ranks.sh MPIEXEC NUMBER_FLAG RANKS PROGRAM [ARGUMENT...]: runs it on so many ranks of this machine, more than it has
# processors if need be.
set -eu
mpiexec=$1 flag=$2 ranks=$3
shift 3

# Open MPI refuses root and more ranks than processors, unless it is told that both are meant. In a container its ranks may not
# read one another's memory, and would say so each time.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=true OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PMIX_MCA_gds=hash
exec "$mpiexec" "$flag" "$ranks" "$@"
