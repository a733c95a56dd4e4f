import type { BuiltImage } from '#platform/registry/image-builder';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';

/** Writes an image into an OCI layout, `oci:DIR:TAG`, and prints its place, by digest. */
export async function writeToLayout(image: BuiltImage, target: string, io: Io): Promise<void> {
  const { parseLayoutReference, writeLayout } = await import('#platform/registry/oci-layout');
  const reference = await usage(() => parseLayoutReference(target));
  if (reference?.tag === undefined) {
    throw new UsageError(
      `"${target}" is not an OCI layout with a tag: write oci:DIR:TAG, or use "push" for a registry`,
    );
  }
  const digest = await writeLayout(reference.directory, reference.tag, image);
  io.out(`${target}@${digest}\n`);
  io.exit(ExitCode.done);
}

/** Pushes an image to a registry with the logins of this machine, and prints its place, by digest. */
export async function pushToRegistry(image: BuiltImage, target: string, io: Io): Promise<void> {
  const { commandRegistryClient } = await import('../../inputs/registry-access.js');
  const { parseImageReference } = await import('#platform/registry/client/image-reference');
  const { pushImage } = await import('#platform/registry/image-push');
  const { localCredentials } = await import('#platform/registry/logins/local-credentials');
  if (target.startsWith('oci:')) throw new UsageError(`"${target}" is an OCI layout: use "build" to write one`);
  const { host, repository } = await usage(() => parseImageReference(target));
  const credentials = await usage(() => localCredentials(target));
  const digest = await pushImage(await commandRegistryClient(), target, image, { credentials });
  io.out(`${host}/${repository}@${digest}\n`);
  io.exit(ExitCode.done);
}

/**
 * Runs `read`. A text that the person typed, or keeps in a file, and that cannot be read is bad usage, not a
 * remote failure.
 */
async function usage<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof Error ? new UsageError(error.message) : error;
  }
}
