import type { EndState } from '../fleet-upgrade/clusters-messages.js';
import type { FleetHub } from '../fleet-upgrade/fleet-hub.js';
import { catalogImage } from '../lifecycle/operator-images.js';
import type { BenchHubApi, RolloutStatus } from './hub-api.js';
import { until } from './until.js';

/**
 * An upgrade while some clusters do not answer, compared with the one before, when all answered; in seconds.
 */
export type AwayMeasure = Readonly<{
  away: number;
  /** From the loss of those clusters until each FleetCluster says that its cluster is away. */
  noticed: number;
  /** From the change until as many clusters as answer now had Succeeded, when all answered. */
  usual: number;
  /** The same until all clusters that answer have Succeeded. */
  others: number;
  /** Status of the rollout when the unreachable clusters come back. */
  atReturn: RolloutStatus;
  /** From their return until they have Succeeded, too, and until the rollout is Completed. */
  taken: number;
  completed: number;
  atEnd: RolloutStatus;
  /** End state of all clusters. */
  endState: EndState;
}>;

export type AwayOptions = Readonly<{ offline: number; say: (line: string) => void }>;

/** Returns so many percent of the clusters, evenly spread. */
export const everyOf = (names: readonly string[], percent: number): readonly string[] =>
  names.filter((_, at) => Math.floor(((at + 1) * percent) / 100) > Math.floor((at * percent) / 100));

/** `usualAt`: when the upgrade to edition 2 began; the next one, to edition 3, is the rollout `name`. */
export async function measureAway(
  { hub, api, name, usualAt }: Readonly<{ hub: FleetHub; api: BenchHubApi; name: string; usualAt: number }>,
  { offline, say }: AwayOptions,
): Promise<AwayMeasure> {
  const { clusters, registry } = hub;
  const away = everyOf(clusters.names, offline);
  const gone = new Set(away);
  const others = new Set(clusters.names.filter((one) => !gone.has(one)));
  const usual = clusters.secondsTo('edition 2', usualAt)[others.size - 1] ?? Number.NaN;
  let since = Date.now();
  const passed = () => (Date.now() - since) / 1_000;
  await clusters.ask({ do: 'away', clusters: away });
  await until(hub, 'away clusters noticed', () => api.reachable() === others.size);
  const noticed = passed();
  say(`${away.length} clusters do not answer, noticed after ${noticed.toFixed(1)} s`);
  since = Date.now();
  await clusters.ask({ do: 'offer', image: catalogImage(registry.host, 3) });
  await until(hub, 'all others', () => clusters.reachedBy('edition 3', others) === others.size);
  const last = clusters.secondsTo('edition 3', since, others).at(-1) ?? Number.NaN;
  const atReturn = api.rollout(name);
  say(`the ${others.size} others: ${last.toFixed(1)} s, ${usual.toFixed(1)} s where all answered`);
  since = Date.now();
  await clusters.ask({ do: 'away', clusters: [] });
  await until(hub, 'those that are back', () => clusters.reachedBy('edition 3') === clusters.names.length);
  const taken = passed();
  await until(hub, name, () => isOver(api.rollout(name)));
  const measured = { away: away.length, noticed, usual, others: last, atReturn, taken, completed: passed() };
  const atEnd = api.rollout(name);
  say(
    `${name}: ${atEnd.phase}, ${JSON.stringify(atEnd.counts)}, ${measured.completed.toFixed(1)} s after their return`,
  );
  return { ...measured, atEnd, endState: await clusters.endState(3) };
}

/** A rollout that is Completed without clusters that were away takes them afterwards. */
function isOver({ phase, counts }: RolloutStatus): boolean {
  const isAll = counts?.['done'] === counts?.['targets'];
  return phase === 'Halted' || (phase === 'Completed' && isAll);
}
