import { type DoctorCheck, failed, machineChecks } from '#core/cluster/doctor/machine-checks';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { inParallel } from '#platform/fairness/in-parallel';
import { outboundPolicyOf } from '#platform/registry/configured-limits';
import type { ClusterOptions } from '../../clusters/cluster-options.js';
import { ownAccess } from '../../clusters/command-access.js';
import { withClusters } from '../../clusters/open-clusters.js';
import { commandSettings } from '../../hub/command-settings.js';
import { isData } from '../../output/data-format.js';
import { NEXT } from '../../output/next-commands.js';
import type { AnswerFormat } from '../../output/output-option.js';
import { printData } from '../../output/print-data.js';
import { exitCodeOf, verdictOf } from '../../output/verdict.js';
import { type Io, UsageError } from '../../terminal/io.js';
import { examineCluster } from './check-cluster.js';
import { catalogName, checkPolicy } from './check-policy.js';
import { checkPort } from './check-port.js';
import { checkRedis } from './check-redis.js';
import { checkRegistries } from './check-registries.js';
import { readMachine } from './read-machine.js';

export type DoctorOptions = ClusterOptions & Readonly<{ output: AnswerFormat }>;

const AT_ONCE = 32;

/** Runs `flotilla doctor`: checks from here everything that a hub needs. */
export async function examine(options: DoctorOptions, io: Io): Promise<void> {
  const settings = commandSettings(process.env);
  const [machine, redis, port, clusters] = await Promise.all([
    readMachine(settings.contentDir),
    checkRedis(settings),
    checkPort(settings),
    clusterChecks(options, io),
  ]);
  const checks = [...machineChecks(machine), redis, ...port, ...clusters];
  const verdict = verdictOf(checks.every(({ result }) => result !== 'failed'));
  if (isData(options.output)) await printData(io, { verdict, items: checks }, options.output);
  else io.out(textOf(checks));
  io.exit(exitCodeOf(verdict));
}

async function clusterChecks(options: DoctorOptions, io: Io): Promise<readonly DoctorCheck[]> {
  const settings = commandSettings(process.env);
  try {
    return await withClusters(io, options, async (clients) => {
      const examined = await inParallel(clients, AT_ONCE, (client) =>
        examineCluster(client, settings, ownAccess(client, options).options),
      );
      const images = [...new Set(examined.flatMap((one) => one.images))].sort(byCodeUnit);
      const servers = [...new Set(examined.flatMap((one) => one.servers))].sort(byCodeUnit);
      const refused = await checkPolicy({ images, servers }, outboundPolicyOf(settings));
      const asked = images.filter((image) => !refused.some(({ name }) => name === catalogName(image)));
      return [...examined.flatMap(({ checks }) => checks), ...refused, ...(await checkRegistries(asked))];
    });
  } catch (error) {
    // A name that is wrong is a mistake of the question; that there is no cluster yet is a finding.
    if (!(error instanceof UsageError) || isNamed(options)) throw error;
    return [
      failed('clusters', error.message, `name a kubeconfig with --kubeconfig, or add a cluster: ${NEXT.addCluster()}`),
    ];
  }
}

const isNamed = ({ cluster = [], context = [], kubeconfig = [] }: DoctorOptions): boolean =>
  cluster.length + context.length + kubeconfig.length > 0;

const SIGNS: Readonly<Record<DoctorCheck['result'], string>> = { ok: '✔', warning: '!', failed: '✖' };

function textOf(checks: readonly DoctorCheck[]): string {
  const lines = checks.flatMap(({ name, result, text, todo }) => [
    `${SIGNS[result]} ${name}: ${text}`,
    ...(todo === '' ? [] : [`    → ${todo}`]),
  ]);
  const count = (wanted: DoctorCheck['result']) => checks.filter(({ result }) => result === wanted).length;
  const [bad, doubtful] = [count('failed'), count('warning')];
  const end =
    bad > 0
      ? `A hub would not work: ${bad} failed.`
      : doubtful > 0
        ? `A hub would work; ${doubtful} to check.`
        : 'Everything is ready for a hub.';
  return `${lines.join('\n')}\n\n${end}\n`;
}
