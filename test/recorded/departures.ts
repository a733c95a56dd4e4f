import { withoutRaces } from './csv-history.js';
import type { Dump, Json, JsonObject } from './recording.js';

/** Something in which Flotilla may differ from the recordings; it is left out of both sides before they are compared. */
export type Departure = Readonly<{
  name: string;
  because: string;
  /** Absent: in every scenario. */
  scenarios?: readonly string[];
  leaveOut: (dump: Dump) => Dump;
}>;

type Change = (object: JsonObject, key: string) => JsonObject | undefined;

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Changes the objects of one kind; those that become undefined are left out. */
const inKind =
  (kind: string, change: Change) =>
  (dump: Dump): Dump => {
    const objects = dump[kind];
    if (objects === undefined) return dump;
    const changed = Object.entries(objects).flatMap(([key, object]) => {
      const now = change(object, key);
      return now === undefined ? [] : [[key, now] as const];
    });
    return { ...dump, [kind]: Object.fromEntries(changed) };
  };

const inEveryKind =
  (change: Change) =>
  (dump: Dump): Dump =>
    Object.keys(dump).reduce((left, kind) => inKind(kind, change)(left), dump);

/** The object with the field at that path changed; as it is where there is no such field. */
function at(object: JsonObject, path: readonly string[], change: (value: Json) => Json | undefined): JsonObject {
  const [key = '', ...rest] = path;
  const value = object[key];
  if (value === undefined) return object;
  const { [key]: _old, ...others } = object;
  const now = rest.length === 0 ? change(value) : isMap(value) ? at(value, rest, change) : value;
  return now === undefined ? others : { ...others, [key]: now };
}

const drop =
  (...path: readonly string[]): Change =>
  (object) =>
    at(object, path, () => undefined);

const sortBy =
  (...keys: readonly string[]) =>
  (list: Json): Json =>
    isList(list) ? list.toSorted((a, b) => (rank(a, keys) < rank(b, keys) ? -1 : 1)) : list;

const rank = (item: Json, keys: readonly string[]): string =>
  keys
    .map((key) =>
      JSON.stringify(
        key.split('.').reduce<Json | undefined>((value, part) => (isMap(value) ? value[part] : undefined), item),
      ),
    )
    .join();

const steps = (change: (list: readonly Json[]) => readonly Json[]) =>
  inKind('InstallPlan', (plan) => at(plan, ['status', 'plan'], (list) => (isList(list) ? change(list) : list)));

const eachStep = (change: (step: JsonObject) => JsonObject) =>
  steps((list) => list.map((step) => (isMap(step) ? change(step) : step)));

/** Every allowed difference there is. The first part is the README's own list, the second our decisions. */
export const DEPARTURES: readonly Departure[] = [
  {
    name: 'step-status',
    because: 'README: Created or Present, depending on whether a second execution came',
    leaveOut: eachStep((step) => at(step, ['status'], (status) => (status === 'Created' ? 'Present' : status))),
  },
  {
    name: 'step-order',
    because: 'README: the order of steps among service accounts; OLM walks a Go map',
    leaveOut: steps((list) => sortBy('resource.kind', 'resource.name')(list) as readonly Json[]),
  },
  {
    name: 'csv-history',
    because: 'README: waiting, requirements still being created, and loops through ComponentUnhealthy',
    leaveOut: inKind('ClusterServiceVersion', (csv) => at(csv, ['status', 'conditions'], settledHistory)),
  },
  {
    name: 'deployment-spec-hash',
    because: "README: a hash of Go's own of the resulting spec",
    leaveOut: inKind('Deployment', drop('metadata', 'labels', 'olm.deployment-spec-hash')),
  },
  {
    name: 'condition-order',
    because: 'conditions are a map by type: their order says nothing',
    leaveOut: inEveryKind((object) =>
      at(object, ['status', 'conditions'], (list) => (isHistory(list) ? list : sortBy('type')(list))),
    ),
  },
  {
    name: 'owner-order',
    because: 'owner references are a set',
    leaveOut: inEveryKind((object) => at(object, ['metadata', 'ownerReferences'], sortBy('kind', 'name'))),
  },
  {
    name: 'long-manifests',
    because: 'the recordings leave out step manifests over 6000 bytes; ours may be a few bytes longer or shorter',
    leaveOut: eachStep((step) =>
      at(step, ['resource', 'manifest'], (manifest) => (isMap(manifest) ? manifest : '<omitted>')),
    ),
  },
  {
    name: 'catalog-connection',
    because: 'decision 12: no pod and no service behind a source; connectionState tells what the hub holds',
    leaveOut: inKind('CatalogSource', (source) =>
      at(
        at(
          at(source, ['status', 'connectionState'], () => undefined),
          ['status', 'registryService'],
          () => undefined,
        ),
        ['status', 'latestImageRegistryPoll'],
        () => undefined,
      ),
    ),
  },
  {
    name: 'plan-generate-name',
    because: 'decision 5: plans are named install-<hash of their content>, so they have no generateName',
    leaveOut: inKind('InstallPlan', drop('metadata', 'generateName')),
  },
  {
    name: 'plan-moves',
    because:
      'decision 5: a repeated job finds in its plan which Subscriptions it was made for (annotation flotilla.dev/moves)',
    leaveOut: inKind('InstallPlan', drop('metadata', 'annotations', 'flotilla.dev/moves')),
  },
  {
    name: 'zero-values',
    because:
      "OLM writes step manifests from Go's structs, with zero values (cleanup, status, creationTimestamp) that say nothing",
    leaveOut: eachStep((step) => at(step, ['resource', 'manifest'], withoutZeroValues)),
  },
];

function withoutZeroValues(manifest: Json): Json {
  if (!isMap(manifest)) return manifest;
  const { status: _zero, ...rest } = manifest;
  return at(
    at(rest, ['spec', 'cleanup'], (cleanup) => (isMap(cleanup) && cleanup['enabled'] === false ? undefined : cleanup)),
    ['metadata', 'creationTimestamp'],
    () => undefined,
  );
}

const isHistory = (list: Json): boolean =>
  isList(list) && list.some((item) => isMap(item) && item['phase'] !== undefined);

function settledHistory(list: Json): Json {
  if (!isList(list)) return list;
  const lines = list.map((item) => (isMap(item) ? `${item['phase']}/${item['reason']}` : ''));
  return withoutRaces(lines.filter((line, index) => line !== lines[index - 1])).map((line) => line);
}
