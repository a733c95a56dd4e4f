import { describe, expect, it } from 'vitest';
import type { Action } from '#core/kernel/actions/action';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { refusalEvents } from './name-webhook.js';

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
