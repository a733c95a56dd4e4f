import { pause } from '#testing/patience';
import type { FleetHub } from '../fleet-upgrade/fleet-hub.js';
import { requireRunning } from '../fleet-upgrade/measure-upgrade.js';

const STUCK_MS = 600_000;
const ASKED_EVERY_MS = 100;

/** Waits until it is reached. Fails if a service has ended, or it is not reached within ten minutes. */
export async function until(hub: FleetHub, what: string, isReached: () => boolean): Promise<void> {
  const deadline = Date.now() + STUCK_MS;
  while (!isReached()) {
    await requireRunning(hub);
    if (Date.now() > deadline) throw new Error(`waited ${STUCK_MS / 1_000} s for: ${what}`);
    await pause(ASKED_EVERY_MS);
  }
}
