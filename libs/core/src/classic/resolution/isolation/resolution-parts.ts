import { apiKey } from '../../../catalog/model/bundle-facts.js';
import type { Entry } from '../../../catalog/model/entry.js';
import { meets } from '../../../catalog/model/requirement.js';
import { requirementsOf } from '../../../catalog/model/requirements-of.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { installedEntries } from '../problem/installed-entries.js';
import { isFor } from '../problem/resolution-of.js';
import type { DesiredNamespace, Resolution, ResolutionPart } from '../problem/resolution-problem.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;
/** A bundle to be installed, and the installed CSV that it replaces. */
type Step = Readonly<{ comes: Entry; goes: Entry | undefined }>;

/**
 * Groups chosen bundles that must be installed together: one requires the other, or did so before, or one
 * takes over an API from the other's predecessor. Separate groups can be approved, and can fail, on their
 * own.
 */
export function partsOf(
  { chosen }: Resolved,
  solution: readonly Entry[],
  desiredNamespace: DesiredNamespace,
): readonly ResolutionPart[] {
  const existing = installedEntries(desiredNamespace);
  const installed = new Map('error' in existing ? [] : existing.value.map((entry) => [entry.name, entry]));
  const steps = chosen
    .filter(({ upToDate }) => upToDate !== true)
    .flatMap(({ name, channel, replaces }) => {
      const comes = solution.find((entry) => entry.name === name && entry.channel === channel);
      return comes === undefined ? [] : [{ comes, goes: installed.get(replaces) }];
    });
  return connected(steps)
    .map((part) => {
      const bundles = part.map(({ comes }) => comes.name).sort(byCodeUnit);
      const asking = chosen
        .filter(({ name }) => bundles.includes(name))
        .flatMap((bundle) => desiredNamespace.subscriptions.filter((desired) => isFor(desired, bundle)))
        .map(({ name }) => name);
      return { bundles, subscriptions: [...new Set(asking)].sort(byCodeUnit) };
    })
    .sort((a, b) => byCodeUnit(a.bundles[0] ?? '', b.bundles[0] ?? ''));
}

function connected(steps: readonly Step[]): Step[][] {
  let parts: Step[][] = [];
  for (const step of steps) {
    const touched = parts.filter((part) => part.some((other) => belongTogether(step, other)));
    parts = [...parts.filter((part) => !touched.includes(part)), [...touched.flat(), step]];
  }
  return parts;
}

function belongTogether(a: Step, b: Step): boolean {
  return (
    needs(a.comes, b.comes) ||
    needs(b.comes, a.comes) ||
    needs(a.goes, b.goes) ||
    needs(b.goes, a.goes) ||
    shareApi(a.comes, b.goes) ||
    shareApi(b.comes, a.goes)
  );
}

function needs(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const requirements = requirementsOf(one.properties);
  return !('error' in requirements) && requirements.some((requirement) => meets(other, requirement));
}

function shareApi(one: Entry, other: Entry | undefined): boolean {
  const apis = new Set(one.facts.apis.map(apiKey));
  return other?.facts.apis.some((api) => apis.has(apiKey(api))) ?? false;
}

/**
 * Returns the first part that moves a Subscription, as a resolution of its own. The others wait for their
 * turn.
 */
export function nextPart(
  resolution: Resolved,
): Readonly<{ resolution: Resolved; subscriptions: readonly string[] }> | undefined {
  for (const { bundles, subscriptions } of resolution.parts ?? []) {
    const subscriptionsUpdated = resolution.subscriptionsUpdated.filter(({ name }) => subscriptions.includes(name));
    if (subscriptionsUpdated.length === 0) continue;
    const chosen = resolution.chosen.filter(({ name }) => bundles.includes(name));
    const subscriptionsCreated = resolution.subscriptionsCreated.filter(({ spec }) =>
      bundles.includes(spec['startingCSV'] ?? ''),
    );
    return { resolution: { ...resolution, chosen, subscriptionsCreated, subscriptionsUpdated }, subscriptions };
  }
  return undefined;
}

/**
 * Returns the resolution that moves one Subscription: with isolation its part alone. Undefined if the
 * Subscription does not move.
 */
export function partOf(resolution: Resolved, subscription: string): Resolved | undefined {
  if (resolution.parts === undefined) return resolution.subscriptionsUpdated.length === 0 ? undefined : resolution;
  const parts = resolution.parts.filter(({ subscriptions }) => subscriptions.includes(subscription));
  return nextPart({ ...resolution, parts })?.resolution;
}
