import type { Command } from 'commander';
import type { Io } from '../../../terminal/io.js';

const BUILD_EXAMPLE = `
Example:
  flotilla catalog build ./my-catalog oci:./images:v1`;
const PUSH_EXAMPLE = `
Example:
  flotilla catalog push ./my-catalog registry.example/acme/catalog:v1

Logins are read from REGISTRY_AUTH_FILE or the configuration of docker or podman.`;

/**
 * Registers `flotilla catalog build DIR oci:LAYOUT:TAG`: the same files give the same image, byte for byte.
 */
export const catalogBuildCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('build')
    .description('make a catalog image in an OCI layout directory; no container engine needed')
    .argument('<dir>', 'root of a file-based catalog')
    .argument('<layout>', 'oci:DIR:TAG')
    .addHelpText('after', BUILD_EXAMPLE)
    .action(async (directory: string, target: string) => {
      const { catalogImage } = await import('./catalog-build-image.js');
      const { writeToLayout } = await import('../../bundle/push-image.js');
      const image = await catalogImage(directory, io);
      if (image !== undefined) await writeToLayout(image, target, io);
    });

/** Registers `flotilla catalog push DIR IMAGE`: builds the same image and sends it to a registry. */
export const catalogPushCommand = (catalog: Command, io: Io): Command =>
  catalog
    .command('push')
    .description('make a catalog image and push it to a registry; no container engine needed')
    .argument('<dir>', 'root of a file-based catalog')
    .argument('<image>', 'reference to push to, such as registry.example/acme/catalog:v1')
    .addHelpText('after', PUSH_EXAMPLE)
    .action(async (directory: string, target: string) => {
      const { catalogImage } = await import('./catalog-build-image.js');
      const { pushToRegistry } = await import('../../bundle/push-image.js');
      const image = await catalogImage(directory, io);
      if (image !== undefined) await pushToRegistry(image, target, io);
    });
