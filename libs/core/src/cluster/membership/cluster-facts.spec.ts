import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { claimsIn, nodeFacts, observedNode } from './cluster-facts.js';

const node = (architecture: string, providerID?: string) =>
  ({
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels: { big: 'x' } } },
    spec: { providerID, podCIDR: '10.0.0.0/24' },
    status: { nodeInfo: { architecture }, images: [{}] },
  }) as unknown as KubernetesObject;

describe('the facts of a cluster', () => {
  it('are its nodes, their architectures and the provider of most', () => {
    const nodes = [node('arm64', 'aws:///eu-1/i-1'), node('amd64', 'aws:///eu-1/i-2'), node('amd64', 'kind://x')];
    const facts = { arches: ['amd64', 'arm64'], nodes: 3, provider: 'aws' };
    expect(nodeFacts(nodes)).toEqual(facts);
    expect(nodeFacts(nodes.map(observedNode)), 'of what is kept of a node').toEqual(facts);
    expect(nodeFacts([])).toEqual({ arches: [], nodes: 0, provider: undefined });
    expect(nodeFacts([node('amd64', 'i-1')]).provider).toBeUndefined();
  });

  it('have what the owner of the cluster claims, at most 32 short texts', () => {
    const of = (data: object) =>
      claimsIn({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data } as KubernetesObject);
    expect(of({ site: 'hall-7', long: 'x'.repeat(257), none: 7 })).toEqual({ site: 'hall-7' });
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`c${String(at).padStart(2, '0')}`, 'v']));
    expect(Object.keys(of(many))).toHaveLength(32);
    expect(claimsIn(undefined)).toEqual({});
  });
});
