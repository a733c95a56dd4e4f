import type { FleetPlan } from '../../kernel/api/fleet/fleet-plan.js';
import { byCodeUnit, canonicalHash } from '../../kernel/canonical/canonical-json.js';

/**
 * Returns the changes of a plan in one cluster, or for its users, as lines: the subject of an approval.
 * Removed rights and images are not among them: no account gains by their removal.
 */
export function differencesOf(plan: Partial<FleetPlan['spec']>): readonly string[] {
  const { images, rbac, crds = [], webhooks = [], dependencies = [], neighbours = [], objects } = plan;
  const section = (name: string, lines: readonly string[] = []) => lines.map((line) => `${name} ${line}`);
  const definitions = crds.flatMap(({ name, adds, removes, storage, breaking }) => [
    ...section(`crd ${name} adds`, adds),
    ...section(`crd ${name} removes`, removes),
    ...section(`crd ${name} breaks`, breaking),
    ...(storage === undefined ? [] : [`crd ${name} stores ${storage}`]),
  ]);
  return [
    ...section('image', images?.added),
    ...section('right', rbac?.added),
    ...definitions,
    ...section('webhook', webhooks),
    ...section('dependency', dependencies),
    ...section('neighbour', neighbours),
    ...section('created', objects?.created),
    ...section('changed', objects?.changed),
    ...section('deleted', objects?.deleted),
  ];
}

/**
 * Returns the changes of a FleetCatalog's new digest in one cluster: the creation of its catalog, and the
 * fields that get another value. The plan itself has the new values. Earlier values of the fields do not
 * count.
 */
export function catalogDifferencesOf({ objects }: Partial<FleetPlan['spec']>): readonly string[] {
  const created = (objects?.created ?? []).flatMap(() => ['created', 'changed spec.image']);
  const changed = (objects?.changed ?? []).flatMap((text) =>
    text
      .split('\n')
      .filter((line) => !line.startsWith('- '))
      .slice(1)
      .map((line) => `changed ${/^\+ ([^:]+): /.exec(line)?.[1] ?? line}`),
  );
  return [...created, ...changed];
}

/** Returns the differences that were not shown. */
export function unshown(own: readonly string[], shown: readonly string[]): readonly string[] {
  const known = new Set(shown);
  return own.filter((line) => !known.has(line));
}

/**
 * The hash of a plan together with its differences in one cluster, if these are more than was shown of the
 * plan class: such clusters form a class of their own. Undefined if all of them were shown.
 */
export function widerHash(planHash: string, own: readonly string[], shown: readonly string[]): string | undefined {
  if (unshown(own, shown).length === 0) return undefined;
  return canonicalHash([planHash, [...new Set(own)].sort(byCodeUnit)]);
}

/** Characters of a hash that name a class. */
const CHARACTERS = 12;

/** The name of a plan class: the beginning of the hash of its plan, or of its plan with wider differences. */
export const planClassName = ({
  planHash,
  differences = planHash,
}: Readonly<{ planHash?: string | undefined; differences?: string | undefined }>): string =>
  differences?.slice(0, CHARACTERS) ?? 'none';
