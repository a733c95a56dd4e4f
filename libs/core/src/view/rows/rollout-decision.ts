import { z } from 'zod';
import type { FleetDecision } from '../../kernel/api/fleet/fleet-decision.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { reasonInWords, rowText } from './row-text.js';
import { LONGEST_ROW_TEXT } from './rows.js';

/** Longest reason: as long as the comment of an approval in the console. */
const LONGEST_REASON = 500;
const Text = z.string().max(LONGEST_ROW_TEXT);

/** A user's decision about a rollout. */
export const RolloutDecision = z.strictObject({
  /** The time of the decision, RFC 3339. */
  at: z.string().max(40),
  by: Text,
  /** The action of a FleetDecision: `Approve`, `Pause` … */
  action: Text,
  /** The part of the rollout that it is about, as `wave lab`. Empty: all of it. */
  about: Text,
  reason: z.string().max(LONGEST_REASON),
  /** The reason why it has no effect, in words, or `effective`. Empty: not answered yet. */
  outcome: Text,
});
export type RolloutDecision = z.infer<typeof RolloutDecision>;

/** Most decisions that are shown of one rollout, the newest. */
export const MOST_DECISIONS = 20;

const Outcome = z.looseObject({ reason: z.string().default(''), message: z.string().default('') });
const Created = z.looseObject({ creationTimestamp: z.string().max(40).default('') });

/** The decisions about each rollout, by `NAMESPACE/NAME`, the newest first. */
export function decisionsByRollout(
  decisions: readonly FleetDecision[],
): ReadonlyMap<string, readonly RolloutDecision[]> {
  const told = decisions.map((one) => ({
    rollout: `${one.metadata.namespace}/${one.spec.rollout}`,
    shown: shownOf(one),
  }));
  return new Map(
    [...Map.groupBy(told, ({ rollout }) => rollout)].map(([rollout, own]) => [
      rollout,
      own.map(({ shown }) => shown).toSorted((a, b) => byCodeUnit(b.at, a.at) || byCodeUnit(a.by, b.by)),
    ]),
  );
}

function shownOf({ metadata, spec, status }: FleetDecision): RolloutDecision {
  const { action, by, reason, wave, clusters = [] } = spec;
  const [first = ''] = clusters;
  const { reason: outcome = '', message = '' } = Outcome.safeParse(status).data ?? {};
  const places = [
    ...(spec.class === undefined ? [] : [`class ${spec.class}`]),
    ...(wave === undefined ? [] : [`wave ${wave}`]),
    ...(clusters.length === 0 ? [] : [clusters.length === 1 ? first : `${clusters.length} clusters`]),
  ];
  return {
    at: Created.safeParse(metadata).data?.creationTimestamp ?? '',
    by: cut(by.user),
    action,
    about: cut(places.join(', ')),
    reason: reason.slice(0, LONGEST_REASON),
    outcome: rowText(message === '' ? reasonInWords(outcome) : message),
  };
}

const cut = (text: string): string => text.slice(0, LONGEST_ROW_TEXT);
