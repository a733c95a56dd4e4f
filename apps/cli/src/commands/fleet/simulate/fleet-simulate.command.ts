import type { Command } from 'commander';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import type { RunSummary } from '#core/rollout/simulation/summary';
import { outputOption } from '../../../output/output-option.js';
import { exitCodeOf, verdictOf } from '../../../output/verdict.js';
import { type Io, UsageError } from '../../../terminal/io.js';

const HELP = `
Exit codes: 0 every rollout ended Completed or Superseded, and no invariant broke · 1 otherwise · 2 bad input.

Examples:
  flotilla fleet simulate -f fleet/
  flotilla fleet simulate -f fleet/ --clusters 1000 --faults faults.yaml -o json
  flotilla fleet simulate -f fleet/ --clusters clusters.yaml --seed 7 --until 48h
  flotilla fleet simulate -f fleet/ --clusters 100 --watch --speed 600`;

/** Lines that are written together. */
const LINES_AT_ONCE = 500;

type Options = Readonly<{
  file: readonly string[];
  clusters?: string;
  faults?: string;
  seed: string;
  until?: string;
  watch?: true;
  speed: string;
  output: 'text' | 'json';
}>;

/** Registers `flotilla fleet simulate`: plays rollouts on a virtual clock, without network. */
export const fleetSimulateCommand = (fleet: Command, io: Io): Command =>
  fleet
    .command('simulate')
    .description('simulate rollouts with virtual clusters, a virtual clock and faults')
    .requiredOption('-f, --file <path...>', 'manifests of fleet kinds: files, or folders with all their subfolders')
    .option(
      '--clusters <N|file>',
      'number of clusters, or a file that lists them (default: the FleetClusters, otherwise 12)',
    )
    .option('--faults <file>', 'durations, targets, script and faults')
    .option('--seed <text>', 'seed of all random draws: the same seed gives the same bytes', '1')
    .option('--until <duration>', 'end of the run, such as 48h (default: that of the faults, or 720h)')
    .option('--watch', 'show a live picture on a terminal')
    .option('--speed <number>', 'simulated seconds for each second of --watch', '60')
    .addOption(outputOption('form of the events', ['text', 'json']))
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const { readFleetScenario } = await import('./read-fleet-scenario.js');
      const { simulateChecked } = await import('#core/rollout/simulation/simulate-checked');
      const { NotesAfter, notesBefore } = await import('./simulation-notes.js');
      const scenario = await readFleetScenario(options, io);
      const speed = speedOf(options.speed);
      note(notesBefore(scenario), io);
      if (options.watch === true && options.output === 'text' && io.isTerminal === true) {
        const { watchSimulation } = await import('./watch-simulation.js');
        io.exit(exitCodeOf(verdictOf(hasEndedWell(await watchSimulation(scenario, speed, io)))));
        return;
      }
      const printer = options.output === 'json' ? new JsonLines(io) : await textPrinter(io);
      const after = new NotesAfter();
      const summary = simulateChecked(scenario, (event) => {
        printer.event(event);
        after.watch(event);
      });
      if (options.output === 'text') note(after.notes(summary), io);
      printer.end(summary);
      io.exit(exitCodeOf(verdictOf(hasEndedWell(summary))));
    });

function speedOf(text: string): number {
  const speed = Number(text);
  if (Number.isFinite(speed) && speed > 0) return speed;
  throw new UsageError(`--speed: ${text} must be a number above 0, such as 60`);
}

function note(notes: readonly string[], io: Io): void {
  for (const one of notes) io.err(`note: ${one}\n`);
}

interface Printer {
  event(event: FleetEvent): void;
  end(summary: RunSummary): void;
}

class JsonLines implements Printer {
  #lines: string[] = [];

  constructor(readonly io: Io) {}

  event(event: FleetEvent): void {
    this.#lines.push(JSON.stringify(event));
    if (this.#lines.length >= LINES_AT_ONCE) this.#flush();
  }

  end(summary: RunSummary): void {
    this.#lines.push(JSON.stringify(summary));
    this.#flush();
  }

  #flush(): void {
    this.io.out(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
  }
}

async function textPrinter(io: Io): Promise<Printer> {
  const { eventLine, summaryText } = await import('../picture/event-text.js');
  return {
    event: (event) => io.err(`${eventLine(event)}\n`),
    end: (summary) => io.out(summaryText(summary)),
  };
}

const hasEndedWell = ({ rollouts, invariants }: RunSummary): boolean =>
  invariants.violations.length === 0 && rollouts.every(({ phase }) => phase === 'Completed' || phase === 'Superseded');
