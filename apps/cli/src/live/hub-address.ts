import type { Settings } from '#platform/config/settings';

type AddressSettings = Pick<Settings, 'contentUrl' | 'bindAddress' | 'catalogPollerPort'>;

/** Where the poller of the hub, or `flotilla up`, serves its API: as it is told others, else as it listens on this machine. */
export function hubAddress({ contentUrl, bindAddress, catalogPollerPort }: AddressSettings): string {
  if (contentUrl !== '') return contentUrl;
  const host = bindAddress === '0.0.0.0' || bindAddress === '::' ? '127.0.0.1' : bindAddress;
  return `http://${host.includes(':') ? `[${host}]` : host}:${catalogPollerPort}`;
}
