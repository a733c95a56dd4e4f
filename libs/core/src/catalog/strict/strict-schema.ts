import { foldCase } from '../../kernel/json/go-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import type { StrictFinding } from './strict-warning.js';

/**
 * Returns faults that opm accepts and the published schema of file-based catalogs forbids: empty texts,
 * properties without type or value, icons without the media type of an image. It checks the blob as it was
 * written.
 */
export function schemaFindings(schema: string, blob: Readonly<Record<string, unknown>>): StrictFinding[] {
  return [
    ...emptyText(blob, 'package', 'package'),
    ...propertiesOf(blob),
    ...(schema === 'olm.package' ? iconFindings(field(blob, 'icon')) : []),
    ...(schema === 'olm.channel' ? listOf(field(blob, 'entries')).flatMap(entryFindings) : []),
    ...(schema === 'olm.bundle' ? listOf(field(blob, 'relatedImages')).flatMap(relatedImageFindings) : []),
  ];
}

/** Returns a field by its name in any case, as Go reads it. */
function field(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined;
  const key = Object.keys(value).find((one) => foldCase(one) === foldCase(name));
  return key === undefined ? undefined : value[key];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const LEAVE_OUT = 'leave the field out, or fill it';

/** Finds a field that is there and empty: it must not be. */
const emptyText = (value: unknown, name: string, where: string): StrictFinding[] =>
  field(value, name) === '' ? [{ message: `${where}: is empty`, advice: LEAVE_OUT }] : [];

function propertiesOf(blob: Readonly<Record<string, unknown>>): StrictFinding[] {
  const given = field(blob, 'properties');
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) {
    return [{ message: 'properties: is not a list', advice: 'write a list of {type: <type>, value: <value>}' }];
  }
  return given.flatMap((property, index) => {
    const where = `properties[${index}]`;
    const type = field(property, 'type');
    const value = field(property, 'value');
    return [
      ...(typeof type === 'string' && type !== ''
        ? []
        : [{ message: `${where}: type is missing or empty`, advice: 'name the type, such as "olm.package"' }]),
      ...(value === undefined || value === null
        ? [{ message: `${where}: value is missing or null`, advice: 'give it a value, or remove the property' }]
        : []),
    ];
  });
}

function iconFindings(icon: unknown): StrictFinding[] {
  if (!isRecord(icon)) return [];
  const type = field(icon, 'mediatype');
  if (typeof type === 'string' && /^image\/[a-z0-9.+-]+$/i.test(type)) return [];
  const what = type === undefined || type === '' || type === null ? 'is missing or empty' : 'is not an image type';
  return [{ message: `icon: mediatype ${what}`, advice: 'write for example image/svg+xml or image/png' }];
}

function entryFindings(entry: unknown, index: number): StrictFinding[] {
  const where = `entries[${index}]`;
  const skips = listOf(field(entry, 'skips'));
  return [
    ...emptyText(entry, 'replaces', `${where}.replaces`),
    ...emptyText(entry, 'skipRange', `${where}.skipRange`),
    ...skips.flatMap((name, at) =>
      name === '' ? [{ message: `${where}.skips[${at}]: is empty`, advice: 'name a bundle, or remove the item' }] : [],
    ),
  ];
}

function relatedImageFindings(image: unknown, index: number): StrictFinding[] {
  const reference = field(image, 'image');
  if (typeof reference === 'string' && reference !== '') return [];
  const message = `relatedImages[${index}]: image is missing or empty`;
  return [{ message, advice: 'name the image by its reference, or remove the item' }];
}
