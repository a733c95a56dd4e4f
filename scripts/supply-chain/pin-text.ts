import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Base images, each with all files of the project that name it. */
export const PINNED_IMAGES: Readonly<Record<string, readonly string[]>> = {
  'node:24-slim': ['Dockerfile', 'docker-compose.yml'],
  'redis:7.4-alpine': [
    ...['docker-compose.yml', 'k8s/base/hub/redis.yaml'],
    ...['charts/flotilla/values.yaml', 'charts/flotilla/README.md'],
  ],
  'registry.k8s.io/kas-network-proxy/proxy-agent:v0.34.0': ['k8s/tunnel/agent.yaml'],
  'registry.k8s.io/kas-network-proxy/proxy-server:v0.34.0': ['k8s/tunnel/server.yaml'],
  'rancher/k3s:v1.34.4-k3s1': ['docker-compose.k3s.yml'],
};

/** Puts the digest behind each place of the image; replaces a digest that is there already. */
export function pinText(text: string, image: string, digest: string): string {
  const name = image.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(
    new RegExp(`(?<![\\w./]|(?<!:)-)${name}(@sha256:[0-9a-f]{64})?(?![\\w.@-])`, 'g'),
    `${image}@${digest}`,
  );
}

/**
 * Writes the digest that a registry has now behind each base image, in the files below a folder. Writes
 * nothing unless every image has one.
 */
export async function pinImages(
  folder: string,
  resolve: (image: string) => Promise<string>,
  log: (line: string) => void,
): Promise<void> {
  const digests = new Map<string, string>();
  for (const image of Object.keys(PINNED_IMAGES)) digests.set(image, await resolve(image));
  for (const [image, digest] of digests) {
    const files = PINNED_IMAGES[image] ?? [];
    for (const file of files) {
      const path = join(folder, file);
      writeFileSync(path, pinText(readFileSync(path, 'utf8'), image, digest));
    }
    log(`${image}@${digest} in ${files.join(', ')}`);
  }
}
