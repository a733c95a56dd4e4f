import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { csvFaults, foreseenFailures } from './foreseen-failures.js';

const RULE = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

/** A CSV with a strategy, and these fields of its spec. */
const csv = (spec: object = {}, install: object = {}): KubernetesObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'lamp.v1.0.0' },
  spec: { install: { strategy: 'deployment', spec: { deployments: [], ...install } }, ...spec },
});
const permitted = (permission: object): object => ({ permissions: [{ serviceAccountName: 'lamp', ...permission }] });
const webhook = {
  generateName: 'a',
  type: 'ValidatingAdmissionWebhook',
  sideEffects: 'None',
  admissionReviewVersions: [],
};
const mode = { type: 'OwnNamespace', supported: true };

describe('why an install of a CSV will fail, whatever its cluster holds', () => {
  it.each<{ of: KubernetesObject; says: readonly (string | RegExp)[] }>([
    { of: csv(), says: [] },
    { of: csv({ minKubeVersion: '1.11.0' }, permitted({ rules: [RULE] })), says: [] },
    { of: csv({ minKubeVersion: null, installModes: null, webhookdefinitions: null }), says: [] },
    { of: csv({ installModes: [mode, mode] }), says: [/duplicates.*OwnNamespace/] },
    { of: csv({ webhookdefinitions: [webhook, webhook] }), says: [/repeated WebhookDescription/] },
    { of: csv({ minKubeVersion: 'latest' }), says: [/^spec\.minKubeVersion "latest" is not a version/] },
    { of: csv({ minKubeVersion: '1.x' }), says: [/1\.x/] },
    { of: csv({}, permitted({ rules: [{ ...RULE, verbs: [] }] })), says: [/install strategy invalid: .*verb/] },
    { of: csv({ install: { strategy: 'helm', spec: { deployments: [] } } }), says: [/unrecognized install strategy/] },
    { of: csv({ install: null }), says: [/unrecognized install strategy/] },
    { of: csv({ skips: 'what cannot be decoded is told elsewhere' }), says: [] },
  ])('$says', ({ of, says }) => {
    const failures = foreseenFailures(of);
    expect(failures).toHaveLength(says.length);
    for (const [index, text] of says.entries()) expect(failures[index]).toMatch(text);
  });

  it('leaves the install strategy to the check of a bundle', () => {
    expect(csvFaults(csv({ install: { strategy: 'helm', spec: { deployments: [] } } }))).toEqual([]);
  });
});
