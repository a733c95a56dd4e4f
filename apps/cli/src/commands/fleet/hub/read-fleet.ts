import { didYouMean } from '#core/kernel/text/did-you-mean';
import { readFleetState } from '#lifecycle/rollouts/controller/state/fleet-state';
import { LiveFleet, type LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { NEXT } from '../../../output/next-commands.js';
import { NotFound, UsageError } from '../../../terminal/io.js';

/** The kind that every hub serves. */
const FLEET_KIND = { apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetRollout' };
const NAMED = 5;

/**
 * Returns the whole fleet in the present state of the hub's API server.
 * @throws NotFound if it serves no fleet kinds
 */
export async function readFleet(hub: KubeClient, now: Date): Promise<LiveFleet> {
  if (!(await hub.serves(FLEET_KIND))) {
    throw new NotFound(
      `${hub.cluster} does not serve fleet kinds: it is not a hub yet (${NEXT.initFleet(hub.cluster)})`,
    );
  }
  return new LiveFleet(await readFleetState(hub), now.getTime());
}

/** `NAMESPACE/NAME` without its namespace. */
export const nameOnly = (name: string): string => name.slice(name.indexOf('/') + 1);

/**
 * Returns the one name that a user means: the name itself, or the only one that begins with the typed text.
 * Names with a namespace may be given without it.
 * @throws NotFound, UsageError if several begin so
 */
export function meantName(what: string, typed: string, names: readonly string[], namespace?: string): string {
  const allowed = namespace === undefined ? names : names.filter((name) => name.startsWith(`${namespace}/`));
  const forms = typed.includes('/') ? (name: string) => name : nameOnly;
  const exact = allowed.filter((name) => forms(name) === typed);
  const found = exact.length > 0 ? exact : allowed.filter((name) => forms(name).startsWith(typed));
  const [first, ...others] = found;
  if (first === undefined) {
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
    throw new NotFound(`there is no ${what} "${typed}"${where}${didYouMean(typed, allowed.map(forms))}`);
  }
  if (others.length === 0) return first;
  const shown = found.slice(0, NAMED).join(', ');
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  throw new UsageError(`${what} "${typed}" is ambiguous: ${shown}${more}; write more of the name`);
}

/** The rollout that a user means. */
export function meantRollout(fleet: LiveFleet, typed: string, namespace?: string): LiveRollout {
  const names = fleet.rollouts.map(({ record }) => record.spec.name);
  const name = meantName('rollout', typed, names, namespace);
  const found = fleet.rollouts.find(({ record }) => record.spec.name === name);
  if (found === undefined) throw new NotFound(`there is no rollout "${typed}"`);
  return found;
}

/**
 * Returns the name of a rollout as commands take it. The namespace is left out if no other rollout has that
 * name.
 */
export function shortName(fleet: LiveFleet, name: string): string {
  const isOnly = fleet.rollouts.filter(({ record }) => nameOnly(record.spec.name) === nameOnly(name)).length === 1;
  return isOnly ? nameOnly(name) : name;
}
