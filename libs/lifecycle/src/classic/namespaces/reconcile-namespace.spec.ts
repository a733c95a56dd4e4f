import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '#platform/telemetry/log.port';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { csvStage } from '../csvs/csv.stage.js';
import { inPhase, lampCsv } from '../csvs/csvs.fixture.js';
import type { NamespaceStage } from './namespace-stage.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

/** As the API server refuses a create in a namespace that is being deleted. */
const terminating = (resource: string, namespace: string) => {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  at.cluster.failAll(
    { verb: 'create', resource },
    new Refusal(403, 'Forbidden', `${resource} "a" is forbidden: ${why}`),
  );
};

describe('a namespace of which the applier may not read something', () => {
  const denied = (resource: string, verb = 'list') =>
    `${resource} is forbidden: User "hub" cannot ${verb} resource "${resource}" in API group "operators.coreos.com" at the cluster scope`;

  it.each(['subscriptions', 'operatorgroups', 'catalogsources'])(
    'has an Event that names the missing right, of %s',
    async (resource) => {
      const given = at.cluster.failAll({ verb: 'list', resource }, new Refusal(403, 'Forbidden', denied(resource)));
      expect(await at.pass('shop', [])).toMatchObject({ result: 'refused', error: { reason: 'Forbidden' } });
      expect(at.events('default')).toEqual([`Warning ReadRefused Namespace/shop: ${denied(resource)}`]);
      given();
      expect(await at.pass('shop', [])).toMatchObject({ result: 'done' });
    },
  );

  it('has none about a write that is refused', async () => {
    const stage: NamespaceStage = async ({ client }) => {
      await client.create(objectOf('ConfigMap', 'a', 'shop'));
      return { moved: false };
    };
    const said = denied('configmaps', 'create');
    at.cluster.failAll({ verb: 'create', resource: 'configmaps' }, new Refusal(403, 'Forbidden', said));
    expect(await at.pass('shop', [stage])).toMatchObject({ result: 'refused' });
    expect(at.events('default')).toEqual([]);
  });
});

describe('a namespace that is being deleted', () => {
  it('ends the pass of what would be created there: no retry, and no verdict on the operator', async () => {
    const finalizers = ['operators.coreos.com/csv-cleanup'];
    at.put(
      lampCsv('shop', 'lamp.v1', { metadata: { finalizers }, status: inPhase('InstallReady', 'AllRequirementsMet') }),
    );
    const group = {
      'olm.operatorGroup': 'shop-group',
      'olm.operatorNamespace': 'shop',
      'olm.targetNamespaces': 'shop',
    };
    at.cluster.edit(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'), ({ metadata }) => {
      metadata.annotations = group;
    });
    terminating('deployments', 'shop');
    expect(await at.pass('shop', [csvStage(silentLog)])).toMatchObject({ result: 'done' });
    expect(at.csv('shop', 'lamp.v1')?.status).toMatchObject({ phase: 'InstallReady' });
  });

  it('is none of another namespace: what is refused there is retried', async () => {
    at.cluster.create(objectOf('Namespace', 'hall'));
    terminating('configmaps', 'hall');
    const stage: NamespaceStage = async ({ client }) => {
      await client.create(objectOf('ConfigMap', 'a', 'hall'));
      return { moved: false };
    };
    expect(await at.pass('shop', [stage])).toMatchObject({ result: 'refused', error: { reason: 'Forbidden' } });
  });

  it('does not hide another refusal', async () => {
    at.cluster.failAll({ verb: 'create', resource: 'configmaps' }, new Refusal(403, 'Forbidden', 'not yours'));
    const stage: NamespaceStage = async ({ client }) => {
      await client.create(objectOf('ConfigMap', 'a', 'shop'));
      return { moved: false };
    };
    expect(await at.pass('shop', [stage])).toMatchObject({ result: 'refused', error: { said: 'not yours' } });
  });
});
