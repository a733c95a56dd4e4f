import { describe, expect, it } from 'vitest';
import { CLUSTER_CATALOG_API, type ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import { desiredContentOf, nameLabelPatch, pollDelayMs, releasePatch } from './cluster-catalog-spec.js';

const SHA = `sha256:${'a'.repeat(64)}`;
const catalog = (
  spec: Partial<ClusterCatalog['spec']> = {},
  metadata: ClusterCatalog['metadata'] = {},
): ClusterCatalog => ({
  ...CLUSTER_CATALOG_API,
  metadata: { name: 'shop', ...metadata },
  spec: { source: { type: 'Image', image: { ref: 'registry.example/shop:v1' } }, ...spec },
});
const polled = (ref: string, pollIntervalMinutes?: number) =>
  catalog({
    source: { type: 'Image', image: pollIntervalMinutes === undefined ? { ref } : { ref, pollIntervalMinutes } },
  });

describe('the desired state of a ClusterCatalog', () => {
  it.each([
    { spec: {}, desired: { kind: 'image', ref: 'registry.example/shop:v1' } },
    { spec: { availabilityMode: 'Available' }, desired: { kind: 'image', ref: 'registry.example/shop:v1' } },
    { spec: { availabilityMode: 'Unavailable' }, desired: { kind: 'unavailable' } },
    { spec: { source: { type: 'Git' } }, desired: { kind: 'invalid', message: 'unknown source type "Git"' } },
    {
      spec: { source: { type: 'Image' } },
      desired: { kind: 'invalid', message: 'error parsing ClusterCatalog "shop", image source is nil' },
    },
    { spec: { source: { type: 'Git' }, availabilityMode: 'Unavailable' }, desired: { kind: 'unavailable' } },
  ])('$spec: $desired.kind', ({ spec, desired }) => {
    expect(desiredContentOf(catalog(spec))).toEqual(desired);
  });
});

describe('the time to the next poll', () => {
  it.each([
    { of: polled('registry.example/shop:v1', 10), random: 0, ms: 600_000, because: 'never earlier than asked for' },
    { of: polled('registry.example/shop:v1', 10), random: 0.5, ms: 603_000, because: 'up to one percent later' },
    { of: polled('registry.example/shop:v1'), random: 0, ms: undefined, because: 'without an interval, never' },
    { of: polled('registry.example:5000/shop:v1', 1), random: 0, ms: 60_000, because: 'a port makes no digest' },
    { of: polled(`registry.example/shop@${SHA}`, 10), random: 0, ms: undefined, because: 'a digest never changes' },
    { of: polled(`registry.example/shop:v1@${SHA}`, 10), random: 0, ms: undefined, because: 'a tag beside it neither' },
    {
      of: catalog({ ...polled('registry.example/shop:v1', 10).spec, availabilityMode: 'Unavailable' }),
      random: 0,
      ms: undefined,
      because: 'nothing is desired',
    },
  ])('$ms ms: $because', ({ of, random, ms }) => {
    expect(pollDelayMs(of, random)).toBe(ms);
  });
});

describe('what is written into the metadata', () => {
  it.each([
    { labels: undefined, patched: true, because: 'no label yet' },
    {
      labels: { ['olm.operatorframework.io/metadata.name']: 'other' },
      patched: true,
      because: 'a wrong one is put right, as by OLM’s webhook',
    },
    {
      labels: { ['olm.operatorframework.io/metadata.name']: 'shop', more: 'x' },
      patched: false,
      because: 'it is right',
    },
  ])('name label: $because', ({ labels, patched }) => {
    const patch = nameLabelPatch(catalog({}, labels === undefined ? {} : { labels }));
    expect(patch).toEqual(
      patched ? { metadata: { labels: { ['olm.operatorframework.io/metadata.name']: 'shop' } } } : undefined,
    );
  });

  it('takes catalogd’s finalizer off a deleted catalog alone, and no other', () => {
    const finalizers = ['other.example/keep', 'olm.operatorframework.io/delete-server-cache'];
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(releasePatch(catalog({}, { finalizers }))).toBeUndefined();
    expect(releasePatch(catalog({}, { finalizers: ['other.example/keep'], deletionTimestamp }))).toBeUndefined();
    expect(releasePatch(catalog({}, { finalizers, deletionTimestamp, resourceVersion: '7' }))).toEqual({
      metadata: { resourceVersion: '7', finalizers: ['other.example/keep'] },
    });
    expect(nameLabelPatch(catalog({}, { deletionTimestamp }))).toBeUndefined();
  });
});
