import { z } from 'zod';
import type { FleetRollout } from '../../kernel/api/fleet/fleet-rollout.js';
import { LONGEST_ROW_TEXT } from './rows.js';

const Count = z.int().min(0);
const Name = z.string().max(1_000);
const Text = z.string().max(LONGEST_ROW_TEXT);
/** RFC 3339, UTC; empty: not yet. */
const Time = z.string().max(40);

/** A FleetRollout as the console shows it. */
export const FleetRolloutRow = z.strictObject({
  /** `NAMESPACE/NAME`. */
  id: Name,
  /** Of a FleetCatalog its name. */
  package: Name,
  /** The bundle, or the digest of a catalog's content. */
  target: Name,
  phase: Text,
  reason: Text,
  startedAt: Time,
  finishedAt: Time,
  waves: z
    .array(
      z.strictObject({
        ...{ name: Name, phase: Text, members: Count, done: Count, underWay: Count, waiting: Count, failed: Count },
        note: Text,
      }),
    )
    .max(17),
});
export type FleetRolloutRow = z.infer<typeof FleetRolloutRow>;

/** By phase of a cluster, as `rollingBack`. */
const Counts = z.record(z.string(), Count);
const Status = z.looseObject({
  phase: z.string().default(''),
  reason: z.string().default(''),
  startedAt: z.string().default(''),
  finishedAt: z.string().default(''),
  waves: z
    .array(
      z.looseObject({
        ...{ name: z.string(), phase: z.string().default(''), reason: z.string().default('') },
        ...{ members: Count.default(0), limit: Count.optional(), counts: Counts.catch({}) },
      }),
    )
    .default([]),
});
type WaveStatus = z.infer<typeof Status>['waves'][number];

const cut = (text: string): string => text.slice(0, LONGEST_ROW_TEXT);
/** A reason of a status, as `NotItsTurn`, in words. */
const words = (reason: string): string => reason.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

function waveRow({ name, phase, reason, members, limit, counts }: WaveStatus): FleetRolloutRow['waves'][number] {
  const { waiting = 0, applying = 0, verifying = 0, done = 0, failed = 0 } = counts;
  const { rollingBack = 0, rolledBack = 0, skipped = 0 } = counts;
  const underWay = applying + verifying + rollingBack;
  const budget = phase === 'Open' && limit !== undefined ? `budget ${underWay} of ${limit} used` : '';
  const skips = skipped > 0 ? `${skipped} skipped` : '';
  return {
    ...{ name, phase: cut(phase), members, done, underWay, waiting: waiting + skipped, failed: failed + rolledBack },
    note: cut([words(reason), budget, skips].filter(Boolean).join(' · ')),
  };
}

/** `packageOf`: the package of a FleetOperator; undefined where it is gone. */
export function fleetRolloutRow(
  { metadata, spec, status }: FleetRollout,
  packageOf: (operator: string) => string | undefined,
): FleetRolloutRow | undefined {
  const read = Status.safeParse(status ?? {});
  if (!read.success) return undefined;
  const { phase, reason, startedAt, finishedAt, waves } = read.data;
  const { kind, name } = spec.subject;
  const { bundle, catalogDigest } = spec.target;
  return {
    id: `${metadata.namespace}/${metadata.name}`,
    package: kind === 'FleetOperator' ? (packageOf(name) ?? name) : name,
    target: kind === 'FleetOperator' ? bundle : (catalogDigest ?? bundle),
    ...{ phase: cut(phase), reason: cut(words(reason)), startedAt, finishedAt },
    // The wave of what no other one takes is there without clusters, too.
    waves: waves.filter(({ members }, at) => members > 0 || at === 0).map(waveRow),
  };
}
