import { readFileSync, writeFileSync } from 'node:fs';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { PINNED_IMAGES, pinText } from './supply-chain/pin-text.js';

// `make pin-images`: asks the registries for the present digests of the base images, and writes them behind
// the tags.

try {
  const registry = new HttpRegistryClient();
  for (const [image, files] of Object.entries(PINNED_IMAGES)) {
    const digest = await registry.resolve(image);
    for (const file of files) writeFileSync(file, pinText(readFileSync(file, 'utf8'), image, digest));
    console.log(`${image}@${digest} in ${files.join(', ')}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 3;
}
process.exit();
