import { DEPARTURES } from './departures/departures.js';
import { type Difference, differences } from './differences.js';
import { both } from './dump-edits.js';
import { orders } from './orders.js';
import { plain } from './plain.js';
import type { Dump, Recording } from './recording.js';
import type { Replayed } from './replay.js';

/** Returns differences between replay and recording that the table of departures does not allow. */
export function compare(recording: Recording, replayed: Replayed): Difference[] {
  const { checkpoints, final, missed } = replayed;
  const dumps = Object.entries(recording.checkpoints).map(
    ([label, dump]) => [label, dump, checkpoints[label] ?? {}] as const,
  );
  const order = orders(recording, replayed);
  return [
    ...missed.map((text) => ({ where: 'steps', recorded: text, ours: undefined })),
    ...[...dumps, ['final', recording.final, final] as const, ['order', order.theirs, order.ours] as const].flatMap(
      ([label, theirs, ours]) =>
        dumpDifferences(recording.name, label, theirs, ours).map((one) => ({
          ...one,
          where: `${label}: ${one.where}`,
        })),
    ),
  ];
}

/** Returns differences between two dumps that the table of departures does not allow. */
export const dumpDifferences = (scenario: string, label: string, recorded: Dump, ours: Dump): Difference[] =>
  differences(plain(allowed(scenario, label, recorded)), plain(allowed(scenario, label, ours)));

function allowed(scenario: string, label: string, dump: Dump): Dump {
  const here = DEPARTURES.filter((one) => (one.scenario ?? scenario) === scenario && (one.dump ?? label) === label);
  return both(...here.map(({ leaveOut }) => leaveOut))(dump);
}
