import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { KubeApiError, type KubeClient, type ListOptions } from '#platform/kube/client/kube-client.port';
import { askClusters, fleetVerdict, reportAway } from '../../clusters/ask-clusters.js';
import type { ClusterOptions } from '../../clusters/cluster-options.js';
import { orRefusal } from '../../clusters/withheld.js';
import { isData } from '../../output/data-format.js';
import { exitCodeOf } from '../../output/verdict.js';
import type { Io } from '../../terminal/io.js';
import { type FieldSelector, fieldSelectorOf } from './field-selector.js';
import type { Found } from './found-object.js';
import type { LiveKind } from './live-kinds.js';
import { type ObjectForm, printObjects } from './print-objects.js';

/** Kinds, and only these names of them, in one place if a name says it; all if none is named. */
export type KindAsked = Readonly<{
  kinds: readonly LiveKind[];
  names: readonly string[];
  cluster?: string | undefined;
  namespace?: string | undefined;
}>;

export type GetOptions = Pick<ClusterOptions, 'kubeconfig' | 'context'> &
  Readonly<{
    asked: readonly KindAsked[];
    namespace?: string | undefined;
    selector?: string | undefined;
    fields?: FieldSelector | undefined;
    form: ObjectForm;
    allowMissing: boolean;
  }>;

/** Runs `flotilla get`: prints the objects of all clusters in one list. */
export async function getObjects(clients: readonly KubeClient[], io: Io, options: GetOptions): Promise<void> {
  const { asked, form } = options;
  const fleet = await askClusters(clients, (client) => objectsOf(client, options, io), {
    namespace: options.namespace,
    options,
    isNarrowable: kindsAsked(options).some(({ namespaced }) => namespaced),
  });
  reportAway(fleet.away, io);
  const all = fleet.answers.flatMap(({ value }) => value);
  const found = all.filter((one) => isAsked(one, options)).toSorted(inOrder(kindsAsked(options)));
  const missing = fleet.answers.length === 0 ? [] : asked.flatMap((one) => missingOf(one, all, options));
  for (const line of missing) io.err(`error: ${line}\n`);
  const verdict = fleetVerdict(missing.length === 0, fleet, options);
  if (found.length > 0 || isData(form.output)) {
    io.out(printObjects(found, { ...form, width: io.columns }, { now: new Date(), verdict, away: fleet.away }));
  } else if (missing.length === 0 && fleet.answers.length > 0) {
    io.err(
      `No ${whatOf(kindsAsked(options))} found ${whereOf(kindsAsked(options), options)}${selectedText(options)}.\n`,
    );
  }
  io.exit(exitCodeOf(verdict));
}

/** Every kind that is asked for, once. */
export const kindsAsked = ({ asked }: Pick<GetOptions, 'asked'>): readonly LiveKind[] => [
  ...new Set(asked.flatMap(({ kinds }) => kinds)),
];

/** True if an object is one of those that are asked for. */
export const isAsked = (found: Found, { asked }: Pick<GetOptions, 'asked'>): boolean =>
  asked.some(
    (one) => isInPlace(found, one) && (one.names.length === 0 || one.names.includes(found.object.metadata.name ?? '')),
  );

const isInPlace = ({ cluster, kind, object: { metadata } }: Found, asked: KindAsked): boolean =>
  asked.kinds.includes(kind) &&
  (asked.cluster ?? cluster) === cluster &&
  (asked.namespace ?? metadata.namespace) === metadata.namespace;

/**
 * Returns all objects of the requested kinds. With a namespace, kinds without namespaces are left out if this
 * login may not read them and a kind with namespaces was requested, too.
 */
async function objectsOf(client: KubeClient, options: GetOptions, io: Io): Promise<Found[]> {
  const { namespace } = options;
  const { cluster } = client;
  const here = options.asked.filter((one) => (one.cluster ?? cluster) === cluster);
  const kinds = kindsAsked({ asked: here });
  const hasOwn = namespace !== undefined && kinds.some(({ namespaced }) => namespaced);
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const selectors = selectorsOf(kind, options);
      if (selectors === undefined) return [];
      const where = kind.namespaced && namespace !== undefined ? { namespace } : {};
      const listing = client.list(kind.api, { ...where, ...selectors });
      const list = await (hasOwn && !kind.namespaced ? orRefusal(listing) : listing);
      if (list instanceof KubeApiError) {
        io.err(`note: ${cluster}: ${kind.api.kind}s are cluster-scoped, and this login may not read them\n`);
        return [];
      }
      return (list?.items ?? []).map((item): Found => ({ cluster, kind, object: { ...item, ...kind.api } }));
    }),
  );
  return lists.flat();
}

/** A line for each name that no cluster has under one of its kinds. */
function missingOf(one: KindAsked, all: readonly Found[], options: GetOptions): string[] {
  const known = new Set(all.filter((found) => isInPlace(found, one)).map(({ object }) => object.metadata.name ?? ''));
  const { kinds, names, cluster, namespace = options.namespace } = one;
  const where = `${whereOf(kinds, { namespace, cluster })}${selectedText(options)}`;
  return names
    .filter((name) => !known.has(name))
    .map((name) => `no ${whatOf(kinds)} "${name}" ${where}${didYouMean(name, known)}`);
}

/**
 * The selectors of requests about a kind; undefined if nothing of it is selected. Copies of a CSV in other
 * namespaces would hide the few that matter.
 */
export function selectorsOf(
  kind: LiveKind,
  { selector = '', fields = [] }: Pick<GetOptions, 'selector' | 'fields'>,
): Pick<ListOptions, 'labelSelector' | 'fieldSelector'> | undefined {
  const own = kind.api.kind === 'ClusterServiceVersion' ? `!${COPIED_FROM_LABEL}` : '';
  const labelSelector = [own, selector].filter((part) => part !== '').join(',');
  const fieldSelector = fieldSelectorOf(fields, kind);
  if (fieldSelector === undefined) return undefined;
  return { labelSelector, ...(fieldSelector === '' ? {} : { fieldSelector }) };
}

/** Orders objects by kind, then cluster, namespace and name. */
export const inOrder =
  (kinds: readonly LiveKind[]) =>
  (a: Found, b: Found): number =>
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    byCodeUnit(a.cluster, b.cluster) ||
    byCodeUnit(a.object.metadata.namespace ?? '', b.object.metadata.namespace ?? '') ||
    byCodeUnit(a.object.metadata.name ?? '', b.object.metadata.name ?? '');

const whatOf = (kinds: readonly LiveKind[]): string => kinds.map(({ api }) => api.kind).join(' or ');
function whereOf(kinds: readonly LiveKind[], { namespace, cluster }: Pick<KindAsked, 'namespace' | 'cluster'>): string {
  const of = cluster === undefined ? '' : ` of ${cluster}`;
  if (!kinds.some(({ namespaced }) => namespaced)) return cluster === undefined ? 'in any cluster' : `in ${cluster}`;
  return namespace === undefined ? `in any namespace${of}` : `in namespace ${namespace}${of}`;
}

/** A name that is there, and not selected, is not said to be missing. */
function selectedText({ selector, fields }: GetOptions): string {
  const flags = [
    ...(selector === undefined ? [] : ['--selector']),
    ...(fields === undefined ? [] : ['--field-selector']),
  ];
  return flags.length === 0 ? '' : ` with this ${flags.join(' and ')}`;
}
