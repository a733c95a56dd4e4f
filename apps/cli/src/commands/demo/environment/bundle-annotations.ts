import { load } from 'js-yaml';
import { z } from 'zod';
import type { BundleFile } from '#core/catalog/model/bundle-file';

// Labels are text; a bundle may say `true` for "true".
const Text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const Annotations = z.object({ annotations: z.record(z.string(), Text) });

/** Returns the pairs of metadata/annotations.yaml. A bundle image carries the same pairs as labels. */
export function annotationsOf(files: readonly BundleFile[]): Record<string, string> {
  const file = files.find(({ path }) => path === 'metadata/annotations.yaml');
  if (file === undefined) throw new Error('the bundle directory has no metadata/annotations.yaml');
  return Annotations.parse(load(new TextDecoder().decode(file.bytes))).annotations;
}
