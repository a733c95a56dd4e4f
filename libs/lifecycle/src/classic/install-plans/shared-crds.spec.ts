import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { ClassicCluster, objectOf, settled } from '../classic-cluster.fixture.js';
import { lampCsv } from '../csvs/csvs.fixture.js';
import { crdWith, planOf } from './install-plans.fixture.js';
import { namingSharedCrds, reportSharedCrds, sharedCrdsAmong } from './shared-crds.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  at.namespace('mill');
});
afterEach(() => at.stop());

const OLD = crdWith([{ name: 'v1', storage: true }]);
const NEW = crdWith([{ name: 'v1', storage: true }, { name: 'v2' }]);
/** The CRD as operators of these namespaces have brought it. */
async function brought(...owners: readonly string[]): Promise<void> {
  const annotations = Object.fromEntries(
    owners.map((owner, index) => [`operatorframework.io/installed-alongside-${index}`, owner]),
  );
  at.put({ ...OLD, metadata: { ...OLD.metadata, annotations } });
  await settled();
}
const among = async (...objects: Parameters<typeof sharedCrdsAmong>[1]) =>
  sharedCrdsAmong(await at.input('shop'), objects);

describe('CRDs that other operators have, too', () => {
  it('names the owners of other namespaces, and what changes for them', async () => {
    at.put(lampCsv('mill'));
    await brought('mill/lamp.v1');
    expect(await among(NEW)).toEqual([
      { crd: 'lamps.example.com', owners: ['mill/lamp.v1'], changes: [expect.stringContaining('v2')] },
    ]);
  });

  it.each([
    { what: 'an owner of this namespace', owners: ['shop/lamp.v1'], next: NEW },
    { what: 'an owner that is gone', owners: ['gone/lamp.v1'], next: NEW },
    { what: 'no owner', owners: [], next: NEW },
    { what: 'a CRD that would not change', owners: ['mill/lamp.v1'], next: OLD },
  ])('$what is none of them', async ({ owners, next }) => {
    at.put(lampCsv('mill'));
    at.put(lampCsv('shop'));
    await brought(...owners);
    expect(await among(next)).toEqual([]);
  });

  it('a copy of a CSV owns nothing', async () => {
    at.put(
      lampCsv('mill', 'lamp.v1', {
        metadata: { labels: { 'olm.copiedFrom': 'home' } },
        status: { phase: 'Succeeded', reason: 'Copied', lastUpdateTime: null, lastTransitionTime: null },
      }),
    );
    await brought('mill/lamp.v1');
    expect(await among(NEW)).toEqual([]);
  });

  it('a CRD that is new to the cluster, and objects of other kinds, are not asked about further', async () => {
    const input = await at.input('shop');
    at.asked();
    expect(await sharedCrdsAmong(input, [NEW, objectOf('ConfigMap', 'settings')])).toEqual([]);
    expect(at.asked().flatMap(({ resource }) => resource ?? [])).toEqual(['customresourcedefinitions']);
  });

  it('a CRD that may not be read is an error: a plan must not hide its effect on others', async () => {
    await brought('mill/lamp.v1');
    at.cluster.failNext({ verb: 'get', resource: 'customresourcedefinitions' }, 403, 'Forbidden', 'not yours');
    await expect(among(NEW)).rejects.toMatchObject({ said: 'not yours' });
  });

  it('the plan names them in an annotation before a user approves it, and an Event for each', async () => {
    at.put(lampCsv('mill'));
    await brought('mill/lamp.v1');
    const shared = await among(NEW);
    const plan = namingSharedCrds(planOf({ metadata: { annotations: { kept: 'yes' } } }) as InstallPlan, shared);
    expect(plan.metadata.annotations).toEqual({
      kept: 'yes',
      'flotilla.dev/shared-crds': expect.stringContaining('"owners":["mill/lamp.v1"]'),
    });
    const made = at.put(plan) as InstallPlan;
    await reportSharedCrds(await at.input('shop'), made, shared);
    expect(at.events('shop')).toEqual([
      expect.stringMatching(
        /^Normal SharedCRD InstallPlan\/install-1: CRD lamps.example.com also belongs to mill\/lamp.v1; this plan .*v2/,
      ),
    ]);
  });

  it('a plan without any is left as it is', async () => {
    const plan = planOf({}) as InstallPlan;
    expect(namingSharedCrds(plan, [])).toBe(plan);
    await reportSharedCrds(await at.input('shop'), plan, []);
    expect(at.writes()).toEqual([]);
  });
});
