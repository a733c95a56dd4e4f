import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { isDeniedByPolicy, namedWebhooks, webhookIn, whoseWebhook } from './webhook-refusal.js';

const SILENT =
  'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.guards.svc:443/v?timeout=10s": service "guard" not found';
const LATE =
  'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.guards.svc:443/v?timeout=10s": context deadline exceeded';
const DENIED = 'admission webhook "guard.example.com" denied the request: not on my watch';

const configuration = (
  name: string,
  { kind = 'ValidatingWebhookConfiguration', clientConfig = {}, webhook = 'guard.example.com', ...metadata } = {} as {
    kind?: string;
    clientConfig?: object;
    webhook?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string }[];
  },
): KubernetesObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name, ...metadata },
  webhooks: [{ name: 'other.example.com' }, { name: webhook, clientConfig, failurePolicy: 'Fail' }],
});
const service = { service: { namespace: 'guards', name: 'guard' } };
const of = 'webhook "guard.example.com" is of';

describe('an answer of the API server', () => {
  it.each([
    [SILENT, { name: 'guard.example.com', answered: false }],
    [LATE, { name: 'guard.example.com', answered: false }],
    [DENIED, { name: 'guard.example.com', answered: true }],
    ['Internal error occurred: etcdserver: leader changed', undefined],
    ['pods "x" is forbidden: exceeded quota', undefined],
    [`ValidatingAdmissionPolicy 'no-roles' with binding 'no-roles' denied request: none here`, undefined],
  ])('%s', (said, expected) => {
    expect(webhookIn(said)).toEqual(expected);
  });
});

describe('what is forbidden for another reason than missing rights', () => {
  it.each([
    [DENIED, true],
    [`deployments.apps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`, true],
    ['deployments.apps is forbidden: User "system:serviceaccount:a:b" cannot create resource "deployments"', false],
    [SILENT, false],
  ])('%s', (said, expected) => {
    expect(isDeniedByPolicy(said)).toBe(expected);
  });
});

describe('a webhook that stopped a write', () => {
  it.each<[what: string, configurations: KubernetesObject[], text: string]>([
    [
      'of nobody',
      [configuration('policy', { clientConfig: service })],
      `${of} ValidatingWebhookConfiguration policy (service guards/guard, failurePolicy Fail)`,
    ],
    [
      'of a ClusterServiceVersion',
      [
        configuration('bolt-1', {
          clientConfig: service,
          labels: {
            'olm.owner': 'bolt.v1.0.0',
            'olm.owner.namespace': 'team',
            'olm.owner.kind': 'ClusterServiceVersion',
          },
        }),
      ],
      `${of} ValidatingWebhookConfiguration bolt-1 (service guards/guard, failurePolicy Fail), and belongs to ClusterServiceVersion team/bolt.v1.0.0`,
    ],
    [
      'of a ClusterExtension, at a URL',
      [
        configuration('bolt-2', {
          kind: 'MutatingWebhookConfiguration',
          clientConfig: { url: 'https://x.example' },
          labels: {
            'olm.operatorframework.io/owner-kind': 'ClusterExtension',
            'olm.operatorframework.io/owner-name': 'bolt',
          },
        }),
      ],
      `${of} MutatingWebhookConfiguration bolt-2 (a URL, failurePolicy Fail), and belongs to ClusterExtension bolt`,
    ],
    [
      'of a Helm release',
      [
        configuration('kyverno', {
          clientConfig: service,
          annotations: { 'meta.helm.sh/release-name': 'kyverno', 'meta.helm.sh/release-namespace': 'kyverno' },
        }),
      ],
      `${of} ValidatingWebhookConfiguration kyverno (service guards/guard, failurePolicy Fail), and belongs to Helm release kyverno/kyverno`,
    ],
    [
      'of an object that it names',
      [
        configuration('cnpg', {
          clientConfig: service,
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'cnpg', uid: '1' }],
        }),
      ],
      `${of} ValidatingWebhookConfiguration cnpg (service guards/guard, failurePolicy Fail), and belongs to Deployment cnpg`,
    ],
    [
      'of two configurations',
      [configuration('b', { clientConfig: service }), configuration('a', { clientConfig: service })],
      `${of} ValidatingWebhookConfiguration a (service guards/guard, failurePolicy Fail); ${of} ValidatingWebhookConfiguration b (service guards/guard, failurePolicy Fail)`,
    ],
    ['that is gone', [configuration('other', { webhook: 'else.example.com' })], ''],
    ['among what cannot be read', [{ apiVersion: 'x', kind: 'y', metadata: {}, webhooks: 'none' }], ''],
  ])('%s', (_what, configurations, text) => {
    expect(whoseWebhook({ name: 'guard.example.com', answered: false }, configurations)).toBe(text);
    const read = namedWebhooks(`error creating csv x: ${SILENT}; ${text}.`);
    expect(read.map((one) => one.configuration)).toEqual(
      text === '' ? [] : configurations.map(({ metadata }) => metadata.name ?? '').sort(),
    );
    for (const { name, answered, service: called, owner } of read) {
      expect({ name, answered }).toEqual({ name: 'guard.example.com', answered: false });
      expect(called).toEqual(text.includes('a URL') ? undefined : { namespace: 'guards', name: 'guard' });
      expect(owner).toBe(/belongs to (.*)$/.exec(text)?.[1]);
    }
  });

  it('is not named by a message that is only similar', () => {
    expect(namedWebhooks('webhook "x" is of ValidatingWebhookConfiguration y (a URL, failurePolicy Fail)')).toEqual([]);
  });
});
