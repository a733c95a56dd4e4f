import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { BuiltImage } from '#platform/registry/image-builder';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import { putSampleBundles } from '../../../apps/cli/src/commands/demo/environment/sample-images.js';

type Samples = readonly Readonly<{ reference: string; image: BuiltImage }>[];

/** The images of the samples: built once in a process, since no registry changes them. */
let built: Promise<Samples> | undefined;

async function build(): Promise<Samples> {
  const samples: { reference: string; image: BuiltImage }[] = [];
  await putSampleBundles(join(PROJECT_ROOT, 'examples'), (reference, image) => samples.push({ reference, image }));
  return samples;
}

/** Gives the registry every sample bundle as an image. */
export async function putSamples(registry: InMemoryRegistry): Promise<void> {
  built ??= build();
  for (const { reference, image } of await built) registry.put(reference, image);
}
