import type { Away } from '../../clusters/ask-clusters.js';
import { dataText } from '../../output/data-text.js';
import { type JsonPathTemplate, jsonPathText } from '../../output/json-path.js';
import type { ListFormat } from '../../output/output-option.js';
import { type Columns, table } from '../../output/table.js';
import type { Verdict } from '../../output/verdict.js';
import type { Found } from './found-object.js';
import { type LabelColumns, labelColumns } from './label-columns.js';
import type { LiveKind } from './live-kinds.js';
import { sortedBy } from './sorted-by.js';

/** The form of a printed list of objects. */
export type ObjectForm = Readonly<{
  output: ListFormat | 'jsonpath' | 'custom-columns';
  /** The template for the list, with `jsonpath`. */
  template?: JsonPathTemplate | undefined;
  /** The columns with `custom-columns`, of objects as `-o json` prints them. */
  custom?: Columns<unknown> | undefined;
  headers: boolean;
  /** Columns of labels at the end of tables. */
  labels?: LabelColumns | undefined;
  /** A path as in JSONPath. Its value is the sort key of the objects. */
  sortBy?: string | undefined;
  /** Columns of the terminal: a table is cut to them, except with `wide`. */
  width?: number | undefined;
}>;

/** The facts of a list as data, in addition to the objects. */
type ListFacts = Readonly<{ now: Date; verdict: Verdict; away: readonly Away[] }>;

/** Annotation in printed data with the cluster of an object. The cluster itself does not have it. */
const CLUSTER_ANNOTATION = 'flotilla.dev/cluster';

/** Objects of several clusters as text: one table a kind, a List of objects, or one name a line. */
export function printObjects(all: readonly Found[], form: ObjectForm, facts: ListFacts): string {
  const { output, template, headers, sortBy, width } = form;
  const found = sortBy === undefined ? all : sortedBy(all, sortBy);
  switch (output) {
    case 'json':
    case 'yaml':
      return dataText(listOf(found, facts), output);
    case 'jsonpath':
      return jsonPathText(template ?? [], listOf(found, facts));
    case 'custom-columns':
      return tableText(found.map(marked), form.custom ?? [], headers);
    case 'name':
      return found.map((one) => `${nameOf(one)}\n`).join('');
    case 'table':
    case 'wide':
      return [...new Set(found.map(({ kind }) => kind))]
        .map((kind) => {
          const rows = found.filter((one) => one.kind === kind);
          return tableText(
            rows,
            columnsOf(kind, form, () => facts.now),
            headers,
            output === 'table' ? width : undefined,
          );
        })
        .join(headers ? '\n' : '');
  }
}

/** A table, with its headings or without. */
export function tableText<Row>(rows: readonly Row[], columns: Columns<Row>, headers: boolean, width?: number): string {
  const text = table(rows, columns, width);
  return headers ? text : text.slice(text.indexOf('\n') + 1);
}

/** The columns of a kind, CLUSTER first and labels last; ages are counted up to `now`. */
export function columnsOf(
  kind: LiveKind,
  { output, labels }: Pick<ObjectForm, 'output' | 'labels'>,
  now: () => Date,
): Columns<Found> {
  const own = [...kind.columns, ...(output === 'wide' ? kind.wide : [])];
  return [
    ['CLUSTER', ({ cluster }) => cluster],
    ...(kind.namespaced ? [['NAMESPACE', ({ object }: Found) => object.metadata.namespace ?? ''] as const] : []),
    ['NAME', ({ object }) => object.metadata.name ?? ''],
    ...own.map(([heading, cell]) => [heading, ({ object }: Found) => cell(object, now())] as const),
    ...(labels === undefined ? [] : labelColumns(labels)),
  ];
}

/** Returns `cluster/[namespace/]resource/name`, an operand for get, explain and approve. */
export const nameOf = ({ cluster, kind, object: { metadata } }: Found): string =>
  [cluster, ...(kind.namespaced ? [metadata.namespace] : []), kind.resource, metadata.name].join('/');

const listOf = (found: readonly Found[], { verdict, away }: ListFacts) => ({
  apiVersion: 'v1',
  kind: 'List',
  verdict,
  away,
  items: found.map(marked),
});

/** The object as data, with its cluster in an annotation. */
export function marked({ cluster, object: { metadata, apiVersion, kind, ...rest } }: Found) {
  const { managedFields: _servers, ...known } = metadata;
  const annotations = { ...known.annotations, [CLUSTER_ANNOTATION]: cluster };
  return { apiVersion, kind, metadata: { ...known, annotations }, ...rest };
}
