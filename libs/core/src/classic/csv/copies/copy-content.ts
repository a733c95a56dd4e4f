import { createHash } from 'node:crypto';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';

export const COPIED_FROM_LABEL = 'olm.copiedFrom';
export const COMPONENT_LABEL_PREFIX = 'operators.coreos.com/';
const OPERATOR_NAMESPACE_ANNOTATION = 'olm.operatorNamespace';

/** Digests that show if a copy is in step with its original. */
type CopyDigests = Readonly<{ content: string; status: string }>;

type Content = Readonly<{
  spec: unknown;
  annotations: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
}>;

const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalJson(value ?? null))
    .digest('base64');

export const contentDigest = ({ spec, annotations, labels }: Content): string =>
  digestOf({ spec, annotations, labels });
export const statusDigest = (status: unknown): string => digestOf(status);

/** A field that no API has: a CustomResourceDefinition of ClusterServiceVersions prunes it. */
const DIGESTS_FIELD = 'copyDigests';

/** Digests are computed once for an object: a pass compares thousands of copies in each of its rounds. */
const computed = new WeakMap<object, CopyDigests>();

/** Returns the digests of a copy as it was read, or as {@link keptOfCopy} left it. */
export function copyDigests(copy: ClusterServiceVersion | KubernetesObject): CopyDigests {
  const held = DIGESTS_FIELD in copy ? (copy[DIGESTS_FIELD] as CopyDigests) : computed.get(copy);
  if (held !== undefined) return held;
  const { metadata } = copy;
  const { annotations = {}, labels = {} } = metadata;
  const digests = {
    content: contentDigest({ spec: 'spec' in copy ? copy['spec'] : undefined, annotations, labels }),
    status: statusDigest('status' in copy ? copy['status'] : undefined),
  };
  computed.set(copy, digests);
  return digests;
}

/**
 * Returns a copied CSV with digests in place of its content: a large cluster has a hundred thousand copies of
 * a few CSVs. Returns other objects unchanged, and copies with a component label, which are parts of an
 * Operator.
 */
export function keptOfCopy(csv: KubernetesObject): KubernetesObject {
  const { annotations, labels = {}, managedFields: _managers, ...metadata } = csv.metadata;
  const from = labels[COPIED_FROM_LABEL];
  const isPart = Object.keys(labels).some((key) => key.startsWith(COMPONENT_LABEL_PREFIX));
  if (from === undefined || from === metadata.namespace || isPart) return csv;
  const home = annotations?.[OPERATOR_NAMESPACE_ANNOTATION];
  const isMarked = (csv['status'] as { reason?: unknown } | undefined)?.reason === 'Copied';
  return {
    apiVersion: csv.apiVersion,
    kind: csv.kind,
    metadata: {
      ...metadata,
      labels: { [COPIED_FROM_LABEL]: from },
      ...(home === undefined ? {} : { annotations: { [OPERATOR_NAMESPACE_ANNOTATION]: home } }),
    },
    spec: {},
    ...(isMarked ? { status: { reason: 'Copied' } } : {}),
    [DIGESTS_FIELD]: copyDigests(csv),
  };
}
