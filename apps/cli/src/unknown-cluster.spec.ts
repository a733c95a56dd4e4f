import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { buildProgram } from './all-verbs.js';
import { type FakeHub, startFakeHub } from './hub/fake-hub.fixture.js';
import { recorder, runFlotilla } from './run-flotilla.fixture.js';

const UNKNOWN = 'nosuch';

/**
 * What each verb needs beside the cluster, so that the cluster alone is wrong. A verb that is
 * not listed fails the test.
 */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  approve: ['installplan', 'x', '-n', 'team'],
  assess: [],
  'catalog impact': [join(PROJECT_ROOT, 'examples/catalogs/v2'), '--replaces', 'olm/x'],
  'catalog packages': [],
  'clusters add': [],
  'clusters check': [],
  'clusters handover': ['east', '--from', 'olm'],
  'clusters list': [],
  'clusters take-over': ['east', '--hub-id', 'x'],
  doctor: [],
  explain: ['subscription', 'x', '-n', 'team'],
  'fleet export': ['--from-clusters', '--out', 'fleet'],
  'fleet init': [],
  get: ['subscriptions'],
  migrate: ['subscription', 'x', '-n', 'team'],
  plan: ['--live'],
  retry: ['installplan', 'x', '-n', 'team'],
  status: [],
  up: [],
};

/**
 * Every verb below `command` that takes --cluster or --context, with the option. Verbs of rollouts are left
 * out where --cluster names a FleetCluster of the hub's API server, not one of the kubeconfig, and
 * those about the console, where it is a name that a policy file may grant.
 */
function verbsWithClusters(command: Command, path: readonly string[] = []): [verb: string, option: string][] {
  const options = command.options
    .map(({ long }) => long)
    .filter((long) => long === '--context' || (long === '--cluster' && !['fleet', 'console'].includes(path[0] ?? '')));
  return [
    ...options.map((option): [string, string] => [path.join(' '), option ?? '']),
    ...command.commands
      .filter((one) => one.name() !== 'opm')
      .flatMap((one) => verbsWithClusters(one, [...path, one.name()])),
  ];
}
const VERBS = verbsWithClusters(buildProgram(recorder().io, async () => undefined));

let folder = '';
let hub: FakeHub;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-unknown-'));
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'east',
    clusters: [{ name: 'east', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'east', user: { token: 'none' } }],
    contexts: [{ name: 'east', context: { cluster: 'east', user: 'east' } }],
  };
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 });
  const message = `cluster "${UNKNOWN}" is not watched by this hub, or not yet`;
  hub = await startFakeHub({
    [`/clusters/${UNKNOWN}/apis/packages.operators.coreos.com/v1/packagemanifests`]: {
      status: 404,
      body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason: 'NotFound', code: 404 },
    },
  });
});
afterAll(async () => {
  await hub.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'clusters.yaml'));
  vi.stubEnv('FLOTILLA_CONTENT_URL', hub.url);
  return () => vi.unstubAllEnvs();
});

describe('a cluster or context that is not there is exit code 2 and one line with its name', () => {
  it.each([...VERBS, ['clusters remove', '']] as const)('flotilla %s %s nosuch', async (verb, option) => {
    const operands = verb === 'clusters remove' ? [] : OPERANDS[verb];
    if (operands === undefined) throw new Error(`name the operands of "${verb}" in this file`);
    const words = option === '' ? [UNKNOWN] : [...operands, option, UNKNOWN];
    const { out, err, exit } = await runFlotilla([...verb.split(' '), ...words]);
    expect({ out, err, exit }).toEqual({ out: '', err: expect.stringMatching(/^error: .*"?nosuch"?.*\n$/), exit: 2 });
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('is asked of every verb that takes one', () => {
    expect([...new Set(VERBS.map(([verb]) => verb))].sort()).toEqual(Object.keys(OPERANDS).sort());
  });
});
