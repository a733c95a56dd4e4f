/** The namespaces that an operator watches: all, or the ones named. */
export type Targets = Readonly<{ all: true }> | Readonly<{ all: false; namespaces: readonly string[] }>;

/** Value of the annotation `olm.targetNamespaces`: empty stands for all. */
export const targetsText = (targets: Targets): string => (targets.all ? '' : targets.namespaces.join(','));

/**
 * Where the operator watches (spec: v1-apply.md §4). The configuration has been held against the install
 * modes, so that none of the refusals of §2, item 7, can come up here.
 */
export const targetsOf = (watchNamespace: string | undefined): Targets =>
  watchNamespace === undefined ? { all: true } : { all: false, namespaces: [watchNamespace] };
