import { lookup } from 'node:dns/promises';
import { type DoctorCheck, warning } from '#core/cluster/doctor/machine-checks';
import {
  addressRefusal,
  hostRefusal,
  isAddressAllowed,
  isHostListed,
  type OutboundPolicy,
} from '#platform/outbound/outbound-policy';
import { parseImageReference } from '#platform/registry/client/image-reference';

/** Sources of catalogs: images, and `HOST:PORT` of registry servers. */
type CatalogPlaces = Readonly<{ images: readonly string[]; servers: readonly string[] }>;

export const catalogName = (place: string): string => `catalog ${place}`;

/** Lists the sources that a hub with these settings refuses to ask, such as registries on this machine. */
export async function checkPolicy(
  { images, servers }: CatalogPlaces,
  policy: OutboundPolicy,
): Promise<readonly DoctorCheck[]> {
  const places = [
    ...images.flatMap((place) => placeOf(place, 'FLOTILLA_REGISTRY_HOSTS', policy.registryHosts)),
    ...servers.map((place) => ({
      place,
      host: place,
      setting: 'FLOTILLA_GRPC_HOSTS' as const,
      list: policy.grpcHosts,
    })),
  ];
  const checks = await Promise.all(
    places.map(async ({ place, host, setting, list }) => {
      const name = catalogName(place);
      if (!isHostListed(host, list))
        return warning(name, hostRefusal(host, setting), `if the hub may ask it, add it to ${setting} of the hub`);
      if (await hasAllowedAddress(host, policy)) return undefined;
      const todo = 'if the hub may reach it, start it with FLOTILLA_OUTBOUND_ADDRESSES=public,private,loopback';
      return warning(name, addressRefusal(host), todo);
    }),
  );
  return checks.filter((check) => check !== undefined);
}

type Place = Readonly<{
  place: string;
  host: string;
  setting: 'FLOTILLA_REGISTRY_HOSTS';
  list: readonly string[];
}>;

/** Returns no place for a reference that cannot be read: the check of its registry reports that. */
function placeOf(place: string, setting: Place['setting'], list: readonly string[]): readonly Place[] {
  try {
    return [{ place, host: parseImageReference(place).host, setting, list }];
  } catch {
    return [];
  }
}

/** A name that is not known here may be known on the hub's machine. */
async function hasAllowedAddress(host: string, policy: OutboundPolicy): Promise<boolean> {
  const hostname = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.length === 0 || found.some(({ address }) => isAddressAllowed(address, policy));
}
