import { expect, it } from 'vitest';
import { type ClusterSigns, clusterRow } from './cluster-row.js';

const NOW = '2026-11-26T10:00:00Z';
const signs = (reach: ClusterSigns['reach'], problem: string): ClusterSigns => ({
  ...{ cluster: 'riga', version: '', reach, problem, lastSeen: '', paused: false },
});

it.each([
  ['away', 'no route to host', 'failed', 'no route to host'],
  [
    'away',
    'cluster "riga" at https://riga.example.com:6443/riga: read which kinds /api/v1 serves: its certificate is old: renew it',
    'failed',
    'The cluster cannot be reached: its certificate is old: renew it',
  ],
  ['away', 'cluster "riga": too large: one answer', 'failed', 'The cluster cannot be reached: one answer'],
  ['refused', 'context "riga" leads to another cluster', 'blocked', 'context "this cluster" leads to another cluster'],
  ['stale', '', 'well', 'A watch of the cluster is broken.'],
] as const)('says why a cluster is %s: %s', (reach, problem, standing, text) => {
  expect(clusterRow(signs(reach, problem), [], NOW)).toMatchObject({
    standing,
    cause: { code: `cluster-${reach}`, text },
  });
});

it('is as grave as the worst that was seen in a cluster that is away', () => {
  const blocked = { kind: 'operator', standing: 'blocked' } as const;
  expect(clusterRow(signs('away', ''), [blocked], NOW)).toMatchObject({ standing: 'failed', counts: { blocked: 1 } });
  expect(clusterRow(signs('stale', ''), [blocked], NOW)).toMatchObject({ standing: 'blocked' });
});

it('says what to do about a cluster that cannot be reached, and groups it by the kind of the trouble', () => {
  const problem = 'cluster "riga" at https://riga.example.com:6443: read: the API server answers 401 Unauthorized';
  expect(clusterRow(signs('away', problem), [], NOW).cause).toMatchObject({
    names: ['login'],
    todo: 'Renew the login of the hub for the cluster.',
  });
  expect(clusterRow(signs('stale', 'no route to host'), [], NOW).cause).not.toHaveProperty('todo');
});
