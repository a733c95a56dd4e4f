import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Io } from '../io.js';
import { isData } from '../output/data-format.js';
import { exitCodeOf } from '../output/verdict.js';
import { askClusters, fleetVerdict, reportAway } from './ask-clusters.js';
import type { Found } from './found-object.js';
import type { LiveKind } from './kinds.js';
import { type ObjectForm, printObjects } from './print-objects.js';

/** Kinds, and only these names of them; all where none is named. */
export type KindAsked = Readonly<{ kinds: readonly LiveKind[]; names: readonly string[] }>;

export type GetOptions = Readonly<{
  asked: readonly KindAsked[];
  namespace?: string | undefined;
  selector?: string | undefined;
  form: ObjectForm;
  allowMissing: boolean;
}>;

/** `flotilla get`: the objects of all clusters in one list. */
export async function getObjects(clients: readonly KubeClient[], io: Io, options: GetOptions): Promise<void> {
  const { asked, form } = options;
  const fleet = await askClusters(clients, (client) => objectsOf(client, options));
  reportAway(fleet.away, io);
  const all = fleet.answers.flatMap(({ value }) => value);
  const found = all
    .filter(({ kind, object }) => isAsked(kind, object.metadata.name, options))
    .toSorted(inOrder(kindsAsked(options)));
  const missing = fleet.answers.length === 0 ? [] : asked.flatMap((one) => missingOf(one, all, options));
  for (const line of missing) io.err(`error: ${line}\n`);
  const verdict = fleetVerdict(missing.length === 0, fleet, options);
  if (found.length > 0 || isData(form.output)) {
    io.out(printObjects(found, { ...form, width: io.columns }, { now: new Date(), verdict, away: fleet.away }));
  } else if (missing.length === 0 && fleet.answers.length > 0) {
    io.err(`No ${whatOf(kindsAsked(options))} found ${whereOf(options)}.\n`);
  }
  io.exit(exitCodeOf(verdict));
}

/** Every kind that is asked for, once. */
export const kindsAsked = ({ asked }: Pick<GetOptions, 'asked'>): readonly LiveKind[] => [
  ...new Set(asked.flatMap(({ kinds }) => kinds)),
];

/** Whether an object is one of those that are asked for. */
export const isAsked = (kind: LiveKind, name: string | undefined, { asked }: Pick<GetOptions, 'asked'>): boolean =>
  asked.some(({ kinds, names }) => kinds.includes(kind) && (names.length === 0 || names.includes(name ?? '')));

/** Returns all objects of the requested kinds. */
async function objectsOf(client: KubeClient, options: GetOptions): Promise<Found[]> {
  const { namespace, selector } = options;
  const lists = await Promise.all(
    kindsAsked(options).map(async (kind) => {
      const where = kind.namespaced && namespace !== undefined ? { namespace } : {};
      const list = await client.list(kind.api, { ...where, labelSelector: selectorOf(kind, selector) });
      return (list?.items ?? []).map((item): Found => {
        return { cluster: client.cluster, kind, object: { ...item, ...kind.api } };
      });
    }),
  );
  return lists.flat();
}

/** A line for each name that no cluster has under one of its kinds. */
function missingOf({ kinds, names }: KindAsked, all: readonly Found[], options: GetOptions): string[] {
  const known = new Set(
    all.filter(({ kind }) => kinds.includes(kind)).map(({ object: { metadata } }) => metadata.name ?? ''),
  );
  return names
    .filter((name) => !known.has(name))
    .map((name) => `no ${whatOf(kinds)} "${name}" ${whereOf(options)}${didYouMean(name, known)}`);
}

/** Copies of a CSV in other namespaces would hide the few that matter. */
export function selectorOf({ api }: LiveKind, selector = ''): string {
  const own = api.kind === 'ClusterServiceVersion' ? `!${COPIED_FROM_LABEL}` : '';
  return [own, selector].filter((part) => part !== '').join(',');
}

/** By kind, then cluster, namespace and name. */
export const inOrder =
  (kinds: readonly LiveKind[]) =>
  (a: Found, b: Found): number =>
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    byCodeUnit(a.cluster, b.cluster) ||
    byCodeUnit(a.object.metadata.namespace ?? '', b.object.metadata.namespace ?? '') ||
    byCodeUnit(a.object.metadata.name ?? '', b.object.metadata.name ?? '');

const whatOf = (kinds: readonly LiveKind[]): string => kinds.map(({ api }) => api.kind).join(' or ');
function whereOf(options: GetOptions): string {
  if (!kindsAsked(options).some(({ namespaced }) => namespaced)) return 'in any cluster';
  return options.namespace === undefined ? 'in any namespace' : `in namespace ${options.namespace}`;
}
