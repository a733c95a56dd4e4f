import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { recordAt, recordsAt, textAt, textMapAt, textsAt } from '../../kernel/json/json-access.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * The `olm.csv.metadata` value made from a CSV: what a console shows without the CSV itself. Fields come in
 * the order in which opm writes them; empty ones are left out, but for three that opm always writes
 * (spec: file-based-catalogs.md §5.1).
 */
export function csvMetadata(csv: KubernetesObject): Json {
  return {
    ...filled('annotations', sortedMap(textMapAt(csv, 'metadata', 'annotations'))),
    apiServiceDefinitions: definitions(csv, 'apiservicedefinitions', apiService),
    crdDescriptions: definitions(csv, 'customresourcedefinitions', crd),
    ...texts(recordAt(csv, 'spec'), ['description', 'displayName']),
    ...filled('installModes', recordsAt(csv, 'spec', 'installModes').map(installMode)),
    ...filled('keywords', textsAt(csv, 'spec', 'keywords')),
    ...filled('labels', sortedMap(textMapAt(csv, 'metadata', 'labels'))),
    ...filled(
      'links',
      recordsAt(csv, 'spec', 'links').map((link) => texts(link, ['name', 'url'])),
    ),
    ...filled(
      'maintainers',
      recordsAt(csv, 'spec', 'maintainers').map((one) => texts(one, ['name', 'email'])),
    ),
    ...texts(recordAt(csv, 'spec'), ['maturity', 'minKubeVersion']),
    ...filled('nativeAPIs', recordsAt(csv, 'spec', 'nativeAPIs').map(nativeApi)),
    provider: texts(recordAt(csv, 'spec', 'provider'), ['name', 'url']),
  };
}

const isEmpty = (value: object): boolean =>
  Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;

/** The field, or nothing when it is empty. */
const filled = (name: string, value: object): Json => (isEmpty(value) ? {} : { [name]: value });

/** The named texts that are there and not empty, in this order. */
const texts = (from: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.flatMap((name) => (textAt(from, name) === '' ? [] : [[name, textAt(from, name)]])));

const sortedMap = (map: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => byCodeUnit(a, b)));

function definitions(csv: KubernetesObject, field: string, describe: (api: Json) => Json): Json {
  const list = (which: string) => filled(which, recordsAt(csv, 'spec', field, which).map(describe));
  return { ...list('owned'), ...list('required') };
}

const crd = (api: Json): Json => ({
  name: textAt(api, 'name'),
  version: textAt(api, 'version'),
  kind: textAt(api, 'kind'),
  ...description(api),
});

const apiService = (api: Json): Json => ({
  name: textAt(api, 'name'),
  group: textAt(api, 'group'),
  version: textAt(api, 'version'),
  kind: textAt(api, 'kind'),
  ...texts(api, ['deploymentName']),
  ...(typeof api['containerPort'] === 'number' && api['containerPort'] !== 0
    ? { containerPort: api['containerPort'] }
    : {}),
  ...description(api),
});

const description = (api: Json): Json => ({
  ...texts(api, ['displayName', 'description']),
  ...filled('resources', recordsAt(api, 'resources').map(resource)),
  ...filled('statusDescriptors', recordsAt(api, 'statusDescriptors').map(descriptor)),
  ...filled('specDescriptors', recordsAt(api, 'specDescriptors').map(descriptor)),
  ...filled('actionDescriptors', recordsAt(api, 'actionDescriptors').map(descriptor)),
});

const resource = (from: Json): Json => ({
  name: textAt(from, 'name'),
  kind: textAt(from, 'kind'),
  version: textAt(from, 'version'),
});

const descriptor = (from: Json): Json => ({
  path: textAt(from, 'path'),
  ...texts(from, ['displayName', 'description']),
  ...filled('x-descriptors', textsAt(from, 'x-descriptors')),
  ...(from['value'] === undefined ? {} : { value: from['value'] }),
});

const installMode = (from: Json): Json => ({ type: textAt(from, 'type'), supported: from['supported'] === true });

const nativeApi = (from: Json): Json => ({
  group: textAt(from, 'group'),
  version: textAt(from, 'version'),
  kind: textAt(from, 'kind'),
});
