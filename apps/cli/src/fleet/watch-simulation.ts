import { durationMs } from '#core/fleet/placement/waves';
import type { FleetEvent } from '#core/fleet/simulation/event-log';
import type { FleetScenario } from '#core/fleet/simulation/scenario';
import { simulateChecked } from '#core/fleet/simulation/simulate-checked';
import type { RunSummary } from '#core/fleet/simulation/summary';
import type { Io } from '../io.js';
import { summaryText } from './fleet-texts.js';
import { LivePicture, type WaveTimes } from './live-picture.js';
import { playLive } from './play-live.js';
import { NotesAfter } from './simulation-notes.js';

/** Plays a scenario, and shows it as it goes on. */
export async function watchSimulation(scenario: FleetScenario, speed: number, io: Io): Promise<RunSummary> {
  const events: FleetEvent[] = [];
  let timesOf: (rollout: string, wave: string) => WaveTimes | undefined = () => undefined;
  const summary = simulateChecked(
    scenario,
    (event) => events.push(event),
    ({ controller }) => {
      timesOf = (rollout, name) => {
        const record = controller.records.find(({ spec }) => spec.name === rollout);
        const rules = record?.spec.waves.find((wave) => wave.name === name)?.spec;
        if (rules === undefined) return undefined;
        return { soak: durationMs(rules.soak) / 1000, progressDeadline: durationMs(rules.progressDeadline) / 1000 };
      };
    },
  );
  await playLive(events, new LivePicture(timesOf), io, speed);
  const after = new NotesAfter();
  for (const event of events) after.watch(event);
  for (const note of after.notes(summary)) io.err(`note: ${note}\n`);
  io.out(summaryText(summary));
  return summary;
}
