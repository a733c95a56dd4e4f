import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

/** An entry of the time line: the object, and the event. */
export type Saying = Readonly<{ about: string; what: string }>;

type Parts = Readonly<{ name: string; spec: Record<string, unknown>; status: Record<string, unknown> }>;
type Rule = (parts: Parts) => Saying | undefined;

/** States that pass within a moment are left out: chance decides if one is seen. */
const rules: Readonly<Record<string, Rule>> = {
  CatalogSource: ({ name, status }) => {
    const { address, lastObservedState: state } = recordOf(status['connectionState']);
    if (state !== 'READY' && state !== 'TRANSIENT_FAILURE') return undefined;
    const what =
      state === 'READY' ? `READY with content ${shortDigest(String(address))}` : `${state} ${status['message']}`;
    return { about: `CatalogSource ${name}`, what };
  },
  Subscription: ({ spec, status }) => {
    if (status['state'] !== 'AtLatestKnown') return undefined;
    return { about: `Subscription to ${spec['name']}`, what: `AtLatestKnown ${status['installedCSV']}` };
  },
  InstallPlan: ({ name, spec, status }) => {
    const phase = String(status['phase']);
    if (!['RequiresApproval', 'Complete', 'Failed'].includes(phase)) return undefined;
    const names = Array.isArray(spec['clusterServiceVersionNames']) ? spec['clusterServiceVersionNames'] : [];
    return { about: `InstallPlan ${name}`, what: `${phase} ${names.join(' ')}` };
  },
  ClusterServiceVersion: ({ name, status }) => {
    const phase = String(status['phase']);
    if (!['Installing', 'Succeeded', 'Failed', 'Replacing'].includes(phase)) return undefined;
    return { about: `CSV ${name}`, what: phase };
  },
};

/** Returns the state that an object reports now, if it is worth a line. */
export function sayingOf(object: KubernetesObject): Saying | undefined {
  const { name = '' } = object.metadata;
  return rules[object.kind]?.({ name, spec: recordOf(object['spec']), status: recordOf(object['status']) });
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const shortDigest = (address: string): string => /sha256:[0-9a-f]{12}/.exec(address)?.[0] ?? address;
