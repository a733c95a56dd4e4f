import { expect, it } from 'vitest';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { PATIENCE } from '#testing/patience';
import type { ExtensionFixture } from './extension-fixture.js';

const GROUP = 'absent.example.com';
const API_SERVICE = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' };

/** Behaviour of revisions with objects of an aggregated API whose backend does not answer. */
export function describeUnavailableApi(fixture: () => ExtensionFixture): void {
  it('holds up the phase with its objects until it is there, and no phase before', async () => {
    await fixture().namespace('no-answer');
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'before', namespace: 'no-answer' } };
    const thing = { apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name: 'one', namespace: 'no-answer' } };
    const service = { name: 'nothing', namespace: 'no-answer', port: 443 };
    const spec = { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 };
    await fixture().client.create({ ...API_SERVICE, metadata: { name: `v1.${GROUP}` }, spec: { ...spec, service } });
    const phases = [
      { name: 'before', objects: [{ object: configMap }] },
      { name: 'things', objects: [{ object: thing }] },
    ];
    await fixture().client.create({
      ...CLUSTER_OBJECT_SET_API,
      metadata: { name: 'unavailable' },
      spec: { lifecycleState: 'Active', collisionProtection: 'Prevent', revision: 1, phases },
    });
    await expect
      .poll(() => fixture().setCondition('unavailable', 'Progressing'), PATIENCE)
      .toContain(`phase 1 validation error: phase "things": APIService v1.${GROUP} is not available: `);
    expect(await fixture().get('v1', 'ConfigMap', 'before', 'no-answer')).toBeDefined();
    await fixture().client.delete({ ...API_SERVICE, name: `v1.${GROUP}` });
    await expect
      .poll(() => fixture().setCondition('unavailable', 'Progressing'), PATIENCE)
      .not.toContain('is not available');
  });
}
