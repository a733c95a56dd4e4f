import { GO_TYPE_TABLE } from './go-type-table.js';

/** Types that read and write JSON in a way of their own. */
export type LeafType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'Time'
  | 'MicroTime'
  | 'Duration'
  | 'Quantity'
  | 'IntOrString'
  | 'OperatorVersion'
  | 'OperatorRelease'
  | 'UpdateStrategy'
  | 'Raw'
  | 'RawMessage'
  | 'Unstructured'
  | 'SchemaOrArray'
  | 'SchemaOrBool'
  | 'SchemaOrStrings';

/** A type of Go, as far as its JSON shows it. */
export type TypeShape =
  | Readonly<{ is: 'leaf'; leaf: LeafType }>
  | Readonly<{ is: 'list' | 'map' | 'pointer'; of: TypeShape }>
  | StructShape;

export type StructShape = Readonly<{
  is: 'struct';
  name: string;
  /** Members by name, in the order of Go's output. */
  members: ReadonlyMap<string, MemberShape>;
  /** True if no rule of ours reads its members: inside of another object it is passed on unchanged. */
  isPassedOn: boolean;
}>;

/** `omit`: the tag that makes Go leave an empty (or a zero) value out. */
export type MemberShape = Readonly<{ type: TypeShape; omit?: 'empty' | 'zero' }>;

/** Members that the objects of all kinds have. */
const OBJECT = 'Object apiVersion:string kind:string metadata:meta.ObjectMeta';

/** Long parts of CSVs that are frequent in the objects of clusters. */
const PASSED_ON: ReadonlySet<string> = new Set([
  'apps.DeploymentSpec',
  ...['APIResourceReference', 'StatusDescriptor', 'SpecDescriptor', 'ActionDescriptor', 'Icon'].map(
    (one) => `alpha.${one}`,
  ),
  'meta.ManagedFieldsEntry',
]);

const found = new Map<string, StructShape>();
let lines: ReadonlyMap<string, string> | undefined;

/**
 * Returns the struct of this name in the table that `scripts/go-types` writes, such as
 * `alpha.ClusterServiceVersion`. Throws for a name that the table does not have.
 */
export function structShape(name: string): StructShape {
  const known = found.get(name);
  if (known !== undefined) return known;
  lines ??= new Map(
    `${OBJECT}${GO_TYPE_TABLE}`
      .trim()
      .split('\n')
      .map((line) => [line.split(' ', 1)[0] ?? '', line]),
  );
  const line = lines.get(name);
  if (line === undefined) throw new Error(`no Go type ${name}`);
  const members = new Map<string, MemberShape>();
  const struct: StructShape = { is: 'struct', name, members, isPassedOn: PASSED_ON.has(name) };
  // Before its members: types may contain themselves.
  found.set(name, struct);
  for (const member of line.split(' ').slice(1)) members.set(...memberOf(member));
  return struct;
}

const MEMBER = /^(.+?)([?!]?):(.+)$/;

function memberOf(text: string): [string, MemberShape] {
  const [, name = '', omit, type = ''] = MEMBER.exec(text) ?? [];
  if (omit === '') return [name, { type: typeOf(type) }];
  return [name, { type: typeOf(type), omit: omit === '!' ? 'zero' : 'empty' }];
}

function typeOf(text: string): TypeShape {
  if (text.startsWith('*')) return { is: 'pointer', of: typeOf(text.slice(1)) };
  if (text.startsWith('[]')) return { is: 'list', of: typeOf(text.slice(2)) };
  if (text.startsWith('{}')) return { is: 'map', of: typeOf(text.slice(2)) };
  return text.includes('.') ? structShape(text) : { is: 'leaf', leaf: text as LeafType };
}
