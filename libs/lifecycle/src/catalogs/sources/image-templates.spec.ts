import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterLeftToOlm } from '#platform/joining/cluster-writes';
import { silentLog } from '#platform/telemetry/log.port';
import type { DirectCluster } from '#testing/cluster/direct-client';
import { DefaultSources } from './default-sources.js';
import { ImageTemplates } from './image-templates.js';
import { addSource, clusterWithSources, SHOP, storedSource } from './source-environment.fixture.js';

let direct: DirectCluster;
let warnings: string[];
beforeEach(async () => {
  direct = await clusterWithSources('v1.34.4');
  warnings = [];
});
afterEach(() => direct.stop());

const log = { ...silentLog, warn: (_fields: unknown, text: string) => void warnings.push(text) };
const TEMPLATE = 'registry.example/shop:v{kube_major_version}.{kube_minor_version}';
const templated = (template = TEMPLATE) =>
  addSource(direct, {}, { annotations: { 'olm.catalogImageTemplate': template } });
const templates = () => new ImageTemplates({ client: direct.client, log });
const image = () => storedSource(direct).spec.image;

describe('the image template of a CatalogSource', () => {
  it('is resolved by the version of the cluster once that is known', async () => {
    const source = templated();
    const found = templates();
    expect([found.ready, found.isTemplated(source), found.resolved(source)]).toEqual([false, true, source]);
    await found.readVersion();
    expect(found.ready).toBe(true);
    expect(found.resolved(source).spec.image).toBe('registry.example/shop:v1.34');
  });

  it('is none without the annotation, or with an empty one', async () => {
    const found = templates();
    await found.readVersion();
    const empty = templated('');
    expect([found.isTemplated(empty), found.outcomeOf(empty), found.resolved(empty)]).toEqual([
      false,
      undefined,
      empty,
    ]);
  });

  it('is written to the cluster, once', async () => {
    const found = templates();
    await found.readVersion();
    await found.writeImage(templated());
    expect(image()).toBe('registry.example/shop:v1.34');
    direct.cluster.requests.clear();
    await found.writeImage(storedSource(direct));
    expect(direct.cluster.requests.writes()).toEqual([]);
  });

  it.each<[what: string, template: string, known: boolean]>([
    ['while the version is unknown', TEMPLATE, false],
    ['where it has another variable', 'registry.example/shop:{kube_colour}', true],
  ])('leaves the image as it is %s', async (_, template, known) => {
    const found = templates();
    if (known) await found.readVersion();
    await found.writeImage(templated(template));
    expect(image()).toBe('registry.example/shop:latest');
  });

  it('keeps the last version where it cannot be read again', async () => {
    const found = templates();
    await found.readVersion();
    direct.cluster.lossOf = () => 'request';
    await found.readVersion();
    expect([found.ready, warnings.length]).toEqual([true, 1]);
    expect(found.resolved(templated()).spec.image).toBe('registry.example/shop:v1.34');
  });

  it.each<[what: string, prepare: () => void, warned: number]>([
    [
      'another client changed the source first',
      () => direct.cluster.edit(SHOP, ({ metadata }) => Object.assign(metadata, { labels: { a: 'b' } })),
      0,
    ],
    ['the source is gone', () => direct.cluster.delete(SHOP), 0],
    [
      'the cluster is left to OLM',
      () => Object.assign(direct.client, { patch: () => Promise.reject(new ClusterLeftToOlm('harbour')) }),
      0,
    ],
    ['the API server refuses', () => direct.cluster.failNext({ verb: 'patch' }, 403, 'Forbidden'), 1],
  ])('is not written where %s, and no pass fails', async (_, prepare, warned) => {
    const found = templates();
    await found.readVersion();
    const source = templated();
    prepare();
    await found.writeImage(source);
    expect(warnings).toHaveLength(warned);
    expect(direct.cluster.get(SHOP)).not.toMatchObject({ spec: { image: 'registry.example/shop:v1.34' } });
  });
});

describe('the default CatalogSources of OpenShift', () => {
  const shipped = () =>
    addSource(direct, {}, { annotations: { 'operatorframework.io/managed-by': 'marketplace-operator' } });
  const hub = (spec: object) => ({ metadata: { name: 'cluster' }, spec }) as never;

  it('are those of the marketplace operator, disabled as the OperatorHub was read last', async () => {
    const answers: (() => Promise<unknown>)[] = [
      async () => hub({ disableAllDefaultSources: true }),
      async () => Promise.reject(new Error('away')),
      async () => hub({ disableAllDefaultSources: true, sources: [{ name: 'shop', disabled: false }] }),
      async () => undefined,
    ];
    const client = { cluster: 'harbour', get: () => answers.shift()?.() } as never;
    const defaults = new DefaultSources({ client, log });
    const source = shipped();
    const seen: boolean[] = [defaults.isDisabled(source)];
    for (const _ of [1, 2, 3, 4]) {
      await defaults.read();
      seen.push(defaults.isDisabled(source));
    }
    expect(seen).toEqual([false, true, true, false, false]);
    expect(warnings).toEqual(['could not read OperatorHub cluster: its last state stays in force']);
    expect(defaults.isDefault(source)).toBe(true);
  });

  it('are no others, though they have the same name', async () => {
    const client = { cluster: 'harbour', get: async () => hub({ disableAllDefaultSources: true }) } as never;
    const defaults = new DefaultSources({ client, log });
    await defaults.read();
    const own = addSource(direct);
    expect([defaults.isDefault(own), defaults.isDisabled(own)]).toEqual([false, false]);
  });
});
