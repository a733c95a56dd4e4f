import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { directCluster } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { joinCluster } from './join-cluster.js';

let at: ReturnType<typeof directCluster>;
beforeEach(() => {
  at = directCluster('harbour');
});
afterEach(() => at.stop());

const GROUP = 'OperatorGroup operators/global-operators';
const NAME = 'operatorgroups.operators.coreos.com';
/** Serves no OperatorGroup, whatever its definition says. */
const unserved = (client: KubeClient): KubeClient =>
  new Proxy(client, {
    get: (target, key) => {
      if (key === 'serves')
        return async (kind: { kind: string }) => kind.kind !== 'OperatorGroup' && target.serves(kind as never);
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

describe('a kind of ours that is not served', () => {
  it('is awaited where its definition is there: no right is missing', async () => {
    await joinCluster(at.client);
    const { refused, awaited } = await joinCluster(unserved(at.client));
    expect(refused).toEqual([]);
    expect(awaited).toEqual([{ object: GROUP, because: 'operators.coreos.com/v1 OperatorGroup is not served yet' }]);
  });

  it('is refused where its definition was', async () => {
    const crd = { verb: 'patch', resource: 'customresourcedefinitions', name: NAME } as const;
    at.cluster.failAll(crd, new Refusal(403, 'Forbidden', 'no'));
    const { refused, awaited } = await joinCluster(at.client);
    expect(awaited).toEqual([]);
    expect(refused).toMatchObject([
      { object: `CustomResourceDefinition ${NAME}` },
      { object: GROUP, because: 'operators.coreos.com/v1 OperatorGroup is not served there' },
    ]);
  });
});
