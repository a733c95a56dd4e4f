import { describe, expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '../../kernel/api/cluster-extension.js';
import { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { PLAN_KEY, ROLLBACK_KEY } from '../../v1/revision/revision-keys.js';
import {
  type DesiredV1,
  desiredV1,
  extensionChanges,
  extensionConflict,
  extensionNameIn,
  extensionOver,
  pinnedExtension,
  v1SpecHash,
} from './desired-v1.js';

const digest = `sha256:${'a'.repeat(64)}`;
const catalog = (spec: object = {}): FleetCatalog =>
  FleetCatalog.parse({
    apiVersion: FLEET_API,
    kind: 'FleetCatalog',
    metadata: { name: 'curated', namespace: 'platform' },
    spec: { image: 'registry.example/curated:v1', clusterCatalog: { name: 'lamps', priority: 3 }, ...spec },
    status: { current: digest },
  });
const operator = (spec: object = {}): FleetOperator =>
  FleetOperator.parse({
    apiVersion: FLEET_API,
    kind: 'FleetOperator',
    metadata: { name: 'beacon', namespace: 'platform' },
    spec: { api: 'V1', package: 'beacon', namespace: 'beacons', catalog: { fleetCatalog: 'curated' }, ...spec },
  });
const wanted = (spec: object = {}): DesiredV1 => {
  const found = desiredV1(operator(spec), { catalog: catalog() });
  if (typeof found === 'string') throw new Error(found);
  return found;
};
const live = (catalogSource: object = {}, more: object = {}, annotations = {}): ClusterExtension =>
  ClusterExtension.parse({
    ...CLUSTER_EXTENSION_API,
    metadata: { name: 'lamp', annotations },
    spec: {
      namespace: 'beacons',
      source: { sourceType: 'Catalog', catalog: { packageName: 'beacon', version: '1.x', ...catalogSource } },
      ...more,
    },
  });

describe('what is to be in a cluster for a FleetOperator of OLM v1', () => {
  it('is a ClusterCatalog by digest, and a ClusterExtension that asks this one alone', () => {
    const { clusterCatalog, extension, catalogDigest } = wanted({ v1: { channels: ['stable'] } });
    expect(clusterCatalog?.spec).toEqual({
      source: { type: 'Image', image: { ref: `registry.example/curated@${digest}` } },
      priority: 3,
    });
    expect(catalogDigest).toBe(digest);
    expect(extension.spec).toEqual({
      namespace: 'beacons',
      source: {
        sourceType: 'Catalog',
        catalog: {
          packageName: 'beacon',
          channels: ['stable'],
          selector: { matchLabels: { 'olm.operatorframework.io/metadata.name': 'lamps' } },
        },
      },
    });
  });

  it.each([
    [undefined, 'there is no FleetCatalog curated in the namespace of the FleetOperator'],
    [
      catalog({ clusterCatalog: undefined, catalogSource: { name: 'c' } }),
      'FleetCatalog platform/curated has no clusterCatalog, which api: V1 needs: add one',
    ],
    [{ ...catalog(), status: {} }, 'the image of FleetCatalog curated was not fetched yet'],
  ])('is not known without its catalog', (found, problem) => {
    expect(desiredV1(operator(), { catalog: found })).toBe(problem);
  });

  it('has the exact version and what was reviewed, or what is held, in its turn', () => {
    const pinned = pinnedExtension(wanted(), 'lamp', '1.1.0', { [PLAN_KEY]: 'abc' });
    expect(pinned.spec.source.catalog?.version).toBe('1.1.0');
    expect(pinned.metadata).toEqual({
      name: 'lamp',
      annotations: { 'fleet.flotilla.dev/operator': 'platform/beacon', [PLAN_KEY]: 'abc' },
    });
    const held = pinnedExtension(wanted(), 'lamp', '1.0.0', { [ROLLBACK_KEY]: '3' });
    expect(held.metadata.annotations).not.toHaveProperty([PLAN_KEY]);
  });

  it('leaves what is not asked for as it is, and no trace of the turn before', () => {
    const there = live(
      { upgradeConstraintPolicy: 'SelfCertified' },
      { config: { configType: 'Inline' } },
      {
        [PLAN_KEY]: 'old',
        [ROLLBACK_KEY]: '1',
        mine: 'kept',
      },
    );
    const over = extensionOver(there, wanted(), '2.x');
    expect(over.spec.source.catalog).toMatchObject({ upgradeConstraintPolicy: 'SelfCertified', version: '2.x' });
    expect(over.spec.config).toEqual({ configType: 'Inline' });
    expect(over.metadata.annotations).toEqual({ mine: 'kept', 'fleet.flotilla.dev/operator': 'platform/beacon' });
    expect(extensionOver(there, wanted(), undefined).spec.source.catalog).not.toHaveProperty('version');
  });

  it('names each field that would change, but not the version', () => {
    const selector = { matchLabels: { 'olm.operatorframework.io/metadata.name': 'lamps' } };
    expect(extensionChanges(live({ selector }), wanted())).toEqual({ kinds: [], lines: [] });
    expect(extensionChanges(live({ selector }), wanted({ v1: { channels: ['beta'] } }))).toEqual({
      kinds: ['ChannelSwitch'],
      lines: ['ClusterExtension spec.source.catalog.channels: none → ["beta"]'],
    });
    expect(extensionChanges(live(), wanted()).kinds).toEqual(['ConfigChange']);
  });

  it('takes over the extension of the same package and namespace only where it may', () => {
    const there = live();
    expect(extensionNameIn([there], wanted())).toBe('lamp');
    expect(extensionNameIn([], wanted())).toBe('beacon');
    expect(extensionConflict(there, wanted())).toContain('set adopt: true');
    expect(extensionConflict(there, wanted({ adopt: true }))).toBeUndefined();
    expect(extensionConflict(live({ packageName: 'other' }), wanted({ adopt: true }))).toBe(
      'ClusterExtension lamp is of package other in namespace beacons',
    );
  });

  it('has the same hash with another digest of its catalog', () => {
    const other = desiredV1(operator(), { catalog: catalog(), digest: `sha256:${'b'.repeat(64)}` });
    expect(typeof other === 'string' ? other : v1SpecHash(other)).toBe(v1SpecHash(wanted()));
    expect(v1SpecHash(wanted({ v1: { channels: ['beta'] } }))).not.toBe(v1SpecHash(wanted()));
  });
});
