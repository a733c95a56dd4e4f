import type { KubernetesObject } from '#core/api/kubernetes-object';
import { byCodeUnit } from '#core/canonical/canonical-json';
import { withoutRaces } from './csv-history.js';
import type { Difference } from './differences.js';
import type { Recording, Seen } from './recording.js';
import type { Replayed } from './replay.js';

type Fields = Readonly<Record<string, unknown>>;

/** What is compared in order, per kind: how a recorded digest and one of our objects say it. */
const COMPARED: readonly Readonly<{
  kind: string;
  recorded: (seen: Seen) => string;
  ours: (object: KubernetesObject) => string;
  settle: (states: readonly string[]) => readonly string[];
}>[] = [
  {
    kind: 'ClusterServiceVersion',
    recorded: ({ phase, reason }) => (phase === undefined ? '' : `${phase}/${reason}`),
    ours: (object) => {
      const { phase, reason } = statusOf(object);
      return phase === undefined ? '' : `${phase}/${reason}`;
    },
    settle: withoutRaces,
  },
  {
    kind: 'InstallPlan',
    recorded: ({ phase }) => `${phase ?? ''}`,
    ours: (object) => `${statusOf(object)['phase'] ?? ''}`,
    settle: (states) => states,
  },
  {
    kind: 'Subscription',
    recorded: ({ state, currentCSV, installedCSV }) => subscriptionLine(state, currentCSV, installedCSV),
    ours: (object) => {
      const { state, currentCSV, installedCSV } = statusOf(object);
      return subscriptionLine(state, currentCSV, installedCSV);
    },
    settle: (states) => states,
  },
];

const statusOf = (object: KubernetesObject): Fields => (object['status'] ?? {}) as Fields;

const subscriptionLine = (state: unknown, currentCSV: unknown, installedCSV: unknown): string =>
  state === undefined ? '' : `${state} current=${currentCSV} installed=${installedCSV ?? 'none'}`;

/** The order of phases and states of each object; names of plans are masked by their number. */
export function orders(recording: Recording, { recorder, scope, masks }: Replayed): Difference[] {
  return COMPARED.flatMap(({ kind, recorded, ours, settle }) => {
    const theirs = new Map<string, string[]>();
    for (const seen of recording.timeline.filter(({ object }) => object.startsWith(`${kind} `))) {
      if (seen['deleted'] === true || seen['reason'] === 'Copied') continue;
      const key = seen.object.slice(kind.length + 1);
      theirs.set(key, [...(theirs.get(key) ?? []), recorded(seen)]);
    }
    const mine = new Map(
      [...recorder.statesOf(kind, scope)]
        .map(([key, states]) => [masks.text(key), states.filter(isNoCopy).map(ours)] as const)
        .filter(([, states]) => states.length > 0),
    );
    // A recorder that told nothing of a kind had no watch on it.
    const keys = theirs.size === 0 ? [] : [...theirs.keys(), ...mine.keys()];
    return [...new Set(keys)].toSorted(byCodeUnit).flatMap((key) => {
      const a = settle(collapsed(theirs.get(key) ?? []));
      const b = settle(collapsed(mine.get(key) ?? []));
      return a.join() === b.join() ? [] : [{ where: `order: ${kind} ${key}`, recorded: a, ours: b }];
    });
  });
}

const isNoCopy = (object: KubernetesObject): boolean => object.metadata.labels?.['olm.copiedFrom'] === undefined;

const collapsed = (states: readonly string[]): string[] =>
  states.filter((state, index) => state !== '' && state !== states[index - 1]);
