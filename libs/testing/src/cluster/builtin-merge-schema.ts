import { deduced, type MergeSchema } from './merge-schema.js';

/** A list that merges item by item, by the named keys; a key may be given the value it has when left out. */
const byKeys = (keys: readonly string[], keyDefaults: Readonly<Record<string, unknown>> = {}): MergeSchema => ({
  ...deduced,
  list: 'map',
  keys,
  keyDefaults,
  field,
  item: () => granular,
});
const whole: MergeSchema = { ...deduced, atomic: true };
const set: MergeSchema = { ...deduced, list: 'set' };

/**
 * Kubernetes names its mergeable lists so consistently that the field's name alone decides nearly everywhere; the
 * exceptions are in `exceptions` below, by the path from the object's root.
 */
const byName: ReadonlyMap<string, MergeSchema> = new Map([
  ['containers', byKeys(['name'])],
  ['initContainers', byKeys(['name'])],
  ['ephemeralContainers', byKeys(['name'])],
  ['env', byKeys(['name'])],
  ['volumes', byKeys(['name'])],
  ['volumeMounts', byKeys(['mountPath'])],
  ['volumeDevices', byKeys(['devicePath'])],
  ['imagePullSecrets', byKeys(['name'])],
  ['hostAliases', byKeys(['ip'])],
  ['topologySpreadConstraints', byKeys(['topologyKey', 'whenUnsatisfiable'])],
  ['resourceClaims', byKeys(['name'])],
  ['conditions', byKeys(['type'])],
  ['ownerReferences', byKeys(['uid'])],
  ['webhooks', byKeys(['name'])],
  ['matchConditions', byKeys(['name'])],
  ['secrets', byKeys(['name'])],
  ['finalizers', set],
  ['selector', whole],
  ['namespaceSelector', whole],
  ['objectSelector', whole],
  ['podSelector', whole],
  ['labelSelector', whole],
  ['matchLabels', whole],
  ['nodeSelector', whole],
  ['roleRef', whole],
  ['fieldRef', whole],
  ['resourceFieldRef', whole],
  ['secretKeyRef', whole],
  ['configMapKeyRef', whole],
  ['claimRef', whole],
  ['volumeClaimTemplates', deduced],
]);

const containerPorts = byKeys(['containerPort', 'protocol'], { protocol: 'TCP' });
const servicePorts = byKeys(['port', 'protocol'], { protocol: 'TCP' });
const inContainer: MergeSchema = {
  ...deduced,
  field: (name) => (name === 'ports' ? containerPorts : field(name)),
};

function field(name: string): MergeSchema {
  const known = byName.get(name);
  if (known === undefined) return granular;
  return known.list === 'map' && name.toLowerCase().endsWith('containers')
    ? { ...known, item: () => inContainer }
    : known;
}

const granular: MergeSchema = { ...deduced, field };

/** Fields that differ from what their name says, by resource and path. */
const exceptions: Readonly<Record<string, Readonly<Record<string, MergeSchema>>>> = {
  services: { 'spec.ports': servicePorts },
  serviceaccounts: { imagePullSecrets: deduced },
  endpoints: { subsets: deduced },
  'customresourcedefinitions.apiextensions.k8s.io': { 'spec.versions': deduced },
};

function withExceptions(at: string, table: Readonly<Record<string, MergeSchema>>): MergeSchema {
  const inside = Object.keys(table);
  return {
    ...granular,
    field: (name) => {
      const path = at === '' ? name : `${at}.${name}`;
      const exact = table[path];
      if (exact !== undefined) return exact;
      return inside.some((known) => known.startsWith(`${path}.`)) ? withExceptions(path, table) : field(name);
    },
  };
}

/** How a built-in kind merges; `key` is plural.group. */
export function builtinMergeSchema(key: string): MergeSchema {
  const table = exceptions[key];
  return table === undefined ? granular : withExceptions('', table);
}

/** How metadata merges, for every kind. */
export const metadataMergeSchema: MergeSchema = granular;
