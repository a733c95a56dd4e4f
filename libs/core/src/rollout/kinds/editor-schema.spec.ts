import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ALL_FLEET_KINDS, type AnyFleetKind } from '../../kernel/api/fleet/fleet-kinds.js';
import { editorSchema } from './editor-schema.js';

const ROOT = join(import.meta.dirname, '../../../../..');
const kinds = Object.keys(ALL_FLEET_KINDS) as AnyFleetKind[];
const ajv = new Ajv({ strict: true, strictRequired: false, allErrors: true, formats: { 'date-time': true } });
const checks = new Map<string, ReturnType<Ajv['compile']>>(
  kinds.map((kind) => [kind, ajv.compile(editorSchema(kind))]),
);

/** Fields at which an editor would mark the object. */
function marks(object: Readonly<Record<string, unknown>>): string[] {
  const check = checks.get(String(object['kind']));
  if (check === undefined) return ['no schema'];
  check(object);
  return (check.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath}: ${message}`);
}

const examples = readdirSync(join(ROOT, 'examples/fleet/files'))
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) =>
    parseAllDocuments(readFileSync(join(ROOT, 'examples/fleet/files', name), 'utf8')).map((document) => ({
      name,
      object: document.toJS() as Readonly<Record<string, unknown>>,
    })),
  );

const strategy = (spec: unknown) => ({
  apiVersion: 'fleet.flotilla.dev/v1alpha1',
  kind: 'FleetStrategy',
  metadata: { name: 'careful', namespace: 'platform' },
  spec,
});

describe('schemas for editors', () => {
  it.each(examples)('accept $object.kind of examples/fleet/files/$name', ({ object }) => {
    expect(marks(object)).toEqual([]);
  });

  it.each([
    { spec: { wave: [] }, mark: '/spec: must NOT have additional properties' },
    { spec: { onFailure: 'Stop' }, mark: '/spec/onFailure: must be equal to one of the allowed values' },
    { spec: { waves: [{ name: 'a', maxConcurrent: 0 }] }, mark: '/spec/waves/0/maxConcurrent: must be >= 1' },
    { spec: { waves: [{}] }, mark: "/spec/waves/0: must have required property 'name'" },
  ])('mark $mark', ({ spec, mark }) => {
    expect(marks(strategy(spec))).toContain(mark);
  });

  it.each(kinds)('of %s in k8s/schemas are up to date (write-fleet-crds writes them)', (kind) => {
    const path = join(ROOT, 'k8s/schemas', `${kind.toLowerCase()}_v1alpha1.json`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(editorSchema(kind))));
  });
});
