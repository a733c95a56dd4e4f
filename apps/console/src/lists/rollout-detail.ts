import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { RolloutDecision } from '#core/view/rows/rollout-decision';
import type { RolloutPaths } from '#core/view/rows/rollout-path';
import type { RolloutDetail, RolloutSummary } from '../api/lists.schema.js';
import { byText } from '../rows/sorted-rows.js';
import { type KnownHistory, rolloutPace } from './rollout-pace.js';

const MOST_DECISIONS = 20;
/** Approvals of one person in one minute are one decision. */
const MINUTE = 'YYYY-MM-DDTHH:MM'.length;

type RolloutFacts = Readonly<{
  led?: Led;
  history: KnownHistory;
  now: Date | undefined;
  /** Clusters that name the target as installed and do not run it. */
  unfinished: ReadonlySet<string>;
}>;
type Decided = Readonly<{ decisions: readonly RolloutDecision[] | undefined; more: number }>;
type Led = Decided & Readonly<{ paths: RolloutPaths | undefined }>;

/**
 * Returns a rollout with its decisions and its pace. `led`: its paths and decisions as the hub API has them.
 * It is absent for a rollout derived from the clusters: there the approvals of its plans are the decisions.
 */
export function rolloutDetail(of: RolloutSummary, { led, history, now, unfinished }: RolloutFacts): RolloutDetail {
  const { decisions, more } = led ?? approvalsOf(of, history.entries);
  const pace = now && rolloutPace(of, history, { now, unfinished });
  return {
    ...of,
    asOf: now?.toISOString() ?? '',
    ...(led?.paths && { paths: led.paths }),
    ...(decisions && { decisions: [...decisions] }),
    moreDecisions: more,
    ...(pace && { pace }),
  };
}

function approvalsOf({ package: name, target }: RolloutSummary, entries: readonly HistoryEntry[]): Decided {
  const given = entries.filter((one) => one.kind === 'approval' && one.package === name && one.to === target);
  const together = Map.groupBy(given, ({ at, by, comment }) => [at.slice(0, MINUTE), by, comment].join('\0'));
  const decisions = [...together.values()]
    .flatMap((own): RolloutDecision[] => {
      const [first] = own;
      if (first === undefined) return [];
      const clusters = new Set(own.map(({ cluster }) => cluster)).size;
      const about = clusters === 1 ? first.cluster.slice(0, 200) : `${clusters} clusters`;
      const { at, by, comment: reason } = first;
      return [{ at, by, action: 'Approve', about, reason, outcome: 'effective' }];
    })
    .toSorted((a, b) => byText(b.at, a.at));
  return { decisions: decisions.slice(0, MOST_DECISIONS), more: Math.max(0, decisions.length - MOST_DECISIONS) };
}
