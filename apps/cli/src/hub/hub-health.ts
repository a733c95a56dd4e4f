import { z } from 'zod';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { answerData, askHub, TOKEN_ADVICE } from './ask-hub.js';

const Detail = z.looseObject({
  status: z.string(),
  detail: z.string().optional(),
  clusters: z.array(z.string()).optional(),
  troubles: z.record(z.string(), z.string()).optional(),
});
const Health = z.looseObject({ status: z.string(), details: z.record(z.string(), Detail) });

/** Answers of a service that is ready: well, or well but for a part. */
const READY: ReadonlySet<string> = new Set(['ok', 'degraded']);

/** One check of a service of the hub. */
export type HubCheck = Readonly<{
  name: string;
  /** `up`, `degraded` (it works, but for a part) or `down`. */
  status: string;
  detail: string;
  clusters?: readonly string[];
  /** The trouble of the service in each cluster that has one, by name of the cluster. */
  troubles?: Readonly<Record<string, string>>;
}>;

/** The checks of one service of the hub, or why they are not known. */
export type HubHealth = Readonly<
  | {
      url: string;
      reached: true;
      ready: boolean;
      checks: readonly HubCheck[];
      /** The hub shows details, and the clusters that it manages, to clients with a token alone. */
      withheld?: true;
    }
  | { url: string; reached: false; because: string }
>;

/**
 * Asks `/readyz` of one address; a service that is not ready answers 503 with the same body. Never rejects.
 */
export async function hubHealth(url: string, token?: string): Promise<HubHealth> {
  const answer = await askHub(url, '/readyz', token);
  if (!answer.reached) return { url, reached: false, because: answer.because };
  const health = Health.safeParse(answerData(answer.text));
  if (!health.success) {
    return { url, reached: false, because: `it answers ${answer.status} at /readyz, which is not the answer of a hub` };
  }
  const { status, details } = health.data;
  const isWithheld = Object.values(details).every(({ detail }) => detail === undefined);
  const checks = Object.entries(details)
    .map(([name, one]) => ({
      name,
      status: one.status,
      detail: one.detail ?? (isWithheld && one.status !== 'up' ? `details are withheld: ${TOKEN_ADVICE}` : ''),
      ...(one.clusters === undefined ? {} : { clusters: one.clusters }),
      ...(one.troubles === undefined ? {} : { troubles: one.troubles }),
    }))
    .sort((a, b) => byCodeUnit(a.name, b.name));
  const ready = READY.has(status);
  return { url, reached: true, ready, checks, ...(isWithheld ? { withheld: true as const } : {}) };
}
