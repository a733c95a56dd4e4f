import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mermaidGraph } from '../graph/mermaid-graph.js';
import { loadCatalog } from '../load/load-catalog.js';
import type { Catalog } from '../model/catalog.js';
import { catalogToJson, catalogToYaml } from '../write/write-catalog.js';
import { TemplateError } from './template.error.js';
import { imagesOf, parseTemplate, renderTemplate, type TemplateType } from './template.js';

// What the real opm made of the same templates; test/vectors/fbc/README.md says how.
type Vector = {
  id: string;
  title: string;
  type?: TemplateType;
  output: 'json' | 'yaml' | 'mermaid';
  template: string;
  bundles: Record<string, unknown>;
  expect: { objects?: unknown[]; stdout?: string; error?: string };
  alsoSeen?: { error?: string }[];
};
const vectors = readFileSync(join(import.meta.dirname, '../../../../../test/vectors/fbc/template.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

const PARSER = /json: |yaml: |error (converting|unmarshaling)/;

function rendered({ template, type, bundles }: Vector): Catalog | string {
  const images = Object.entries(bundles).map(([image, blob]) => {
    const file = { path: 'bundle.json', bytes: new TextEncoder().encode(JSON.stringify(blob)) };
    return [image, { bundles: loadCatalog([file]).bundles }] as const;
  });
  try {
    const parsed = parseTemplate(template, type);
    const wanted = new Set(imagesOf(parsed));
    return renderTemplate(parsed, new Map(images.filter(([image]) => wanted.has(image))));
  } catch (error) {
    if (error instanceof TemplateError) return error.olmText;
    throw error;
  }
}

function drawn(catalog: Catalog): string {
  const graph = mermaidGraph(catalog, { v0Semantics: true });
  return 'error' in graph ? graph.error : graph.text;
}

function expectError(got: unknown, { expect: want, alsoSeen = [] }: Vector): void {
  const text = want.error ?? '';
  const parser = text.search(PARSER);
  if (parser < 0) {
    expect([text, ...alsoSeen.map(({ error }) => error)]).toContain(got);
    return;
  }
  // The wording of what a JSON or YAML parser says is its own; what it names is not.
  expect(String(got).startsWith(text.slice(0, parser))).toBe(true);
  for (const named of text.slice(parser).match(/"[^"]+"/g) ?? []) expect(got).toContain(named);
}

/** Objects that are written one after the other, each from a line of its own. */
const jsonObjects = (text: string): unknown[] =>
  text === '' ? [] : text.split(/^(?=\{)/m).map((one): unknown => JSON.parse(one));

describe('templates, compared with opm', () => {
  it.each(vectors)('$id $title', (vector) => {
    const got = rendered(vector);
    const { objects, stdout } = vector.expect;
    if (vector.expect.error !== undefined) expectError(got, vector);
    else if (typeof got === 'string') expect(got).toBeUndefined();
    else if (objects) expect(jsonObjects(catalogToJson(got))).toEqual(objects);
    else expect(vector.output === 'yaml' ? catalogToYaml(got) : drawn(got)).toBe(stdout);
  });
});
