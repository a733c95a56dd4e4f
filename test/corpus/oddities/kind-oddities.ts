import { addManifest, addTo, crdsOf, listAt, mapAt } from '../bundles/bundle-draft.js';
import { addSmallObject } from './null-oddities.js';
import {
  ACCEPTED,
  advised,
  type BundleOddity,
  csvPlaces,
  naming,
  refused,
  refusedByPhase,
  unmet,
  unreadable,
} from './oddity.js';

/** Kinds that no plan may bring, each with its group. */
const UNSUPPORTED: readonly (readonly [kind: string, apiVersion: string])[] = [
  ['Deployment', 'apps/v1'],
  ['Pod', 'v1'],
  ['Namespace', 'v1'],
  ['HorizontalPodAutoscaler', 'autoscaling/v2'],
  ['Ingress', 'networking.k8s.io/v1'],
  ['ValidatingWebhookConfiguration', 'admissionregistration.k8s.io/v1'],
  ['Lamp', 'light.example.com/v1'],
  ['List', 'v1'],
  // opm lets it pass, and no plan of OLM brings it.
  ['PodMonitor', 'monitoring.coreos.com/v1'],
];

/** Kinds that plans bring, of APIs that the cluster does not serve. */
const ABSENT: readonly (readonly [kind: string, apiVersion: string])[] = [
  ['PrometheusRule', 'monitoring.coreos.com/v1'],
  ['ServiceMonitor', 'monitoring.coreos.com/v1'],
  ['ConsoleYAMLSample', 'console.openshift.io/v1'],
  ['ConsoleLink', 'console.openshift.io/v1'],
  ['PodDisruptionBudget', 'policy/v1beta1'],
  ['VerticalPodAutoscaler', 'autoscaling.k8s.io/v1'],
];

const OTHER_VERSIONS = [
  ...['v1alpha1', 'operators.coreos.com/v1', 'operators.coreos.com/v1beta1', 'binding.operators.coreos.com/v1alpha1'],
  'example.com/v7',
];

export const KIND_ODDITIES: readonly BundleOddity[] = [
  {
    name: 'CSV of another apiVersion',
    weight: 65,
    slot: 'apiVersion of the CSV',
    put: ({ csv }, draws) => {
      csv.tree['apiVersion'] = draws.oneOf(OTHER_VERSIONS);
      csv.becomes = () => ({ ...csv.tree, apiVersion: 'operators.coreos.com/v1alpha1' });
      return ACCEPTED;
    },
  },
  {
    name: 'Secret of another group',
    weight: 43,
    slot: 'Secret of another group',
    put: (draft) => {
      const metadata = { name: `${draft.key}-sample` };
      const apiVersion = 'secretsmanager.services.example.com/v1alpha1';
      const file = addManifest(draft, 'sample_secret', { apiVersion, kind: 'Secret', metadata, spec: { name: 'a' } });
      file.becomes = () => ({ apiVersion: 'v1', kind: 'Secret', metadata });
      // OLM v1 applies it to its own API. The cluster does not serve that.
      return { verdict: 'accepted', inExtension: naming([metadata.name], 'Secret', 'secretsmanager') };
    },
  },
  {
    name: 'object of a kind that no plan brings',
    weight: 20,
    slot: 'kind that no plan brings',
    put: (draft, draws) => {
      const [kind, apiVersion] = draws.oneOf(UNSUPPORTED);
      const metadata = { name: `${draft.key}-foreign` };
      addManifest(draft, 'foreign', { apiVersion, kind, metadata, spec: {} });
      return refused([metadata.name], kind);
    },
  },
  {
    name: 'object of an API that the cluster does not serve',
    weight: 400,
    slot: 'absent API',
    put: (draft, draws) => {
      const [kind, apiVersion] = draws.oneOf(ABSENT);
      const metadata = { name: `${draft.key}-absent` };
      addManifest(draft, 'absent', { apiVersion, kind, metadata, spec: {} });
      return unmet('yes', [metadata.name], kind);
    },
  },
  {
    name: 'CRD of v1beta1',
    weight: 2_190,
    slot: 'CRD of v1beta1',
    put: (draft) => {
      const name = `relics.${draft.key}.example.com`;
      addManifest(draft, 'relics_crd', {
        apiVersion: 'apiextensions.k8s.io/v1beta1',
        kind: 'CustomResourceDefinition',
        metadata: { name },
        spec: {
          group: `${draft.key}.example.com`,
          names: { kind: 'Relic', plural: 'relics', singular: 'relic', listKind: 'RelicList' },
          scope: 'Namespaced',
          version: 'v1',
          versions: [{ name: 'v1', served: true, storage: true }],
        },
      });
      return refused([name, 'manifests/relics_crd.yaml'], 'v1beta1');
    },
  },
  {
    name: 'deprecated version of a CRD, and one that is not served',
    weight: 300,
    slot: 'versions of a CRD',
    put: (draft) => {
      for (const { tree } of crdsOf(draft)) {
        const [first = {}] = listAt(tree, 'spec', 'versions');
        const old = { ...first, name: 'v1alpha1', storage: false, deprecated: true, deprecationWarning: 'use v1' };
        addTo(tree, ['spec', 'versions'], old);
        addTo(tree, ['spec', 'versions'], { ...first, name: 'v1alpha2', storage: false, served: false });
      }
      return ACCEPTED;
    },
  },
  {
    name: 'conversion None, written out',
    weight: 200,
    slot: 'spec of a CRD',
    put: (draft) => {
      for (const { tree } of crdsOf(draft)) mapAt(tree, 'spec')['conversion'] = { strategy: 'None' };
      return ACCEPTED;
    },
  },
  {
    name: 'definition of an API of OLM',
    weight: 28,
    slot: 'API of OLM',
    put: (draft) => {
      const group = 'binding.operators.coreos.com';
      const name = `knots${draft.key.replaceAll('-', '')}.${group}`;
      const plural = name.split('.')[0] ?? '';
      const [first] = crdsOf(draft);
      const schema = { openAPIV3Schema: { type: 'object' } };
      addManifest(draft, 'knots_crd', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name },
        spec: {
          group,
          scope: first === undefined ? 'Cluster' : 'Namespaced',
          names: { kind: 'Knot', plural, singular: 'knot', listKind: 'KnotList' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      return refused([name.slice(0, 20)], 'operators.coreos.com');
    },
  },
  {
    name: 'ServiceAccount of the name that the CSV has',
    weight: 9,
    // It is the account of a Deployment: neither that nor its permissions may be taken away.
    slot: 'account of the CSV|deployments|permissions',
    put: (draft) => {
      const metadata = { name: draft.key, annotations: { note: 'ours' } };
      const tree = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
      return advised([addManifest(draft, 'own_serviceaccount', tree).path], 'service account');
    },
  },
  {
    name: 'one object in two files',
    weight: 5,
    slot: 'one object twice',
    put: (draft, draws) => {
      const file = addSmallObject(draft, draws, 'double');
      const again = addManifest(draft, 'zz_double', structuredClone(file.tree));
      return advised([file.path, again.path, `${draft.key}-double`], `${draft.key}-double`);
    },
  },
  {
    name: 'second CSV',
    weight: 3,
    slot: 'second CSV',
    put: (draft) => {
      const other = structuredClone(draft.csv.tree);
      mapAt(other, 'metadata')['name'] = `${draft.key}.v9.9.9`;
      const file = addManifest(draft, 'zz_second', other, 'skipped');
      return advised([file.path], 'ClusterServiceVersion');
    },
  },
  {
    name: 'kind that is empty',
    weight: 1,
    slot: 'kind that no plan brings',
    put: (draft) => {
      const metadata = { name: `${draft.key}-kindless` };
      const { path } = addManifest(draft, 'kindless', { apiVersion: 'v1', kind: '', metadata }, 'skipped');
      return advised([path, metadata.name], 'kind');
    },
  },
  {
    name: 'manifest that is a list',
    weight: 1,
    slot: 'list',
    put: (draft) => {
      const file = addManifest(draft, 'listed', {}, 'skipped');
      file.encode = () =>
        new TextEncoder().encode('- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: in-a-list}\n');
      return advised([file.path], 'listed');
    },
  },
  {
    name: 'CSV whose metadata is null',
    weight: 1,
    slot: 'metadata of the CSV|name of the CSV|annotation of the CSV|label of the CSV',
    replacesValues: true,
    put: (draft) => {
      draft.csv.tree['metadata'] = null;
      return refused(csvPlaces(draft), 'name');
    },
  },
];

/** Objects in the phases of the CSV, and OLM's message about each. */
export const strategyOddity: BundleOddity = {
  name: 'install strategy of another name',
  weight: 1,
  slot: 'spec.install',
  put: (draft) => {
    mapAt(draft.csv.tree, 'spec', 'install')['strategy'] = 'helm';
    return refusedByPhase([...csvPlaces(draft), 'install strategy'], 'strategy');
  },
};

export const noObjects: BundleOddity = {
  name: 'no manifests at all',
  weight: 1,
  slot: 'folder of the manifests',
  movesFiles: true,
  put: (draft) => {
    for (const file of draft.manifests) file.path = file.path.replace('manifests/', 'manifest/');
    return unreadable(['no bundle objects', 'no csv', 'is not a bundle'], 'manifests');
  },
};
