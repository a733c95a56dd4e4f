import type { Health } from '../telemetry/health-check.js';

type MembershipFacts = Readonly<{
  /** How many clusters the kubeconfigs have, and how many of them take part. */
  known: number;
  taking: number;
  paused: readonly string[];
  /** Only reported on; that is as it should be. */
  observed?: readonly string[];
  /** Files and contexts that are not used as they stand; one line each. */
  problems: readonly string[];
  /** Lines about single clusters, by the cluster. */
  troubles?: Readonly<Record<string, string>>;
}>;

const NAMED = 5;
const PAUSED = 'the cluster is paused and nothing is written there; to continue, use "clusters resume"';

/**
 * Returns the health of the membership. A kubeconfig that cannot be used as it stands only degrades the
 * service.
 */
export function membershipHealth(facts: MembershipFacts): Health {
  const { known, taking, paused, observed = [], problems } = facts;
  const part = `${taking} of ${known} clusters take part`;
  const pauses = paused.length === 0 ? '' : `, paused: ${listed(paused, ', ')}`;
  const observes = observed.length === 0 ? '' : `, observed: ${listed(observed, ', ')}`;
  const degraded = problems.length > 0 || paused.length > 0;
  const detail = [`${part}${pauses}${observes}`, ...(problems.length === 0 ? [] : [listed(problems, '; ')])].join('; ');
  const troubles = { ...Object.fromEntries(paused.map((cluster) => [cluster, PAUSED])), ...facts.troubles };
  const named = Object.keys(troubles).length === 0 ? {} : { troubles };
  return { up: true, ...(degraded ? { degraded } : {}), detail, ...named };
}

function listed(texts: readonly string[], between: string): string {
  const more = texts.length > NAMED ? ` and ${texts.length - NAMED} more` : '';
  return `${texts
    .slice(0, NAMED)
    .map((text) => text.replaceAll(/\s+/g, ' ').trim())
    .join(between)}${more}`;
}
