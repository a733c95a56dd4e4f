import { describe, expect, it } from 'vitest';
import { packageRecords } from '../../catalog/load/package-records.js';
import { ConfigMapCatalogError } from './configmap-catalog.error.js';
import { catalogOfConfigMap } from './configmap-catalog.js';

type Csv = Readonly<{ version: string; replaces?: string; skips?: string[]; skipRange?: string; owns?: string }>;

const csv = (name: string, { version, replaces, skips, skipRange, owns }: Csv) => ({
  metadata: { name, annotations: skipRange === undefined ? {} : { 'olm.skipRange': skipRange } },
  spec: {
    displayName: name,
    version,
    replaces,
    skips,
    minKubeVersion: '1.25.0',
    install: { strategy: 'deployment', spec: { deployments: [] } },
    customresourcedefinitions: {
      owned: owns === undefined ? [] : [{ name: 'buoys.sea.example', version: owns, kind: 'Buoy' }],
      required: [{ name: 'tides.sea.example', version: 'v1', kind: 'Tide' }],
    },
  },
});

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'buoys.sea.example' },
  spec: {
    group: 'sea.example',
    names: { kind: 'Buoy', plural: 'buoys' },
    versions: [
      { name: 'v1', served: true },
      { name: 'v2', served: true },
    ],
  },
};
const other = { ...crd, metadata: { name: 'x.y' }, spec: { ...crd.spec, names: { kind: 'X', plural: 'xs' } } };

const sea = { packageName: 'sea', channels: [{ name: 'stable', currentCSV: 'sea.v1.2.0' }] };
const csvs = [
  csv('sea.v1.0.0', { version: '1.0.0' }),
  csv('sea.v1.1.0', { version: '1.1.0', replaces: 'sea.v1.0.0' }),
  csv('sea.v1.1.1', { version: '1.1.1' }),
  csv('sea.v1.2.0', {
    version: '1.2.0',
    replaces: 'sea.v1.1.0',
    skips: ['sea.v1.1.1', 'sea.v0.0.1'],
    skipRange: '<1.2.0',
    owns: 'v1',
  }),
];

/** JSON is YAML: the tests below show where it is not written as such. */
const data = (lists: { crds?: unknown; csvs?: unknown; packages?: unknown }) => ({
  customResourceDefinitions: JSON.stringify(lists.crds ?? [crd, other]),
  clusterServiceVersions: JSON.stringify(lists.csvs ?? csvs),
  packages: JSON.stringify(lists.packages ?? [sea]),
});

describe('catalogOfConfigMap', () => {
  const { catalog, leftOut } = catalogOfConfigMap(data({}));
  const head = catalog.bundles.find(({ name }) => name === 'sea.v1.2.0');

  it('leaves nothing out where all is well', () => {
    expect(leftOut).toEqual([]);
  });

  it('walks the channel from currentCSV along replaces, and takes in what is skipped and there', () => {
    expect(catalog.packages).toEqual([{ schema: 'olm.package', name: 'sea', defaultChannel: 'stable' }]);
    expect(catalog.channels).toEqual([
      {
        schema: 'olm.channel',
        name: 'stable',
        package: 'sea',
        entries: [
          {
            name: 'sea.v1.2.0',
            replaces: 'sea.v1.1.0',
            skips: ['sea.v1.1.1', 'sea.v0.0.1'],
            skipRange: '<1.2.0',
          },
          { name: 'sea.v1.1.0', replaces: 'sea.v1.0.0' },
          { name: 'sea.v1.0.0' },
          { name: 'sea.v1.1.1' },
        ],
      },
    ]);
  });

  it('takes null for absent, as configmap-server does', () => {
    const nulls = { labels: null, annotations: null, finalizers: null };
    const csvs = figs.map((csv) => ({ ...csv, metadata: { ...csv.metadata, ...nulls } }));
    const read = catalogOfConfigMap(data({ csvs, packages: [{ ...sea, defaultChannel: null }] }));
    expect(read.leftOut).toEqual([]);
    expect(read.catalog.bundles.flatMap(({ objects }) => objects)).toHaveLength(
      catalog.bundles.flatMap(({ objects }) => objects).length,
    );
  });

  it('gives each bundle its CSV and the CRDs it owns, and the properties of a bundle', () => {
    expect(head?.objects.map(({ kind, metadata }) => [kind, Object(metadata).name])).toEqual([
      ['ClusterServiceVersion', 'sea.v1.2.0'],
      ['CustomResourceDefinition', 'buoys.sea.example'],
    ]);
    expect(head?.properties.filter(({ type }) => type !== 'olm.bundle.object')).toEqual([
      { type: 'olm.gvk', value: { group: 'sea.example', kind: 'Buoy', version: 'v1' } },
      { type: 'olm.gvk', value: { group: 'sea.example', kind: 'Buoy', version: 'v2' } },
      { type: 'olm.gvk.required', value: { group: 'sea.example', kind: 'Tide', version: 'v1' } },
      { type: 'olm.package', value: { packageName: 'sea', version: '1.2.0' } },
    ]);
  });

  it('can be resolved from: every entry has its version and inline manifests', () => {
    const [record] = packageRecords(catalog, ({ name }) => `sha256:${name}`);
    expect(record?.entries.map(({ name, version, source }) => [name, version, source])).toEqual(
      ['1.0.0', '1.1.0', '1.1.1', '1.2.0'].map((version) => [
        `sea.v${version}`,
        version,
        { inline: `sha256:sea.v${version}` },
      ]),
    );
  });

  it('takes several channels with a default, and YAML with kinds left out', () => {
    const packages = `
- packageName: sea
  defaultChannel: fast
  channels:
  - {name: fast, currentCSV: sea.v1.2.0}
  - {name: slow, currentCSV: sea.v1.0.0}
`;
    const { catalog: read } = catalogOfConfigMap({ ...data({}), packages });
    expect(read.packages[0]?.defaultChannel).toBe('fast');
    expect(read.channels.map(({ name, entries }) => `${name} ${entries?.length}`)).toEqual(['fast 4', 'slow 1']);
    expect(read.bundles).toHaveLength(4);
  });

  it('takes the last of several packages of one name, as OLM does, and says so once', () => {
    const packages = [{ ...sea, channels: [{ name: 'old', currentCSV: 'sea.v1.0.0' }] }, sea, sea];
    const read = catalogOfConfigMap(data({ packages }));
    expect(read.catalog).toEqual(catalog);
    expect(read.leftOut).toEqual(['key packages: sea is listed more than once; the last one counts']);
  });

  it('may be empty: a key that is there without items is an empty list', () => {
    const empty = { customResourceDefinitions: '', clusterServiceVersions: '[]', packages: '' };
    expect(catalogOfConfigMap(empty).catalog).toMatchObject({ packages: [], channels: [], bundles: [] });
  });

  const without = (key: string) => Object.fromEntries(Object.entries(data({})).filter(([name]) => name !== key));
  const looped = [
    csv('a.v1', { version: '1.0.0', replaces: 'a.v2' }),
    csv('a.v2', { version: '2.0.0', replaces: 'a.v1' }),
  ];
  it.each([
    ...['customResourceDefinitions', 'clusterServiceVersions', 'packages'].map((key) => ({
      because: `${key} is missing`,
      input: without(key),
      says: `couldn't find expected key ${key} in configmap`,
    })),
    { because: 'the first of several faults', input: {}, says: 'expected key customResourceDefinitions' },
    { because: 'a list that is none', input: data({ packages: { sea } }), says: 'key packages: a list is expected' },
    {
      because: 'broken YAML',
      input: { ...data({}), clusterServiceVersions: '- a\n- [' },
      says: 'key clusterServiceVersions: error converting YAML to JSON: yaml: line ',
    },
    { because: 'a package without a name', input: data({ packages: [{}] }), says: 'key packages, item 1: packageName' },
    {
      because: 'a channel without its CSV',
      input: data({ packages: [{ ...sea, channels: [{ name: 'stable', currentCSV: 'sea.v9' }] }] }),
      says: 'package "sea", channel "stable": currentCSV sea.v9 is not among clusterServiceVersions',
    },
    {
      because: 'a replaced CSV that is not there',
      input: data({ csvs: csvs.slice(1) }),
      says: 'Invalid bundle sea.v1.2.0, replaces nonexistent bundle sea.v1.0.0',
    },
    {
      because: 'a circle',
      input: data({ csvs: looped, packages: [{ packageName: 'a', channels: [{ name: 'c', currentCSV: 'a.v1' }] }] }),
      says: 'Cycle detected, a.v2 replaces a.v1',
    },
    {
      because: 'two channels and no default',
      input: data({
        packages: [{ packageName: 'sea', channels: ['a', 'b'].map((name) => ({ name, currentCSV: 'sea.v1.0.0' })) }],
      }),
      says: 'no default channel specified for sea',
    },
    {
      because: 'a default that is no channel',
      input: data({
        packages: [
          {
            packageName: 'sea',
            defaultChannel: 'c',
            channels: ['a', 'b'].map((name) => ({ name, currentCSV: 'sea.v1.0.0' })),
          },
        ],
      }),
      says: 'no default channel specified for sea',
    },
  ])('refuses: $because', ({ input, says }) => {
    expect(() => catalogOfConfigMap(input)).toThrow(ConfigMapCatalogError);
    expect(() => catalogOfConfigMap(input)).toThrow(says);
  });

  const fig = { packageName: 'fig', channels: [{ name: 'stable', currentCSV: 'fig.v1' }] };
  const figs = [...csvs, csv('fig.v1', { version: '1.0.0' })];
  const [v100, v110, v111, v120] = csvs;
  const bad = (item: unknown) => ({ ...Object(item), metadata: { ...Object(item).metadata, labels: 'none' } });
  it.each([
    {
      because: 'a CSV that cannot be read',
      input: { csvs: [...figs.slice(0, 3), bad(v120), figs[4]] },
      lost: 'sea.v1.2.0',
      says: 'package sea: bundle sea.v1.2.0: key clusterServiceVersions, item 4 (sea.v1.2.0): metadata.labels is a text; a map is expected',
    },
    {
      because: 'a CSV of another kind',
      input: { csvs: [{ ...v100, kind: 'Pod' }, ...figs.slice(1)] },
      lost: 'sea.v1.0.0',
      says: 'package sea: bundle sea.v1.0.0: key clusterServiceVersions, item 1 (sea.v1.0.0): kind ClusterServiceVersion is expected',
    },
    {
      because: 'a CSV that is no object and has no name',
      input: { csvs: [...figs, 'text'] },
      says: 'key clusterServiceVersions, item 6: the document is a text; a map is expected',
    },
    {
      because: 'one CSV twice',
      input: { csvs: [v100, v110, v111, v120, v111, figs[4]] },
      lost: 'sea.v1.1.1',
      says: 'package sea: bundle sea.v1.1.1: key clusterServiceVersions: sea.v1.1.1 is listed twice',
    },
    {
      because: 'a CRD that cannot be read',
      input: { crds: [bad(crd), other] },
      lost: 'sea.v1.2.0',
      says: 'key customResourceDefinitions, item 1 (buoys.sea.example): metadata.labels is a text; a map is expected',
    },
    {
      because: 'one CRD twice',
      input: { crds: [crd, crd] },
      lost: 'sea.v1.2.0',
      says: "package sea: bundle sea.v1.2.0: can't add the same CRD twice in one configmap: sea.example/v1/Buoy (buoys)",
    },
    {
      because: 'an owned CRD that is not there',
      input: { crds: [] },
      lost: 'sea.v1.2.0',
      says: "package sea: bundle sea.v1.2.0: error checking provided apis in bundle sea.v1.2.0: couldn't find sea.example/v1/Buoy (buoys) in bundle. found: map[]",
    },
    {
      because: 'a package that cannot be read',
      input: { packages: [sea, fig, { packageName: 'plum', channels: 'stable' }] },
      says: 'key packages, item 3 (plum): channels is a text; a list is expected',
    },
    {
      because: 'a package whose channel has no head',
      input: {
        packages: [sea, fig, { ...fig, packageName: 'plum', channels: [{ name: 'c', currentCSV: 'plum.v1' }] }],
      },
      says: 'package "plum", channel "c": currentCSV plum.v1 is not among clusterServiceVersions',
    },
  ])('leaves out alone, and says so: $because', ({ input, lost, says }) => {
    const read = catalogOfConfigMap(data({ csvs: figs, packages: [sea, fig], ...input }));
    const wanted = ['sea.v1.2.0', 'sea.v1.1.0', 'sea.v1.0.0', 'sea.v1.1.1', 'fig.v1'].filter((name) => name !== lost);
    expect(read.catalog.bundles.map(({ name }) => name).sort()).toEqual(wanted.sort());
    expect(read.leftOut).toContain(says);
    expect(read.leftOut.every((line) => line.length <= 200)).toBe(true);
  });

  it('keeps the way over a bundle that is lost', () => {
    const { catalog: read } = catalogOfConfigMap(data({ csvs: [v100, bad(v110), v111, v120] }));
    const [record] = packageRecords(read, ({ name }) => `sha256:${name}`);
    expect(record?.entries.map(({ name, replaces }) => `${name} < ${replaces}`)).toEqual([
      ...['sea.v1.0.0 < ', 'sea.v1.1.1 < ', 'sea.v1.2.0 < sea.v1.1.0'],
    ]);
  });

  it('takes names that mean something to JavaScript as names', () => {
    const odd = csv('__proto__', { version: '1.0.0' });
    const packages = [{ packageName: 'constructor', channels: [{ name: '__proto__', currentCSV: '__proto__' }] }];
    expect(catalogOfConfigMap(data({ csvs: [odd], packages })).catalog.bundles.map(({ name }) => name)).toEqual([
      '__proto__',
    ]);
  });
});
