import { describe, expect, it } from 'vitest';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { ClusterHasLeft, ClusterLeftToOlm, ClusterPaused, ClusterWrites } from './cluster-writes.js';
import { GuardedClient } from './guarded-client.js';

const SOURCE = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
const object = { ...SOURCE, metadata: { namespace: 'olm', name: 'shelf' } };
const ref = { ...SOURCE, namespace: 'olm', name: 'shelf' };

const WRITES: readonly Readonly<{ verb: string; write: (client: KubeClient) => Promise<unknown> }>[] = [
  { verb: 'create', write: (client) => client.create(object) },
  { verb: 'update', write: (client) => client.update(object) },
  { verb: 'updateStatus', write: (client) => client.updateStatus(object) },
  { verb: 'apply', write: (client) => client.apply(object) },
  { verb: 'patch', write: (client) => client.patch(ref, {}) },
  { verb: 'delete', write: (client) => client.delete(ref) },
];

/** A cluster whose API server answers writes only when the test says so. */
function slowCluster() {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const send = (verb: string) => () => {
    sent.push(verb);
    return new Promise<void>((resolve) => answers.push(resolve));
  };
  const client = {
    cluster: 'taken',
    ...Object.fromEntries(WRITES.map(({ verb }) => [verb, send(verb)])),
    actingAs: () => client,
    get: async () => object,
  } as unknown as KubeClient;
  return { client, sent, answerAll: () => answers.splice(0).forEach((answer) => void answer()) };
}

describe('the writes of a process to a cluster', () => {
  it.each(WRITES)(
    '$verb is not sent once the cluster is left to OLM, also when acting as a tenant',
    async ({ write }) => {
      const { client, sent } = slowCluster();
      const guarded = new GuardedClient(client, new ClusterWrites('taken', () => 'left to OLM'));
      await expect(write(guarded)).rejects.toBeInstanceOf(ClusterLeftToOlm);
      await expect(write(guarded.actingAs({ user: 'tenant' }))).rejects.toBeInstanceOf(ClusterLeftToOlm);
      expect(sent).toEqual([]);
      expect(await guarded.get(ref)).toBe(object);
    },
  );

  it('a review of what a user may do is no write', async () => {
    const { client, sent, answerAll } = slowCluster();
    const guarded = new GuardedClient(client, new ClusterWrites('taken', () => 'left to OLM'));
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', metadata: {} };
    const answer = guarded.create(review);
    answerAll();
    await answer;
    expect(sent).toEqual(['create']);
  });

  it.each(WRITES)('$verb counts as under way until the cluster has answered', async ({ verb, write }) => {
    const { client, sent, answerAll } = slowCluster();
    let allowed = true;
    const writes = new ClusterWrites('taken', () => (allowed ? undefined : 'left to OLM'));
    const guarded = new GuardedClient(client, writes);
    const ended = Promise.all([write(guarded), write(guarded.actingAs({ user: 'tenant' }))]);
    allowed = false;
    expect({ sent, underWay: writes.underWay }).toEqual({ sent: [verb, verb], underWay: 2 });
    let idle = false;
    const waiting = writes.whenIdle().then(() => {
      idle = true;
    });
    expect(idle).toBe(false);
    answerAll();
    await ended;
    await waiting;
    expect({ idle, underWay: writes.underWay }).toEqual({ idle: true, underWay: 0 });
  });

  it.each([
    { why: 'paused', error: ClusterPaused },
    { why: 'has left', error: ClusterHasLeft },
  ] as const)('are refused while the cluster $why', async ({ why, error }) => {
    const { client, sent } = slowCluster();
    const writes = new ClusterWrites('taken', () => (why === 'paused' ? why : undefined));
    if (why === 'has left') writes.end();
    await expect(new GuardedClient(client, writes).apply(object)).rejects.toBeInstanceOf(error);
    expect(sent).toEqual([]);
  });
});
