import type { Command } from 'commander';
import type { BuiltImage } from '#platform/registry/image-builder';
import { ExitCode, type Io } from '../../terminal/io.js';

const BUILD_EXAMPLE = `
Example:
  flotilla bundle build ./bundles/foo/v1.0.0 oci:./images:foo-v1.0.0`;
const PUSH_EXAMPLE = `
Example:
  flotilla bundle push ./bundles/foo/v1.0.0 registry.example/acme/foo-bundle:v1.0.0`;

/**
 * The directories that go into a bundle image. Other files next to them (a Dockerfile) are not part of it.
 */
const PARTS = ['manifests/', 'metadata/', 'tests/'];

/** Registers `flotilla bundle build DIR oci:LAYOUT:TAG`. */
export const bundleBuildCommand = (bundle: Command, io: Io): Command =>
  bundle
    .command('build')
    .description('make a bundle image in an OCI layout directory; no container engine needed')
    .argument('<dir>', 'directory with manifests/ and metadata/')
    .argument('<layout>', 'oci:DIR:TAG')
    .addHelpText('after', BUILD_EXAMPLE)
    .action(async (directory: string, target: string) => {
      const { writeToLayout } = await import('./push-image.js');
      const image = await bundleImage(directory, io);
      if (image !== undefined) await writeToLayout(image, target, io);
    });

/** Registers `flotilla bundle push DIR IMAGE`. */
export const bundlePushCommand = (bundle: Command, io: Io): Command =>
  bundle
    .command('push')
    .description('make a bundle image and push it to a registry; no container engine needed')
    .argument('<dir>', 'directory with manifests/ and metadata/')
    .argument('<image>', 'reference to push to, such as registry.example/acme/foo-bundle:v1.0.0')
    .addHelpText('after', PUSH_EXAMPLE)
    .action(async (directory: string, target: string) => {
      const { pushToRegistry } = await import('./push-image.js');
      const image = await bundleImage(directory, io);
      if (image !== undefined) await pushToRegistry(image, target, io);
    });

/**
 * Returns a bundle directory as an image labelled with its annotations. Returns undefined, with the reason
 * printed, if the directory is not a bundle.
 */
async function bundleImage(directory: string, io: Io): Promise<BuiltImage | undefined> {
  const { asUsageError } = await import('../../inputs/unreadable-input.js');
  const { readTree } = await import('#platform/files/read-tree');
  const { BundleError } = await import('#core/catalog/bundle/bundle.error');
  const { readBundle } = await import('#core/catalog/bundle/read-bundle');
  const { buildImage } = await import('#platform/registry/image-builder');
  const all = await asUsageError(directory, () => readTree(directory));
  const files = all.filter(({ path }) => PARTS.some((part) => path.startsWith(part)));
  try {
    const { annotations } = readBundle(files);
    return await buildImage({ files, labels: annotations });
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    io.err(`${directory}: ${error.message}\n`);
    io.exit(ExitCode.no);
    return undefined;
  }
}
