import type { GateSpec } from '../../kernel/api/fleet/fleet-strategy.js';

/** A gate to check for a wave, or for one cluster. */
export type GateQuestion = Readonly<{
  rollout: string;
  wave: string;
  cluster: string | null;
  bundle: string;
  gate: GateSpec;
}>;
