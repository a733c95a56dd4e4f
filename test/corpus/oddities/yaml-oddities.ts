import type { SeededDraws } from '#testing/seeded-draws';
import { addManifest, type BundleDraft, crdsOf, type DraftFile, mapAt, utf8 } from '../bundles/bundle-draft.js';
import { recordOf, Written, WrittenMap, type YamlMap, yamlText } from '../text/yaml-tree.js';
import { addSmallObject } from './null-oddities.js';
import { ACCEPTED, advised, type BundleOddity, unreadable } from './oddity.js';

/** A file with other ways to write its text: the CSV, a CRD, or an object of its own. */
export const anyFile = (draft: BundleDraft, draws: SeededDraws): DraftFile =>
  draws.oneOf([draft.csv, ...crdsOf(draft), addSmallObject(draft, draws, 'styled')]);

/** Texts that go-yaml reads as one line although they go on in another. */
const CONTINUED: readonly Written[] = [
  new Written("'The kettle boils\n$PADwater'", 'The kettle boils water'),
  new Written('"The kettle boils\n$PADwater"', 'The kettle boils water'),
  new Written("'The kettle\n\n$PADboils'", 'The kettle\nboils'),
  new Written('"The \\\n$PADkettle"', 'The kettle'),
  new Written('"The kettle\nboils"', 'The kettle boils'),
];

const FLOWS: readonly Written[] = [
  new Written('[\n$PAD  light,\n$PAD  lamp\n$PAD]', ['light', 'lamp']),
  new Written('[light,\n$PADlamp]', ['light', 'lamp']),
  new Written('[\n$PAD"light", # bright\n$PAD]', ['light']),
];

const BLOCKS: readonly Written[] = [
  new Written('|# as it is\n$PAD  The kettle\n$PAD  boils', 'The kettle\nboils\n'),
  new Written('>-# folded\n$PAD  The kettle\n$PAD  boils', 'The kettle boils'),
  new Written('|2-\n$PAD  The kettle\n$PAD  boils', 'The kettle\nboils'),
];

const withBom = (yaml: string): Uint8Array => utf8(`\ufeff${yaml}`);
function utf16(yaml: string, littleEndian: boolean): Uint8Array {
  const bytes = Buffer.from(`\ufeff${yaml}`, 'utf16le');
  return littleEndian ? bytes : bytes.swap16();
}

const ENCODINGS: Readonly<Record<string, (yaml: string) => Uint8Array>> = {
  'a byte order mark': withBom,
  'UTF-16 of big endian': (yaml) => utf16(yaml, false),
  'line ends of Windows': (yaml) => utf8(yaml.replaceAll('\n', '\r\n')),
  'no line end at its end': (yaml) => utf8(yaml.trimEnd()),
  'a leading separator': (yaml) => utf8(`---\n${yaml}`),
  'a separator with a comment': (yaml) => utf8(`--- # first\n${yaml}`),
  'an empty document at its end': (yaml) => utf8(`${yaml}---\n`),
  'the end of a document': (yaml) => utf8(`${yaml}...\n`),
  'blank lines and comments': (yaml) => utf8(`\n\n# a comment\n\n${yaml}\n# the end\n\n`),
  'tabs behind its values': (yaml) => utf8(yaml.replaceAll(/^(kind: \w+)$/gm, '$1\t')),
};

/** Text of a file that every YAML reader refuses, with the line of its end. */
const BROKEN: readonly string[] = [
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: tabbed\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: open\n',
  "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 'open\n",
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a: b\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: *nowhere\n',
];

const asJson = (tree: YamlMap, space?: number): Uint8Array => utf8(JSON.stringify(recordOf(tree), undefined, space));

export const YAML_ODDITIES: readonly BundleOddity[] = [
  {
    name: 'quoted text that goes on in a line not indented deeper',
    weight: 80,
    slot: 'description',
    put: ({ csv }, draws) => {
      mapAt(csv.tree, 'spec')['description'] = draws.oneOf(CONTINUED);
      return ACCEPTED;
    },
  },
  {
    name: 'list in brackets that goes on in a line not indented deeper',
    weight: 20,
    slot: 'keywords',
    put: ({ csv }, draws) => {
      mapAt(csv.tree, 'spec')['keywords'] = draws.oneOf(FLOWS);
      return ACCEPTED;
    },
  },
  {
    name: 'header of a block with a comment, an indentation or a chomping',
    weight: 10,
    slot: 'description',
    put: ({ csv }, draws) => {
      mapAt(csv.tree, 'spec')['description'] = draws.oneOf(BLOCKS);
      return ACCEPTED;
    },
  },
  {
    name: 'merge key with and without its tag',
    weight: 12,
    slot: 'merge',
    put: (draft, draws) => {
      const tag = draws.oneOf(['!!merge ', '!!merge ', '']);
      const first = new Written('&shared\n$PAD  size: small', { size: 'small' });
      const metadata = {
        name: `${draft.key}-merged`,
        annotations: first,
        labels: new WrittenMap({ shape: 'round' }, [`${tag}<<: *shared`], { size: 'small' }),
      };
      addManifest(draft, 'merged', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { of: 'merge' } });
      return ACCEPTED;
    },
  },
  {
    name: 'anchors and aliases',
    weight: 30,
    slot: 'anchors',
    put: (draft) => {
      const data = { first: new Written('&text "a: b"', 'a: b'), second: new Written('*text', 'a: b') };
      const metadata = { name: `${draft.key}-twins` };
      addManifest(draft, 'twins', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return ACCEPTED;
    },
  },
  {
    name: 'key that is there twice',
    weight: 15,
    slot: 'twice',
    put: (draft) => {
      const metadata = { name: `${draft.key}-last` };
      const data = new WrittenMap({ mode: 'first', kept: 'here' }, ['mode: last'], { mode: 'last' });
      addManifest(draft, 'last', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return ACCEPTED;
    },
  },
  {
    name: 'scalars as YAML 1.1 has them',
    weight: 60,
    slot: 'install modes',
    put: ({ csv }) => {
      mapAt(csv.tree, 'spec')['installModes'] = [
        { type: 'OwnNamespace', supported: new Written('yes', true) },
        { type: 'SingleNamespace', supported: new Written('On', true) },
        { type: 'MultiNamespace', supported: new Written('NO', false) },
        { type: 'AllNamespaces', supported: new Written('TRUE', true) },
      ];
      return ACCEPTED;
    },
  },
  ...Object.entries(ENCODINGS).map(
    ([name, encode]): BundleOddity => ({
      name: `file with ${name}`,
      weight: name === 'a leading separator' ? 3_000 : 40,
      slot: 'encoding',
      put: (draft, draws) => {
        anyFile(draft, draws).encode = encode;
        return ACCEPTED;
      },
    }),
  ),
  {
    name: 'file with UTF-16 of little endian',
    weight: 1,
    slot: 'encoding',
    put: (draft, draws) => {
      const file = addSmallObject(draft, draws, 'wide');
      file.encode = (yaml) => utf16(yaml, true);
      file.fate = 'skipped';
      // Go splits lines at bytes, and is left with half a character.
      return advised([file.path], 'skipped');
    },
  },
  {
    name: 'manifest as JSON in a file of YAML, or of JSON',
    weight: 60,
    slot: 'encoding',
    put: (draft, draws) => {
      const file = addSmallObject(draft, draws, 'json');
      const space = draws.oneOf([0, 2]);
      const mark = draws.oneOf(['', '', '\n\n']);
      file.encode = () => Buffer.concat([utf8(mark), asJson(file.tree, space)]);
      if (draws.next() < 0.5) file.path = file.path.replace('.yaml', draws.oneOf(['.json', '.yml', '']));
      return ACCEPTED;
    },
  },
  {
    name: 'file that is no YAML',
    weight: 4,
    slot: 'broken',
    put: (draft, draws) => {
      const text = draws.oneOf(BROKEN);
      const path = addManifest(draft, 'broken', {}, 'skipped');
      path.encode = () => utf8(text);
      return advised([path.path], 'broken');
    },
  },
  {
    name: 'CSV that is no YAML',
    weight: 2,
    // A second CSV would be the one of the bundle.
    slot: 'encoding|second CSV',
    put: ({ csv }, draws) => {
      const tail = draws.oneOf(['\tspec: x\n', 'more: {open\n', "quote: 'open\n", 'a: b: c\n']);
      csv.encode = (yaml) => utf8(`${yaml}${tail}`);
      csv.fate = 'skipped';
      return unreadable([csv.path], 'skipped');
    },
  },
  {
    name: 'second document in a file',
    weight: 6,
    slot: 'second document',
    put: (draft, draws) => {
      const file = addSmallObject(draft, draws, 'first');
      const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${draft.key}-second` }, data: {} };
      file.encode = (yaml) => utf8(`${yaml}---\n${yamlText(other)}`);
      return advised([file.path], 'first document');
    },
  },
  {
    name: 'empty file among the manifests',
    weight: 6,
    slot: 'empty file',
    put: (draft, draws) => {
      const text = draws.oneOf(['', '\n', '# nothing yet\n', '---\n']);
      const file = addManifest(draft, 'empty', {}, 'skipped');
      file.encode = () => utf8(text);
      return advised([file.path], 'empty.yaml');
    },
  },
];
