import type { SeededDraws } from '#testing/seeded-draws';
import { anyCrd } from '../bundles/baseline.js';
import { addManifest, annotationsOf, type BundleDraft, listAt, mapAt } from '../bundles/bundle-draft.js';
import { Written, type YamlMap } from '../text/yaml-tree.js';
import { addSmallObject, containerOf, deploymentOf } from './null-oddities.js';
import { advised, type BundleOddity, csvPlaces, type Expectation, refused, unreadable } from './oddity.js';

/** Scalars that YAML 1.1 reads as something else than a text. */
const OTHERS = ['true', 'false', '8443', '1.10', 'yes', 'off', '0x1F'] as const;
const READ_AS: Readonly<Record<(typeof OTHERS)[number], unknown>> = {
  ...{ true: true, false: false, '8443': 8443, '1.10': 1.1, yes: true, off: false, '0x1F': 31 },
};

/** A scalar that is no text, as an author writes it without quotes. */
function unquoted(draws: SeededDraws): Written {
  const text = draws.oneOf(OTHERS);
  return new Written(text, READ_AS[text]);
}

const inCsv = (draft: BundleDraft, ...words: readonly string[]): Expectation => unreadable(csvPlaces(draft), ...words);

/** A member of the CSV that Go refuses to decode: its place, its value, and the words of the message. */
type WrongMember = Readonly<{ name: string; put: (draft: BundleDraft) => void; word: string }>;

const spec = ({ csv }: BundleDraft): YamlMap => mapAt(csv.tree, 'spec');

const WRONG_MEMBERS: readonly WrongMember[] = [
  {
    name: 'displayName',
    word: 'displayName',
    put: (draft) => {
      spec(draft)['displayName'] = 42;
    },
  },
  {
    name: 'maturity',
    word: 'maturity',
    put: (draft) => {
      spec(draft)['maturity'] = new Written('1.0', 1);
    },
  },
  {
    name: 'keywords',
    word: 'keywords',
    put: (draft) => {
      spec(draft)['keywords'] = 'light, lamp';
    },
  },
  {
    name: 'skips',
    word: 'skips',
    put: (draft) => {
      spec(draft)['skips'] = 'lamp.v0.0.1';
    },
  },
  {
    name: 'replaces',
    word: 'replaces',
    put: (draft) => {
      spec(draft)['replaces'] = ['lamp.v0.0.1'];
    },
  },
  {
    name: 'minKubeVersion',
    word: 'minKubeVersion',
    put: (draft) => {
      spec(draft)['minKubeVersion'] = new Written('1.20', 1.2);
    },
  },
  {
    name: 'provider',
    word: 'provider',
    put: (draft) => {
      spec(draft)['provider'] = 'Example';
    },
  },
  {
    name: 'links',
    word: 'links',
    put: (draft) => {
      spec(draft)['links'] = ['https://example.com'];
    },
  },
  {
    name: 'relatedImages',
    word: 'relatedImages',
    put: (draft) => {
      spec(draft)['relatedImages'] = { a: 'b' };
    },
  },
  {
    name: 'supported',
    word: 'supported',
    put: (draft) => {
      spec(draft)['installModes'] = [{ type: 'OwnNamespace', supported: 'true' }];
    },
  },
  {
    name: 'replicas',
    word: 'replicas',
    put: (draft) => {
      mapAt(deploymentOf(draft), 'spec')['replicas'] = '1';
    },
  },
  {
    name: 'containerPort',
    word: 'containerPort',
    put: (draft) => {
      containerOf(draft)['ports'] = [{ containerPort: '8443' }];
    },
  },
  {
    name: 'value of an environment variable',
    word: 'env',
    put: (draft) => {
      containerOf(draft)['env'] = [{ name: 'DEBUG', value: true }];
    },
  },
  {
    name: 'argument of a container',
    word: 'args',
    put: (draft) => {
      containerOf(draft)['args'] = ['--port', 8443];
    },
  },
  {
    name: 'label of the pods',
    word: 'labels',
    put: (draft) => {
      mapAt(deploymentOf(draft), 'spec', 'template', 'metadata', 'labels')['tier'] = 1;
    },
  },
  {
    name: 'verbs of a rule',
    word: 'verbs',
    put: (draft) => {
      const [permission = {}] = listAt(draft.csv.tree, 'spec', 'install', 'spec', 'permissions');
      permission['rules'] = [{ apiGroups: [''], resources: ['pods'], verbs: 'get' }];
    },
  },
];

export const TYPE_ODDITIES: readonly BundleOddity[] = [
  {
    name: 'annotation of the CSV that is no text',
    weight: 6,
    slot: 'annotation of the CSV',
    put: (draft, draws) => {
      mapAt(draft.csv.tree, 'metadata', 'annotations')['certified'] = unquoted(draws);
      return inCsv(draft, 'certified');
    },
  },
  {
    name: 'label of the CSV that is no text',
    weight: 2,
    slot: 'label of the CSV',
    put: (draft, draws) => {
      mapAt(draft.csv.tree, 'metadata', 'labels')['stable'] = unquoted(draws);
      return inCsv(draft, 'stable');
    },
  },
  {
    name: 'annotation of another object that is no text',
    weight: 4,
    slot: 'annotation of another',
    put: (draft, draws) => {
      const { path, tree } = addSmallObject(draft, draws, 'hot');
      mapAt(tree, 'metadata', 'annotations')['scrape'] = unquoted(draws);
      return refused([path, `${draft.key}-hot`], 'scrape');
    },
  },
  {
    name: 'label of another object that is no text',
    weight: 2,
    slot: 'label of another',
    put: (draft, draws) => {
      const { path, tree } = addSmallObject(draft, draws, 'marked');
      mapAt(tree, 'metadata', 'labels')['tier'] = unquoted(draws);
      return refused([path, `${draft.key}-marked`], 'tier');
    },
  },
  {
    name: 'annotation of a CRD that is no text',
    weight: 2,
    slot: 'annotation of a CRD',
    put: (draft, draws) => {
      const crd = anyCrd(draft, draws);
      mapAt(crd.tree, 'metadata', 'annotations')['port'] = unquoted(draws);
      // opm reads every CRD into its type.
      return unreadable([crd.path, String(mapAt(crd.tree, 'metadata')['name'])], 'port');
    },
  },
  {
    name: 'data of a ConfigMap that is no text',
    weight: 3,
    slot: 'data',
    put: (draft, draws) => {
      const metadata = { name: `${draft.key}-ports` };
      const data = { port: unquoted(draws), kept: 'yes sir' };
      const { path } = addManifest(draft, 'ports', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return refused([path, metadata.name], 'port');
    },
  },
  {
    name: 'name of an object that is no text',
    weight: 1,
    slot: 'nameless',
    put: (draft) => {
      const tree = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: new Written('4711', 4711) }, data: {} };
      return refused([addManifest(draft, 'numbered', tree).path, 'ConfigMap'], 'name');
    },
  },
  {
    name: 'metadata that is no map',
    weight: 1,
    slot: 'nameless',
    put: (draft) => {
      const tree = { apiVersion: 'v1', kind: 'ConfigMap', metadata: 'settings', data: {} };
      return refused([addManifest(draft, 'flat', tree).path, 'ConfigMap'], 'metadata');
    },
  },
  {
    name: 'version of the CSV that is a number',
    weight: 3,
    slot: 'version',
    put: (draft, draws) => {
      const text = draws.oneOf(['1.0', '2', '1.10']);
      spec(draft)['version'] = new Written(text, Number(text));
      return inCsv(draft, 'version', String(Number(text)));
    },
  },
  {
    name: 'member of the CSV of another type',
    weight: 8,
    slot: 'wrong member|deployments|permissions|install modes',
    replacesValues: true,
    put: (draft, draws) => {
      const { put, word } = draws.oneOf(WRONG_MEMBERS);
      put(draft);
      return inCsv(draft, word);
    },
  },
  {
    name: 'served of a CRD that is a text',
    weight: 1,
    slot: 'versions of a CRD',
    put: (draft, draws) => {
      const crd = anyCrd(draft, draws);
      for (const version of listAt(crd.tree, 'spec', 'versions')) version['served'] = 'true';
      return refused([crd.path, String(mapAt(crd.tree, 'metadata')['name'])], 'served');
    },
  },
  {
    name: 'channel that is a number',
    weight: 3,
    slot: 'channels',
    put: (draft) => {
      const tree = mapAt(annotationsOf(draft).tree, 'annotations');
      tree['operators.operatorframework.io.bundle.channels.v1'] = new Written('4.10', 4.1);
      // Without annotations it is not a bundle.
      return unreadable(['channels.v1', 'metadata/annotations.yaml'], 'annotation');
    },
  },
  {
    name: 'dependency whose version is a number',
    weight: 2,
    slot: 'dependencies',
    put: (draft) => {
      const value = { packageName: 'elsewhere', version: new Written('1.0', 1) };
      addDependencies(draft, [{ type: 'olm.package', value }]);
      return advised(['dependencies'], 'number');
    },
  },
];

/** A file of dependencies; the catalog of the corpus does not have their properties. */
export function addDependencies(draft: BundleDraft, dependencies: readonly unknown[]): void {
  const encode = (yaml: string) => new TextEncoder().encode(yaml);
  draft.metadata.push({ path: 'metadata/dependencies.yaml', tree: { dependencies }, encode, fate: 'skipped' });
}
