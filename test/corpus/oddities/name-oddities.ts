import { anyCrd } from '../bundles/baseline.js';
import { addManifest, addTo, type BundleDraft, mapAt } from '../bundles/bundle-draft.js';
import type { YamlMap } from '../text/yaml-tree.js';
import { addSmallObject, deploymentOf } from './null-oddities.js';
import { ACCEPTED, advised, type BundleOddity, csvPlaces, refused } from './oddity.js';

/** A name of so many characters that begins with the key. */
const longName = (key: string, length: number): string => `${key}-${'x'.repeat(length - key.length - 1)}`;

/** An object of the core group under a name. */
function addNamed(draft: BundleDraft, kind: string, name: string): string {
  const more: Readonly<Record<string, YamlMap>> = {
    ConfigMap: { data: { of: 'names' } },
    Service: { spec: { ports: [{ port: 80 }], selector: { app: draft.key } } },
  };
  return addManifest(draft, `named_${kind.toLowerCase()}`, {
    apiVersion: 'v1',
    kind,
    metadata: { name },
    ...more[kind],
  }).path;
}

function renameCsv(draft: BundleDraft, name: string): void {
  mapAt(draft.csv.tree, 'metadata')['name'] = name;
}

const labelled = (name: string, weight: number, key: string, value: string, word: string): BundleOddity => ({
  name,
  weight,
  slot: 'label of another',
  put: (draft, draws) => {
    const { path, tree } = addSmallObject(draft, draws, 'badge');
    mapAt(tree, 'metadata')['labels'] = { [key]: value };
    return refused([path, `${draft.key}-badge`], word);
  },
});

export const NAME_ODDITIES: readonly BundleOddity[] = [
  {
    name: 'CSV name of 63 characters',
    weight: 8,
    slot: 'name of the CSV',
    put: (draft) => {
      renameCsv(draft, longName(draft.key, 63));
      return ACCEPTED;
    },
  },
  {
    name: 'CSV name of 64 characters and more',
    weight: 6,
    slot: 'name of the CSV',
    put: (draft, draws) => {
      renameCsv(draft, longName(draft.key, draws.oneOf([64, 70, 253])));
      return refused(csvPlaces(draft), '63');
    },
  },
  {
    name: 'CSV name with capitals or underscores',
    weight: 2,
    slot: 'name of the CSV',
    put: (draft, draws) => {
      renameCsv(draft, draws.oneOf([`${draft.key}_v1`, `${draft.key}.V1.0.0`, `${draft.key}.v1.`]));
      return refused(csvPlaces(draft), 'name');
    },
  },
  {
    name: 'CSV name of another form',
    weight: 400,
    slot: 'name of the CSV',
    put: (draft, draws) => {
      renameCsv(draft, draws.oneOf([`${draft.key}-1.0.0`, `${draft.key}operator`, `v1.${draft.key}`]));
      return ACCEPTED;
    },
  },
  {
    name: 'object name of 63 to 253 characters',
    weight: 10,
    slot: 'long name',
    put: (draft, draws) => {
      const [kind, lengths] = draws.oneOf([
        ['ConfigMap', [63, 64, 253]],
        ['ServiceAccount', [63, 64, 253]],
        ['Service', [63]],
      ] as const);
      addNamed(draft, kind, longName(draft.key, draws.oneOf(lengths)));
      return ACCEPTED;
    },
  },
  {
    name: 'object name that is too long',
    weight: 3,
    slot: 'long name',
    put: (draft, draws) => {
      const [kind, length] = draws.oneOf([
        ['ConfigMap', 254],
        ['Service', 64],
      ] as const);
      const name = longName(draft.key, length);
      return refused([addNamed(draft, kind, name), name.slice(0, 20)], 'name');
    },
  },
  {
    name: 'object name with capitals or underscores',
    weight: 3,
    slot: 'long name',
    put: (draft, draws) => {
      const name = draws.oneOf([`${draft.key}_Settings`, `Settings-${draft.key}`, `${draft.key}-`]);
      const path = addNamed(draft, draws.oneOf(['ConfigMap', 'Service', 'ServiceAccount']), name);
      return refused([path, name], 'name');
    },
  },
  {
    name: 'name of a role with colons',
    weight: 30,
    slot: 'role name',
    put: (draft) => {
      addManifest(draft, 'colons_clusterrole', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: `system:${draft.key}:Reader_1` },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      });
      return ACCEPTED;
    },
  },
  {
    name: 'Deployment name that no API server takes',
    weight: 3,
    slot: 'Deployment name|deployments',
    put: (draft, draws) => {
      const name = draws.oneOf([`Bad_${draft.key}`, `${draft.key}-`, `${draft.key}.A`, longName(draft.key, 254)]);
      deploymentOf(draft)['name'] = name;
      return refused([name.slice(0, 20), draft.csv.path], 'name');
    },
  },
  {
    name: 'two Deployments of one name',
    weight: 1,
    slot: 'Deployment name|deployments',
    put: (draft) => {
      const first = deploymentOf(draft);
      addTo(draft.csv.tree, ['spec', 'install', 'spec', 'deployments'], first);
      return advised(csvPlaces(draft), 'deployments');
    },
  },
  labelled('label value of 64 characters', 3, 'owner', 'x'.repeat(64), 'owner'),
  labelled('label value with a blank', 2, 'owner', 'the team', 'owner'),
  labelled('label key with a blank', 1, 'the owner', 'team', 'the owner'),
  {
    name: 'label value of 63 characters',
    weight: 3,
    slot: 'label of another',
    put: (draft, draws) => {
      mapAt(addSmallObject(draft, draws, 'badge').tree, 'metadata')['labels'] = { owner: 'x'.repeat(63), none: '' };
      return ACCEPTED;
    },
  },
  {
    name: 'label of the CSV that no API server takes',
    weight: 2,
    slot: 'label of the CSV',
    put: (draft) => {
      mapAt(draft.csv.tree, 'metadata')['labels'] = { 'made.by': 'the team' };
      return refused(csvPlaces(draft), 'made.by');
    },
  },
  {
    name: 'CRD name that is not plural and group',
    weight: 1,
    slot: 'CRD name',
    put: (draft, draws) => {
      const crd = anyCrd(draft, draws);
      const name = `others.${draft.key}.example.com`;
      mapAt(crd.tree, 'metadata')['name'] = name;
      return refused([crd.path, name], 'name');
    },
  },
  {
    name: 'namespace of another place in the manifests',
    weight: 600,
    slot: 'namespace',
    put: (draft, draws) => {
      mapAt(draft.csv.tree, 'metadata')['namespace'] = 'placeholder';
      mapAt(addSmallObject(draft, draws, 'placed').tree, 'metadata')['namespace'] = draws.oneOf(['system', 'default']);
      return ACCEPTED;
    },
  },
  {
    name: 'version with a prerelease and build metadata',
    weight: 300,
    slot: 'version',
    put: (draft, draws) => {
      draft.version = draws.oneOf(['1.0.0-alpha.1', '1.0.0+build.7', '1.0.0-rc1+build', '0.0.0-20260101', '99999.0.1']);
      mapAt(draft.csv.tree, 'spec')['version'] = draft.version;
      return ACCEPTED;
    },
  },
  {
    name: 'version that OLM reads in a tolerant way',
    weight: 5,
    slot: 'version',
    put: (draft, draws) => {
      const version = draws.oneOf(['v1.0.0', '1.0', '01.0.0', ' 1.0.0']);
      mapAt(draft.csv.tree, 'spec')['version'] = version;
      const { csv } = draft;
      csv.becomes = () => ({ ...csv.tree, spec: { ...mapAt(csv.tree, 'spec'), version: '1.0.0' } });
      // opm refuses it; OLM's own type takes it, and the catalog has a version of its own.
      return advised(csvPlaces(draft), 'version');
    },
  },
  {
    name: 'version that is none',
    weight: 1,
    slot: 'version',
    put: (draft, draws) => {
      mapAt(draft.csv.tree, 'spec')['version'] = draws.oneOf(['latest', '1.x', '1.0.0.0', '']);
      return refused(csvPlaces(draft), 'version');
    },
  },
];
