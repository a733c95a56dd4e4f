import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../program.js';

let folder = '';

const crd = (watts: object, more: { name?: string; apiVersion?: string } = {}) => ({
  apiVersion: more.apiVersion ?? 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: more.name ?? 'lamps.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { kind: 'Lamp', plural: 'lamps' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { watts } } },
      },
    ],
  },
  status: { storedVersions: ['v1'] },
});

let nested: object = { type: 'string' };
for (let level = 0; level < 300; level++) nested = { type: 'object', additionalProperties: nested };

const files: Record<string, unknown[]> = {
  'old.yaml': [crd({ type: 'integer', maximum: 50 })],
  'safe.yaml': [crd({ type: 'integer', maximum: 60 })],
  'unsafe.yaml': [crd({ type: 'string', maximum: 20 })],
  'other.yaml': [crd({}, { name: 'shades.shop.example' })],
  'two.yaml': [crd({}), crd({})],
  'beta.yaml': [crd({}, { apiVersion: 'apiextensions.k8s.io/v1beta1' })],
  'secret.yaml': [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }],
  'deep.yaml': [crd(nested)],
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-crd-'));
  for (const [name, documents] of Object.entries(files)) {
    await writeFile(join(folder, name), documents.map((one) => JSON.stringify(one)).join('\n---\n'));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function check(old: string, next: string, ...more: string[]) {
  const [out, err, codes]: [string[], string[], number[]] = [[], [], []];
  const path = (name: string) => (name in files ? join(folder, name) : name);
  await run(['crd', 'check', path(old), path(next), ...more], {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    exit: (code) => void codes.push(code),
    stdin: async () => JSON.stringify(files['old.yaml']?.[0]),
  });
  return { out: out.join(''), err: err.join('').replaceAll(`${folder}/`, ''), code: codes.at(-1) };
}

const lines = [
  'v1: ^.watts: maximum: maximum decreased : 50 -> 20',
  'v1: ^.watts: type: type changed : "integer" -> "string"',
];

describe('flotilla crd check', () => {
  it.each([
    { old: 'old.yaml', next: 'safe.yaml', code: 0, out: '', because: 'a higher maximum lets more through' },
    {
      old: 'old.yaml',
      next: 'unsafe.yaml',
      code: 1,
      out: `${lines.join('\n')}\n`,
      because: 'each violation is a line',
    },
    { old: '/dev/null', next: 'unsafe.yaml', code: 0, out: '', because: 'there is nothing to break yet' },
    { old: '-', next: 'unsafe.yaml', code: 1, out: `${lines.join('\n')}\n`, because: 'OLD may come from kubectl' },
  ])('$old → $next ends with $code: $because', async ({ old, next, code, out }) => {
    expect(await check(old, next)).toEqual({ code, out, err: '' });
  });

  it('gives the same as data', async () => {
    const { out, code } = await check('old.yaml', 'unsafe.yaml', '-o', 'json');
    expect({ code, answer: JSON.parse(out) }).toEqual({
      code: 1,
      answer: {
        verdict: 'no',
        ok: false,
        violations: [
          { where: 'v1', property: '^.watts', check: 'maximum', message: 'maximum decreased : 50 -> 20' },
          { where: 'v1', property: '^.watts', check: 'type', message: 'type changed : "integer" -> "string"' },
        ],
      },
    });
  });

  it.each([
    { old: 'old.yaml', next: '/dev/null', says: '/dev/null: contains no CustomResourceDefinition' },
    { old: 'old.yaml', next: 'other.yaml', says: 'name two states of one CRD' },
    {
      old: 'old.yaml',
      next: 'two.yaml',
      says: 'two.yaml: contains 2 CustomResourceDefinitions; check them one by one',
    },
    { old: 'secret.yaml', next: 'safe.yaml', says: 'secret.yaml: contains no CustomResourceDefinition' },
    {
      old: 'old.yaml',
      next: 'beta.yaml',
      says: 'beta.yaml:1: its API version is apiextensions.k8s.io/v1beta1; CustomResourceDefinitions of apiextensions.k8s.io/v1beta1 are not served by any cluster since Kubernetes 1.22',
    },
    { old: 'absent.yaml', next: 'safe.yaml', says: 'absent.yaml: no such file or directory' },
    { old: 'old.yaml', next: 'deep.yaml', says: 'deep.yaml:1: not YAML: nesting exceeds 200 levels' },
    { old: '-', next: '-', says: 'only one of OLD and NEW can be read from standard input' },
  ])('refuses $old → $next in one line: $says', async ({ old, next, says }) => {
    const { code, out, err } = await check(old, next);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
    expect(err.trimEnd()).not.toContain('\n');
  });
});
