import { describe, expect, it } from 'vitest';
import { SeededDraws } from '#testing/seeded-draws';
import { type OwnerStatus, ownerStatus } from './cluster-owner.js';
import { ANSWER_AGAIN_WITHIN_MS, ANSWER_WITHIN_MS, ASK_AGAIN_MS } from './hub-instance.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);
const RUNS = 10;
const MINUTE_MS = 60_000;
/** As the check before a write has it: an answer is good for so long. */
const CONFIRMED_MS = 10_000;
const SLOWEST_REQUEST_MS = 1_500;
/** Hubs that stay do all at the worst moment: an answered question, one that gets no answer, requests. */
const SETTLED_WITHIN_MS = ASK_AGAIN_MS + ANSWER_AGAIN_WITHIN_MS + ANSWER_WITHIN_MS + 2 * MINUTE_MS;

type Annotations = Readonly<Record<string, string>>;
type Known = Readonly<{ status: OwnerStatus; askedAt: number }>;

/** Hubs with one key and one cluster, in a time of their own. */
class World {
  readonly draws: SeededDraws;
  readonly hubs: SimulatedHub[] = [];
  now = Date.parse('2026-06-01T12:00:00Z');
  annotations: Annotations = {};
  version = 0;
  marks = 0;
  readonly #steps: { at: number; run: () => void }[] = [];

  constructor(drawn: number) {
    this.draws = new SeededDraws(drawn);
  }

  after(ms: number, run: () => void): void {
    const at = this.now + ms;
    const place = this.#steps.findLastIndex((step) => step.at <= at) + 1;
    this.#steps.splice(place, 0, { at, run });
  }

  passRequest = (run: () => void) => this.after(this.draws.between(1, SLOWEST_REQUEST_MS), run);

  write(annotations: Annotations): void {
    this.annotations = annotations;
    this.version += 1;
    this.marks += 1;
    for (const hub of this.hubs) this.after(this.draws.between(1, 2_000), () => hub.ask());
  }

  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const [next] = this.#steps;
      if (next === undefined || next.at > end) break;
      this.#steps.shift();
      this.now = next.at;
      next.run();
    }
    this.now = end;
  }
}

class SimulatedHub {
  isAlive = true;
  known: Known | undefined;
  #isAsking = false;
  #question: { text: string; seenAt: Date } | undefined;

  constructor(
    private readonly world: World,
    public instance: string,
    private readonly skewMs: number,
  ) {
    world.hubs.push(this);
    this.ask();
    this.#work();
  }

  /** Of the last object that it wrote to the cluster. */
  wroteAt = 0;

  ask(): void {
    const { world } = this;
    if (!this.isAlive || this.#isAsking) return;
    this.#isAsking = true;
    const askedAt = world.now;
    const instance = this.instance;
    world.passRequest(() => {
      const { annotations, version } = world;
      const status = this.#statusOf(annotations);
      world.passRequest(() => {
        if (!this.isAlive || this.instance !== instance) return;
        if (status.marks === undefined) return this.#learn(status, askedAt);
        world.passRequest(() => {
          if (!this.isAlive || this.instance !== instance) return;
          if (world.version !== version) return this.#learn(this.#statusOf(world.annotations), askedAt);
          const written = { ...annotations, ...status.marks };
          const kept = Object.entries(written).filter((entry): entry is [string, string] => entry[1] !== null);
          world.write(Object.fromEntries(kept));
          // The answer may be lost: the hub knows what it knew.
          if (world.draws.next() < 0.1) this.#isAsking = false;
          else this.#learn(this.#statusOf(world.annotations), askedAt);
        });
      });
    });
  }

  restart(instance: string): void {
    this.isAlive = true;
    this.instance = instance;
    this.known = undefined;
    this.#question = undefined;
    this.#isAsking = false;
    this.ask();
  }

  get acts(): boolean {
    const { known, world } = this;
    return this.isAlive && known?.status.acts === true && world.now - known.askedAt < CONFIRMED_MS;
  }

  #learn(status: OwnerStatus, askedAt: number): void {
    this.known = { status, askedAt };
    this.#isAsking = false;
  }

  #statusOf(annotations: Annotations): OwnerStatus {
    const now = new Date(this.world.now + this.skewMs);
    const text = annotations['flotilla.dev/hub-asks'] ?? '';
    if (this.#question?.text !== text) this.#question = { text, seenAt: now };
    const hub = { id: 'one', older: [] };
    const questionSeenAt = this.#question.seenAt;
    return ownerStatus({ cluster: 'east', hub, instance: this.instance, now, questionSeenAt, annotations });
  }

  /** A job of the cluster comes again and again, and asks where what is known is too old. */
  #work(): void {
    const { world, known } = this;
    if (this.acts) this.wroteAt = world.now;
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : world.now - known.askedAt;
    const againAfterMs = known?.status.acts === false ? (known.status.againAfterMs ?? 0) : CONFIRMED_MS;
    if (ageMs >= Math.min(againAfterMs, MINUTE_MS)) this.ask();
    world.after(world.draws.between(200, 5_000), () => this.#work());
  }
}

/** Who may still write although another one has been named for longer than an answer is good. */
function watchWriters(world: World): () => void {
  let named = '';
  let since = world.now;
  return () => {
    const holder = world.annotations['flotilla.dev/hub-instance'] ?? '';
    if (holder !== named) [named, since] = [holder, world.now];
    if (world.now - since <= CONFIRMED_MS + SLOWEST_REQUEST_MS) return;
    const writers = world.hubs.filter(({ acts }) => acts).map(({ instance }) => instance);
    expect(writers.filter((instance) => instance !== holder)).toEqual([]);
  };
}

describe(`hubs with one identity, whatever happens to them (FLOTILLA_TEST_SEED=${seed})`, () => {
  const runs = Array.from({ length: RUNS }, (_, run) => seed + run);
  const start = (world: World): void => {
    const skewed = world.draws.next() < 0.5;
    for (const letter of ['a', 'b', 'c'].slice(0, world.draws.between(1, 3)))
      new SimulatedHub(world, letter, skewed ? world.draws.between(-10, 10) * MINUTE_MS : 0);
  };

  it.each(runs)('one writes at a time, and the one that is left does so soon (%i)', (drawn) => {
    const world = new World(drawn);
    start(world);
    const check = watchWriters(world);
    const pass = (ms: number) => {
      for (let passed = 0; passed < ms; passed += 1_000) {
        world.pass(1_000);
        check();
      }
    };
    for (let step = 0; step < 8; step++) {
      const hub = world.draws.oneOf(world.hubs);
      if (world.draws.next() < 0.4) hub.isAlive = false;
      else hub.restart(world.draws.next() < 0.5 ? hub.instance : `${hub.instance}'`);
      pass(world.draws.between(0, 90_000));
    }
    const [last, ...others] = world.draws.shuffled(world.hubs);
    for (const other of others) other.isAlive = false;
    last?.restart(last.instance);
    pass(SETTLED_WITHIN_MS);
    expect(world.now - (last?.wroteAt ?? 0)).toBeLessThan(MINUTE_MS);
  });

  it.each(runs)('all at work write few marks (%i)', (drawn) => {
    const world = new World(drawn);
    start(world);
    world.pass(5 * MINUTE_MS);
    const before = world.marks;
    world.pass(60 * MINUTE_MS);
    expect(world.marks - before).toBeLessThanOrEqual(24);
    expect(world.hubs.filter(({ wroteAt }) => world.now - wroteAt < MINUTE_MS)).toHaveLength(1);
  });
});
