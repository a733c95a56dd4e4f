import { PROJECT_ROOT } from '#platform/files/project-root';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { pinImages } from './supply-chain/pin-text.js';

// `make pin-images`: asks the registries for the present digests of the base images, and writes them behind
// the tags.

try {
  const registry = new HttpRegistryClient();
  await pinImages(PROJECT_ROOT, (image) => registry.resolve(image), console.log);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 3;
}
process.exit();
