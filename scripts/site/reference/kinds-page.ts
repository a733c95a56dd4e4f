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
    names: z.looseObject({ kind: z.string(), plural: z.string(), shortNames: z.array(z.string()).optional() }),
    versions: z.array(
      z.looseObject({ name: z.string(), served: z.boolean(), schema: z.looseObject({ openAPIV3Schema: Schema }) }),
    ),
  }),
});
type Definition = z.infer<typeof Definition>;

const OF_OLM =
  'Of OLM: the same definitions, so that manifests go on working. A value that cannot be used is named in the status of its object.';

/** The page about every kind that the hub installs or a fleet needs, with the fields of its spec. */
export function kindsPage(): string {
  const groups = [
    { title: 'Kinds of OLM Classic', of: 'k8s/crds/operators*.yaml', note: OF_OLM },
    { title: 'Kinds of OLM v1', of: 'k8s/crds/olm*.yaml', note: OF_OLM },
  ];
  const sections = groups.map(({ title, of, note }) => {
    const files = globSync(of, { cwd: PROJECT_ROOT }).sort();
    return [`## ${title}`, note, ...files.map((file) => kindSection(file))].join('\n\n');
  });
  const fleet = globSync('k8s/crds/fleet/*_*.yaml', { cwd: PROJECT_ROOT }).sort().map(kindOf);
  const links = fleet.map((kind) => `[${kind}](${kind.toLowerCase()}.md)`);
  const own = `Kinds of a [fleet](../docs/fleet.md) are on the API server of the hub alone; each has a page: ${links.join(', ')}.`;
  return ['# Kinds', 'Fields of `spec`, made from the CustomResourceDefinitions.', own, ...sections].join('\n\n');
}

const definitionIn = (file: string): Definition =>
  Definition.parse(parse(readFileSync(join(PROJECT_ROOT, file), 'utf8')));
const kindOf = (file: string): string => definitionIn(file).spec.names.kind;

function kindSection(file: string): string {
  const { spec } = definitionIn(file);
  const { names, group, scope, versions } = spec;
  const served = versions.filter((one) => one.served);
  const schema = served.at(-1)?.schema.openAPIV3Schema ?? {};
  const short = names.shortNames === undefined ? '' : ` (short: ${names.shortNames.map(code).join(', ')})`;
  const head = `\`${names.plural}.${group}\`${short}, ${served.map(({ name }) => code(name)).join(', ')}, ${scope.toLowerCase()}.`;
  const rows = fieldsOf(schema.properties?.['spec'] ?? {}, '', 0);
  return [
    `### ${names.kind}`,
    [head, firstSentence(schema.description)].filter(Boolean).join(' '),
    rows.length === 0 ? 'It has no fields of its own.' : markdownTable(['Field', 'Type', 'Meaning'], rows),
  ].join('\n\n');
}

/** Deeper fields are those of embedded types of Kubernetes, such as a pod. */
const DEEPEST = 3;

function fieldsOf(schema: Schema, before: string, depth: number): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, own]) => {
    const path = before === '' ? name : `${before}.${name}`;
    const inner = own.items ?? own;
    const type = `${own.type === 'array' ? `list of ${own.items?.type ?? 'any'}` : (own.type ?? 'any')}`;
    const need = schema.required?.includes(name) === true ? ', required' : '';
    const choice = inner.enum === undefined ? '' : ` One of ${inner.enum.map((one) => code(String(one))).join(', ')}.`;
    const row = [code(path), `${type}${need}`, `${firstSentence(own.description)}${choice}`.trim()];
    const below = `${path}${own.type === 'array' ? '[]' : ''}`;
    return [row, ...(depth + 1 < DEEPEST ? fieldsOf(inner, below, depth + 1) : [])];
  });
}

/** Descriptions of OLM have paragraphs; angle brackets and underscores of theirs are text. */
function firstSentence(description: string | undefined): string {
  const [paragraph = ''] = (description ?? '').trim().split(/\n\s*\n/);
  const [sentence = ''] = paragraph.replaceAll(/\s+/g, ' ').split(/(?<=\.) (?=[A-Z])/);
  return sentence.replaceAll(/[\\`*_[\]<>]/g, (sign) => `\\${sign}`);
}
