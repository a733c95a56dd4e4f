import { setTimeout } from 'node:timers/promises';
import type { FleetEvent } from '#core/fleet/simulation/event-log';
import type { Io } from '../io.js';
import type { LivePicture } from './live-picture.js';
import { RedrawnPicture } from './redrawn-picture.js';

/** Four pictures a second. */
const FRAME_MS = 250;

/** Shows events as they come, a given number of seconds of theirs in one second of the person who watches. */
export async function playLive(
  events: readonly FleetEvent[],
  picture: LivePicture,
  io: Io,
  speed: number,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  const screen = new RedrawnPicture(io);
  const end = events.at(-1)?.t ?? 0;
  let next = 0;
  for (let now = 0; ; now = Math.min(end, now + (FRAME_MS / 1000) * speed)) {
    for (let event = events[next]; event !== undefined && event.t <= now; event = events[++next]) picture.watch(event);
    screen.draw(picture, now);
    if (now >= end) return;
    await pause(FRAME_MS);
  }
}
