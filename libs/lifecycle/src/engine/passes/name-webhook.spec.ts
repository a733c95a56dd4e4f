import { describe, expect, it } from 'vitest';
import type { Action } from '#core/kernel/actions/action';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { namingWebhook, refusalEvents } from './name-webhook.js';

const SUBSCRIPTION = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' } as const;
const action: Action = {
  do: 'updateStatus',
  object: { ...SUBSCRIPTION, metadata: { name: 'lamp', namespace: 'shop', uid: 'u1' } },
};
const DENIED =
  'subscriptions.operators.coreos.com "lamp" is forbidden: User "hub" cannot update resource "subscriptions/status" in API group "operators.coreos.com" in the namespace "shop"';
const refused = (said: string) => new KubeApiError('east', 403, 'Forbidden', said);

describe('a write that no status reports', () => {
  it('has an Event about its object if the hub is missing the right', () => {
    const about = { ...SUBSCRIPTION, name: 'lamp', namespace: 'shop', uid: 'u1' };
    expect(refusalEvents(action, refused(DENIED))).toEqual([
      { do: 'emitEvent', about, type: 'Warning', reason: 'WriteRefused', message: DENIED },
    ]);
  });

  it('has none for another refusal, nor for an Event', () => {
    expect(refusalEvents(action, refused('exceeded quota: few'))).toEqual([]);
    const event: Action = {
      do: 'emitEvent',
      about: { ...SUBSCRIPTION, name: 'lamp' },
      type: 'Normal',
      reason: 'A',
      message: 'b',
    };
    expect(refusalEvents(event, refused(DENIED))).toEqual([]);
  });
});

describe('a conversion webhook that stops a write', () => {
  const said =
    'conversion webhook for shop.example.com/v1alpha1, Kind=Ox failed: Post "https://oxen.shop.svc:443/convert": EOF';
  const stopped = new KubeApiError('east', 500, 'InternalError', said);
  const crdOf = (plural: string): KubernetesObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.shop.example.com` },
    spec: { group: 'shop.example.com', names: { kind: plural === 'carts' ? 'Cart' : 'Ox' } },
  });
  const reading = (...crds: KubernetesObject[]) => ({
    list: async <T>() => crds as T[],
    get: async <T>({ name }: Pick<ObjectRef, 'name'>) => crds.find(({ metadata }) => metadata.name === name) as T,
  });

  it.each(['oxes', 'oxen'])('is named with its CRD %s and its Service', async (plural) => {
    const { said: named } = await namingWebhook(reading(crdOf('carts'), crdOf(plural)), stopped);
    expect(named).toBe(
      `${said}; the conversion webhook is of CustomResourceDefinition ${plural}.shop.example.com (service shop/oxen)`,
    );
  });

  it('is named with its kind if CRDs cannot be read', async () => {
    const denied = () => Promise.reject(new KubeApiError('east', 403, 'Forbidden', 'no'));
    const { said: named } = await namingWebhook({ list: denied, get: denied }, stopped);
    expect(named).toMatch(/; the conversion webhook is of kind Ox of group shop\.example\.com \(service shop\/oxen\)$/);
  });

  it('has an Event about the object that could not be written', () => {
    expect(refusalEvents(action, stopped)).toMatchObject([{ reason: 'WriteRefused', message: said }]);
  });
});
