import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { desiredNamespaceOf } from './desired-namespace.js';

const csv = (name: string, more: Partial<ClusterServiceVersion> = {}): ClusterServiceVersion => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name, namespace: 'team', ...more.metadata },
  spec: { version: '1.0.0', replaces: 'older', ...more.spec },
  ...(more.status === undefined ? {} : { status: more.status }),
});
const group = (upgradeStrategy?: string): OperatorGroup => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: { name: 'group' },
  spec: upgradeStrategy === undefined ? {} : { upgradeStrategy },
});
const subscription = (name: string): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name },
  spec: { name, source: 'shelf', sourceNamespace: 'olm' },
});
const observed = (
  csvs: ClusterServiceVersion[],
  groups: OperatorGroup[] = [group()],
  subscriptions: Subscription[] = [],
) =>
  desiredNamespaceOf({ namespace: 'team', globalCatalogNamespace: 'olm', operatorGroups: groups, subscriptions, csvs });

describe('desiredNamespaceOf', () => {
  it.each([
    { because: 'its status says Copied', copy: csv('a', { status: { reason: 'Copied' } }) },
    { because: 'its label names the origin', copy: csv('a', { metadata: { labels: { 'olm.copiedFrom': 'other' } } }) },
    {
      because: 'its operator lives elsewhere',
      copy: csv('a', { metadata: { annotations: { 'olm.operatorNamespace': 'other' } } }),
    },
  ])('drops a copied CSV: $because', ({ copy }) => {
    expect(observed([copy]).csvs).toEqual([]);
  });

  it('drops a copied CSV under fail forward too, whatever it says to replace', () => {
    const copy = csv('b', { metadata: { labels: { 'olm.copiedFrom': 'other' } }, spec: { replaces: 'a' } });
    const own = csv('a', { status: { phase: 'Succeeded' } });
    expect(observed([own, copy], [group('TechPreviewUnsafeFailForward')]).csvs.map(({ name }) => name)).toEqual(['a']);
  });

  it('keeps a CSV whose operator lives in this very namespace', () => {
    const own = csv('a', { metadata: { name: 'a', annotations: { 'olm.operatorNamespace': 'team' } } });
    expect(observed([own]).csvs.map(({ name }) => name)).toEqual(['a']);
  });

  it('does not let the phase of a CSV change the question, except under fail forward', () => {
    const phases = ['Installing', 'Succeeded'].map((phase) => csv('a', { status: { phase } }));
    const asked = (strategy?: string) => phases.map((one) => JSON.stringify(observed([one], [group(strategy)])));
    expect(new Set(asked()).size).toBe(1);
    expect(new Set(asked('TechPreviewUnsafeFailForward')).size).toBe(2);
  });

  it('gives the same desired state whatever the order of objects', () => {
    const [one, two] = [csv('a'), csv('b')];
    const [first, second] = [subscription('x'), subscription('y')];
    expect(observed([two, one], [group()], [second, first])).toEqual(observed([one, two], [group()], [first, second]));
  });

  it('reads APIs from the spec only where there is no properties annotation', () => {
    const spec = {
      customresourcedefinitions: { owned: [{ name: 'lights.sample.test', version: 'v1', kind: 'Light' }] },
    };
    const [bare] = observed([csv('a', { spec })]).csvs;
    expect(bare?.ownedApis).toEqual([
      { name: 'lights.sample.test', group: 'sample.test', version: 'v1', kind: 'Light' },
    ]);
    const annotated = csv('a', { spec, metadata: { annotations: { 'operatorframework.io/properties': '{}' } } });
    expect(observed([annotated]).csvs[0]).toMatchObject({ ownedApis: [], propertiesAnnotation: '{}' });
  });
});
