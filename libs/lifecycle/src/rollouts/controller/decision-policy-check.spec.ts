import { describe, expect, it } from 'vitest';
import { KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import { DECISION_POLICY } from '#core/rollout/review/decision-policy';
import { ManualClock } from '#platform/clock/manual-clock';
import { fleetManifests } from '#platform/joining/fleet-manifests';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { decisionPolicyCheck } from './decision-policy-check.js';

const shipped = (await fleetManifests()).filter(({ metadata }) => metadata.name === DECISION_POLICY);
const clock = new ManualClock();
const held = new Map<string, KubernetesObject>();
let asked = 0;
const hub = {
  cluster: 'hub',
  get: async <T extends KubernetesObject>({ kind }: ObjectRef) => {
    asked += 1;
    return held.get(kind) as T | undefined;
  },
};
const give = (...objects: readonly KubernetesObject[]) => {
  held.clear();
  for (const object of objects) held.set(object.kind, object);
};

describe('the check of decisions', () => {
  it('names a policy that is gone, and what to do, within a minute', async () => {
    give(...shipped);
    const { check } = decisionPolicyCheck({ hub, clock });
    expect(await check()).toEqual({ up: true, detail: 'hub holds decisions to their authors' });
    give(...shipped.slice(0, 1));
    asked = 0;
    expect(await check()).not.toHaveProperty('degraded');
    expect(asked).toBe(0);
    await clock.advance(60_000);
    expect(await check()).toMatchObject({
      degraded: true,
      detail: expect.stringMatching(/Binding flotilla-fleet-decisions is missing; .* "flotilla fleet init"/),
    });
  });

  it('says that it does not know where the API server refuses the question', async () => {
    const get = async () => {
      throw new KubeApiError('hub', 403, 'Forbidden', 'cannot get resource "validatingadmissionpolicies"');
    };
    const { check } = decisionPolicyCheck({ hub: { cluster: 'hub', get }, clock });
    expect(await check()).toMatchObject({
      up: true,
      detail: expect.stringMatching(/^could not check .* cannot get resource/),
    });
  });

  it('asks nothing of a fleet in files', async () => {
    give();
    const { check } = decisionPolicyCheck({ hub, clock, isFolder: true });
    expect(await check()).toEqual({
      up: true,
      detail: expect.stringContaining('every user who can write there decides'),
    });
  });
});
