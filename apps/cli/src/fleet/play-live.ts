import { setTimeout } from 'node:timers/promises';
import type { FleetEvent } from '#core/fleet/simulation/event-log';
import type { Io } from '../io.js';
import type { LivePicture } from './live-picture.js';

/** Four pictures a second. */
const FRAME_MS = 250;
const USUAL_COLUMNS = 80;

/** Shows events as they come, a given number of seconds of theirs in one second of the person who watches. */
export async function playLive(
  events: readonly FleetEvent[],
  picture: LivePicture,
  io: Io,
  speed: number,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  const control = io.control ?? io.err;
  const end = events.at(-1)?.t ?? 0;
  let shown = 0;
  let next = 0;
  for (let now = 0; ; now = Math.min(end, now + (FRAME_MS / 1000) * speed)) {
    for (let event = events[next]; event !== undefined && event.t <= now; event = events[++next]) picture.watch(event);
    const lines = picture.lines(now, io.columns ?? USUAL_COLUMNS);
    // Back to the first line of the picture before, and over it line by line.
    control(`${shown > 0 ? `\u001b[${shown}A` : ''}${lines.map((line) => `\r\u001b[K${line}\n`).join('')}\u001b[J`);
    shown = lines.length;
    if (now >= end) return;
    await pause(FRAME_MS);
  }
}
