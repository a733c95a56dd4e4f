import { z } from 'zod';
import { escapedGoJson } from '../../../kernel/json/go-json-text.js';
import { withSortedKeys } from '../../../kernel/json/sorted-keys.js';

/** Annotation of a CSV, and of a revision, that holds the bundle's properties as a JSON list. */
export const OLM_PROPERTIES = 'olm.properties';

const Properties = z
  .array(z.looseObject({ type: z.string().nullish(), value: z.unknown() }).nullable())
  .nullable()
  .transform((list) => (list ?? []).map((one) => ({ type: one?.type ?? '', value: one?.value ?? null })));
const PropertiesFile = z.looseObject({ properties: Properties.optional() }).nullish();

/**
 * Returns the annotation with the properties of metadata/properties.yaml after those of the CSV. `file` is
 * the file's value, undefined if there is no file. Returns undefined if nothing must change. Spec:
 * v1-apply.md §1.
 */
export function mergeProperties(annotation: string | undefined, file: unknown): string | undefined | { error: string } {
  const own = annotation === undefined ? [] : propertiesIn(annotation);
  if (own === undefined) {
    const where = `csv.metadata.annotations['${OLM_PROPERTIES}']`;
    return { error: `failed to unmarshal ${where}: it is not a JSON list of properties {type, value}` };
  }
  if (file === undefined) return undefined;
  const added = PropertiesFile.safeParse(file);
  if (!added.success) {
    return { error: 'failed to unmarshal metadata/properties.yaml: it needs a list "properties" of {type, value}' };
  }
  // Values of YAML are in the order of a Go map's sorted keys. Values of the annotation keep their order.
  const all = [
    ...own,
    ...(added.data?.properties ?? []).map(({ type, value }) => ({ type, value: withSortedKeys(value) })),
  ];
  return all.length === 0 ? 'null' : escapedGoJson(all);
}

function propertiesIn(annotation: string): z.infer<typeof Properties> | undefined {
  try {
    return Properties.safeParse(JSON.parse(annotation, asWritten)).data;
  } catch {
    return undefined;
  }
}

/** Part of the language, but not yet in TypeScript's types. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** Numbers keep the form they have in the annotation: Go passes values on as they are. */
function asWritten(_key: string, value: unknown, context?: Readonly<{ source?: string }>): unknown {
  return typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value;
}
