import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { digestOf } from '#platform/content/digest';
import { assembleImage, type BuiltImage, blob } from '#platform/registry/image-builder';

export const file = (name: string, body: string): TarEntry => ({
  header: { name, type: 'file', size: Buffer.byteLength(body) },
  body,
});
export const symlink = (name: string, linkname: string): TarEntry => ({
  header: { name, type: 'symlink', size: 0, linkname },
});

/** An image with these entries unchanged in its only layer, as an attacker writes them. */
export async function rawImage(
  entries: readonly TarEntry[],
  labels: Readonly<Record<string, string>>,
): Promise<BuiltImage> {
  const tar = await packTar([...entries]);
  const layer = blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar));
  return assembleImage([{ layer, diffId: digestOf(tar) }], labels);
}
