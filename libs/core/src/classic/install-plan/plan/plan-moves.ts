import type { InstallPlan } from '../../../kernel/api/install-plan.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';

/**
 * Flotilla's annotation of an InstallPlan: the Subscriptions it moves, each with its CSV, as JSON. OLM keeps
 * this in memory between making the plan and writing the Subscriptions. Since it is written down, any process
 * can finish an interrupted pass.
 */
export const MOVES_ANNOTATION = 'flotilla.dev/moves';

/** Value of {@link MOVES_ANNOTATION}. */
export const movesAnnotation = (updated: readonly Readonly<{ name: string; currentCSV: string }>[]): string =>
  canonicalJson(Object.fromEntries(updated.map(({ name, currentCSV }) => [name, currentCSV])));

function movesOf(plan: InstallPlan): ReadonlyMap<string, string> {
  try {
    const value: unknown = JSON.parse(plan.metadata.annotations?.[MOVES_ANNOTATION] ?? '{}');
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map(); // edited by hand: treated as a plan that moves no Subscription
  }
}

const generationOf = (plan: InstallPlan): number => plan.spec.generation ?? 0;

/**
 * Returns an unfinished plan, with its steps, and the CSV it moves to. The plan was made for this
 * Subscription, but the Subscription does not refer to it yet. Undefined if nothing was interrupted.
 */
export function forgottenMove(
  subscription: Subscription,
  plans: Iterable<InstallPlan>,
): Readonly<{ plan: InstallPlan; currentCSV: string }> | undefined {
  const { name = '', uid } = subscription.metadata;
  const known = subscription.status?.installPlanGeneration ?? 0;
  let found: Readonly<{ plan: InstallPlan; currentCSV: string }> | undefined;
  for (const plan of plans) {
    const currentCSV = movesOf(plan).get(name);
    const owned = plan.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
    const ready = (plan.status?.plan ?? []).length > 0 && plan.metadata.deletionTimestamp === undefined;
    if (currentCSV === undefined || !owned || !ready || generationOf(plan) <= known) continue;
    if (found === undefined || generationOf(plan) > generationOf(found.plan)) found = { plan, currentCSV };
  }
  return found;
}
