import { EventLog, type FleetEvent } from '../controller/record/event-log.js';
import { FleetFiles } from '../controller/record/subjects.js';
import { Agenda } from '../windows/agenda.js';
import { isActive, nextChange, type WindowRules } from '../windows/window-rules.js';
import { playFaults } from './controller-faults.js';
import { Faults } from './faults.js';
import type { FleetScenario } from './scenario.js';
import { addCluster, playScript } from './script.js';
import { type RunSummary, summaryOf } from './summary.js';
import { type FleetRun, VirtualHub } from './virtual-hub.js';
import { VirtualWorld } from './world.js';
import type { Due } from './world-options.js';

/**
 * Plays a scenario on a virtual clock: the same engine as that of the controller, on virtual clusters. The
 * same scenario gives the same events.
 */
export function simulate(...played: Parameters<typeof simulateByInstants>): RunSummary {
  const instants = simulateByInstants(...played);
  for (;;) {
    const { done, value } = instants.next();
    if (done === true) return value;
  }
}

/**
 * Runs {@link simulate} step by step, one instant of the virtual clock a step, for callers that show
 * progress.
 */
export function* simulateByInstants(
  scenario: FleetScenario,
  emit: (event: FleetEvent) => void,
  begins: (run: Omit<FleetRun, 'end'>) => void = () => undefined,
): Generator<undefined, RunSummary> {
  const agenda = new Agenda<Due>();
  const log = new EventLog(Date.parse(scenario.file.start), emit);
  const faults = new Faults(scenario.seed, scenario.file.faults, log.start);
  const files = new FleetFiles(scenario.objects);
  const world: VirtualWorld = new VirtualWorld({
    seed: scenario.seed,
    file: scenario.file,
    faults,
    log,
    agenda,
    subjectOf: (key) => files.subjects.get(key),
    isAtLeast: (catalog, held, needed) => hub.rolloutsOf(catalog).isAtLeast(held, needed),
    changed: (cluster) => hub.changed(cluster),
  });
  const hub: VirtualHub = new VirtualHub(world, files, scenario.seed, () => killed());
  begins({ hub, world });
  for (const entry of scenario.clusters) addCluster(world, entry);
  const killed = playFaults(world, hub);
  playScript(scenario, world, hub);
  const windows = new WindowClock(world, hub);
  const end = yield* run(agenda, world, hub, windows, log.start + scenario.until);
  return summaryOf(scenario, { hub, world, end });
}

/** Yields after each instant; returns the last one, in milliseconds since 1970. */
function* run(
  agenda: Agenda<Due>,
  world: VirtualWorld,
  hub: VirtualHub,
  windows: WindowClock,
  until: number,
): Generator<undefined, number> {
  let end = world.start;
  windows.announce();
  for (;;) {
    const next = nextInstant(agenda, hub, windows);
    if (next === undefined) return end;
    if (next > until) {
      world.now = until;
      return until;
    }
    world.now = next;
    end = next;
    windows.announce();
    while (agenda.nextAt === next) agenda.take()?.act();
    // The script may have applied or removed windows.
    windows.announce();
    hub.settle();
    yield;
  }
}

/**
 * Returns the time of the next event. Windows count only while a cluster waits for one, or until another
 * event is due.
 */
function nextInstant(agenda: Agenda<Due>, hub: VirtualHub, windows: WindowClock): number | undefined {
  const event = agenda.dropWhile(({ isLive }) => !isLive()) ?? Number.POSITIVE_INFINITY;
  const due = Math.min(event, hub.nextWakeAt);
  const window = windows.nextAt;
  if (due === Number.POSITIVE_INFINITY) return windows.isAwaited ? window : undefined;
  return window === undefined ? due : Math.min(due, window);
}

/** Windows that open and close. */
class WindowClock {
  readonly #open = new Set<string>();
  #windows: readonly WindowRules[] = [];
  #changesAt: number | undefined;

  constructor(
    readonly world: VirtualWorld,
    readonly hub: VirtualHub,
  ) {}

  /** The time at which a window next opens, closes, or leaves less time than it needs. */
  get nextAt(): number | undefined {
    return this.#changesAt;
  }

  /** Emits events for windows that have opened or closed, and has every rollout examine its clusters. */
  announce(): void {
    const { windows } = this.hub.files;
    const isChanged = windows !== this.#windows || (this.#changesAt !== undefined && this.world.now >= this.#changesAt);
    if (!isChanged) return;
    this.#windows = windows;
    const open = new Set(windows.filter((window) => isActive(window, this.world.now)).map(({ name }) => name));
    for (const name of [...this.#open].sort()) if (!open.has(name)) this.#event('WindowClosed', name);
    for (const name of [...open].sort()) if (!this.#open.has(name)) this.#event('WindowOpened', name);
    for (const record of this.hub.records) record.due.note(null);
    this.#changesAt = nextChange(windows, this.world.now);
  }

  #event(phase: 'WindowOpened' | 'WindowClosed', name: string): void {
    this.world.event(phase, null, { message: name });
    if (phase === 'WindowOpened') this.#open.add(name);
    else this.#open.delete(name);
  }

  /** True if a cluster waits for a window alone. */
  get isAwaited(): boolean {
    return this.hub.records.some((record) => {
      const role = this.hub.rolloutsOf(record.subject.key).roleOf(record);
      if (role !== 'active' && role !== 'standing') return false;
      return [...record.rows.values()].some(
        ({ phase, reason, goBack }) =>
          (phase === 'Waiting' && (reason === 'Window' || reason === 'Frozen')) ||
          (phase === 'Applying' && reason === 'WindowClosed') ||
          (phase === 'Done' && goBack !== undefined),
      );
    });
  }
}
