import { describe, expect, it } from 'vitest';
import { CATALOG_SOURCE_API, type CatalogSource } from '../../kernel/api/catalog-source.js';
import { CLUSTER_CATALOG_API, type ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '../../kernel/api/cluster-extension.js';
import { SUBSCRIPTION_API, type Subscription } from '../../kernel/api/subscription.js';
import { dnsName } from '../../kernel/labels/dns-name.js';
import { readFleetObject } from '../kinds/read-fleet-object.js';
import { type ExportedCluster, fleetManifests } from './fleet-manifests.js';

const IMAGE = 'registry.example/curated:v1';
const source = (name = 'curated', spec: object = { image: IMAGE }): CatalogSource => ({
  ...CATALOG_SOURCE_API,
  metadata: { name, namespace: 'olm' },
  spec: { sourceType: 'grpc', ...spec },
});
const served = (name = 'curated', ref = IMAGE): ClusterCatalog => ({
  ...CLUSTER_CATALOG_API,
  metadata: { name },
  spec: { source: { type: 'Image', image: { ref } } },
});
const subscription = (name: string, spec: object = {}, namespace = 'team'): Subscription => ({
  ...SUBSCRIPTION_API,
  metadata: { name, namespace },
  spec: { name, channel: 'stable', source: 'curated', sourceNamespace: 'olm', ...spec },
});
const extension = (name: string, catalog: object = {}): ClusterExtension => ({
  ...CLUSTER_EXTENSION_API,
  metadata: { name },
  spec: { namespace: 'lights', source: { sourceType: 'Catalog', catalog: { packageName: name, ...catalog } } },
});
const cluster = (context: string, more: Partial<ExportedCluster> = {}): ExportedCluster => ({
  context,
  uid: `uid-${context}`,
  globalCatalogNamespace: 'olm',
  isGlobalNamespaceSet: false,
  catalogSources: [source()],
  clusterCatalogs: [],
  subscriptions: [subscription('kafka')],
  extensions: [],
  ...more,
});

describe('manifests of a fleet from what clusters have', () => {
  it('are objects that an API server with the definitions takes', () => {
    const fleet = fleetManifests(
      [
        cluster('East/1', { clusterCatalogs: [served()], extensions: [extension('lamp', { version: '1.x' })] }),
        cluster('west', { subscriptions: [subscription('kafka', { channel: 'beta', config: { env: [] } })] }),
      ],
      'fleet',
    );
    const all = [...fleet.clusters, ...fleet.catalogs, ...fleet.operators, fleet.strategy];
    expect(all.map((object) => readFleetObject(object)).filter((read) => !('object' in read))).toEqual([]);
    expect(all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'FleetCluster east-1',
      'FleetCluster west',
      'FleetCatalog curated',
      'FleetCatalog curated-2',
      'FleetOperator kafka',
      'FleetOperator lamp',
      'FleetStrategy careful',
    ]);
  });

  it('adopt a Subscription of many clusters as one FleetOperator, with other channels as overrides', () => {
    const west = cluster('west', { subscriptions: [subscription('kafka', { channel: 'beta' })] });
    const { operators, catalogs } = fleetManifests([cluster('a'), cluster('b'), west], 'fleet');
    expect(operators.map(({ spec }) => spec)).toEqual([
      {
        package: 'kafka',
        namespace: 'team',
        api: 'Classic',
        catalog: { fleetCatalog: 'curated' },
        classic: { channel: 'stable', operatorGroup: { manage: 'Use' } },
        overrides: [{ clusters: { expression: 'cluster.name in ["west"]' }, channel: 'beta' }],
        strategyRef: { name: 'careful' },
        adopt: true,
      },
    ]);
    expect(catalogs.map(({ spec }) => spec)).toEqual([
      { image: IMAGE, catalogSource: { name: 'curated' }, adopt: true },
    ]);
  });

  it('name the clusters where not all have it, and one catalog for both forms of an image', () => {
    const east = cluster('east', { clusterCatalogs: [served()], extensions: [extension('lamp')] });
    const { operators, catalogs } = fleetManifests(
      [east, cluster('west', { catalogSources: [], subscriptions: [] })],
      'f',
    );
    const only = { clusters: { expression: 'cluster.name in ["east"]' } };
    expect(catalogs.map(({ spec }) => spec)).toEqual([
      { image: IMAGE, catalogSource: { name: 'curated' }, clusterCatalog: { name: 'curated' }, ...only, adopt: true },
    ]);
    expect(
      operators.map(({ metadata, spec }) => [metadata.name, spec['api'], spec['clusters'], spec['catalog']]),
    ).toEqual([
      ['kafka', 'Classic', only.clusters, { fleetCatalog: 'curated' }],
      ['lamp', 'V1', only.clusters, { fleetCatalog: 'curated' }],
    ]);
  });

  it('give operators of one package in two namespaces two names, and keep off those of rollouts of catalogs', () => {
    const twice = [subscription('kafka'), subscription('kafka', {}, 'other'), subscription('catalog-x')];
    const { operators } = fleetManifests([cluster('a', { subscriptions: twice })], 'fleet');
    expect(operators.map(({ metadata }) => metadata.name)).toEqual(['kafka-other', 'kafka-team', 'operator-catalog-x']);
  });

  it('note what a fleet does not cover', () => {
    const { notes, operators } = fleetManifests(
      [
        cluster('a', {
          catalogSources: [source('curated', { address: 'host:50051' })],
          clusterCatalogs: [served('one'), served('two', 'other')],
          extensions: [extension('lamp')],
        }),
      ],
      'fleet',
    );
    expect(notes).toEqual([
      'a: CatalogSource olm/curated has no image: it stays as it is, and operators name it',
      'a: ClusterExtension lamp names no catalog, and there are several: it is left out',
    ]);
    expect(operators[0]?.spec['catalog']).toEqual({ name: 'curated', namespace: 'olm' });
  });

  it('refuse two contexts that would have one name', () => {
    expect(() => fleetManifests([cluster('East'), cluster('east')], 'fleet')).toThrow(/both be FleetCluster east/);
  });
});

it.each([
  ['kind-east', 'kind-east'],
  ['arn:aws:eks:eu:1/Prod', 'arn-aws-eks-eu-1-prod'],
  ['admin@hub', 'admin-hub'],
  ['-a-', 'a'],
  ['@@', 'unnamed'],
])('%s is named %s', (text, name) => {
  expect(dnsName(text)).toBe(name);
});
