import { readFileSync, writeFileSync } from 'node:fs';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { pinText } from './supply-chain/pin-text.js';

// `make pin-images`: asks the registries for the present digests of the base images, and writes them behind
// the tags.

const IMAGES: Readonly<Record<string, readonly string[]>> = {
  'node:24-slim': ['Dockerfile', 'docker-compose.yml'],
  'redis:7.4-alpine': ['docker-compose.yml', 'k8s/base/hub/redis.yaml'],
  'rancher/k3s:v1.34.4-k3s1': ['docker-compose.k3s.yml'],
};

try {
  const registry = new HttpRegistryClient();
  for (const [image, files] of Object.entries(IMAGES)) {
    const digest = await registry.resolve(image);
    for (const file of files) writeFileSync(file, pinText(readFileSync(file, 'utf8'), image, digest));
    console.log(`${image}@${digest} in ${files.join(', ')}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 3;
}
process.exit();
