import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClassicCluster, settled } from '../classic-cluster.fixture.js';
import { crdWith } from './install-plans.fixture.js';
import { rewriteObjects } from './rewrite-objects.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

describe('objects that are rewritten in the storage version', () => {
  const KIND = { apiVersion: 'example.com/v1', kind: 'Lamp' };
  const { signal } = new AbortController();
  beforeEach(async () => {
    at.put(crdWith([{ name: 'v1', storage: true }]));
    await settled();
    at.namespace('mill');
    for (let count = 0; count < 20; count += 1) {
      const namespace = count % 2 === 0 ? 'shop' : 'mill';
      at.cluster.create({ ...KIND, metadata: { name: `lamp-${count}`, namespace }, spec: { watts: count } });
    }
    at.asked();
  });

  it('are all written back once as they are, in every namespace, and counted', async () => {
    const before = at.cluster.list(KIND);
    expect(await rewriteObjects(at.client, KIND, signal)).toBe(20);
    expect(at.writes().toSorted()).toEqual(
      before.map(({ metadata }) => `update lamps ${metadata.namespace}/${metadata.name}`).toSorted(),
    );
    expect(at.cluster.list(KIND)).toEqual(before);
  });

  it.each([
    { status: 409, reason: 'Conflict', because: 'another client has just written it' },
    { status: 404, reason: 'NotFound', because: 'it is gone' },
  ])('one that meets $reason needs nothing: $because', async ({ status, reason }) => {
    at.cluster.failNext({ verb: 'update', resource: 'lamps', name: 'lamp-3' }, status, reason);
    expect(await rewriteObjects(at.client, KIND, signal)).toBe(20);
  });

  it('any other refusal ends it, and names the object', async () => {
    at.cluster.failNext({ verb: 'update', resource: 'lamps', name: 'lamp-3' }, 403, 'Forbidden', 'denied');
    await expect(rewriteObjects(at.client, KIND, signal)).rejects.toThrow(/Lamp mill\/lamp-3.*denied/);
  });

  it('an end that was asked for leaves the rest for the next pass', async () => {
    const stop = new AbortController();
    at.cluster.lossOf = ({ verb }) => {
      if (verb === 'update') stop.abort();
      return undefined;
    };
    await expect(rewriteObjects(at.client, KIND, stop.signal)).rejects.toThrow();
    expect(at.writes().length).toBeLessThan(20);
  });

  it('a kind that is not served has no objects', async () => {
    expect(await rewriteObjects(at.client, { apiVersion: 'example.com/v1', kind: 'Wick' }, signal)).toBe(0);
  });
});
