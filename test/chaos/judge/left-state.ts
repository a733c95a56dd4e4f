import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { whatsLeft } from '../../story/kill-walk/whats-left.js';

/** The objects of a cluster at the end of a run, as JSON by `Kind namespace/name`. */
export type LeftState = ReadonlyMap<string, string>;

/** Matches counts of changes of a Deployment: they depend on the time of a setting. */
const ROLLED_OUT = /(ReplicaSet \\"[a-z-]+-)\d+/g;

/** Returns the state that a run left, without values that no two runs share. */
export const leftState = (cluster: SimulatedCluster): LeftState =>
  new Map(
    Object.entries(whatsLeft(cluster).objects).map(([name, object]) => [
      name,
      canonicalJson(object).replaceAll(ROLLED_OUT, '$1N'),
    ]),
  );

/** Describes the differences between the states of two runs, for people. */
export function differences(without: LeftState, withFaults: LeftState): readonly string[] {
  const names = [...new Set([...without.keys(), ...withFaults.keys()])].sort(byCodeUnit);
  return names.flatMap((name) => {
    const [wanted, found] = [without.get(name), withFaults.get(name)];
    return wanted === found ? [] : [`${name}: ${firstDifference(wanted, found)}`];
  });
}

const SHOWN = 300;

/** Returns both texts from shortly before their first difference. */
export function firstDifference(wanted = 'not there', found = 'not there'): string {
  const at = [...wanted].findIndex((letter, index) => letter !== found[index]);
  const from = Math.max((at < 0 ? wanted.length : at) - SHOWN / 3, 0);
  const part = (text: string) => text.slice(from, from + SHOWN);
  return `without faults …${part(wanted)}… with faults …${part(found)}…`;
}
