import type { Settings } from '#platform/config/settings';

/**
 * Returns the URL of the poller in statuses of catalogs: the setting, otherwise the address at which this
 * process listens.
 */
export const contentUrlOf = ({ contentUrl, bindAddress, catalogPollerPort, httpTlsCertFile }: Settings): string =>
  contentUrl === '' ? `${httpTlsCertFile === '' ? 'http' : 'https'}://${bindAddress}:${catalogPollerPort}` : contentUrl;
