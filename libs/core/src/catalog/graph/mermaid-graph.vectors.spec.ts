import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../load/load-catalog.js';
import { type MermaidOptions, mermaidGraph } from './mermaid-graph.js';

// What the real opm drew of the same catalogs; test/vectors/fbc/README.md says how.
const VECTORS = join(import.meta.dirname, '../../../../../test/vectors/fbc/render-graph.jsonl');
type Vector = {
  id: string;
  title: string;
  files: Record<string, string>;
  args: string[];
  expect: { stdout?: string; stderr?: string };
};
const vectors = readFileSync(VECTORS, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

function options(args: readonly string[]): MermaidOptions {
  const after = (flag: string) => (args.includes(flag) ? { value: args[args.indexOf(flag) + 1] ?? '' } : undefined);
  const only = after('-p') ?? after('--package-name');
  const minimum = after('--minimum-edge');
  return {
    ...(only && { package: only.value }),
    ...(minimum && { minimumEdge: minimum.value }),
    v0Semantics: args.includes('--draw-v0-semantics'),
  };
}

describe('mermaidGraph, compared with opm', () => {
  it.each(vectors)('$id $title', ({ files, args, expect: want }) => {
    const encoded = Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
    const graph = mermaidGraph(loadCatalog(encoded), options(args));
    expect('error' in graph ? graph.error : graph.text).toBe(want.stdout ?? want.stderr);
  });
});
