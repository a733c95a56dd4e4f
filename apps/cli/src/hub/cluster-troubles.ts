import type { Settings } from '#platform/config/settings';
import { hubAddresses } from './hub-address.js';
import { hubHealth } from './hub-health.js';
import { hubToken } from './hub-token.js';

/** The applier's check with the refusals of the API servers. */
const REFUSALS = 'writes';

/**
 * Returns the troubles of the hub's services in a cluster, one line each, as their health checks report them.
 * Undefined if no applier of the hub answers, or it shows details to other clients alone. Never rejects.
 */
export async function clusterTroubles(
  cluster: string,
  settings: Settings,
  hub: string | undefined,
): Promise<readonly string[] | undefined> {
  const token = await hubToken(settings);
  const addresses = hub === undefined ? hubAddresses(settings) : [hub];
  const found = await Promise.all(addresses.map((url) => hubHealth(url, token)));
  const shown = found.flatMap((one) => (one.reached && one.withheld !== true ? one.checks : []));
  const troubles = shown.flatMap((check) => {
    const trouble =
      check.status === 'up' || !Object.hasOwn(check.troubles ?? {}, cluster) ? undefined : check.troubles?.[cluster];
    return trouble ?? [];
  });
  return troubles.length > 0 || shown.some(({ name }) => name === REFUSALS) ? [...new Set(troubles)] : undefined;
}
