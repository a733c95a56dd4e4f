import { expect, it } from 'vitest';
import { FleetCluster } from '../../../kernel/api/fleet/fleet-cluster.js';
import { FLEET_API } from '../../../kernel/api/fleet/fleet-fields.js';
import { HubCluster } from './hub-cluster.js';

const [JOINED, ANSWERED, NOTICED] = ['2026-01-05T00:00:00Z', '2026-01-05T01:00:00Z', '2026-01-05T01:00:40Z'];
const NOW = Date.parse('2026-01-05T02:00:00Z');
const condition = (type: string, reason: string) => ({ type, status: 'False', reason, lastTransitionTime: NOTICED });

const clusterWith = (status: object, paused = false) =>
  new HubCluster(
    FleetCluster.parse({
      ...{ apiVersion: FLEET_API, kind: 'FleetCluster', metadata: { name: 'c-1', creationTimestamp: JOINED } },
      ...{ spec: { access: { context: 'c-1' }, paused }, status },
    }),
    undefined,
    NOW,
  );
const silent = { conditions: [condition('Reachable', 'Timeout')] };

it.each([
  ['its last answer', { uid: 'u', lastAnswerAt: ANSWERED, ...silent }, ANSWERED],
  ['the report of its silence, where no answer is known', { uid: 'u', ...silent }, NOTICED],
  ['its joining, where it never answered', silent, JOINED],
  ['its joining, where nothing was reported', {}, JOINED],
])('counts the silence of a cluster from %s', (_, status, at) => {
  expect(clusterWith(status).lastContact).toBe(Date.parse(at));
});

it('knows since when a cluster is paused, also after another report of it', () => {
  const status = { uid: 'u', conditions: [condition('Managed', 'Paused')] };
  expect(clusterWith(status, true).pausedAt).toBe(Date.parse(NOTICED));
});
