import { expect, it } from 'vitest';
import { clusterFindings } from './cluster-findings.js';

const conditioned = (kind: string, name: string, conditions: readonly object[]) => ({
  apiVersion: 'olm.operatorframework.io/v1',
  kind,
  metadata: { name },
  status: { conditions },
});
const bad = conditioned('ClusterCatalog', 'bad', [
  { type: 'Serving', status: 'False', reason: 'Unavailable' },
  { type: 'Progressing', status: 'True', reason: 'Retrying', message: 'source catalog content: not found' },
]);
const extension = (name: string, catalog: string) =>
  conditioned('ClusterExtension', name, [
    { type: 'Installed', status: 'True', reason: 'Succeeded', message: 'Installed bundle lamp successfully' },
    {
      type: 'Progressing',
      status: 'True',
      reason: 'Retrying',
      message: `error walking catalogs: error getting package "lamp" from catalog "${catalog}": catalog "${catalog}" is not being served`,
    },
  ]);
const findings = (objects: readonly ReturnType<typeof conditioned>[]) =>
  clusterFindings({
    globalCatalogNamespace: 'olm',
    catalogSources: [],
    subscriptions: [],
    installPlans: [],
    csvs: [],
    operatorGroups: [],
    conditioned: objects,
  });

it('a catalog that is not served comes first, with the extensions that it blocks, and they are not listed again', () => {
  const [first, ...others] = findings([extension('b', 'bad'), extension('a', 'bad'), bad]);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ kind: 'ClusterCatalog', name: 'bad', standing: 'failed' });
  expect(first?.because.at(-1)).toBe('It blocks ClusterExtensions a, b.');
  expect(first?.todo[0]).toContain('spec.availabilityMode');
});

it('an extension that names a catalog which is well, or gone, is listed itself', () => {
  const served = conditioned('ClusterCatalog', 'good', [
    { type: 'Serving', status: 'True', reason: 'Available' },
    { type: 'Progressing', status: 'True', reason: 'Succeeded' },
  ]);
  expect(findings([served, extension('a', 'good'), extension('b', 'gone')]).map(({ name }) => name)).toEqual([
    'a',
    'b',
  ]);
});
