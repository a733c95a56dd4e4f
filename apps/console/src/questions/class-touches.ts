import { z } from 'zod';
import { type LabelsOf, type Rights, wholeNamespace } from '#core/view/rights/rights';
import type { OperatorRow, PlanMove } from '#core/view/rows/rows';
import type { OtherOperator, Touch } from '../api/questions.schema.js';
import { byText } from '../rows/sorted-rows.js';

/** Definitions of a plan, as a poller answers them. */
export const MemberTouches = z
  .array(
    z.strictObject({
      bundle: z.string(),
      name: z.string(),
      change: z.enum(['new', 'changed', 'unchanged', 'unread']),
      others: z
        .array(z.strictObject({ namespace: z.string(), name: z.string(), role: z.enum(['owner', 'user']) }))
        .max(20),
      more: z.int().min(0),
    }),
  )
  .max(300);

type MemberTouch = z.infer<typeof MemberTouches>[number];
type Member = Readonly<{ cluster: string; touches: readonly MemberTouch[] }>;

const MOST_OTHERS = 50;

/** Other operators, as a person sees them. */
export type SeenOthers = Readonly<{
  /** Names an operator by its bundle. Undefined if the person may not see it. */
  find: (
    cluster: string,
    other: MemberTouch['others'][number],
  ) => Pick<OtherOperator, 'package' | 'operator'> | undefined;
  /** True if they see everything: then operators that a poller only counts are counted. */
  areAll: boolean;
}>;

/**
 * Finds others among the operators that the person sees. An operator without a row needs the right to see its
 * whole namespace.
 */
export function seenOthers(operators: readonly OperatorRow[], rights: Rights, labels: LabelsOf): SeenOthers {
  const known = new Map<string, OperatorRow>();
  for (const row of operators) {
    for (const bundle of [row.installed, row.stillRuns ?? '', row.next])
      if (bundle !== '') known.set([row.cluster, row.namespace, bundle].join('\0'), row);
  }
  const find: SeenOthers['find'] = (cluster, { namespace, name }) => {
    const row = known.get([cluster, namespace, name].join('\0'));
    if (row !== undefined) return { package: row.package, operator: row.name };
    if (!rights.may('viewer', wholeNamespace(cluster, namespace), labels)) return undefined;
    return { package: name, operator: '' };
  };
  return { find, areAll: rights.unbounded };
}

/** `unnamed` is the most that a cluster has and does not name. The same ones may be in each cluster. */
type Growing = Touch & { others: OtherOperator[]; unnamed: number };

/** Returns the definitions that members of a group touch, with the other operators of all their clusters. */
export function groupTouches(members: readonly Member[], moves: readonly PlanMove[], seen: SeenOthers): Touch[] {
  const touches = new Map<string, Growing>();
  const others = new Map<string, OtherOperator>();
  for (const { cluster, touches: own } of members) {
    for (const one of own) {
      const key = [one.bundle, one.name].join('\0');
      const touch = touches.get(key) ?? touchOf(one, moves);
      touches.set(key, touch);
      touch.clusters += 1;
      if (seen.areAll) touch.unnamed = Math.max(touch.unnamed, one.more);
      for (const other of one.others) addOther({ cluster, key, other, touch }, others, seen);
    }
  }
  const owners = ({ others: all }: Touch) => all.filter(({ role }) => role === 'owner').length;
  return [...touches.values()]
    .map(({ unnamed, ...touch }) => ({
      ...touch,
      moreOthers: touch.moreOthers + unnamed,
      others: touch.others.toSorted(byWeight),
    }))
    .toSorted((a, b) => owners(b) - owners(a) || b.others.length - a.others.length || byText(a.name, b.name));
}

const touchOf = ({ bundle, name, change }: MemberTouch, moves: readonly PlanMove[]): Growing => ({
  package: moves.find(({ to }) => to === bundle)?.package ?? bundle.replace(/\.v?\d.*$/, ''),
  ...{ bundle, name, change, clusters: 0, others: [], moreOthers: 0, unnamed: 0 },
});

type Added = Readonly<{ cluster: string; key: string; other: MemberTouch['others'][number]; touch: Growing }>;

function addOther({ cluster, key, other, touch }: Added, others: Map<string, OtherOperator>, seen: SeenOthers): void {
  const found = seen.find(cluster, other);
  if (found === undefined) return;
  const { namespace, role } = other;
  const own = [key, found.package, found.operator, namespace, role].join('\0');
  const known = others.get(own);
  if (known !== undefined) {
    known.clusters += 1;
    return;
  }
  const added = { ...found, namespace, role, clusters: 1, example: cluster };
  others.set(own, added);
  if (touch.others.length < MOST_OTHERS) touch.others.push(added);
  else touch.moreOthers += 1;
}

const byWeight = (a: OtherOperator, b: OtherOperator): number =>
  byText(a.role, b.role) || b.clusters - a.clusters || byText(a.package, b.package) || byText(a.namespace, b.namespace);
