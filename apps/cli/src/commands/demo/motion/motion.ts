/** The state of one thing of the demo as it was last read: `west: InstallPlan install-1`, `Installing`. */
export type Sighting = Readonly<{ name: string; state: string }>;

type Followed = Readonly<{ state: string; before: ReadonlySet<string>; movedAt: number }>;

/** The motion of a demo so far, and the time since the last one. Times are in milliseconds. */
export type Motion = Readonly<{
  things: ReadonlyMap<string, Followed>;
  observedAt: number;
  /** Time without any motion, as far as it was observed. */
  stillMs: number;
}>;

/** A longer pause between two observations means that the machine slept or starved this process. */
const MOST_PAUSE_MS = 5_000;
/** The largest factor of the limit on a busy machine. */
const MOST_OVERLOAD = 20;

/** Returns the motion of a demo that has just begun. */
export const noMotion = (now: number): Motion => ({ things: new Map(), observedAt: now, stillMs: 0 });

/**
 * Adds the states seen at a time. A state that the same thing had before is no motion: states that take turns
 * are no progress.
 */
export function observed(motion: Motion, sightings: readonly Sighting[], now: number): Motion {
  const things = new Map(motion.things);
  let hasMoved = false;
  for (const { name, state } of sightings) {
    const followed = things.get(name);
    if (followed?.state === state) continue;
    const isNew = followed === undefined || !followed.before.has(state);
    hasMoved ||= isNew;
    const before = new Set(followed?.before).add(state);
    things.set(name, { state, before, movedAt: isNew ? now : (followed?.movedAt ?? now) });
  }
  const pause = Math.min(Math.max(now - motion.observedAt, 0), MOST_PAUSE_MS);
  return { things, observedAt: now, stillMs: hasMoved ? 0 : motion.stillMs + pause };
}

/** Returns the longest time without motion; a busy machine gets more. */
export const quietLimitMs = (patienceMs: number, load: number, processors: number): number =>
  patienceMs * Math.min(Math.max(load / Math.max(processors, 1), 1), MOST_OVERLOAD);

/** The longest time without motion once a service has ended by itself: the demo does not restart it. */
export const LIMIT_AFTER_END_MS = 5_000;

/** True if nothing has moved for longer than the limit. */
export const standsStill = (motion: Motion, limitMs: number): boolean => motion.stillMs > limitMs;

/** The state of a thing that no longer moves, and since how many seconds. */
type StoppedThing = Sighting & Readonly<{ seconds: number }>;

/** Returns at most `most` of the things that moved last. */
export const stoppedLast = ({ things, observedAt }: Motion, most: number): readonly StoppedThing[] =>
  [...things]
    .map(([name, { state, movedAt }]) => ({ name, state, seconds: Math.round((observedAt - movedAt) / 1_000) }))
    .sort((a, b) => a.seconds - b.seconds || (a.name < b.name ? -1 : 1))
    .slice(0, most);

/**
 * Returns a count of finished jobs as a state. It changes by doublings only, since endless retries are no
 * progress.
 */
export const countState = (count: number): string =>
  count < 1 ? 'none' : `${2 ** Math.floor(Math.log2(count))} or more`;
