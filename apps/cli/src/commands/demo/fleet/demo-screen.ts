import { setTimeout } from 'node:timers/promises';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Io } from '../../../terminal/io.js';
import { readFleet } from '../../fleet/hub/read-fleet.js';
import { eventLine } from '../../fleet/picture/event-text.js';
import { LivePicture } from '../../fleet/picture/live-picture.js';
import { RedrawnPicture } from '../../fleet/picture/redrawn-picture.js';
import { RolloutWatch } from '../../fleet/status/watch-rollouts.js';
import type { ServiceProcess } from '../environment/service-process.js';
import type { Sighting } from '../motion/motion.js';
import { StillWatch } from '../motion/still-watch.js';
import { fleetSightings } from './fleet-sightings.js';

/** Four pictures a second. */
const FRAME_MS = 250;

type Followed = Readonly<{ name: string; watch: RolloutWatch; picture: LivePicture }>;

/** State of a wait: finished or not, and the objects that hold it up. */
type Awaited = Readonly<{
  isReached: (rollout: LiveRollout | undefined, fleet: LiveFleet) => boolean;
  /** Returns the object that it waits for, if the awaited text does not name it. */
  object?: (rollout: LiveRollout | undefined, fleet: LiveFleet) => string | undefined;
  /** Motion besides that of the fleet's own objects. */
  sightings?: () => readonly Sighting[];
}>;

/**
 * Shows one rollout at a time. On a terminal it is a live picture below the printed text, elsewhere a line
 * for each change.
 */
export class DemoScreen {
  readonly #start = Date.now();
  #followed: Followed | undefined;
  #last: Followed | undefined;
  readonly #screen: RedrawnPicture;

  constructor(
    private readonly io: Io,
    private readonly hub: KubeClient,
    private readonly patienceMs: number,
    private readonly services: readonly ServiceProcess[],
  ) {
    this.#screen = new RedrawnPicture(io);
  }

  get seconds(): number {
    return (Date.now() - this.#start) / 1_000;
  }

  /** Prints text that stays, above the picture. */
  say(text: string): void {
    this.#screen.clear();
    this.io.out(text);
  }

  /** Shows this rollout from now on; the picture of the one before stays as it is. */
  follow(name: string): void {
    this.rest();
    const watch = new RolloutWatch(this.#start);
    this.#followed = { name, watch, picture: new LivePicture((rollout, wave) => watch.timesOf(rollout, wave)) };
  }

  /** Leaves the picture as it is. Text that is printed later is below it. */
  rest(): void {
    this.#screen.keep();
    if (this.#followed !== undefined) this.#last = this.#followed;
    this.#followed = undefined;
  }

  /** Shows the previous rollout again, from its last state. */
  followAgain(): void {
    this.#followed = this.#last;
  }

  /**
   * Shows the changes of the fleet until the awaited state is reached.
   * @throws StoryStuck if nothing moves any more
   */
  async until(what: string, { isReached, object, sightings }: Awaited): Promise<void> {
    const watch = new StillWatch(this.patienceMs, this.services);
    for (;;) {
      const fleet = await readFleet(this.hub, new Date());
      const rollout = fleet.rollouts.find(({ record }) => record.spec.name === this.#followed?.name);
      const named = object?.(rollout, fleet);
      const awaited = named === undefined ? what : `${what}: ${named}`;
      const isOver = isReached(rollout, fleet);
      this.#show(fleet, rollout, isOver ? undefined : awaited);
      if (isOver) return this.io.progress?.(undefined);
      watch.look(awaited, [...fleetSightings(fleet), ...(sightings?.() ?? [])]);
      this.io.progress?.(`waiting for ${awaited}`);
      await setTimeout(FRAME_MS);
    }
  }

  #show(fleet: LiveFleet, rollout: LiveRollout | undefined, awaited: string | undefined): void {
    if (this.#followed === undefined || rollout === undefined) return;
    const { watch, picture } = this.#followed;
    const events = watch.read(fleet, [rollout]);
    for (const event of events) picture.watch(event);
    if (!this.#isDrawn) for (const event of events.filter(isNews)) this.io.out(`${eventLine(event)}\n`);
    else this.#screen.draw(picture, this.seconds, awaited && `waiting for ${awaited}`);
  }

  get #isDrawn(): boolean {
    return this.io.isTerminal === true && this.io.columns !== undefined;
  }
}

/** The reason for which a cluster waits changes often, and in all clusters at once. */
const isNews = ({ kind, phase }: FleetEvent): boolean => !(kind === 'cluster' && phase === 'Waiting');
