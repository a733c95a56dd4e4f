import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { reviewedHash, reviewedPhases } from './reviewed-content.js';

const secret = (data: object): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'cert', namespace: 'n' } },
  ...{ type: 'kubernetes.io/tls', data },
});
const webhook = (caBundle: string): KubernetesObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'v' },
  webhooks: [{ name: 'v', clientConfig: { caBundle } }],
});
const hashOf = (...objects: KubernetesObject[]) => reviewedHash([{ name: 'deploy', objects }]);

describe('rendered content as it is reviewed', () => {
  it('is the same where certificates alone were issued anew', () => {
    const issued = (key: string) => secret({ 'tls.crt': key, 'tls.key': key, olmCAKey: key });
    expect(hashOf(issued('a'), webhook('a'))).toBe(hashOf(issued('b'), webhook('b')));
    expect(JSON.stringify(reviewedPhases([{ name: 'deploy', objects: [issued('s3cret')] }]))).not.toContain('s3cret');
  });

  it('is another where a bundle brings another certificate, or anything else changes', () => {
    expect(hashOf(secret({ 'tls.crt': 'a' }))).not.toBe(hashOf(secret({ 'tls.crt': 'b' })));
    const other = { ...webhook('a'), webhooks: [{ name: 'w', clientConfig: { caBundle: 'a' } }] };
    expect(hashOf(webhook('a'))).not.toBe(hashOf(other));
  });
});
