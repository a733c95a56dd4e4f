import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ADVICE } from '#core/cluster/advice/advice';
import { adviceParts } from '#core/cluster/advice/advice-parts';
import { accessOfPeople, commandIn } from '#core/cluster/advice/command-in';
import { APPLIER } from '#core/kernel/actions/field-managers';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SystemClock } from '#platform/clock/system-clock';
import { managedClusters } from '#platform/clusters/managed-clusters';
import { readSettings } from '#platform/config/settings';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { silentLog } from '#platform/telemetry/log.port';
import { issueToken } from '#testing/cluster/issue-token';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import {
  configMapCatalog,
  csv,
  installPlan,
  operatorGroup,
  put,
  subscription,
} from '../../apps/cli/src/clusters/live-objects.fixture.js';
import { deployment } from '../../apps/cli/src/commands/clusters/handover/olm-cluster.fixture.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { handOverCheck, todoIn } from '../../apps/console/web/live/cluster-commands.js';
import { clusterAdvice } from '../../apps/console/web/pages/cluster/cluster-advice.js';

const CONTEXT = 'default';
const NAMES = ['default', 'default-2', 'default-3'];
const UNRESOLVED = Array.from({ length: 30 }, (_, at) => `n-${at}`);
const SUBJECT = { kind: 'ServiceAccount', name: 'dev', namespace: 'team' };

let folder = '';
/** Three API servers that record their requests, each with a context of the same name, as k3s names it. */
let fleets: readonly SimulatedFleet[] = [];
/** The kubeconfigs of administrators, and those of people with rights in namespace `team`. */
let administrators: readonly string[] = [];
let developers: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-reach-'));
  fleets = await Promise.all(NAMES.map(() => startSimulatedFleet({ clusters: [CONTEXT] })));
  administrators = NAMES.map((name) => join(folder, `${name} administrator`));
  developers = NAMES.map((name) => join(folder, `${name} developer`));
  const roles = loadAll(await readFile(join(PROJECT_ROOT, 'k8s/base/managed-cluster/view.yaml'), 'utf8'));
  await Promise.all(fleets.map((fleet, at) => fill(fleet, at, roles as KubernetesObject[])));
});
afterAll(async () => {
  await Promise.all(fleets.map((fleet) => fleet.stop()));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Fills a cluster with objects that commands report. */
async function fill(fleet: SimulatedFleet, at: number, roles: readonly KubernetesObject[]): Promise<void> {
  await writeFile(administrators[at] ?? '', fleet.kubeconfig(), { mode: 0o600 });
  const cluster = fleet.cluster(CONTEXT);
  const [client] = await loadClusters({ kubeconfigs: [administrators[at] ?? ''], fieldManager: 'test' });
  if (client === undefined) throw new Error('a fleet without a cluster');
  await serveKnownCrds(client, cluster);
  await client.close();
  for (const name of ['olm', 'team', 'lost', 'well', 'idle', ...UNRESOLVED]) {
    cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (name !== 'olm' && name !== 'idle') put(cluster, operatorGroup(name));
  }
  for (const object of configMapCatalog()) put(cluster, object);
  for (const name of ['olm-operator', 'catalog-operator']) cluster.create(deployment('olm', name));
  const pending = { state: 'UpgradePending', currentCSV: 'mill.v1.1.0', installPlanRef: { name: 'install-1' } };
  put(cluster, subscription({ status: { installedCSV: 'mill.v1.0.0', ...pending } }));
  put(cluster, csv('mill.v1.0.0', 'Succeeded'));
  put(cluster, installPlan('install-1', false, 'RequiresApproval'));
  put(cluster, installPlan('install-0', true, 'Failed', 'lost'));
  put(cluster, subscription({ namespace: 'well', status: { installedCSV: 'mill.v1.0.0', currentCSV: 'mill.v1.0.0' } }));
  put(cluster, csv('mill.v1.0.0', 'Succeeded', 'well'));
  // More causes than `status` shows by itself.
  for (const [number, namespace] of UNRESOLVED.entries()) {
    const failed = {
      type: 'ResolutionFailed',
      status: 'True',
      reason: `Cause${number}`,
      message: `no reason ${number * 7}`,
    };
    put(cluster, subscription({ namespace, package: `of-${namespace}`, status: { conditions: [failed] } }));
  }
  cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'dev', namespace: 'team' } });
  for (const role of roles) cluster.create(role);
  cluster.create({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' },
    metadata: { name: 'view', namespace: 'team' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'flotilla:view' },
    subjects: [SUBJECT],
  } as KubernetesObject);
  const token = await issueToken({ url: cluster.url, token: cluster.token }, 'team', 'dev');
  await writeFile(developers[at] ?? '', fleet.kubeconfig().replace(/token: .*/, `token: ${token}`), { mode: 0o600 });
}

beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', '');
  vi.stubEnv('KUBECONFIG', '/nowhere/config');
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'none.yaml'));
  for (const port of ['CATALOG_POLLER', 'RESOLVER_WORKER', 'APPLIER']) vi.stubEnv(`FLOTILLA_${port}_PORT`, '0');
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  return () => vi.unstubAllEnvs();
});

/** Verbs about one cluster, by their user. */
const VERBS: readonly Readonly<{ who: 'administrator' | 'developer'; line: string; prints: RegExp }>[] = [
  { who: 'administrator', line: 'status -n team -C', prints: /^flotilla approve / },
  { who: 'administrator', line: 'status -C', prints: /^flotilla status --all/ },
  { who: 'administrator', line: 'explain sub mill -n team -C', prints: /^flotilla approve / },
  { who: 'administrator', line: 'explain ip install-0 -n lost -C', prints: /^flotilla retry / },
  { who: 'administrator', line: 'approve ip install-0 -n lost -C', prints: /^flotilla retry / },
  { who: 'administrator', line: 'plan --live -n idle -C', prints: /^flotilla status / },
  { who: 'administrator', line: 'doctor -C', prints: /^flotilla assess / },
  { who: 'administrator', line: 'assess -C', prints: /^flotilla (clusters handover|migrate) / },
  {
    who: 'administrator',
    line: 'clusters handover --from olm --dry-run --force',
    prints: /^flotilla clusters handover /,
  },
  { who: 'administrator', line: 'clusters handover --to olm --dry-run', prints: /^flotilla clusters handover / },
  { who: 'developer', line: 'clusters check -C', prints: /^kubectl .* create clusterrolebinding / },
  { who: 'developer', line: 'clusters check -C', prints: /^kubectl .* apply -k / },
  { who: 'developer', line: 'doctor -C', prints: /^flotilla clusters check / },
  { who: 'developer', line: 'status -n team -C', prints: /^kubectl .* create rolebinding / },
  { who: 'developer', line: 'status -n other -C', prints: /^kubectl .* create rolebinding / },
  { who: 'developer', line: 'get csvs -n other -C', prints: /^kubectl .* create rolebinding / },
  { who: 'developer', line: 'explain sub mill -n other -C', prints: /^kubectl .* create rolebinding / },
  { who: 'developer', line: 'plan --live -n team -C', prints: /^kubectl .* create (cluster)?rolebinding / },
];

/** Commands about no cluster of their own. */
const ELSEWHERE = /^flotilla (catalog|bundle|demo|up|clusters add|fleet) ?/;

/** Returns the commands in an answer, each to the end of its line or of its quotes. */
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w/.-])((?:kubectl|flotilla) [a-z-][^"`\n;)]*)/g)]
    .map(([, command = '']) => command.trim())
    .filter((command) => !ELSEWHERE.test(command));

/** Splits a command as a POSIX shell does, as far as these commands need it. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

const requests = () => fleets.map((fleet) => fleet.cluster(CONTEXT).requests);

/** Carries out a command, and returns the clusters that it asked. Nothing is handed over or moved. */
async function reachedBy(command: string): Promise<readonly number[]> {
  for (const log of requests()) log.clear();
  const [program, ...words] = wordsOf(command);
  if (program === 'kubectl') {
    const wordAfter = (option: string) => words[words.indexOf(option) + 1] ?? '';
    expect(words, command).toEqual(expect.arrayContaining(['--kubeconfig', '--context']));
    const named = { kubeconfigs: [wordAfter('--kubeconfig')], contexts: [wordAfter('--context')] };
    const [client] = await loadClusters({ ...named, fieldManager: 'test' });
    await client?.serverVersion();
    await client?.close();
  } else {
    const dry = /handover|migrate|approve|retry/.test(command) && !words.includes('--dry-run') ? ['--dry-run'] : [];
    const { err, exit } = await runFlotilla([...words, ...dry]);
    expect(exit, `${command}: ${err}`).not.toBe(2);
  }
  return requests().flatMap((log, at) => (log.length > 0 ? [at] : []));
}

describe.each([
  { how: 'named by --kubeconfig', isGiven: true },
  { how: 'named by FLOTILLA_KUBECONFIG', isGiven: false },
])('for a hub of three kubeconfigs with equal context names, $how, each command that is printed', ({ isGiven }) => {
  it.each(VERBS)('by "$line" as $who reaches its own cluster: $prints', async ({ who, line, prints }) => {
    const files = who === 'administrator' ? administrators : developers;
    if (!isGiven) vi.stubEnv('FLOTILLA_KUBECONFIG', files.join(':'));
    const given = isGiven ? files.flatMap((file) => ['--kubeconfig', file]) : [];
    for (const [at, name] of NAMES.entries()) {
      const [verb = '', second = '', ...rest] = line.split(' ');
      const asked = second === 'handover' ? [verb, second, name, ...rest] : [verb, second, ...rest, name];
      const { out, err } = await runFlotilla([...asked, ...given]);
      const commands = commandsIn(`${out}\n${err}`);
      expect(commands, `${line} ${name}: ${out}${err}`).toContainEqual(expect.stringMatching(prints));
      for (const command of new Set(commands)) expect(await reachedBy(command), command).toEqual([at]);
    }
  });
});

it('each command of the console of that hub, and of its explanations, reaches its own cluster', async () => {
  const registry = await managedClusters(readSettings({}), {
    ...{ fieldManagers: [APPLIER], clock: new SystemClock(), log: silentLog },
    ...{ kubeconfigs: administrators, kubectlFiles: [] },
  });
  const clusters = registry.of(APPLIER);
  for (const [at, cluster] of NAMES.entries()) {
    const login = clusters.knownLogin(cluster);
    const row = { cluster, ...login, reach: 'away' } as const;
    const todo = [ADVICE.dropSubscription('team', 'mill'), ADVICE.approve('team', 'install-1'), ADVICE.checkHub()];
    const parts = [
      ...todo.map((one) => todoIn(row, one)),
      ...todo.map((one) => adviceParts(commandIn(accessOfPeople(cluster, login), one))),
      handOverCheck(row),
      ...clusterAdvice(row),
    ];
    const commands = parts.map(({ command }) => command).filter((command) => command !== '');
    expect(commands).toHaveLength(8);
    for (const command of commands) expect(await reachedBy(command), command).toEqual([at]);
  }
  await registry.close();
});
