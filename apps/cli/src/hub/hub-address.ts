import { Option } from 'commander';
import type { Settings } from '#platform/config/settings';
import { UsageError } from '../terminal/io.js';

type AddressSettings = Pick<
  Settings,
  'contentUrl' | 'bindAddress' | 'catalogPollerPort' | 'resolverWorkerPort' | 'applierPort' | 'httpTlsCertFile'
>;

/** `--hub`, the same option on every verb that asks the hub; `more` ends its help. */
export const hubOption = (more = ''): Option =>
  new Option('--hub <url>', `address of the hub${more}`).argParser(hubUrl);

/** Returns the option of {@link hubOption}, for verbs that may ask several services of the hub. */
export const hubsOption = (): Option =>
  new Option('--hub <url>', 'address of the hub; may be given several times').argParser(
    (text: string, all: readonly string[] | undefined) => [...(all ?? []), hubUrl(text)],
  );

/** Notes for the help of every verb that asks the hub. */
export const HUB_HELP = `
Which hub: --hub, otherwise FLOTILLA_CONTENT_URL, otherwise this machine, at the ports of FLOTILLA_CATALOG_POLLER_PORT and so
on, as used by "flotilla up" and the services.`;

/**
 * Returns an address of the hub as it was typed, without a closing slash.
 * @throws UsageError if it is no http(s) URL
 */
export function hubUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return text.replace(/\/+$/, '');
  throw new UsageError(`invalid --hub "${text}": expected a URL such as http://127.0.0.1:8080`);
}

/**
 * Returns the address that a user chose: with `--hub`, otherwise with the setting. Returns undefined if
 * neither names one.
 */
export const chosenHub = (
  option: string | undefined,
  { contentUrl }: Pick<Settings, 'contentUrl'>,
): string | undefined => option ?? (contentUrl === '' ? undefined : contentUrl.replace(/\/+$/, ''));

/**
 * Returns the API address of the hub's poller, or of `flotilla up`: as the settings name it, otherwise on
 * this machine.
 */
export function hubAddress(settings: AddressSettings): string {
  const { contentUrl, catalogPollerPort } = settings;
  return contentUrl === '' ? addressOf(settings, catalogPollerPort) : contentUrl.replace(/\/+$/, '');
}

/**
 * Returns the address of every service. If they all run in one process, as with `flotilla up`, there is one
 * address.
 */
export function hubAddresses(settings: AddressSettings): readonly string[] {
  const { resolverWorkerPort, applierPort } = settings;
  const others = settings.contentUrl === '' ? [resolverWorkerPort, applierPort] : [];
  const here = others.filter((port) => port !== 0).map((port) => addressOf(settings, port));
  return [...new Set([hubAddress(settings), ...here])].filter((url) => !url.endsWith(':0'));
}

/** A service that listens on all addresses of its machine listens on loopback too. */
function addressOf({ bindAddress, httpTlsCertFile }: AddressSettings, port: number): string {
  const host = bindAddress === '0.0.0.0' || bindAddress === '::' ? '127.0.0.1' : bindAddress;
  const scheme = httpTlsCertFile === '' ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
