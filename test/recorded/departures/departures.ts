import { BY_CHANCE } from './by-chance.js';
import { DECIDED } from './decided.js';
import type { Departure } from './departure.js';
import { IN_EVERY_RECORDING } from './in-every-recording.js';
import { IN_FLIGHT } from './in-flight.js';

/** Every allowed difference there is. */
export const DEPARTURES: readonly Departure[] = [...IN_EVERY_RECORDING, ...DECIDED, ...IN_FLIGHT, ...BY_CHANCE];
