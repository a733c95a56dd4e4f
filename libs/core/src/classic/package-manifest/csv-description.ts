import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { recordAt, recordsAt, textAt, textMapAt, textsAt } from '../../kernel/json/json-access.js';
import { parseTolerant } from '../../kernel/versions/blang-version.js';
import { formatVersion } from '../../kernel/versions/version.js';

type Json = Readonly<Record<string, unknown>>;
type Icon = Readonly<{ base64data?: string; mediatype?: string }>;

/** The fields of a CSV shown in a PackageManifest. Empty fields are left out as in OLM's package server. */
export type CsvDescription = Readonly<{ provider: Readonly<{ name?: string; url?: string }>; icon?: readonly Icon[] }> &
  Json;

/** Returns the description of a CSV. Undefined if the object is not a CSV or its version is invalid. */
export function describeCsv(
  csv: unknown,
): Readonly<{ name: string; labels: Readonly<Record<string, string>>; description: CsvDescription }> | undefined {
  const spec = recordAt(csv, 'spec');
  const version = versionOf(spec);
  if (Object.keys(recordAt(csv)).length === 0 || version === undefined) return undefined;
  const description = {
    ...texts(spec, ['displayName']),
    ...filled('icon', recordsAt(spec, 'icon').map(icon)),
    version,
    provider: link(recordAt(spec, 'provider')),
    ...filled('annotations', textMapAt(csv, 'metadata', 'annotations')),
    ...filled('keywords', textsAt(spec, 'keywords')),
    ...filled('links', recordsAt(spec, 'links').map(link)),
    ...filled(
      'maintainers',
      recordsAt(spec, 'maintainers').map((one) => texts(one, ['name', 'email'])),
    ),
    ...texts(spec, ['maturity', 'description']),
    ...filled('installModes', recordsAt(spec, 'installModes').map(installMode)),
    customresourcedefinitions: definitions(spec, 'customresourcedefinitions', crd),
    apiservicedefinitions: definitions(spec, 'apiservicedefinitions', apiService),
    ...filled('nativeApis', recordsAt(spec, 'nativeAPIs').map(nativeApi)),
    ...texts(spec, ['minKubeVersion']),
    ...filled('relatedImages', imagesOf(spec)),
  };
  return { name: textAt(csv, 'metadata', 'name'), labels: textMapAt(csv, 'metadata', 'labels'), description };
}

/** Returns the version as the package server writes it: `0.0.0` if the CSV has none. */
function versionOf(spec: Json): string | undefined {
  if (spec['version'] === undefined || spec['version'] === null) return '0.0.0';
  const parsed = parseTolerant(textAt(spec, 'version'));
  return 'error' in parsed ? undefined : formatVersion(parsed);
}

const isEmpty = (value: object): boolean =>
  Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;

const filled = (name: string, value: object): Json => (isEmpty(value) ? {} : { [name]: value });

const texts = (from: Json, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (textAt(from, name) === '' ? [] : [[name, textAt(from, name)]])));

const link = (from: Json) => texts(from, ['name', 'url']);
const icon = (from: Json): Icon => texts(from, ['base64data', 'mediatype']);
const installMode = (from: Json): Json => ({ type: textAt(from, 'type'), supported: from['supported'] === true });

/** Returns every field, empty or not. */
const always = (from: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, textAt(from, name)]));
const shown = (from: Json): Json => texts(from, ['displayName', 'description']);

const crd = (from: Json): Json => ({ ...always(from, ['name', 'version', 'kind']), ...shown(from) });
const apiService = (from: Json): Json => ({ ...always(from, ['name', 'group', 'version', 'kind']), ...shown(from) });
const nativeApi = (from: Json): Json => always(from, ['group', 'version', 'kind']);

function definitions(spec: Json, field: string, describe: (api: Json) => Json): Json {
  const list = (which: string) => filled(which, recordsAt(spec, field, which).map(describe));
  return { ...list('owned'), ...list('required') };
}

/** Images that the operator runs or names, each once. OLM's order is by chance; ours is by name. */
function imagesOf(spec: Json): string[] {
  const pods = recordsAt(spec, 'install', 'spec', 'deployments').map((one) =>
    recordAt(one, 'spec', 'template', 'spec'),
  );
  const run = pods.flatMap((pod) => [...recordsAt(pod, 'containers'), ...recordsAt(pod, 'initContainers')]);
  const named = [...run, ...recordsAt(spec, 'relatedImages')].map((one) => textAt(one, 'image'));
  return [...new Set(named.filter((image) => image !== ''))].sort(byCodeUnit);
}
