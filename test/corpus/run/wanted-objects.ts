import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { configMapData } from '../catalogs/catalog-draft.js';
import type { CorpusCase } from '../corpus-case.js';
import { GLOBAL } from './corpus-hub.js';

const OLM = 'operators.coreos.com';
/** The name of every CatalogSource here. */
export const CATALOG = 'corpus';

/** The namespace of a case. */
export const namespaceOf = ({ draft }: CorpusCase): string => draft.key;

/** The namespace of the CatalogSource that a case is installed from. */
export const catalogNamespaceOf = (one: CorpusCase): string => (one.catalog === undefined ? GLOBAL : namespaceOf(one));

export const catalogSource = (namespace: string, spec: object): KubernetesObject => ({
  apiVersion: `${OLM}/v1alpha1`,
  kind: 'CatalogSource',
  metadata: { name: CATALOG, namespace },
  spec,
});

export function subscription(one: CorpusCase): KubernetesObject {
  const sourceNamespace = catalogNamespaceOf(one);
  return {
    apiVersion: `${OLM}/v1alpha1`,
    kind: 'Subscription',
    metadata: { name: one.draft.key, namespace: namespaceOf(one) },
    spec: { name: one.draft.packageName, channel: 'stable', source: CATALOG, sourceNamespace },
  };
}

/** Objects that a user creates for a case. `image`: the image of its catalog. */
export function wantedObjects(one: CorpusCase, image: string): readonly KubernetesObject[] {
  const namespace = namespaceOf(one);
  const spec = { targetNamespaces: [namespace] };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: `${OLM}/v1`, kind: 'OperatorGroup', metadata: { name: 'group', namespace }, spec },
    ...ownCatalog(one, image),
    subscription(one),
  ];
}

function ownCatalog(one: CorpusCase, image: string): readonly KubernetesObject[] {
  const namespace = namespaceOf(one);
  if (one.catalog === undefined) return [];
  if (one.catalog.kind === 'files') return [catalogSource(namespace, { sourceType: 'grpc', image })];
  const metadata = { name: 'shelf', namespace };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: configMapData(one.catalog) },
    catalogSource(namespace, { sourceType: 'configmap', configMap: 'shelf' }),
  ];
}
