import { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { asRecord, asText } from '../../kernel/crd/loose-value.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { pruneNulls } from '../bundle-render/bundle/prune-nulls.js';
import type { InstalledRevision } from '../revision/installed-revision.js';
import {
  BUNDLE_NAME_KEY,
  BUNDLE_REFERENCE_KEY,
  BUNDLE_RELEASE_KEY,
  BUNDLE_VERSION_KEY,
  OLM_PROPERTIES_KEY,
} from '../revision/revision-keys.js';

/** A ClusterExtension as OLM v1's Helm runtime has installed it. */
export type HelmRelease = Readonly<{
  from: InstalledRevision;
  objects: readonly KubernetesObject[];
  /** The bundle's merged `olm.properties`, as JSON text. */
  olmProperties: string | undefined;
}>;

/** Limit of the objects in one revision. */
const MOST_OBJECTS = 1000;
/** Limit of lines: each object may come with a separator and comments. */
const MOST_LINES = 4 * MOST_OBJECTS;
/** No manifest of an operator nests as deep. A deeper one must not reach a recursive walk. */
const MOST_LEVELS = 200;

/**
 * Reads an unpacked release: JSON with the applied manifests, one a line (spec: v1-apply.md §6 and §7,
 * "Migration from Helm"). `labels` name its bundle.
 */
export function readRelease(
  text: string,
  labels: Readonly<Record<string, string>>,
): HelmRelease | Readonly<{ error: string }> {
  const release = asRecord(jsonOf(text));
  const { manifest } = release;
  if (asText(asRecord(release['info'])['status']) !== 'deployed') return { error: 'its status is not "deployed"' };
  if (typeof manifest !== 'string') return { error: 'it has no manifests' };
  const lines = manifest.split('\n', MOST_LINES + 1);
  const documents = lines.filter((line) => /^\s*[^\s#-]/.test(line));
  if (lines.length > MOST_LINES || documents.length > MOST_OBJECTS) {
    return { error: `it has more than ${MOST_OBJECTS} objects` };
  }
  const objects: KubernetesObject[] = [];
  for (const [at, line] of documents.entries()) {
    const object = objectOf(line);
    if (object === undefined) return { error: `its manifest ${at + 1} is not a Kubernetes object` };
    objects.push(object);
  }
  const { [BUNDLE_NAME_KEY]: name = '', [BUNDLE_VERSION_KEY]: version = '', [BUNDLE_RELEASE_KEY]: number } = labels;
  if (name === '' || version === '') return { error: 'its Secret does not name its bundle' };
  return {
    from: {
      bundle: { name, version, ...(number === undefined ? {} : { release: number }) },
      image: labels[BUNDLE_REFERENCE_KEY] ?? '',
    },
    objects,
    olmProperties: propertiesOf(release),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses an object and drops fields that are null, as a rendered bundle has none. */
function objectOf(line: string): KubernetesObject | undefined {
  const value = jsonOf(line);
  return isRecord(value) && !nestsTooDeep(value) ? KubernetesObject.safeParse(pruneNulls(value)).data : undefined;
}

/** Walks the value level by level, without recursion. */
function nestsTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** OLM v1 keeps the bundle's properties as an annotation of the chart. */
function propertiesOf(release: Readonly<Record<string, unknown>>): string | undefined {
  const chart = asRecord(asRecord(release['chart'])['metadata']);
  return asText(asRecord(chart['annotations'])[OLM_PROPERTIES_KEY]) || undefined;
}
