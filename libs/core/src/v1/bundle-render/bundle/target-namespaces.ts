/** The namespaces that an operator watches: all, or the ones named. */
export type Targets = Readonly<{ all: true }> | Readonly<{ all: false; namespaces: readonly string[] }>;

/** Returns the value of the annotation `olm.targetNamespaces`: empty means all. */
export const targetsText = (targets: Targets): string => (targets.all ? '' : targets.namespaces.join(','));

/**
 * Returns the namespaces that the operator watches (spec: v1-apply.md §4). The configuration was already
 * checked against the install modes, so none of the refusals of §2, item 7, can occur here.
 */
export const targetsOf = (watchNamespace: string | undefined): Targets =>
  watchNamespace === undefined ? { all: true } : { all: false, namespaces: [watchNamespace] };
