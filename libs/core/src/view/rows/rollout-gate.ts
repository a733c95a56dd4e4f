import { z } from 'zod';
import type { GateSpec } from '../../kernel/api/fleet/fleet-strategy.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import type { GateProgress } from '../../rollout/controller/step/gate-progress.js';
import { rowText } from './row-text.js';
import { LONGEST_ROW_TEXT } from './rows.js';

const Count = z.int().min(0);
const Text = z.string().max(LONGEST_ROW_TEXT);
/** Clusters with a red gate that are named; the others are counted. */
const MOST_NAMED = 5;

/** A gate of a wave, with its answers so far. */
export const RolloutGate = z.strictObject({
  name: Text,
  when: z.enum(['Before', 'After']),
  scope: z.enum(['Cluster', 'Wave']),
  check: z.enum(['cel', 'prometheus', 'webhook']),
  /** The limit of a query, an expression, or the host of a webhook. */
  limit: Text,
  /** The time between two questions, as `30s`, and the equal answers in a row that decide. */
  interval: Text,
  times: Count,
  /** Clusters with this state. A gate of scope `Wave` counts as one. Others were not asked. */
  green: Count,
  red: Count,
  unknown: Count,
  /** The time of the last question. Empty: not asked yet. */
  askedAt: z.string().max(40),
  /** Some of the clusters with a red gate. */
  sample: z.array(z.string().max(1_000)).max(MOST_NAMED),
});
export type RolloutGate = z.infer<typeof RolloutGate>;

/** The progress of one gate. `cluster` is empty for a gate of scope `Wave`. */
export type ShownGateAnswer = Readonly<{ cluster: string; progress: Pick<GateProgress, 'state' | 'askedAt'> }>;

/** Returns the limit of a gate in words. Of a webhook only the host is shown: its path may hold a secret. */
function limitOf({ cel, prometheus, webhook }: GateSpec): string {
  if (cel !== undefined) return cel.expression;
  if (prometheus !== undefined) {
    return prometheus.max === undefined ? `at least ${prometheus.min}` : `at most ${prometheus.max}`;
  }
  return (webhook && URL.parse(webhook.url)?.host) ?? '';
}

const checkOf = ({ cel, prometheus }: GateSpec): RolloutGate['check'] =>
  cel !== undefined ? 'cel' : prometheus === undefined ? 'webhook' : 'prometheus';

/** Returns a gate as the console shows it. */
export function rolloutGate(gate: GateSpec, answers: readonly ShownGateAnswer[]): RolloutGate {
  const { name, when, scope, interval, times } = gate;
  const count = (state: GateProgress['state']) => answers.filter(({ progress }) => progress.state === state).length;
  const asked = answers.map(({ progress }) => progress.askedAt).filter((at) => Number.isFinite(at));
  const last = Math.max(...asked);
  const red = answers.filter(({ progress }) => progress.state === 'Red').map(({ cluster }) => cluster);
  return {
    ...{ name, when, scope, check: checkOf(gate), limit: rowText(limitOf(gate)), interval, times },
    ...{ green: count('Green'), red: count('Red'), unknown: count('Unknown') },
    askedAt: Number.isFinite(last) ? new Date(last).toISOString() : '',
    sample: red
      .filter((cluster) => cluster !== '')
      .toSorted(byCodeUnit)
      .slice(0, MOST_NAMED),
  };
}
