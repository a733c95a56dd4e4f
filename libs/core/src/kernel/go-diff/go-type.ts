/** The shape of a Go value, as far as go-cmp uses it. */
export type GoType =
  | Readonly<{ kind: 'string' | 'bool' | 'number'; name: string }>
  /** `[]byte`; the value is its text. */
  | Readonly<{ kind: 'bytes'; name: string }>
  | Readonly<{ kind: 'byte'; name: string }>
  | Readonly<{ kind: 'pointer'; name: string; to: () => GoType; text?: (value: GoStruct) => string }>
  | Readonly<{ kind: 'struct'; name: string; fields: readonly GoField[] }>
  | Readonly<{ kind: 'slice'; name: string; of: () => GoType }>
  | Readonly<{ kind: 'map'; name: string; of: () => GoType }>;

type GoField = Readonly<{ name: string; type: GoType }>;

/** A Go value: undefined is nil; a struct is an object of its fields; a pointer is its target. */
export type GoValue =
  | string
  | boolean
  | number
  | GoStruct
  | readonly GoValue[]
  | ReadonlyMap<string, GoValue>
  | undefined;
export type GoStruct = Readonly<{ [field: string]: GoValue }>;

export const BYTE: GoType = { kind: 'byte', name: 'uint8' };

/** True for a value that Go calls the zero value of its type. */
export function isZero(type: GoType, value: GoValue): boolean {
  switch (type.kind) {
    case 'string':
      return value === '';
    case 'bool':
      return value === false;
    case 'number':
    case 'byte':
      return value === 0;
    case 'struct':
      return type.fields.every((field) => isZero(field.type, fieldOf(value, field.name)));
    default:
      return value === undefined;
  }
}

export const fieldOf = (value: GoValue, name: string): GoValue => (value as GoStruct)[name];
export const elements = (value: GoValue): readonly GoValue[] => value as readonly GoValue[];
export const entries = (value: GoValue): ReadonlyMap<string, GoValue> => value as ReadonlyMap<string, GoValue>;
