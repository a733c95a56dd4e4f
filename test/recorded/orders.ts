import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { historyLine, withoutRaces } from './csv-history.js';
import type { Dump, Recording, Seen } from './recording.js';
import type { Replayed } from './replay.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The identity of a state in a recorded digest and in one of our objects, and the orders of states that are
 * no race.
 */
type Compared = Readonly<{
  kind: string;
  /** Title, if one kind is compared in two ways. */
  title?: string;
  recorded: (seen: Seen) => string;
  ours: (object: KubernetesObject) => string;
  settle: (states: readonly string[]) => readonly string[];
}>;

/** The reasons against a resolution of a Subscription, one after the other. */
export const REFUSALS = 'ResolutionFailed';

const COMPARED: readonly Compared[] = [
  {
    kind: 'ClusterServiceVersion',
    recorded: ({ phase, reason, message }) => historyLine(phase, reason, message),
    ours: (object) => {
      const { phase, reason, message } = statusOf(object);
      return historyLine(phase, reason, message);
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
  {
    kind: 'Subscription',
    title: REFUSALS,
    recorded: ({ conditions }) => String((conditions as Fields | undefined)?.['ResolutionFailed'] ?? ''),
    ours: (object) => refusalOf(statusOf(object)['conditions']),
    settle: (states) => states,
  },
];

function refusalOf(conditions: unknown): string {
  const list = Array.isArray(conditions) ? (conditions as Fields[]) : [];
  const found = list.find(({ type }) => type === 'ResolutionFailed');
  return found === undefined ? '' : `${found['status']}/${found['reason']}: ${found['message']}`;
}

const statusOf = (object: KubernetesObject): Fields => (object['status'] ?? {}) as Fields;

const subscriptionLine = (state: unknown, currentCSV: unknown, installedCSV: unknown): string =>
  state === undefined ? '' : `${state} current=${currentCSV} installed=${installedCSV ?? 'none'}`;

/**
 * Each object's phases and states in order, as dumps of both sides; names of plans are masked by their
 * number.
 */
export function orders(recording: Recording, replayed: Replayed): Readonly<{ theirs: Dump; ours: Dump }> {
  const pairs = COMPARED.map(
    (compared) => [compared.title ?? compared.kind, historiesOf(compared, recording, replayed)] as const,
  );
  return {
    theirs: Object.fromEntries(pairs.map(([kind, { theirs }]) => [kind, theirs])),
    ours: Object.fromEntries(pairs.map(([kind, { ours }]) => [kind, ours])),
  };
}

type Histories = Record<string, { history: readonly string[] }>;

function historiesOf(
  { kind, recorded, ours, settle }: Compared,
  recording: Recording,
  { recorder, scope, masks }: Replayed,
): { theirs: Histories; ours: Histories } {
  const theirs = new Map<string, string[]>();
  for (const seen of recording.timeline.filter(({ object }) => object.startsWith(`${kind} `))) {
    if (seen['deleted'] === true || seen['reason'] === 'Copied') continue;
    const key = seen.object.slice(kind.length + 1);
    theirs.set(key, [...(theirs.get(key) ?? []), recorded(seen)]);
  }
  // A recorder without any state of a kind had no watch on it.
  if (theirs.size === 0) return { theirs: {}, ours: {} };
  const mine = [...recorder.statesOf(kind, scope)]
    .map(([key, states]) => [masks.text(key), states.filter(isNoCopy).map((state) => masks.text(ours(state)))] as const)
    .filter(([, states]) => states.length > 0);
  const settled = (histories: Iterable<readonly [string, readonly string[]]>): Histories =>
    Object.fromEntries([...histories].map(([key, states]) => [key, { history: settle(collapsed(states)) }]));
  return { theirs: settled(theirs), ours: settled(mine) };
}

const isNoCopy = (object: KubernetesObject): boolean => object.metadata.labels?.['olm.copiedFrom'] === undefined;

const collapsed = (states: readonly string[]): string[] =>
  states.filter((state, index) => state !== '' && state !== states[index - 1]);
