import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, dumpDifferences } from './compare.js';
import type { Difference } from './differences.js';
import { startBundleRegistry } from './image-bundles.js';
import {
  type RecordedEnvironment,
  type RecordedEnvironmentOptions,
  startRecordedEnvironment,
} from './recorded-environment.js';
import { type Recording, readRecording } from './recording.js';
import { replay } from './replay.js';
import type { ScenarioRow } from './scenario-table.js';

export type Played = Readonly<{ name: string; seconds: number; differences: readonly Difference[] }>;

export type PlayOptions = Readonly<{
  backend: RecordedEnvironmentOptions['backend'];
  scenarios: readonly ScenarioRow[];
  /** Number of recordings that are played at the same time. */
  atOnce: number;
  patienceMs: number;
  quietMs: number;
}>;

export type Playing = Readonly<{
  /** Result of one recording. Undefined if this machine does not have it. */
  of: (name: string) => Promise<Played | undefined>;
  stop: () => Promise<void>;
}>;

/** Time of retries of a failing plan. OLM's lab had 20 s; the recordings do not name it. */
const RETRY_WINDOW = '10s';

/** For each scenario the number of its cluster: the first is shared by all that can. */
function clusterNumbers({ scenarios }: PlayOptions): Map<string, number> {
  let next = 1;
  return new Map(
    scenarios.map(({ name, ownCluster }) => {
      if (ownCluster === undefined) return [name, 0];
      next += 1;
      return [name, next - 1];
    }),
  );
}

/** Starts an environment and plays the recordings in it, a few at a time; each can be awaited by name. */
export async function playRecordings(options: PlayOptions): Promise<Playing> {
  const { backend, scenarios, atOnce } = options;
  const recordings = scenarios.flatMap(({ name }) => readRecording(name) ?? []);
  const numbers = clusterNumbers(options);
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-recorded-bundles-'));
  const registry = await startBundleRegistry(recordings, folder);
  const environment = await startRecordedEnvironment({
    backend,
    clusters: Math.max(...numbers.values()) + 1,
    settings: { FLOTILLA_INSTALL_PLAN_RETRY_TIMEOUT: RETRY_WINDOW, ...registry.settings },
  });
  const stop = async () => {
    await environment.stop();
    await registry.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const results = new Map(recordings.map(({ name }) => [name, Promise.withResolvers<Played>()]));
  const queue = recordings.values();
  const worker = async () => {
    for (const recording of queue) {
      const result = results.get(recording.name);
      await playOne(recording, environment, numbers.get(recording.name) ?? 0, options).then(
        result?.resolve,
        result?.reject,
      );
    }
  };
  for (const { promise } of results.values()) promise.catch(() => undefined); // reported where it is awaited
  void Promise.all(Array.from({ length: atOnce }, worker));
  return { of: async (name) => results.get(name)?.promise, stop };
}

async function playOne(
  recording: Recording,
  { clusters }: RecordedEnvironment,
  cluster: number,
  { patienceMs, quietMs }: PlayOptions,
): Promise<Played> {
  const where = clusters[cluster];
  if (where === undefined) throw new Error(`there is no cluster number ${cluster}`);
  const replayed = await replay(recording, {
    ...where,
    patienceMs,
    quietMs,
    agrees: (label, recorded, dump) => dumpDifferences(recording.name, label, recorded, dump).length === 0,
  });
  return { name: recording.name, seconds: replayed.seconds, differences: compare(recording, replayed) };
}
