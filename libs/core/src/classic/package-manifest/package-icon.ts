import type { PackageManifest } from './package-manifest.js';

type PackageIcon = Readonly<{ bytes: Uint8Array; mediaType: string; etag: string }>;

/** Shown for a package that has none. */
const PLAIN_ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="#d1d1d1" d="M32 4 58 18v28L32 60 6 46V18z"/><path fill="#8d8d8f" d="M32 32 58 18v28L32 60z"/></svg>\n';

/**
 * Returns the first icon of the default channel's CSV. If it has none, returns a plain one without Etag
 * (spec: catalog-sources.md §9).
 */
export function packageIcon({ metadata, status }: PackageManifest): PackageIcon {
  const channel = status.channels.find(({ name }) => name === status.defaultChannel);
  const [icon] = channel?.currentCSVDesc.icon ?? [];
  if (channel === undefined || icon === undefined) {
    return { bytes: Buffer.from(PLAIN_ICON), mediaType: 'image/svg+xml', etag: '' };
  }
  return {
    bytes: Buffer.from(icon.base64data ?? '', 'base64'),
    mediaType: icon.mediatype ?? '',
    etag: `"${[metadata.name, channel.name, channel.currentCSV].join('.')}"`,
  };
}

/**
 * Returns a manifest as lists and gets show it. Icons are requested separately. Seen from a namespace, the
 * package belongs to that namespace.
 */
export function shownManifest(manifest: PackageManifest, namespace: string | undefined): PackageManifest {
  const channels = manifest.status.channels.map((channel) => {
    const { icon: _apart, ...currentCSVDesc } = channel.currentCSVDesc;
    return { ...channel, currentCSVDesc };
  });
  const metadata = namespace === undefined ? manifest.metadata : { ...manifest.metadata, namespace };
  return { ...manifest, metadata, status: { ...manifest.status, channels } };
}
