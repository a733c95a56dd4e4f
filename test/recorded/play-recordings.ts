import { compare, dumpDifferences } from './compare.js';
import type { Difference } from './differences.js';
import { type RecordedStage, type RecordedStageOptions, setRecordedStage } from './recorded-stage.js';
import { type Recording, readRecording } from './recording.js';
import { replay } from './replay.js';

export type Played = Readonly<{ name: string; seconds: number; differences: readonly Difference[] }>;

export type PlayOptions = Readonly<{
  backend: RecordedStageOptions['backend'];
  names: readonly string[];
  /** How many are played at the same time. */
  atOnce: number;
  patienceMs: number;
  quietMs: number;
}>;

export type Playing = Readonly<{
  /** What came of one recording; undefined where it is not at hand. */
  of: (name: string) => Promise<Played | undefined>;
  strike: () => Promise<void>;
}>;

/** How long a failing plan is tried again; OLM's lab had 20 s, and nothing in the recordings tells which. */
const RETRY_WINDOW = '5s';
/** A simulated cluster costs nothing, so each recording has its own there; real ones are shared. */
const clustersFor = (backend: PlayOptions['backend'], recordings: number): number =>
  backend === 'simulated' ? Math.max(1, recordings) : 1;

/** Starts a stage and plays the recordings on it, a few at a time; each can be awaited by name. */
export async function playRecordings(options: PlayOptions): Promise<Playing> {
  const { backend, names, atOnce } = options;
  const recordings = names.flatMap((name) => readRecording(name) ?? []);
  const stage = await setRecordedStage({
    backend,
    clusters: clustersFor(backend, recordings.length),
    settings: { FLOTILLA_INSTALL_PLAN_RETRY_TIMEOUT: RETRY_WINDOW },
  });
  const results = new Map(recordings.map(({ name }) => [name, Promise.withResolvers<Played>()]));
  const queue = recordings.entries();
  const worker = async () => {
    for (const [index, recording] of queue) {
      const result = results.get(recording.name);
      await playOne(recording, stage, index, options).then(result?.resolve, result?.reject);
    }
  };
  for (const { promise } of results.values()) promise.catch(() => undefined); // told where it is awaited
  void Promise.all(Array.from({ length: atOnce }, worker));
  return { of: async (name) => results.get(name)?.promise, strike: stage.strike };
}

async function playOne(
  recording: Recording,
  { clusters }: RecordedStage,
  index: number,
  { patienceMs, quietMs }: PlayOptions,
): Promise<Played> {
  const where = clusters[index % clusters.length];
  if (where === undefined) throw new Error('a stage without clusters');
  const replayed = await replay(recording, {
    ...where,
    patienceMs,
    quietMs,
    agrees: (label, recorded, dump) => dumpDifferences(recording.name, label, recorded, dump).length === 0,
  });
  return { name: recording.name, seconds: replayed.seconds, differences: compare(recording, replayed) };
}
