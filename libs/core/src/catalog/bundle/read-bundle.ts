import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { counted } from '../../kernel/text/counted.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { BundleFile } from '../model/bundle-file.js';
import { BundleError } from './bundle.error.js';
import type { Bundle } from './bundle.js';
import { csvCrds, describeApi, providedApis, requiredApis } from './bundle-apis.js';
import { type Manifests, readManifests } from './read-manifests.js';
import { BUNDLE_ANNOTATION, type Metadata, readMetadata } from './read-metadata.js';

/** Limits on one bundle: Kubernetes itself takes no object above 3 MiB or so. */
export const BUNDLE_LIMITS = { files: 5_000, bytes: 128 * 1024 * 1024 } as const;

/**
 * Reads a registry+v1 bundle from the files of its directory or image (spec: file-based-catalogs.md §5.1):
 * `metadata/`, and `manifests/` or the directory that the annotations name. Throws {@link BundleError} if opm
 * refuses the bundle. Parts that opm skips are in `warnings`.
 */
export function readBundle(files: readonly BundleFile[]): Bundle {
  boundSize(files);
  const sorted = files.toSorted((a, b) => byCodeUnit(a.path, b.path));
  const metadata = readMetadata(filesIn(sorted, 'metadata'));
  const manifests = readManifests(manifestFiles(sorted, metadata));
  const csv = csvOf(manifests);
  requireOwnedCrds(csv, manifests.objects, manifests.warnings.filter(isPassedOver));
  const { annotations, dependencies, properties, refusals: metadataRefusals } = metadata;
  if (!annotations) {
    const [passedOver] = metadata.warnings.filter(isPassedOver);
    throw new BundleError(
      'Could not find annotations file',
      `add metadata/annotations.yaml with "annotations:" and at least ${BUNDLE_ANNOTATION.package}`,
      passedOver,
    );
  }
  const warnings = [...manifests.warnings, ...metadata.warnings];
  return { ...manifests, csv, annotations, dependencies, properties, warnings, metadataRefusals };
}

function boundSize(files: readonly BundleFile[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.length <= BUNDLE_LIMITS.files && bytes <= BUNDLE_LIMITS.bytes) return;
  throw new BundleError(
    `bundle of ${files.length} files and ${bytes} bytes is too large`,
    `at most ${BUNDLE_LIMITS.files} files and ${BUNDLE_LIMITS.bytes} bytes are read`,
  );
}

/** Files directly in a directory, hidden ones left out. */
function filesIn(files: readonly BundleFile[], directory: string): BundleFile[] {
  const prefix = directory === '' ? '' : `${directory}/`;
  return files.filter(({ path }) => {
    const name = path.slice(prefix.length);
    return path.startsWith(prefix) && !name.includes('/') && !name.startsWith('.');
  });
}

function manifestFiles(files: readonly BundleFile[], { annotations }: Metadata): BundleFile[] {
  const named = annotations?.[BUNDLE_ANNOTATION.manifests]?.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  const inNamed = named ? filesIn(files, named) : [];
  return inNamed.length > 0 ? inNamed : filesIn(files, 'manifests');
}

function csvOf({ objects, warnings }: Manifests): KubernetesObject {
  const passedOver = firstOf(warnings.filter(isPassedOver));
  if (objects.length === 0) {
    throw new BundleError('no bundle objects found', passedOver ?? "put the operator's manifests into manifests/");
  }
  const csv = objects.find(({ kind }) => kind === 'ClusterServiceVersion');
  if (csv) return csv;
  const advice = passedOver ?? 'one file in manifests/ must be a ClusterServiceVersion';
  throw new BundleError('no csv in bundle', advice);
}

const isPassedOver = (warning: string): boolean => warning.includes(': skipped: ');

/** Returns the first of several lines, and the number of the others. Returns undefined if there are none. */
const firstOf = ([first, ...others]: readonly string[]): string | undefined =>
  first === undefined || others.length === 0 ? first : `${first} (and ${counted(others.length, 'more file')})`;

/**
 * Checks that the bundle contains every CRD the CSV owns, and that required CRDs have a full name.
 * `passedOver`: files that could not be read; a missing CRD may be in one of them. Throws
 * {@link BundleError}.
 */
export function requireOwnedCrds(
  csv: KubernetesObject,
  objects: readonly KubernetesObject[],
  passedOver: readonly string[] = [],
): void {
  const name = csv.metadata.name ?? '';
  const prefix = `error checking provided apis in bundle ${name}`;
  const owned = csvCrds(csv, 'owned');
  requireNames(owned.unnamed, prefix);
  requireNames(requiredApis(csv).unnamed, `get properties for bundle ${goQuote(name)}: get required apis`);
  const found = providedApis(csv, objects).map(describeApi);
  const missing = owned.apis.map(describeApi).find((api) => !found.includes(api));
  if (missing === undefined) return;
  const notFound = `couldn't find ${missing} in bundle`;
  const unread = firstOf(passedOver);
  throw new BundleError(
    `${prefix}: ${notFound}. found: map[${found.map((api) => `${api}:{}`).join(' ')}]`,
    'add the CustomResourceDefinition to manifests/ or remove it from spec.customresourcedefinitions.owned',
    unread && `${notFound}: ${unread}`,
  );
}

function requireNames([unnamed]: readonly string[], prefix: string): void {
  if (unnamed === undefined) return;
  const advice = 'a CRD is named <plural>.<group>';
  throw new BundleError(`${prefix}: couldn't parse plural.group from crd name: ${unnamed}`, advice);
}
