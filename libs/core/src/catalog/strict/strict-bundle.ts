import { readInlineManifests } from '../bundle/inline-manifests.js';
import { objectFaults } from '../bundle/object-faults.js';
import type { CatalogBundle } from '../model/catalog.js';
import type { StrictFinding } from './strict-warning.js';

/** OLM writes the name of a bundle's CSV into labels, and a label holds no more. */
const LONGEST_NAME = 63;

/** Lists the reasons of clusters to refuse a bundle, from its name and the manifests in its blob. */
export function bundleFindings({ name, image, objects }: CatalogBundle): StrictFinding[] {
  const tooLong =
    name.length <= LONGEST_NAME
      ? []
      : [
          {
            message: `the name has ${name.length} characters: OLM writes it into labels of at most ${LONGEST_NAME}`,
            advice: 'give the ClusterServiceVersion a shorter name',
          },
        ];
  return image !== '' || objects.length === 0 ? tooLong : [...tooLong, ...manifestFindings(objects)];
}

/** OLM installs the manifests of a blob only if it names no image. */
function manifestFindings(objects: CatalogBundle['objects']): StrictFinding[] {
  const advice = 'correct the manifest and render the bundle again';
  const read = readInlineManifests(objects);
  if ('problem' in read) return [{ message: `no cluster accepts it: ${read.problem}`, advice }];
  return read.objects.flatMap((object, index) => {
    const [fault] = objectFaults(object);
    if (fault === undefined || fault.startsWith('metadata.name has ')) return [];
    return [{ message: `no cluster accepts it: object ${index + 1} (${object.kind}): ${fault}`, advice }];
  });
}
