import { listAt, mapAt } from '../bundles/bundle-draft.js';
import { permissionOf, podOf } from './null-oddities.js';
import { ACCEPTED, advised, type BundleOddity, csvPlaces, refusedByPhase, unmet } from './oddity.js';
import { addDependencies } from './type-oddities.js';

/** A dependency in a form that opm refuses, with the words that its author needs. */
const dependency = (name: string, weight: number, item: unknown, ...words: readonly string[]): BundleOddity => ({
  name,
  weight,
  slot: 'dependencies',
  put: (draft) => {
    addDependencies(draft, [item]);
    return advised(['dependencies'], ...words);
  },
});

const WEBHOOK = {
  generateName: 'lamps.example.com',
  type: 'ValidatingAdmissionWebhook',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
  webhookPath: '/validate',
};

export const CSV_ODDITIES: readonly BundleOddity[] = [
  {
    name: 'minKubeVersion above that of the cluster',
    weight: 5,
    slot: 'spec of the CSV',
    put: (draft) => {
      mapAt(draft.csv.tree, 'spec')['minKubeVersion'] = '1.99.0';
      return unmet('yes', [...csvPlaces(draft), 'minKubeVersion', '1.99.0'], '1.99.0');
    },
  },
  {
    name: 'minKubeVersion in a form of its own',
    weight: 200,
    slot: 'spec of the CSV',
    put: ({ csv }, draws) => {
      mapAt(csv.tree, 'spec')['minKubeVersion'] = draws.oneOf(['1.16.0', '', '1.11.0-0']);
      return ACCEPTED;
    },
  },
  {
    name: 'minKubeVersion that is no version',
    weight: 3,
    slot: 'spec of the CSV',
    put: (draft, draws) => {
      mapAt(draft.csv.tree, 'spec')['minKubeVersion'] = draws.oneOf(['latest', '1.x']);
      return refusedByPhase([...csvPlaces(draft), 'minKubeVersion'], 'ersion');
    },
  },
  {
    name: 'rule without verbs',
    weight: 2,
    slot: 'permissions',
    put: (draft) => {
      permissionOf(draft)['rules'] = [{ apiGroups: [''], resources: ['pods'], verbs: [] }];
      return refusedByPhase([...csvPlaces(draft), 'install strategy invalid'], 'verb');
    },
  },
  {
    name: 'install mode that is there twice',
    weight: 2,
    slot: 'install modes',
    put: (draft) => {
      const mode = { type: 'OwnNamespace', supported: true };
      mapAt(draft.csv.tree, 'spec')['installModes'] = [mode, mode];
      return refusedByPhase([...csvPlaces(draft), 'InstallMode', 'install mode'], 'OwnNamespace');
    },
  },
  {
    name: 'install modes without the one that is asked for',
    weight: 400,
    slot: 'install modes',
    put: (draft) => {
      mapAt(draft.csv.tree, 'spec')['installModes'] = [
        { type: 'OwnNamespace', supported: false },
        { type: 'SingleNamespace', supported: false },
        { type: 'MultiNamespace', supported: false },
        { type: 'AllNamespaces', supported: true },
      ];
      return unmet('yes', ['OwnNamespace'], 'not supported');
    },
  },
  {
    name: 'webhook',
    weight: 900,
    slot: 'webhooks|deployments',
    put: (draft) => {
      const deploymentName = draft.key;
      const rule = {
        apiGroups: [`${draft.key}.example.com`],
        apiVersions: ['v1'],
        resources: ['*'],
        operations: ['*'],
      };
      const generateName = `check.${draft.key}.example.com`;
      const webhook = { ...WEBHOOK, generateName, deploymentName, containerPort: 443, targetPort: 9443, rules: [rule] };
      mapAt(draft.csv.tree, 'spec')['webhookdefinitions'] = [webhook];
      return ACCEPTED;
    },
  },
  {
    name: 'webhook with members left out or null',
    weight: 30,
    slot: 'webhooks|deployments',
    put: (draft) => {
      const generateName = `check.${draft.key}.example.com`;
      const { webhookPath: _path, ...rest } = WEBHOOK;
      const nulls = { rules: null, objectSelector: null, timeoutSeconds: null, containerPort: null, targetPort: null };
      mapAt(draft.csv.tree, 'spec')['webhookdefinitions'] = [
        { ...rest, generateName, deploymentName: draft.key, ...nulls, conversionCRDs: null },
      ];
      return ACCEPTED;
    },
  },
  {
    name: 'webhooks of one name',
    weight: 1,
    slot: 'webhooks|deployments',
    put: (draft) => {
      const webhook = { ...WEBHOOK, deploymentName: draft.key };
      mapAt(draft.csv.tree, 'spec')['webhookdefinitions'] = [webhook, webhook];
      return refusedByPhase([...csvPlaces(draft), 'WebhookDescription'], 'ebhook');
    },
  },
  {
    name: 'skips, replaces and a range in the CSV',
    weight: 2_000,
    slot: 'edges',
    put: (draft) => {
      Object.assign(mapAt(draft.csv.tree, 'spec'), { replaces: `${draft.key}.v0.0.1`, skips: [`${draft.key}.v0.0.2`] });
      mapAt(draft.csv.tree, 'metadata', 'annotations')['olm.skipRange'] = '<0.0.3';
      return ACCEPTED;
    },
  },
  {
    name: 'examples, descriptors and long texts',
    weight: 3_000,
    slot: 'examples',
    put: (draft, draws) => {
      const example = { apiVersion: `${draft.key}.example.com/v1`, kind: 'Lamp', metadata: { name: 'a' }, spec: null };
      const annotations = mapAt(draft.csv.tree, 'metadata', 'annotations');
      annotations['alm-examples'] = draws.oneOf([JSON.stringify([example]), '[]', '', '[{broken']);
      annotations['description'] = 'Ünïcode\u2028<b>&amp;</b> \u{1F4A1} "quoted" \\ \t tab';
      return ACCEPTED;
    },
  },
  {
    name: 'env and volumes as generators write them',
    weight: 3_000,
    slot: 'install strategy',
    put: (draft) => {
      const pod = podOf(draft);
      pod['volumes'] = [{ name: 'tmp', emptyDir: {} }];
      const [container = {}] = listAt(pod, 'containers');
      container['env'] = [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, { name: 'EMPTY' }];
      container['resources'] = { limits: { cpu: 1, memory: '1Gi' } };
      return ACCEPTED;
    },
  },
  dependency('dependency in the flat form', 2, { type: 'olm.package', packageName: 'x', version: '1.0.0' }, 'value'),
  dependency('dependency without a version', 1, { type: 'olm.package', value: { packageName: 'x' } }, 'version'),
  dependency('dependency of an unknown type', 1, { type: 'olm.crd', value: { name: 'x' } }, 'olm.crd'),
  dependency('dependency without a value', 1, { type: 'olm.gvk' }, 'olm.gvk'),
  dependency(
    'dependency whose range is none',
    2,
    { type: 'olm.package', value: { packageName: 'x', version: '~1.0.0' } },
    'version',
  ),
  {
    name: 'properties of a bundle',
    weight: 900,
    slot: 'properties',
    put: (draft) => {
      const properties = [
        { type: 'olm.maxOpenShiftVersion', value: '4.99' },
        { type: 'example.note', value: null },
      ];
      const encode = (yaml: string) => new TextEncoder().encode(yaml);
      draft.metadata.push({ path: 'metadata/properties.yaml', tree: { properties }, encode, fate: 'skipped' });
      return ACCEPTED;
    },
  },
];
