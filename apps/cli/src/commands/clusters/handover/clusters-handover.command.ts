import type { Command } from 'commander';
import { parseDuration } from '#platform/config/duration';
import { type ClusterOptions, withNamedClusterOptions } from '../../../clusters/cluster-options.js';
import { type Io, UsageError } from '../../../terminal/io.js';

const HANDOVER_HELP = `
--from olm checks the cluster first. Obstacles are plans and operators that OLM works on, catalogs that cannot be read from
here, versions that the hub would choose and OLM did not, and newer definitions. Then the command scales OLM's Deployments to
0, removes its package server and the pods and Services of catalogs, and checks that the Deployments of operators run on
unchanged. Operators are not restarted. A hub that has the cluster then manages it.
--to olm makes every hub leave the cluster, restores the package server and scales OLM's Deployments up.
Both can be repeated, also after an interruption. OpenShift's OLM cannot leave: use "clusters observe".
Exit codes: 0 done; 1 refused, or an operator did not run on; 3 the cluster, or a pod, did not answer in time.

Examples:
  flotilla clusters handover east --from olm --dry-run
  flotilla clusters handover east --from olm
  flotilla clusters handover east --to olm`;

type Options = ClusterOptions &
  Readonly<{ from?: string; to?: string; dryRun?: boolean; force?: boolean; timeout: string; hub?: string }>;

/** Registers `flotilla clusters handover`: takes a cluster over from OLM, or gives it back. */
export const handoverCommand = (clusters: Command, io: Io): Command =>
  withNamedClusterOptions(clusters.command('handover').argument('<name>'))
    .description('hand a cluster over from OLM to a hub, or back')
    .option('--from <olm>', 'present owner of the cluster: olm')
    .option('--to <olm>', 'next owner of the cluster: olm')
    .option('--dry-run', 'check, print the changes, and change nothing')
    .option('--force', 'proceed although a check failed')
    .option('--timeout <duration>', 'time for pods to end or to become ready', '2m')
    .option('--hub <url>', 'hub that provides the content of catalogs for the checks')
    .addHelpText('after', HANDOVER_HELP)
    .action(async (name: string, options: Options) => {
      const { to, dryRun = false, force = false, timeout, hub } = options;
      // A dry run without a direction checks the one that clusters take first.
      const from = options.from ?? (dryRun && to === undefined ? 'olm' : undefined);
      if ((from === undefined) === (to === undefined) || (from ?? to) !== 'olm') {
        throw new UsageError('specify a direction: --from olm or --to olm');
      }
      const timeoutMs = parseDuration(timeout);
      if (timeoutMs === undefined) {
        throw new UsageError(`invalid --timeout "${timeout}": expected a duration such as 2m`);
      }
      const [{ withOneCluster }, { ownAccess }, { handOverFromOlm }, { handOverToOlm }] = await Promise.all([
        import('../../../clusters/open-clusters.js'),
        import('../../../clusters/command-access.js'),
        import('./from-olm.js'),
        import('./to-olm.js'),
      ]);
      const run = from === undefined ? handOverToOlm : handOverFromOlm;
      await withOneCluster(io, { ...options, cluster: [name] }, (client) =>
        run(client, io, { dryRun, force, timeoutMs, hub, named: ownAccess(client, options).named }),
      );
    });
