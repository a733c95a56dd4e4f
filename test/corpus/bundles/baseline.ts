import type { SeededDraws } from '#testing/seeded-draws';
import type { YamlMap } from '../text/yaml-tree.js';
import { addManifest, type BundleDraft, crdsOf, type DraftFile, plainLayers, utf8 } from './bundle-draft.js';

const WORDS = ['lamp', 'kettle', 'buoy', 'anvil', 'sail', 'plum', 'fig', 'bolt', 'drum', 'reed'] as const;
const BUNDLE = 'operators.operatorframework.io.bundle';
const MODES = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];

/** A bundle as the generators of operator-sdk and kubebuilder write it, without any oddity. */
export function baselineBundle(index: number, draws: SeededDraws): BundleDraft {
  const word = draws.oneOf(WORDS);
  const key = `${word}-${String(index).padStart(4, '0')}`;
  const version = `${draws.between(0, 3)}.${draws.between(0, 9)}.${draws.between(0, 9)}`;
  const csv = { path: 'manifests/clusterserviceversion.yaml', tree: {}, encode: utf8, fate: 'applied' as const };
  const draft: BundleDraft = {
    ...{ packageName: key, key, version, csv, manifests: [csv], beside: [], layers: plainLayers() },
    metadata: [{ path: 'metadata/annotations.yaml', tree: annotations(key), encode: utf8, fate: 'skipped' }],
    delivery: 'image',
    asked: draws.oneOf(['directory', 'directory', 'image', 'layout'] as const),
    targets: 'own',
  };
  csv.tree = csvTree(key, version);
  const crds = draws.oneOf([0, 1, 1, 1, 2]);
  for (let at = 0; at < crds; at += 1) addCrd(draft, draws, at);
  for (const add of draws.shuffled(COMPANIONS).slice(0, draws.between(0, 3))) add(draft);
  if (draws.next() < 0.2) addClusterPermissions(draft);
  return draft;
}

/** Metadata of any object of a bundle. */
const named = (name: string, more: YamlMap = {}): YamlMap => ({ name, ...more });

const annotations = (name: string): YamlMap => ({
  annotations: {
    [`${BUNDLE}.mediatype.v1`]: 'registry+v1',
    [`${BUNDLE}.manifests.v1`]: 'manifests/',
    [`${BUNDLE}.metadata.v1`]: 'metadata/',
    [`${BUNDLE}.package.v1`]: name,
    [`${BUNDLE}.channels.v1`]: 'stable',
    [`${BUNDLE}.channel.default.v1`]: 'stable',
  },
});

function csvTree(key: string, version: string): YamlMap {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: named(`${key}.v${version}`, {
      annotations: { capabilities: 'Basic Install', containerImage: `registry.example/${key}:${version}` },
    }),
    spec: {
      displayName: `Operator of ${key}`,
      description: 'Keeps it lit',
      version,
      maturity: 'alpha',
      provider: { name: 'Example' },
      keywords: ['light', key],
      links: [{ name: 'Home', url: 'https://example.com' }],
      maintainers: [{ name: 'Jo', email: 'jo@example.com' }],
      icon: [{ base64data: 'PHN2Zy8+', mediatype: 'image/svg+xml' }],
      installModes: MODES.map((type) => ({ type, supported: true })),
      customresourcedefinitions: { owned: [] },
      install: {
        strategy: 'deployment',
        spec: {
          permissions: [
            {
              serviceAccountName: key,
              rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
            },
          ],
          deployments: [deployment(key, version)],
        },
      },
    },
  };
}

const deployment = (key: string, version: string): YamlMap => ({
  name: key,
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: key } },
    strategy: {},
    template: {
      metadata: { labels: { app: key } },
      spec: {
        serviceAccountName: key,
        containers: [
          {
            name: 'manager',
            image: `registry.example/${key}:${version}`,
            args: ['--leader-elect'],
            env: [{ name: 'LEVEL', value: 'info' }],
            ports: [{ containerPort: 8443, name: 'https' }],
            resources: { requests: { cpu: '10m', memory: '64Mi' } },
          },
        ],
      },
    },
  },
});

/** Returns the first CustomResourceDefinition, and makes one if there is none. */
export function anyCrd(draft: BundleDraft, draws: SeededDraws): DraftFile {
  return crdsOf(draft)[0] ?? addCrd(draft, draws, 0);
}

/** A CustomResourceDefinition that the CSV owns. */
function addCrd(draft: BundleDraft, draws: SeededDraws, at: number): DraftFile {
  const [word = ''] = draft.key.split('-');
  const kind = `${word.charAt(0).toUpperCase()}${word.slice(1)}${['', 'Set', 'Pool'][at] ?? at}`;
  const plural = `${kind.toLowerCase()}s`;
  const group = `${draft.key}.example.com`;
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { glow: { type: 'string' } } }, status: { type: 'object' } },
    },
  };
  const versions: YamlMap[] = [{ name: 'v1', served: true, storage: true, schema }];
  if (draws.next() < 0.3) versions.unshift({ name: 'v1beta1', served: true, storage: false, schema });
  const file = addManifest(draft, `${group}_${plural}`, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: named(`${plural}.${group}`),
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions,
    },
  });
  const { owned } = (draft.csv.tree['spec'] as YamlMap)['customresourcedefinitions'] as { owned: YamlMap[] };
  const resources = [{ kind: 'Deployment', name: 'worker', version: 'v1' }];
  for (const { name } of versions)
    owned.push({ name: `${plural}.${group}`, version: name, kind, displayName: kind, description: kind, resources });
  return file;
}

const RBAC = 'rbac.authorization.k8s.io';
const READS = [{ apiGroups: [''], resources: ['services'], verbs: ['get'] }];

function addClusterPermissions({ csv, key }: BundleDraft): void {
  const { spec } = (csv.tree['spec'] as YamlMap)['install'] as { spec: YamlMap };
  spec['clusterPermissions'] = [{ serviceAccountName: key, rules: READS }];
}

/** Objects that bundles bring beside the CSV and its CRDs; each in a bundle once. */
const COMPANIONS: readonly ((draft: BundleDraft) => void)[] = [
  (draft) =>
    addManifest(draft, 'settings_v1_configmap', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: named(`${draft.key}-settings`),
      data: { 'controller.yaml': 'level: info\n', mode: 'safe' },
    }),
  (draft) =>
    addManifest(draft, 'metrics_v1_service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: named(`${draft.key}-metrics`, { labels: { app: draft.key } }),
      spec: { ports: [{ name: 'https', port: 8443, targetPort: 'https' }], selector: { app: draft.key } },
    }),
  (draft) =>
    addManifest(draft, 'metrics-reader_clusterrole', {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: named(`${draft.key}-metrics-reader`),
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    }),
  (draft) => {
    addManifest(draft, 'helper_v1_serviceaccount', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: named(`${draft.key}-helper`),
    });
    addManifest(draft, 'helper_role', {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: named(`${draft.key}-helper`),
      rules: READS,
    });
    addManifest(draft, 'helper_rolebinding', {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: named(`${draft.key}-helper`),
      roleRef: { apiGroup: RBAC, kind: 'Role', name: `${draft.key}-helper` },
      subjects: [{ kind: 'ServiceAccount', name: `${draft.key}-helper` }],
    });
  },
  (draft) =>
    addManifest(draft, 'budget_pdb', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: named(`${draft.key}-budget`),
      spec: { minAvailable: 1, selector: { matchLabels: { app: draft.key } } },
    }),
  (draft) =>
    addManifest(draft, 'pull_v1_secret', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: named(`${draft.key}-pull`),
      type: 'Opaque',
      data: { token: 'bm9uZQ==' },
    }),
];
