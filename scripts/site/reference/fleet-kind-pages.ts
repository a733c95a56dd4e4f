import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { code, markdownTable } from './markdown-table.js';

type Schema = Readonly<{
  type?: string | undefined;
  description?: string | undefined;
  properties?: Record<string, Schema> | undefined;
  items?: Schema | undefined;
  required?: string[] | undefined;
  enum?: unknown[] | undefined;
}>;
const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    type: z.string().optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), Schema).optional(),
    items: Schema.optional(),
    required: z.array(z.string()).optional(),
    enum: z.array(z.unknown()).optional(),
  }),
);
const Definition = z.looseObject({
  spec: z.looseObject({
    group: z.string(),
    scope: z.string(),
    names: z.looseObject({ kind: z.string(), plural: z.string(), shortNames: z.array(z.string()) }),
    versions: z.tuple([z.looseObject({ name: z.string(), schema: z.looseObject({ openAPIV3Schema: Schema }) })]),
  }),
});

/** Pages about the kinds of a fleet, one a kind, made from their CustomResourceDefinitions. */
export function fleetKindPages(): readonly (readonly [path: string, text: string])[] {
  return globSync('k8s/crds/fleet/*_*.yaml', { cwd: PROJECT_ROOT })
    .sort()
    .map((file) => {
      const { spec } = Definition.parse(parse(readFileSync(join(PROJECT_ROOT, file), 'utf8')));
      return [`reference/${spec.names.kind.toLowerCase()}.md`, kindPage(spec)] as const;
    });
}

function kindPage({ group, scope, names, versions: [version] }: z.infer<typeof Definition>['spec']): string {
  const { description, properties = {} } = version.schema.openAPIV3Schema;
  const parts = (['spec', 'status'] as const).map((part) => {
    const rows = fieldsOf(properties[part] ?? {}, '');
    const head = `## Fields of \`${part}\``;
    return rows.length === 0
      ? ''
      : `${head}\n\n${properties[part]?.description ?? ''}\n\n${markdownTable(['Field', 'Type', 'Meaning'], rows)}`;
  });
  const kubectl = `In a terminal: \`kubectl explain ${names.plural}.spec\`.`;
  const schema = `${names.kind.toLowerCase()}_${version.name}.json`;
  const editor = `For editors: \`# yaml-language-server: $schema=k8s/schemas/${schema}\` as the first line of a file, with the path to your copy of that file.`;
  return [
    `# ${names.kind}`,
    description,
    `\`${names.plural}.${group}/${version.name}\`, short \`${names.shortNames.join(', ')}\`, ${scope.toLowerCase()}. ${kubectl} ${editor}`,
    ...parts.filter((part) => part !== ''),
  ].join('\n\n');
}

function fieldsOf(schema: Schema, before: string): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, own]) => {
    const path = before === '' ? name : `${before}.${name}`;
    const isRequired = schema.required?.includes(name) === true;
    const below = own.items === undefined ? fieldsOf(own, path) : fieldsOf(own.items, `${path}[]`);
    return [[code(path), `${typeOf(own)}${isRequired ? ', required' : ''}`, meaningOf(own)], ...below];
  });
}

function typeOf({ type, items }: Schema): string {
  if (type === 'array') return `list of ${items?.type ?? 'any'}`;
  return type ?? 'integer or string';
}

function meaningOf(schema: Schema): string {
  const { description = '' } = schema;
  const values = ((schema.items ?? schema).enum ?? []).map(String).filter((value) => !description.includes(value));
  return values.length === 0 ? description : `${description} Values: ${values.map(code).join(', ')}.`;
}
