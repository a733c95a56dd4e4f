import { deduced, type MergeSchema } from './merge-schema.js';

/** Fields with keys chosen by users. Kubernetes' schema names the fields of all other objects. */
const FREE_KEYS = new Set([
  'labels',
  'annotations',
  'data',
  'binaryData',
  'limits',
  'requests',
  'nodeSelector',
  'capacity',
  'allocatable',
  'overhead',
  'hard',
  'used',
]);
const ALWAYS_PRESENT = new Set([
  'spec',
  'status',
  'template',
  'strategy',
  'metadata',
  'containers',
  'updateStrategy',
  'names',
  'loadBalancer',
]);

const struct: MergeSchema = { ...deduced, field, named: () => true, alwaysPresent: (name) => ALWAYS_PRESENT.has(name) };
const freeKeys: MergeSchema = { ...deduced, field: () => struct };

/** A list that merges item by item, by the named keys. A key may have a default value. */
const byKeys = (keys: readonly string[], keyDefaults: Readonly<Record<string, unknown>> = {}): MergeSchema => ({
  ...struct,
  list: 'map',
  keys,
  keyDefaults,
  item: () => struct,
});
const whole: MergeSchema = { ...deduced, atomic: true };
const set: MergeSchema = { ...deduced, list: 'set' };
const containerPorts = byKeys(['containerPort', 'protocol'], { protocol: 'TCP' });
const servicePorts = byKeys(['port', 'protocol'], { protocol: 'TCP' });
const container: MergeSchema = { ...struct, field: (name) => (name === 'ports' ? containerPorts : field(name)) };
const containers: MergeSchema = { ...byKeys(['name']), item: () => container };

/**
 * Merge schemas by field name. Kubernetes names its mergeable lists so consistently that the name alone
 * nearly always decides; `EXCEPTIONS` has the others, by the path from the object's root.
 */
const BY_NAME: ReadonlyMap<string, MergeSchema> = new Map([
  ['containers', containers],
  ['initContainers', containers],
  ['ephemeralContainers', containers],
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
  ['roleRef', whole],
  ['fieldRef', whole],
  ['resourceFieldRef', whole],
  ['secretKeyRef', whole],
  ['configMapKeyRef', whole],
  ['nodeSelector', whole],
]);

function field(name: string): MergeSchema {
  return BY_NAME.get(name) ?? (FREE_KEYS.has(name) ? freeKeys : struct);
}

/** Fields that differ from the rule of their name, by resource and path. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, MergeSchema>>>> = {
  services: { 'spec.ports': servicePorts },
  serviceaccounts: { imagePullSecrets: deduced },
  'customresourcedefinitions.apiextensions.k8s.io': { 'spec.versions': deduced },
};

function withExceptions(at: string, table: Readonly<Record<string, MergeSchema>>): MergeSchema {
  const paths = Object.keys(table);
  return {
    ...struct,
    field: (name) => {
      const path = at === '' ? name : `${at}.${name}`;
      const exact = table[path];
      if (exact !== undefined) return exact;
      return paths.some((known) => known.startsWith(`${path}.`)) ? withExceptions(path, table) : field(name);
    },
  };
}

/** How a built-in kind merges; `key` is plural.group. */
export function builtinMergeSchema(key: string): MergeSchema {
  const table = EXCEPTIONS[key];
  return table === undefined ? struct : withExceptions('', table);
}

/** How metadata merges, for every kind. */
export const metadataMergeSchema: MergeSchema = struct;
