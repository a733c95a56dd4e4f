import type { HubKey } from '../keys/hub-key.js';

const codeParts = (id: string, url: string): readonly string[] => ['peer', id, url];

/**
 * Returns the name of a process in the leases of shards. It contains the URL for other processes of its kind.
 * The code of the hub's key keeps a client that can write to Redis from naming another URL. No other process
 * ever has the same `id`.
 */
export const peerName = (id: string, url: string, key: HubKey): string =>
  `${id} ${url} ${key.codeOf(codeParts(id, url))}`;

/**
 * Returns the URL in the name of a process. Returns undefined if it has none, or the hub's key did not make
 * the name.
 */
export function peerUrl(name: string, key: HubKey): string | undefined {
  const [, id = '', url = '', code = ''] = /^(.*) (https?:\/\/\S+) (\S+)$/.exec(name) ?? [];
  return url !== '' && key.verifies(code, codeParts(id, url)) ? url : undefined;
}
