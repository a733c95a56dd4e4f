import type { Controller } from './controller.js';
import type { VirtualWorld } from './world.js';

/** A run that was made: its controller and world, for those who ask how it ended. */
export type FleetRun = Readonly<{ controller: Controller; world: VirtualWorld; end: number }>;
