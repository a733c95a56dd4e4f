import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ALL_FLEET_KINDS, type AnyFleetKind } from '#core/kernel/api/fleet/fleet-kinds';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { issueText, specSchema } from '#core/rollout/kinds/read-fleet-object';
import { brokenRules } from '#core/rollout/kinds/rule-check';

export const isFleetKind = (apiVersion: string, kind: string): kind is AnyFleetKind =>
  apiVersion === FLEET_API && Object.hasOwn(ALL_FLEET_KINDS, kind);

/** The kinds that are kept without an API server: those of the fleet, and the Lease of its controller. */
export const isServedKind = (apiVersion: string, kind: string): boolean =>
  isFleetKind(apiVersion, kind) || (apiVersion === KIND.Lease.apiVersion && kind === KIND.Lease.kind);

/**
 * Returns the object as an API server with the CRDs would store it: with defaults, and with its faults. An
 * object with an unchanged `spec` was checked before.
 */
export function checkedObject(
  object: KubernetesObject,
  before: KubernetesObject | undefined,
): Readonly<{ object: KubernetesObject } | { problem: string }> {
  const { apiVersion, kind } = object;
  if (!isFleetKind(apiVersion, kind) || (before !== undefined && sameJson(object['spec'], before['spec']))) {
    return { object };
  }
  const parsed = ALL_FLEET_KINDS[kind].safeParse(object);
  if (!parsed.success) return { problem: issueText(parsed.error) };
  const [broken] = brokenRules(specSchema(kind), parsed.data.spec, before?.['spec'], 'spec');
  return broken === undefined ? { object: parsed.data } : { problem: broken };
}
