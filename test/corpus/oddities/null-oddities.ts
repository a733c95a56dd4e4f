import type { SeededDraws } from '#testing/seeded-draws';
import { anyCrd } from '../bundles/baseline.js';
import { addManifest, type BundleDraft, crdsOf, type DraftFile, listAt, mapAt } from '../bundles/bundle-draft.js';
import type { YamlMap } from '../text/yaml-tree.js';
import { ACCEPTED, type BundleOddity, csvPlaces, refused } from './oddity.js';

/** A small object of a kind that bundles bring, under a name of its own. */
export function addSmallObject(draft: BundleDraft, draws: SeededDraws, suffix: string): DraftFile {
  const metadata = { name: `${draft.key}-${suffix}` };
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const trees: readonly YamlMap[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { of: suffix } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }], selector: { app: draft.key } } },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules },
    { apiVersion: 'v1', kind: 'Secret', metadata, data: { of: 'bm9uZQ==' } },
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata, value: 1000 },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata,
      spec: { podSelector: {}, policyTypes: ['Ingress'] },
    },
  ];
  const tree = structuredClone(draws.oneOf(trees));
  return addManifest(draft, `${suffix}_${String(tree['kind']).toLowerCase()}`, tree);
}

/** Members of metadata that Go decodes from null as if they were absent. */
const METADATA = [
  ...['labels', 'annotations', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp'],
  ...['ownerReferences', 'finalizers', 'generateName', 'creationTimestamp', 'managedFields', 'selfLink'],
];

/** Optional members of a CSV's spec: null is the zero value in each. */
const SPEC = [
  ...['replaces', 'skips', 'minKubeVersion', 'description', 'provider', 'keywords', 'maintainers', 'links', 'icon'],
  ...['labels', 'annotations', 'selector', 'cleanup', 'maturity', 'webhookdefinitions', 'apiservicedefinitions'],
  ...['nativeAPIs', 'relatedImages', 'displayName'],
];

/** Members of the first Deployment's spec that Go writes as null or leaves out. */
const DEPLOYMENT = ['strategy', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'];
const POD = [
  ...['nodeSelector', 'tolerations', 'affinity', 'volumes', 'initContainers', 'imagePullSecrets', 'hostNetwork'],
  ...['securityContext', 'terminationGracePeriodSeconds', 'priorityClassName', 'schedulerName'],
];
const CONTAINER = [
  'args',
  'command',
  'env',
  'envFrom',
  'livenessProbe',
  'resources',
  'volumeMounts',
  'imagePullPolicy',
];

/** The first Deployment of the install strategy. */
export const deploymentOf = ({ csv }: BundleDraft): YamlMap =>
  listAt(csv.tree, 'spec', 'install', 'spec', 'deployments')[0] ?? {};
export const podOf = (draft: BundleDraft): YamlMap => mapAt(deploymentOf(draft), 'spec', 'template', 'spec');
export const containerOf = (draft: BundleDraft): YamlMap => listAt(podOf(draft), 'containers')[0] ?? {};
export const permissionOf = ({ csv }: BundleDraft): YamlMap =>
  listAt(csv.tree, 'spec', 'install', 'spec', 'permissions')[0] ?? {};

function putNulls(map: YamlMap, members: readonly string[], draws: SeededDraws, most: number): void {
  for (const member of draws.shuffled(members).slice(0, draws.between(1, most))) map[member] = null;
}

export const NULL_ODDITIES: readonly BundleOddity[] = [
  {
    name: 'creationTimestamp null in every manifest',
    weight: 5_400,
    slot: 'created',
    put: ({ manifests }) => {
      for (const { tree } of manifests) mapAt(tree, 'metadata')['creationTimestamp'] = null;
      return ACCEPTED;
    },
  },
  {
    name: 'creationTimestamp null in the pod template',
    weight: 3_000,
    slot: 'pod metadata',
    put: (draft) => {
      mapAt(deploymentOf(draft), 'spec', 'template', 'metadata')['creationTimestamp'] = null;
      return ACCEPTED;
    },
  },
  {
    name: 'annotation of the CSV without a value',
    weight: 17,
    slot: 'annotation of the CSV',
    put: ({ csv }, draws) => {
      putNulls(mapAt(csv.tree, 'metadata', 'annotations'), ['createdAt', 'support', 'repository'], draws, 2);
      return ACCEPTED;
    },
  },
  {
    name: 'null members in the metadata of the CSV',
    weight: 2,
    slot: 'metadata of the CSV|annotation of the CSV|label of the CSV',
    put: ({ csv }, draws) => {
      putNulls(mapAt(csv.tree, 'metadata'), METADATA, draws, 4);
      return ACCEPTED;
    },
  },
  {
    name: 'null members in the metadata of another object',
    weight: 5,
    slot: 'metadata of another',
    put: (draft, draws) => {
      putNulls(mapAt(addSmallObject(draft, draws, 'bare').tree, 'metadata'), METADATA, draws, 5);
      return ACCEPTED;
    },
  },
  {
    name: 'null members in the metadata of a CRD',
    weight: 3,
    slot: 'metadata of a CRD|annotation of a CRD',
    put: (draft, draws) => {
      anyCrd(draft, draws);
      for (const { tree } of crdsOf(draft)) putNulls(mapAt(tree, 'metadata'), METADATA, draws, 5);
      return ACCEPTED;
    },
  },
  {
    name: 'annotation of another object without a value',
    weight: 2,
    slot: 'annotation of another',
    put: (draft, draws) => {
      mapAt(addSmallObject(draft, draws, 'hollow').tree, 'metadata')['annotations'] = { note: null, kept: 'yes' };
      return ACCEPTED;
    },
  },
  {
    name: 'label of another object without a value',
    weight: 1,
    slot: 'label of another',
    put: (draft, draws) => {
      mapAt(addSmallObject(draft, draws, 'unmarked').tree, 'metadata')['labels'] = { note: null, kept: 'here' };
      return ACCEPTED;
    },
  },
  {
    name: 'null members in the spec of the CSV',
    weight: 30,
    slot: 'spec of the CSV',
    put: ({ csv }, draws) => {
      putNulls(mapAt(csv.tree, 'spec'), SPEC, draws, 8);
      return ACCEPTED;
    },
  },
  {
    name: 'null members of the install strategy',
    weight: 10,
    slot: 'install strategy',
    put: (draft, draws) => {
      putNulls(mapAt(deploymentOf(draft), 'spec'), DEPLOYMENT, draws, 2);
      putNulls(podOf(draft), POD, draws, 4);
      putNulls(containerOf(draft), CONTAINER, draws, 3);
      return ACCEPTED;
    },
  },
  {
    name: 'clusterPermissions and label of a Deployment null',
    weight: 3,
    slot: 'cluster permissions',
    put: (draft, draws) => {
      if (draws.next() < 0.5) mapAt(draft.csv.tree, 'spec', 'install', 'spec')['clusterPermissions'] = null;
      deploymentOf(draft)['label'] = null;
      return ACCEPTED;
    },
  },
  {
    name: 'status of a CRD as controller-gen writes it',
    weight: 2_000,
    slot: 'status of a CRD',
    put: (draft) => {
      for (const { tree } of crdsOf(draft))
        tree['status'] = { acceptedNames: { kind: '', plural: '' }, conditions: null, storedVersions: null };
      return ACCEPTED;
    },
  },
  {
    name: 'null members in the spec of a CRD',
    weight: 4,
    slot: 'spec of a CRD',
    put: (draft, draws) => {
      anyCrd(draft, draws);
      for (const { tree } of crdsOf(draft)) {
        mapAt(tree, 'spec')['conversion'] = null;
        mapAt(tree, 'spec', 'names')['shortNames'] = null;
        for (const version of listAt(tree, 'spec', 'versions'))
          Object.assign(version, { subresources: null, additionalPrinterColumns: null, deprecationWarning: null });
      }
      return ACCEPTED;
    },
  },
  {
    name: 'resourceNames and nonResourceURLs of a rule null',
    weight: 4,
    slot: 'permissions',
    put: (draft) => {
      for (const rule of listAt(permissionOf(draft), 'rules'))
        Object.assign(rule, { resourceNames: null, nonResourceURLs: null });
      return ACCEPTED;
    },
  },
  {
    name: 'data of a ConfigMap null',
    weight: 3,
    slot: 'data',
    put: (draft) => {
      const metadata = { name: `${draft.key}-empty` };
      addManifest(draft, 'empty_configmap', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: null });
      return ACCEPTED;
    },
  },
  {
    name: 'status of the CSV null',
    weight: 4,
    slot: 'status of the CSV',
    put: ({ csv }) => {
      csv.tree['status'] = null;
      return ACCEPTED;
    },
  },
  {
    name: 'rules of a permission null',
    weight: 1,
    slot: 'permissions',
    put: (draft) => {
      permissionOf(draft)['rules'] = null;
      return refused(csvPlaces(draft), 'rules');
    },
  },
  {
    name: 'verbs of a rule null',
    weight: 1,
    slot: 'permissions',
    put: (draft) => {
      for (const rule of listAt(permissionOf(draft), 'rules')) rule['verbs'] = null;
      return refused(csvPlaces(draft), 'verb');
    },
  },
  {
    name: 'install of the CSV null',
    weight: 1,
    slot: 'spec.install|install strategy|deployments|permissions|cluster permissions',
    replacesValues: true,
    put: (draft) => {
      mapAt(draft.csv.tree, 'spec')['install'] = null;
      return refused(csvPlaces(draft), 'install');
    },
  },
];
