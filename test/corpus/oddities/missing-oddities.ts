import { anyCrd } from '../bundles/baseline.js';
import { addManifest, addTo, listAt, mapAt } from '../bundles/bundle-draft.js';
import { Written, type YamlMap } from '../text/yaml-tree.js';
import { deploymentOf } from './null-oddities.js';
import { ACCEPTED, advised, type BundleOddity, csvPlaces, refused, unreadable } from './oddity.js';

const OWNED = ['spec', 'customresourcedefinitions', 'owned'];
const ownedOf = (tree: YamlMap): YamlMap[] => listAt(tree, ...OWNED);

/** Missing members: those that Go writes as empty, and those that every program needs. */
export const MISSING_ODDITIES: readonly BundleOddity[] = [
  {
    name: 'resources of owned CRDs without a name',
    weight: 800,
    slot: 'owned',
    put: (draft, draws) => {
      anyCrd(draft, draws);
      const { csv } = draft;
      const without = draws.oneOf([['name'], ['name'], ['name', 'version'], ['name', 'kind', 'version']]);
      for (const owned of ownedOf(csv.tree))
        for (const resource of listAt(owned, 'resources')) for (const member of without) delete resource[member];
      return ACCEPTED;
    },
  },
  {
    name: 'members of the spec left out that Go writes as empty',
    weight: 60,
    slot: 'spec of the CSV',
    put: ({ csv }, draws) => {
      const spec = mapAt(csv.tree, 'spec');
      for (const member of draws
        .shuffled(['displayName', 'description', 'provider', 'icon', 'links', 'maturity'])
        .slice(3))
        delete spec[member];
      if (draws.next() < 0.5) delete spec['displayName'];
      return ACCEPTED;
    },
  },
  {
    name: 'entries of lists with members left out',
    weight: 40,
    slot: 'lists of the CSV',
    put: ({ csv }, draws) => {
      const entries: readonly YamlMap[] = [
        { relatedImages: [{ image: 'registry.example/side:1' }] },
        { icon: [{ base64data: 'PHN2Zy8+' }] },
        { icon: [{}] },
        { maintainers: [{ name: 'Jo' }], links: [{ url: 'https://example.com' }] },
        { cleanup: {} },
        { provider: {} },
      ];
      Object.assign(mapAt(csv.tree, 'spec'), draws.oneOf(entries));
      return ACCEPTED;
    },
  },
  {
    name: 'install mode without supported',
    weight: 3,
    slot: 'install modes',
    put: ({ csv }) => {
      mapAt(csv.tree, 'spec')['installModes'] = [
        { type: 'OwnNamespace', supported: true },
        { type: 'SingleNamespace', supported: true },
        { type: 'MultiNamespace' },
      ];
      return ACCEPTED;
    },
  },
  {
    name: 'descriptors without a displayName, and with members that nobody knows',
    weight: 300,
    slot: 'descriptors',
    put: ({ csv }) => {
      for (const owned of ownedOf(csv.tree)) {
        owned['specDescriptors'] = [
          { path: 'glow', 'x-descriptors': null },
          { path: 'x', unknown: new Written('{a: 1}', undefined) },
        ];
        owned['statusDescriptors'] = null;
      }
      return ACCEPTED;
    },
  },
  {
    name: 'no Deployments',
    weight: 40,
    slot: 'install strategy|deployments',
    put: ({ csv }) => {
      mapAt(csv.tree, 'spec', 'install', 'spec')['deployments'] = [];
      return ACCEPTED;
    },
  },
  {
    name: 'no permissions',
    weight: 300,
    slot: 'permissions',
    put: (draft) => {
      delete mapAt(draft.csv.tree, 'spec', 'install', 'spec')['permissions'];
      delete mapAt(deploymentOf(draft), 'spec', 'template', 'spec')['serviceAccountName'];
      return ACCEPTED;
    },
  },
  {
    name: 'CSV without metadata.name',
    weight: 1,
    slot: 'name of the CSV',
    put: (draft) => {
      delete mapAt(draft.csv.tree, 'metadata')['name'];
      return refused(csvPlaces(draft), 'name');
    },
  },
  {
    name: 'object without metadata.name',
    weight: 1,
    slot: 'nameless',
    put: (draft) => {
      const { path } = addManifest(draft, 'nameless', { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: {} });
      return refused([path, 'ConfigMap'], 'name');
    },
  },
  {
    name: 'object without apiVersion',
    weight: 6,
    slot: 'no apiVersion',
    put: (draft) => {
      const metadata = { name: `${draft.key}-old` };
      const tree = { kind: 'ConfigMap', metadata, data: { of: 'old' } };
      const file = addManifest(draft, 'old', tree);
      // OLM takes the step by its kind alone, and writes the object with its own type.
      file.becomes = () => ({ apiVersion: 'v1', ...tree });
      return advised([file.path, metadata.name], 'apiVersion');
    },
  },
  {
    name: 'CSV without apiVersion',
    weight: 1,
    slot: 'apiVersion of the CSV',
    put: (draft) => {
      delete draft.csv.tree['apiVersion'];
      return refused(csvPlaces(draft), 'apiVersion');
    },
  },
  {
    name: 'no CSV',
    weight: 1,
    slot: 'kind of the CSV',
    put: (draft) => {
      draft.csv.tree['kind'] = 'ConfigMap';
      return unreadable(['no csv', 'ClusterServiceVersion'], 'manifests/');
    },
  },
  {
    name: 'owned CRD that the bundle does not bring',
    weight: 10,
    slot: 'owned that is absent',
    put: (draft) => {
      const name = `ghosts.${draft.key}.example.com`;
      addTo(draft.csv.tree, OWNED, { name, version: 'v1', kind: 'Ghost' });
      return unreadable(['ghosts'], `${draft.key}.example.com`);
    },
  },
  {
    name: 'owned CRD without its version',
    weight: 1,
    slot: 'owned that is absent',
    put: (draft, draws) => {
      const crd = anyCrd(draft, draws);
      for (const owned of ownedOf(draft.csv.tree)) delete owned['version'];
      return unreadable([String(mapAt(crd.tree, 'spec', 'names')['plural'])], `${draft.key}.example.com`);
    },
  },
  {
    name: 'owned CRD whose name has no dot',
    weight: 1,
    slot: 'owned that is absent',
    put: (draft) => {
      addTo(draft.csv.tree, OWNED, { name: 'dotless', version: 'v1', kind: 'Dotless' });
      return unreadable(['dotless'], 'dotless');
    },
  },
  {
    name: 'no annotations file',
    weight: 3,
    slot: 'annotations file',
    put: (draft) => {
      draft.metadata = draft.metadata.filter(({ path }) => path !== 'metadata/annotations.yaml');
      return unreadable(['annotations'], 'annotations');
    },
  },
  {
    name: 'no channels in the annotations',
    weight: 4,
    slot: 'channels',
    put: (draft) => {
      const tree = mapAt(draft.metadata[0]?.tree ?? {}, 'annotations');
      delete tree['operators.operatorframework.io.bundle.channels.v1'];
      return advised(['channels.v1'], 'missing');
    },
  },
];
