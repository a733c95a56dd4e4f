import type { SeededDraws } from '#testing/seeded-draws';
import { type LayerShape, mapAt, utf8 } from '../bundles/bundle-draft.js';
import { blobOf, type CatalogDraft } from '../catalogs/catalog-draft.js';
import { readValue, recordOf, Written, WrittenMap, type YamlMap, yamlText } from '../text/yaml-tree.js';
import { DAMAGES, damagedShape } from './layer-oddities.js';
import { ACCEPTED, type Expectation, unreadable } from './oddity.js';

/** One thing about a catalog that programs read in different ways, or not at all. */
export type CatalogOddity = Readonly<{
  name: string;
  weight: number;
  slot: string;
  kind: CatalogDraft['kind'];
  /** Its bundle has its manifests in the catalog. */
  inline?: true;
  put: (draft: CatalogDraft, draws: SeededDraws) => Expectation;
}>;

type Put = CatalogOddity['put'];
const ofFiles = (name: string, weight: number, slot: string, put: Put): CatalogOddity => ({
  ...{ name, weight, slot, put },
  kind: 'files',
});
const ofInline = (name: string, weight: number, slot: string, put: Put): CatalogOddity => ({
  ...ofFiles(name, weight, slot, put),
  inline: true,
});

/** The bytes of its file in another form. */
const encoded = (name: string, weight: number, encode: (yaml: string) => Uint8Array): CatalogOddity =>
  ofFiles(`catalog with ${name}`, weight, 'encoding', (draft) => {
    for (const file of draft.files) file.encode = encode;
    return ACCEPTED;
  });

const shaped = (name: string, weight: number, shape: Partial<LayerShape>): CatalogOddity =>
  ofFiles(`catalog image: ${name}`, weight, 'layers', (draft) => {
    Object.assign(draft.layers, shape);
    return ACCEPTED;
  });

/** A part of its image that the registry has lost. */
const damaged = DAMAGES.map(({ damage, place, words }) =>
  ofFiles(`catalog image with its ${damage}`, 1, 'layers|broken', (draft) => {
    Object.assign(draft.layers, damagedShape(damage));
    return unreadable([place], ...words);
  }),
);

/** A member of a blob that opm requires, with this type. */
const broken = (
  name: string,
  words: (draft: CatalogDraft) => readonly string[],
  put: (draft: CatalogDraft) => void,
): CatalogOddity =>
  ofFiles(name, 1, 'broken', (draft) => {
    put(draft);
    return unreadable([''], ...words(draft));
  });

const packageOf = (draft: CatalogDraft): YamlMap => blobOf(draft, 'olm.package');
const channelOf = (draft: CatalogDraft): YamlMap => blobOf(draft, 'olm.channel');
const bundleOf = (draft: CatalogDraft): YamlMap => blobOf(draft, 'olm.bundle');
const propertiesOf = (draft: CatalogDraft): YamlMap[] => bundleOf(draft)['properties'] as YamlMap[];
const entriesOf = (draft: CatalogDraft): YamlMap[] => {
  const { entries } = channelOf(draft);
  return Array.isArray(entries) ? entries : [];
};
const add = ({ files }: CatalogDraft, blob: YamlMap): void => void files[0]?.blobs.push(blob);
const keyOf = ({ bundle }: CatalogDraft): string => bundle.key;

const NOTE = new Written('{a: [null, 1.0, b]}', undefined);
const LONG = { schema: 'example.note', note: 'Lorem ipsum dolor sit amet\n'.repeat(900) };

/** Changes an object in the catalog: its data is base64. */
function editInline(draft: CatalogDraft, kind: string, edit: (object: YamlMap) => void): string | undefined {
  const objects = propertiesOf(draft).filter(({ type }) => type === 'olm.bundle.object');
  for (const { value } of objects) {
    const held = value as YamlMap;
    const object = JSON.parse(Buffer.from(String(held['data']), 'base64').toString()) as YamlMap;
    if (object['kind'] !== kind) continue;
    edit(object);
    held['data'] = Buffer.from(JSON.stringify(object)).toString('base64');
    return String(mapAt(object, 'metadata')['name']);
  }
  return undefined;
}

const nameIn = (tree: YamlMap): string => String(mapAt(tree, 'metadata')['name']);

export const CATALOG_ODDITIES: readonly CatalogOddity[] = [
  encoded('a byte order mark', 2, (yaml) => utf8(`\ufeff${yaml}`)),
  encoded('line ends of Windows', 20, (yaml) => utf8(yaml.replaceAll('\n', '\r\n'))),
  encoded('comments between its documents', 300, (yaml) => utf8(yaml.replaceAll('\n---\n', '\n\n# a blob\n---\n'))),
  encoded('comments behind its separators', 20, (yaml) => utf8(yaml.replaceAll('---\n', '--- # a blob\n'))),
  encoded('no first separator', 500, (yaml) => utf8(yaml.replace('---\n', ''))),
  ofFiles('catalog as a stream of JSON', 3_000, 'encoding', (draft, draws) => {
    const space = draws.oneOf([0, 4]);
    const between = draws.oneOf(['', '\n', '\n\n', ' ']);
    for (const file of draft.files)
      file.encode = () =>
        utf8(file.blobs.map((blob) => JSON.stringify(readValue(blob), undefined, space)).join(between));
    for (const file of draft.files) file.path = file.path.replace('.yaml', draws.oneOf(['.json', '', '.yaml']));
    return ACCEPTED;
  }),
  ofFiles('a file for each blob', 1_500, 'files', (draft, draws) => {
    const [first] = draft.files;
    if (first === undefined) return ACCEPTED;
    const { blobs } = first;
    draft.files = draws.shuffled(blobs).map((blob, at) => ({
      path: `configs/${draws.oneOf(['', 'deep/er/'])}${at}-${String(readValue(blob['schema']))}.yaml`,
      blobs: [blob],
      encode: utf8,
    }));
    return ACCEPTED;
  }),
  ofFiles('description that goes on in a line not indented deeper', 10, 'description', (draft, draws) => {
    const texts = [
      new Written('"A kettle\nthat boils"', 'A kettle that boils'),
      new Written("'A kettle\nthat boils'", 'A kettle that boils'),
      new Written('|# as it is\n  A kettle\n  that boils', 'A kettle\nthat boils\n'),
      new Written('>-\n  A kettle\n  that boils', 'A kettle that boils'),
    ];
    packageOf(draft)['description'] = draws.oneOf(texts);
    return ACCEPTED;
  }),
  ofFiles('list in brackets that ends at the column of its key', 10, 'entries', (draft) => {
    const entries = entriesOf(draft).map((entry) => readValue(entry));
    const texts = entries.map((entry) => `  ${JSON.stringify(entry)},\n`);
    if (texts.length > 0) channelOf(draft)['entries'] = new Written(`[\n${texts.join('')}]`, entries);
    return ACCEPTED;
  }),
  ofFiles('map in brackets that ends at the column of its key', 5, 'property', (draft) => {
    const held = recordOf(mapAt(propertiesOf(draft)[0] ?? {}, 'value'));
    const members = Object.entries(held).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
    propertiesOf(draft)[0] = { type: 'olm.package', value: new Written(`{\n${members.join(',\n')}\n  }`, held) };
    return ACCEPTED;
  }),
  ofFiles('merge key with its tag', 5, 'merge', (draft) => {
    const base = new Written('&base\n  package: none', { package: 'none' });
    add(draft, {
      schema: 'example.merged',
      base,
      more: new WrittenMap({ own: 'yes sir' }, ['!!merge <<: *base'], { package: 'none' }),
    });
    return ACCEPTED;
  }),
  ofFiles('null members of blobs', 60, 'nulls', (draft, draws) => {
    Object.assign(packageOf(draft), { description: null, icon: null, properties: null });
    Object.assign(channelOf(draft), { properties: null });
    for (const entry of entriesOf(draft)) Object.assign(entry, { replaces: null, skips: null, skipRange: null });
    if (draws.next() < 0.5) bundleOf(draft)['relatedImages'] = null;
    return ACCEPTED;
  }),
  ofFiles('members that nobody knows', 200, 'unknown', (draft) => {
    // opm drops them.
    for (const blob of [packageOf(draft), channelOf(draft), bundleOf(draft)]) blob['x-note'] = NOTE;
    return ACCEPTED;
  }),
  ofFiles('names of members in other cases', 1, 'broken|encoding', (draft) => {
    const channel = channelOf(draft);
    const [entry] = entriesOf(draft);
    delete channel['entries'];
    channel['Entries'] = new Written(`[{Name: ${entry?.['name']}}]`, undefined);
    return ACCEPTED;
  }),
  ofFiles('blobs of other schemas', 800, 'others', (draft) => {
    add(draft, { schema: 'example.io/note', package: keyOf(draft), name: 'note', value: { of: [1, null, true] } });
    add(draft, { schema: 'example.empty' });
    return ACCEPTED;
  }),
  ofFiles('deprecations', 500, 'others', (draft) => {
    const reference = { schema: 'olm.package' };
    add(draft, { schema: 'olm.deprecations', package: keyOf(draft), entries: [{ reference, message: 'use another' }] });
    return ACCEPTED;
  }),
  ofFiles('metadata of the CSV with null members', 40, 'metadata', (draft) => {
    const value = {
      annotations: null,
      description: null,
      keywords: null,
      links: null,
      maintainers: null,
      provider: {},
    };
    propertiesOf(draft).push({ type: 'olm.csv.metadata', value });
    return ACCEPTED;
  }),
  ofFiles('files beside the catalog, first', 2_000, 'beside', (draft, draws) => {
    const paths = draws
      .shuffled(['Dockerfile', 'LICENSE', 'bin/opm', 'cache/a.json', 'etc/passwd', 'tmp/x'])
      .slice(0, 3);
    for (const path of paths) draft.beside.push({ path, bytes: utf8('FROM scratch\n') });
    draft.layers.first = paths;
    add(draft, structuredClone(LONG));
    return ACCEPTED;
  }),
  ofFiles('ignored files', 40, 'ignored|broken', (draft) => {
    draft.beside.push({ path: 'configs/.indexignore', bytes: utf8('# no catalogs\n*.md\n') });
    draft.beside.push({ path: 'configs/README.md', bytes: utf8('# A catalog\n\nIt has: things\n') });
    return ACCEPTED;
  }),
  shaped('paths that begin with ./', 300, { prefix: './' }),
  shaped('no entries of directories', 600, { directories: false }),
  shaped('a whiteout', 60, { extra: ['whiteout'] }),
  shaped('an opaque whiteout', 10, { extra: ['opaque'] }),
  shaped('an older content below', 200, { extra: ['overwritten'] }),
  shaped('empty layers', 300, { extra: ['empty'] }),
  shaped('a hard link', 5, { extra: ['hard link'] }),
  shaped('zstd', 20, { compression: 'zstd' }),
  shaped('several platforms', 900, { index: 'platforms' }),
  shaped('attestations', 200, { index: 'attested' }),
  shaped('manifests of Docker', 3_000, { manifests: 'docker' }),
  ...damaged,
  ofInline('inline object with null labels and annotations', 5, 'inline', (draft, draws) => {
    const kinds = ['CustomResourceDefinition', 'ConfigMap', 'Service', 'ClusterServiceVersion'];
    const nulls = { labels: null, finalizers: null };
    for (const kind of draws.shuffled(kinds).slice(0, 2)) {
      const name = editInline(draft, kind, (object) => Object.assign(mapAt(object, 'metadata'), nulls));
      const wanted = draft.bundle.manifests.find(({ tree }) => tree['kind'] === kind && nameIn(tree) === name);
      if (wanted !== undefined) Object.assign(mapAt(wanted.tree, 'metadata'), nulls);
    }
    return ACCEPTED;
  }),
  ofInline('inline object as YAML', 3, 'inline', (draft) => {
    for (const { type, value } of propertiesOf(draft)) {
      if (type !== 'olm.bundle.object') continue;
      const held = value as YamlMap;
      const object = JSON.parse(Buffer.from(String(held['data']), 'base64').toString()) as YamlMap;
      held['data'] = Buffer.from(yamlText(object)).toString('base64');
    }
    return ACCEPTED;
  }),
  broken(
    'channel name that is a number',
    () => ['name', '4.1'],
    (draft) => {
      channelOf(draft)['name'] = new Written('4.10', 4.1);
    },
  ),
  broken(
    'version that is a number',
    () => ['olm.package', 'version'],
    (draft) => {
      propertiesOf(draft)[0] = {
        type: 'olm.package',
        value: { packageName: keyOf(draft), version: new Written('1.0', 1) },
      } as YamlMap;
    },
  ),
  broken(
    'package name that is no DNS name',
    () => ['Pkg_Main'],
    (draft) => {
      packageOf(draft)['name'] = 'Pkg_Main';
      for (const blob of [channelOf(draft), bundleOf(draft)]) blob['package'] = 'Pkg_Main';
      propertiesOf(draft)[0] = { type: 'olm.package', value: { packageName: 'Pkg_Main', version: '1.0.0' } } as YamlMap;
    },
  ),
  broken(
    'package that is there twice',
    (draft) => ['duplicate', keyOf(draft)],
    (draft) => {
      add(draft, { schema: 'olm.package', name: keyOf(draft), defaultChannel: 'stable' });
    },
  ),
  broken(
    'no default channel',
    () => ['default channel'],
    (draft) => {
      delete packageOf(draft)['defaultChannel'];
    },
  ),
  broken(
    'default channel that is not there',
    () => ['nowhere'],
    (draft) => {
      packageOf(draft)['defaultChannel'] = 'nowhere';
    },
  ),
  broken(
    'entry without a bundle',
    () => ['ghost.v1.0.0'],
    (draft) => {
      const replaces = String(entriesOf(draft)[0]?.['name']);
      channelOf(draft)['entries'] = [{ name: 'ghost.v1.0.0', replaces }, ...entriesOf(draft)];
    },
  ),
  broken(
    'range of skips that is none',
    () => ['skipRange'],
    (draft) => {
      for (const entry of entriesOf(draft)) entry['skipRange'] = '<v2.0.0';
    },
  ),
  broken(
    'blob without a schema',
    () => ['schema'],
    (draft) => {
      add(draft, { name: 'nobody', package: keyOf(draft) });
    },
  ),
  broken(
    'entries that are null',
    () => ['not found in any channel entries'],
    (draft) => {
      channelOf(draft)['entries'] = null;
    },
  ),
  broken(
    'inline data that is no base64',
    () => ['base64'],
    (draft) => {
      propertiesOf(draft).push({ type: 'olm.bundle.object', value: { data: '{not base64}' } });
    },
  ),
  ofFiles('text that is no YAML', 1, 'encoding', (draft) => {
    for (const file of draft.files) file.encode = (yaml) => utf8(`${yaml}---\nschema: [open\n`);
    return unreadable([''], 'yaml');
  }),
  broken(
    'README.md among its files',
    () => ['README.md'],
    (draft) => {
      draft.beside.push({ path: 'configs/README.md', bytes: utf8('# A catalog\n\nIt has: things: here\n') });
    },
  ),
];
