import { counted } from '#core/kernel/text/counted';
import type { HealthCheck } from '#platform/telemetry/health-check';

/** Reasons for failed writes of the statuses of catalogs, by cluster, one line each. */
type UnwrittenStatuses = ReadonlyMap<string, readonly string[]>;

const NAMED = 5;

/** Reports statuses of catalogs that the poller could not write: nothing in the cluster can say so. */
export const catalogStatusesCheck = (unwritten: () => UnwrittenStatuses): HealthCheck => ({
  name: 'statuses',
  check: async () => {
    const all = [...unwritten()];
    const clusters = all.map(([cluster]) => cluster).sort();
    const troubles = Object.fromEntries(
      all.flatMap(([cluster, [first, ...others]]) => {
        if (first === undefined) return [];
        const more = others.length === 0 ? '' : `, and ${counted(others.length, 'more catalog')}`;
        return [[cluster, `the status of a catalog cannot be written: ${first}${more}`] as const];
      }),
    );
    const named = Object.entries(troubles).map(([cluster, trouble]) => `${cluster} (${trouble})`);
    if (named.length === 0) return { up: true, detail: 'statuses of catalogs are written', clusters };
    const more = named.length > NAMED ? ` and ${named.length - NAMED} more` : '';
    return { up: true, degraded: true, detail: `${named.slice(0, NAMED).join('; ')}${more}`, clusters, troubles };
  },
});
