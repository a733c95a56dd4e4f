import { readFileSync } from 'node:fs';

/**
 * One field of a built-in type; a field without a name is an embedded type: JSON shows its fields one level
 * higher.
 */
export type TypeField = Readonly<{
  name: string;
  number: number;
  /** A scalar (`string`, `bytes`, `bool`, `int32`, `int64`, `double`, `strings`) or the name of a type. */
  type: string;
  of?: 'list' | 'map';
  required?: boolean;
  /** True if JSON leaves the zero value out. */
  omitsZero?: boolean;
  doc?: string;
}>;

export type TypeDescription = Readonly<{ doc: string; fields: readonly TypeField[] }>;

type TypeTable = Readonly<{
  kinds: Readonly<Record<string, string>>;
  types: Readonly<Record<string, TypeDescription>>;
}>;

let table: TypeTable | undefined;

/**
 * Kubernetes' built-in types, as scripts/kubernetes-types writes them from the Go types of v1.34.4. Read when
 * the first protobuf body or OpenAPI request arrives: most simulated clusters never need the table.
 */
const kubernetesTypes = (): TypeTable => {
  table ??= JSON.parse(readFileSync(new URL('kubernetes-types.json', import.meta.url), 'utf8')) as TypeTable;
  return table;
};

/** Returns the name of the type behind a kind, or undefined if it is not one of Kubernetes' own. */
export function typeOfKind(apiVersion: string, kind: string): string | undefined {
  const { kinds } = kubernetesTypes();
  // Delete options may be sent in the version of any group.
  const key = kind === 'DeleteOptions' ? 'meta/v1/DeleteOptions' : `${apiVersion}/${kind}`;
  return Object.hasOwn(kinds, key) ? kinds[key] : undefined;
}

export const typeDescription = (name: string): TypeDescription | undefined => kubernetesTypes().types[name];
