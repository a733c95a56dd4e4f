import { type OlmSign, signText } from '#core/cluster/joining/olm-signs';
import { counted } from '#core/kernel/text/counted';
import { contextOption } from '#core/kernel/text/shell-word';
import { NEXT } from '../../output/next-commands.js';
import type { CheckedCluster, ReachedCluster } from './check-cluster.js';

/**
 * Returns the lines about one cluster: the watched objects, the changes made, and the facts or steps for the
 * person.
 */
export function describeCluster(
  check: CheckedCluster,
  width: number,
  access: (cluster: string) => string = contextOption,
): string[] {
  const line = (text: string) => `  ${check.cluster.padEnd(width)}  ${text}`;
  const under = (text: string) => `  ${''.padEnd(width)}  ${text}`;
  if (!check.reached) return [line(`unreachable, retrying: ${oneLine(check.because)}`)];
  const { version, globalCatalogNamespace } = check;
  const first = `Kubernetes ${version} · global catalogs in namespace ${globalCatalogNamespace} · ${joinText(check)}`;
  return [
    line(first),
    ...[...refusal(check, access(check.cluster)), ...awaited(check), ...besideOlm(check, access(check.cluster))].map(
      under,
    ),
  ];
}

/** Contexts that lead to one and the same cluster: it would be worked on once for each. */
export function describeSameClusters(checks: readonly CheckedCluster[]): string[] {
  const byIdentity = new Map<string, string[]>();
  for (const check of checks) {
    if (!check.reached || check.identity === undefined) continue;
    byIdentity.set(check.identity, [...(byIdentity.get(check.identity) ?? []), check.cluster]);
  }
  return [...byIdentity.values()]
    .filter((names) => names.length > 1)
    .map((names) => `  WARNING: ${names.join(' and ')} are the same cluster; choose one of them with --context`);
}

const isCrd = (object: string): boolean => object.startsWith('CustomResourceDefinition ');

function joinText({ observed, management, joined }: ReachedCluster): string {
  if (observed === true) return 'only observed: nothing is written there';
  if (!management.acts) return 'left alone';
  if (joined === undefined) return 'CRDs of OLM are not managed (FLOTILLA_JOIN_INSTALL)';
  const { installed, upgraded, refused } = joined;
  if (refused.some(({ object }) => isCrd(object))) return 'CRDs of OLM are missing';
  const count = [...installed, ...upgraded].filter(isCrd).length;
  return count === 0 ? 'CRDs of OLM are installed' : `${counted(count, 'CRD')} of OLM installed`;
}

/**
 * Returns the line about objects that will be installed soon. No right is missing: the hub installs them by
 * itself.
 */
function awaited({ joined }: ReachedCluster): string[] {
  const [first, ...others] = joined?.awaited ?? [];
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return [`${first.object}${more} will be installed soon: ${oneLine(first.because)}`];
}

function refusal({ joined }: ReachedCluster, access: string): string[] {
  const [first] = joined?.refused ?? [];
  if (joined === undefined || first === undefined) return [];
  const more = joined.refused.length === 1 ? '' : ` and ${joined.refused.length - 1} more`;
  return [
    `WARNING: ${first.object}${more} could not be installed: ${oneLine(first.because)}`,
    `         ask a user with that right to run: ${NEXT.installCrds(access)}`,
  ];
}

function besideOlm({ observed, management }: ReachedCluster, access: string): string[] {
  if (observed === true) return [];
  if (management.acts) {
    const found = management.signs.map(signText).join(', ');
    return found === '' ? [] : [`WARNING: OLM itself also runs there (${found}); both act, as configured`];
  }
  return [`WARNING: ${oneLine(management.because)}`, ...scaling(access, management.signs)];
}

/** The commands that stop OLM's Deployments. */
function scaling(access: string, signs: readonly OlmSign[]): string[] {
  const byNamespace = Map.groupBy(
    signs.flatMap((sign) => (sign.kind === 'deployment' ? [sign] : [])),
    ({ namespace }) => namespace,
  );
  return [...byNamespace].map(([namespace, deployments]) => {
    const names = deployments.map(({ name }) => `deployment/${name}`).join(' ');
    return `         kubectl ${access} -n ${namespace} scale --replicas=0 ${names}`;
  });
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, '; ');
