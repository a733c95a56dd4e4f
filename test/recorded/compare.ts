import { DEPARTURES } from './departures.js';
import { type Difference, differences } from './differences.js';
import { orders } from './orders.js';
import { plain } from './plain.js';
import type { Dump, Recording } from './recording.js';
import type { Replayed } from './replay.js';

/** Everything in which the replay departs from the recording, but for what the table of departures allows. */
export function compare(recording: Recording, replayed: Replayed): Difference[] {
  const { checkpoints, final, missed } = replayed;
  const dumps = Object.entries(recording.checkpoints).map(
    ([label, dump]) => [label, dump, checkpoints[label] ?? {}] as const,
  );
  return [
    ...missed.map((text) => ({ where: 'steps', recorded: text, ours: undefined })),
    ...[...dumps, ['final', recording.final, final] as const].flatMap(([label, theirs, ours]) =>
      dumpDifferences(recording.name, theirs, ours).map((one) => ({ ...one, where: `${label}: ${one.where}` })),
    ),
    ...orders(recording, replayed),
  ];
}

export const dumpDifferences = (scenario: string, recorded: Dump, ours: Dump): Difference[] =>
  differences(plain(allowed(scenario, recorded)), plain(allowed(scenario, ours)));

export function allowed(scenario: string, dump: Dump): Dump {
  return DEPARTURES.filter(({ scenarios }) => scenarios === undefined || scenarios.includes(scenario)).reduce(
    (left, { leaveOut }) => leaveOut(left),
    dump,
  );
}
