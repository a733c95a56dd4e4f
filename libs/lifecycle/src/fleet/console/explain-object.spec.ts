import { expect, it } from 'vitest';
import type { Reason, Resolution } from '#core/classic/resolution/problem/resolution-problem';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import type { KindRef, KubeClient, ListOptions } from '#platform/kube/client/kube-client.port';
import { explainObject } from './explain-object.js';
import type { QuestionPlace } from './question-place.js';

const metadata = (name: string) => ({ name, namespace: 'team' });
const MESSAGE =
  'constraints not satisfiable: no operators found in channel stabel of package bolt in the catalog referenced by subscription bolt, subscription bolt exists';
const subscription = {
  ...SUBSCRIPTION_API,
  metadata: metadata('bolt'),
  spec: { name: 'bolt', channel: 'stabel', source: 'shelf', sourceNamespace: 'team' },
  status: {
    conditions: [{ type: 'ResolutionFailed', status: 'True', reason: 'ConstraintsNotSatisfiable', message: MESSAGE }],
  },
} as const;
const OBJECTS: readonly KubernetesObject[] = [
  subscription,
  { ...OPERATOR_GROUP_API, metadata: metadata('own') },
  {
    ...CATALOG_SOURCE_API,
    metadata: metadata('shelf'),
    spec: { sourceType: 'grpc', image: 'x' },
    status: { connectionState: { lastObservedState: 'READY' } },
  },
];

const reason = (kind: Reason['kind'], facts: Reason['facts'], because: Reason[] = []): Reason => ({
  ...{ kind, subject: 'bolt', text: 'text of the resolver', facts, because },
});
const ADVICE = 'Check spec.channel: package bolt has no channel stabel.';

const placeWith = (has: string): QuestionPlace => {
  const missing = reason('nothing-found', { lacks: 'channel', package: 'bolt', channel: 'stabel', has });
  const explanation = [reason('subscription', { namespace: 'team', package: 'bolt' }, [missing])];
  const resolution = { result: 'unsatisfiable', message: MESSAGE, explanation, advice: ADVICE } as Resolution;
  const list = async ({ kind }: KindRef, { namespace }: ListOptions) => ({
    resourceVersion: '1',
    items: OBJECTS.filter((one) => one.kind === kind && (namespace ?? 'team') === one.metadata.namespace),
  });
  return {
    client: { cluster: 'east', list } as Pick<KubeClient, 'cluster' | 'list'> as KubeClient,
    access: { cluster: 'east', options: { kubectl: '--context east', flotilla: '-C east' } },
    globalCatalogNamespace: 'olm',
    resolutionOf: async () => resolution,
    catalogs: () => [],
    csvs: () => [],
    extension: async () => undefined,
  };
};

const explained = (has: string) => {
  const asked = {
    v: 1,
    ask: 'explain',
    kind: 'Subscription',
    cluster: 'east',
    namespace: 'team',
    name: 'bolt',
  } as const;
  return explainObject(placeWith(has), asked, subscription);
};

it('leads with the cause in plain words, and has the command that ends it, as flotilla explain has', async () => {
  const { because, advice } = await explained('stable');
  expect(because).toEqual([
    'Namespace team cannot be resolved: package bolt has no channel stabel in the catalog of Subscription bolt.',
  ]);
  expect(advice).toEqual([
    {
      text: 'Package bolt has no such channel. Request channel stable.',
      command: `kubectl --context east -n team patch subscription bolt --type merge -p '{"spec":{"channel":"stable"}}'`,
    },
  ]);
});

it('has the words of the resolution alone if no one channel is meant', async () => {
  expect((await explained('alpha, beta')).advice).toEqual([{ text: ADVICE, command: '' }]);
});
