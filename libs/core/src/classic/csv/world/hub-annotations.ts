import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';

/** Hash of the rights of the last forbidden install. */
export const REFUSED_RIGHTS_ANNOTATION = 'flotilla.dev/refused-rights';

/** The install that the API server refused last, as a hash. */
export const REFUSED_INSTALL_ANNOTATION = 'flotilla.dev/refused-install';

/** Annotations about tries of the hub. Pods and copies of the CSV do not get them. */
export const HUB_ANNOTATIONS: readonly string[] = [REFUSED_RIGHTS_ANNOTATION, REFUSED_INSTALL_ANNOTATION];

/** Returns the CSV's annotations that its Pods get (spec: csv-lifecycle.md §11): all but the hub's own. */
export function podAnnotationsOf({ metadata }: ClusterServiceVersion): Readonly<Record<string, string>> {
  const all = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(all.filter(([key]) => !HUB_ANNOTATIONS.includes(key)));
}
