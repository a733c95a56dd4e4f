import { setTimeout } from 'node:timers/promises';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import type { Io } from '../../../terminal/io.js';
import type { LivePicture } from '../picture/live-picture.js';
import { RedrawnPicture } from '../picture/redrawn-picture.js';

/** Four pictures a second. */
const FRAME_MS = 250;

/** Events in the order of their time, taken as a clock advances. Times are in seconds since the start. */
export interface PlayedEvents {
  /** Returns the events until this time that were not taken yet. */
  upTo(now: number): readonly FleetEvent[];
  /** True if {@link end} is the time of the last event. Before, it is the time of the last known event. */
  readonly isComplete: boolean;
  readonly end: number;
}

/** Shows events as they come: a given number of their seconds in one second of the viewer. */
export async function playLive(
  events: PlayedEvents,
  picture: LivePicture,
  io: Io,
  speed: number,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  const screen = new RedrawnPicture(io);
  // Of a large fleet the first events take a while: the picture is there meanwhile.
  screen.draw(picture, 0);
  for (let now = 0; ; now += (FRAME_MS / 1000) * speed) {
    for (const event of events.upTo(now)) picture.watch(event);
    const isOver = events.isComplete && now >= events.end;
    screen.draw(picture, isOver ? events.end : now);
    if (isOver) return;
    await pause(FRAME_MS);
  }
}
