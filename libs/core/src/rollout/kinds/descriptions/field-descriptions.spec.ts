import { describe, expect, it } from 'vitest';
import { ALL_FLEET_KINDS, type AnyFleetKind } from '../../../kernel/api/fleet/fleet-kinds.js';
import { fleetCrd } from '../custom-resource.js';
import { describedPaths, fieldDescription } from './field-descriptions.js';

type Schema = Readonly<{
  description?: string;
  default?: unknown;
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
}>;
type Field = Readonly<{ path: string; schema: Schema }>;

/** Fields of a kind as an API server has them, each with its path. */
function fieldsOf(kind: AnyFleetKind): Field[] {
  const { spec } = fleetCrd(kind) as unknown as Readonly<{
    spec: { versions: readonly [{ schema: { openAPIV3Schema: Schema } }] };
  }>;
  const { properties = {} } = spec.versions[0].schema.openAPIV3Schema;
  const own = (['spec', 'status'] as const).flatMap((name) => below(name, properties[name] ?? {}));
  return [{ path: '', schema: spec.versions[0].schema.openAPIV3Schema }, ...own];
}

const below = (path: string, schema: Schema): Field[] => [
  { path, schema },
  ...inside(path, schema),
  ...inside(`${path}[]`, schema.items ?? {}),
];
const inside = (path: string, { properties = {} }: Schema): Field[] =>
  Object.entries(properties).flatMap(([name, schema]) => below(`${path}.${name}`, schema));

describe.each(Object.keys(ALL_FLEET_KINDS) as AnyFleetKind[])('%s', (kind) => {
  const fields = fieldsOf(kind);

  it('describes every field in one to three sentences', () => {
    const bad = fields
      .filter(({ schema }) => !/^[A-Z0-9][^\n]{3,400}\.$/.test(schema.description ?? ''))
      .map(({ path }) => path);
    expect(bad).toEqual([]);
  });

  it('names the default of every field that has one', () => {
    const bad = fields
      .filter(({ schema }) => schema.default !== undefined && !Array.isArray(schema.default))
      .filter(({ schema }) => !schema.description?.includes(`Default: ${String(schema.default)}`))
      .map(({ path, schema }) => `${path}: ${schema.description}`);
    expect(bad).toEqual([]);
  });

  it('describes no field that it does not have', () => {
    const paths = fields.map(({ path }) => path);
    const unknown = describedPaths()
      .filter(([of, path]) => of === kind && !paths.some((one) => one === path || one.endsWith(`.${path}`)))
      .map(([, path]) => path);
    expect(unknown).toEqual([]);
  });
});

it('finds the description of a field by the end of its path', () => {
  expect(fieldDescription('FleetCatalog', 'spec.clusters.selector.matchLabels')).toBe(
    'Labels and the values that they must have.',
  );
  expect(fieldDescription('FleetCatalog', 'spec.unknown')).toBeUndefined();
});
