import { type ClusterServiceVersion, CSV_API } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

/** Phases that the next passes leave. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(['Pending', 'InstallReady', 'Installing', 'Replacing', 'Deleting']);
/** Times of phases are in whole seconds, so that the status waits one second at least. */
const WAIT_MS = 2_000;

/**
 * Milliseconds by which the write of an Operator's status is delayed; undefined if it must be written now. A
 * ClusterServiceVersion among its components may have just reached a phase that it will leave. Meanwhile each
 * pass would write a status that the next one replaces (why: classic.md "The status of an Operator waits for
 * two seconds"). A ClusterServiceVersion that stays in its phase delays nothing.
 */
export function untilSettled(components: readonly KubernetesObject[], now: Date): number | undefined {
  const ages = components.filter(({ kind }) => kind === CSV_API.kind).map((csv) => ageOnItsWay(csv, now.getTime()));
  // A clock that is ahead of ours must not hold the status up.
  const young = ages.filter((age) => age >= 0 && age < WAIT_MS);
  return young.length === 0 ? undefined : Math.max(...young.map((age) => WAIT_MS - age));
}

/** Milliseconds since it came to its phase; infinite if that phase is final. */
function ageOnItsWay({ status }: KubernetesObject, nowMs: number): number {
  const { phase = '', lastTransitionTime } = (status ?? {}) as NonNullable<ClusterServiceVersion['status']>;
  const age = nowMs - Date.parse(lastTransitionTime ?? '');
  return ON_ITS_WAY.has(phase) && Number.isFinite(age) ? age : Number.POSITIVE_INFINITY;
}
