const PREFIX = 'olm.operatorframework.io/';

/** Labels and annotations of OLM v1 on applied objects (spec: v1-apply.md §5, §7). */
export const OWNER_KIND_LABEL = `${PREFIX}owner-kind`;
export const OWNER_NAME_LABEL = `${PREFIX}owner-name`;
export const REVISION_NAME_LABEL = `${PREFIX}revision-name`;
export const PACKAGE_NAME_KEY = `${PREFIX}package-name`;
export const BUNDLE_NAME_KEY = `${PREFIX}bundle-name`;
export const BUNDLE_VERSION_KEY = `${PREFIX}bundle-version`;
export const BUNDLE_RELEASE_KEY = `${PREFIX}bundle-release`;
export const BUNDLE_REFERENCE_KEY = `${PREFIX}bundle-reference`;
export const OLM_PROPERTIES_KEY = 'olm.properties';
/** `true` on a revision made of a Helm release of OLM v1 (spec: v1-apply.md §7, "Migration from Helm"). */
export const MIGRATED_FROM_HELM_LABEL = `${PREFIX}migrated-from-helm`;
/** On every applied object: the revision that applied it last. */
export const REVISION_KEY = `${PREFIX}revision`;
export const MANAGED_BY = { key: 'app.kubernetes.io/managed-by', value: 'olm.operatorframework.io' } as const;
/** Type of the Secrets that hold manifests of a revision. */
export const OBJECT_DATA_TYPE = `${PREFIX}object-data`;

/** Finalizers that a real OLM v1 leaves behind. The objects that they guard do not exist under Flotilla. */
export const OLM_FINALIZERS: readonly string[] = [
  `${PREFIX}cleanup-unpack-cache`,
  `${PREFIX}cleanup-contentmanager-cache`,
  `${PREFIX}teardown`,
];

/**
 * Flotilla's, on a revision: hash of all inputs of its objects, so that an unchanged desired state is
 * recognised without rendering.
 */
export const INPUTS_KEY = 'flotilla.dev/inputs';
/** Flotilla's, on a revision: hash of the desired bundle that it answers. */
export const QUERY_KEY = 'flotilla.dev/query';
/** Flotilla's, on a revision: hash of the phases as they were applied for. */
export const CONTENT_KEY = 'flotilla.dev/content';
/**
 * Flotilla's, on a revision: the kinds of its objects, for the watches on them. A JSON list of
 * `apiVersion kind`.
 */
export const KINDS_KEY = 'flotilla.dev/kinds';
/** Flotilla's, on a revision: digest of the bundle image that was pulled. */
export const DIGEST_KEY = 'flotilla.dev/bundle-digest';
/** Flotilla's, on a revision: the time at which certificates of its webhooks must be replaced. */
export const CERTIFICATES_KEY = 'flotilla.dev/certificates-until';
/**
 * Flotilla's annotation of a ClusterExtension: number of an earlier revision with the desired content, until
 * the annotation is removed.
 */
export const ROLLBACK_KEY = 'flotilla.dev/rollback-to-revision';
/**
 * The fleet's, on a ClusterExtension: hash of the rendered content that was reviewed; no revision with other
 * content is made (design: fleet.md §3.2).
 */
export const PLAN_KEY = 'fleet.flotilla.dev/plan';
