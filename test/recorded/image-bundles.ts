import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseImageReference } from '#platform/registry/client/image-reference';
import { buildImage } from '#platform/registry/image-builder';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { annotationsOf } from '../../apps/cli/src/commands/demo/environment/bundle-annotations.js';
import type { Recording } from './recording.js';

export type BundleRegistry = Readonly<{ settings: Readonly<Record<string, string>>; stop: () => Promise<void> }>;

/**
 * A registry with every bundle image of the recordings' catalogs. The services use it as the mirror of the
 * recorded hosts, so that catalogs and statuses equal the recording.
 */
export async function startBundleRegistry(recordings: readonly Recording[], folder: string): Promise<BundleRegistry> {
  const registry = await startRegistry();
  const hosts = new Set<string>();
  for (const { image, files } of recordings.flatMap((recording) => recording.images())) {
    const { host, repository, tag } = parseImageReference(image);
    hosts.add(host);
    await registry.put(`${repository}:${tag}`, await buildImage({ files, labels: annotationsOf(files) }));
  }
  const file = join(folder, 'mirrors.yaml');
  const imageTagMirrors = [...hosts].map((source) => ({ source, mirrors: [registry.host] }));
  await writeFile(file, JSON.stringify({ kind: 'ImageTagMirrorSet', spec: { imageTagMirrors } }));
  return { settings: { FLOTILLA_REGISTRY_MIRRORS_FILE: file }, stop: registry.stop };
}
