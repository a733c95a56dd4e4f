import { pause } from '#testing/patience';
import type { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import type { FleetHub } from './fleet-hub.js';

/** How many clusters each applier had while there were several. */
export type ScaledParts = Readonly<{
  /** Before the others were stopped. */
  atTheEnd: readonly number[];
  /** The part of the upgrades that was done then. */
  done: number;
  /** Seconds from the start of the others until all parts were within 20 % of even; absent: never. */
  evenAfterSeconds?: number | undefined;
}>;

const EVEN_ENOUGH = 0.2;
/** With few clusters the upgrades end before the shards are shared evenly. */
const EVEN_WITHIN_MS = 60_000;

/**
 * Starts the spare appliers when a third of the clusters has the second edition, and stops them, by SIGTERM,
 * once two thirds have it and the clusters are shared evenly. Resolves after that.
 */
export async function scaleAppliers(hub: FleetHub, say: (line: string) => void): Promise<ScaledParts> {
  const { clusters, services, spareAppliers } = hub;
  const done = () => clusters.reachedBy('edition 2') / clusters.names.length;
  while (done() < 1 / 3) await pause(100);
  for (const applier of spareAppliers) applier.start();
  const startedAt = Date.now();
  const appliers = [...services.filter(({ service }) => service === 'applier'), ...spareAppliers];
  let evenAfterSeconds: number | undefined;
  const isWaiting = () => evenAfterSeconds === undefined && Date.now() - startedAt < EVEN_WITHIN_MS;
  while (done() < 2 / 3 || isWaiting()) {
    await pause(250);
    if (evenAfterSeconds === undefined && areEven(await partsOf(appliers), clusters.names.length))
      evenAfterSeconds = (Date.now() - startedAt) / 1_000;
  }
  const parts = { atTheEnd: await partsOf(appliers), done: done(), evenAfterSeconds };
  say(renderScaled(parts).trimEnd());
  await Promise.all(spareAppliers.map((applier) => applier.stop()));
  return parts;
}

export function renderScaled({ atTheEnd, done, evenAfterSeconds }: ScaledParts): string {
  const even = evenAfterSeconds === undefined ? 'not yet even' : `even after ${evenAfterSeconds.toFixed(1)} s`;
  return `clusters of each applier before they were stopped, at ${Math.round(done * 100)} % of the upgrades: ${atTheEnd.join(', ')} (${even})\n`;
}

/** As they say themselves; 0 for one that does not answer yet. */
const partsOf = (appliers: readonly ServiceProcess[]): Promise<readonly number[]> =>
  Promise.all(
    appliers.map(async (applier) => {
      const url = await applier.url();
      if (url === undefined) return 0;
      const text = await fetch(`${url}/healthz`).then(
        (answer) => answer.text(),
        () => '',
      );
      return Number(/shards with (\d+) of \d+ clusters/.exec(text)?.[1] ?? 0);
    }),
  );

function areEven(parts: readonly number[], clusters: number): boolean {
  const average = clusters / parts.length;
  const all = parts.reduce((sum, part) => sum + part, 0);
  return all === clusters && parts.every((part) => Math.abs(part - average) <= EVEN_ENOUGH * average);
}
