import { stringify } from 'yaml';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { type Columns, table } from '../commands/catalog-table.js';
import type { LiveKind } from './kinds.js';

/** An object and the cluster it was read in. */
export type Found = Readonly<{ cluster: string; kind: LiveKind; object: KubernetesObject }>;

export type ObjectFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name';

/** Says in data which cluster an object is of; it is not there in the cluster. */
const CLUSTER_ANNOTATION = 'flotilla.dev/cluster';

/** Objects of several clusters as text: one table a kind, a List of objects, or one name a line. */
export function printObjects(found: readonly Found[], format: ObjectFormat, now: Date): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(listOf(found), undefined, 2)}\n`;
    case 'yaml':
      return stringify(listOf(found));
    case 'name':
      return found.map((one) => `${nameOf(one)}\n`).join('');
    case 'table':
    case 'wide':
      return [...new Set(found.map(({ kind }) => kind))]
        .map((kind) =>
          table(
            found.filter((one) => one.kind === kind),
            columnsOf(kind, format, () => now),
          ),
        )
        .join('\n');
  }
}

/** The columns of a kind, CLUSTER first; ages are told as of `now`. */
export function columnsOf(kind: LiveKind, format: 'table' | 'wide', now: () => Date): Columns<Found> {
  const own = [...kind.columns, ...(format === 'wide' ? kind.wide : [])];
  return [
    ['CLUSTER', ({ cluster }) => cluster],
    ...(kind.namespaced ? [['NAMESPACE', ({ object }: Found) => object.metadata.namespace ?? ''] as const] : []),
    ['NAME', ({ object }) => object.metadata.name ?? ''],
    ...own.map(([heading, cell]) => [heading, ({ object }: Found) => cell(object, now())] as const),
  ];
}

/** `cluster/[namespace/]resource/name`. */
const nameOf = ({ cluster, kind, object: { metadata } }: Found): string =>
  [cluster, ...(kind.namespaced ? [metadata.namespace] : []), kind.resource, metadata.name].join('/');

const listOf = (found: readonly Found[]) => ({
  apiVersion: 'v1',
  kind: 'List',
  items: found.map(({ cluster, object }) => marked(cluster, object)),
});

function marked(cluster: string, { metadata: { managedFields: _servers, ...metadata }, ...object }: KubernetesObject) {
  const annotations = { ...metadata.annotations, [CLUSTER_ANNOTATION]: cluster };
  const { apiVersion, kind, ...rest } = object;
  return { apiVersion, kind, metadata: { ...metadata, annotations }, ...rest };
}
