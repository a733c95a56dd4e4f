import { type ClusterServiceVersion, CSV_API } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

/** Phases that the next passes leave. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(['Pending', 'InstallReady', 'Installing', 'Replacing', 'Deleting']);
/** Times of phases are in whole seconds, so that the status waits one second at least. */
const WAIT_MS = 2_000;

/**
 * Milliseconds for which the status of an Operator waits, undefined where it is to be written now: as long
 * as a ClusterServiceVersion among its components came to its phase a moment ago and will leave it, each pass
 * would write what the next one replaces (decision record 0448). One that stays where it is holds nothing up.
 */
export function untilSettled(components: readonly KubernetesObject[], now: Date): number | undefined {
  const ages = components.filter(({ kind }) => kind === CSV_API.kind).map((csv) => ageOnItsWay(csv, now.getTime()));
  // A clock that is ahead of ours must not hold the status up.
  const young = ages.filter((age) => age >= 0 && age < WAIT_MS);
  return young.length === 0 ? undefined : Math.max(...young.map((age) => WAIT_MS - age));
}

/** Milliseconds since it came to its phase; infinite where it is at its end. */
function ageOnItsWay({ status }: KubernetesObject, nowMs: number): number {
  const { phase = '', lastTransitionTime } = (status ?? {}) as NonNullable<ClusterServiceVersion['status']>;
  const age = nowMs - Date.parse(lastTransitionTime ?? '');
  return ON_ITS_WAY.has(phase) && Number.isFinite(age) ? age : Number.POSITIVE_INFINITY;
}
