import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { elements, entries, fieldOf, type GoType, type GoValue } from '../../kernel/go-diff/go-type.js';
import { goFloat } from '../../kernel/json/go-float.js';

/** Replaces the address that Go prints for a value in a map, which differs each time. */
const ADDRESS = '0xc000000000';

/**
 * A struct as the generated String methods of the API server's types write it
 * (apiextensions/v1, generated.pb.go).
 */
export function goText(type: GoType, value: GoValue): string {
  const fields = type.kind === 'struct' ? type.fields : [];
  const texts = fields.map((field) => `${field.name}:${fieldText(field.type, fieldOf(value, field.name))},`);
  return `&${shortName(type.name)}{${texts.join('')}}`;
}

/** Drops the package from a type's name. */
const shortName = (name: string): string => name.replace('v1.', '');

function fieldText(type: GoType, value: GoValue): string {
  switch (type.kind) {
    case 'pointer':
      if (value === undefined) return 'nil';
      return type.text === undefined ? `*${plainText(type.to(), value)}` : goText(type.to(), value);
    case 'bytes':
      return value === undefined ? 'nil' : `*${plainText(type, value)}`;
    case 'slice':
      return type.of().kind === 'struct' ? listText(type.of(), value) : plainText(type, value);
    case 'map': {
      const sorted = [...(value === undefined ? [] : entries(value))].sort(([a], [b]) => byCodeUnit(a, b));
      return `${shortName(type.name)}{${sorted.map(([key, one]) => `${key}: ${plainText(type.of(), one)},`).join('')}}`;
    }
    default:
      return plainText(type, value);
  }
}

function listText(type: GoType, value: GoValue): string {
  const list = value === undefined ? [] : elements(value);
  return `[]${shortName(type.name)}{${list.map((one) => `${goText(type, one).replace('&', '')},`).join('')}}`;
}

/** A value as Go's `%v` writes it. */
function plainText(type: GoType, value: GoValue): string {
  switch (type.kind) {
    case 'number':
      return type.name === 'float64' ? goFloat(value as number) : String(value);
    case 'pointer':
      return value === undefined ? '<nil>' : ADDRESS;
    case 'bytes':
      return `[${[...new TextEncoder().encode((value as string | undefined) ?? '')].join(' ')}]`;
    case 'struct':
      return `{${type.fields.map((field) => plainText(field.type, fieldOf(value, field.name))).join(' ')}}`;
    case 'slice':
      return `[${(value === undefined ? [] : elements(value)).map((one) => plainText(type.of(), one)).join(' ')}]`;
    case 'map': {
      const sorted = [...(value === undefined ? [] : entries(value))].sort(([a], [b]) => byCodeUnit(a, b));
      return `map[${sorted.map(([key, one]) => `${key}:${plainText(type.of(), one)}`).join(' ')}]`;
    }
    default:
      return String(value);
  }
}
