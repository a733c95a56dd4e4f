import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSettings } from '../config/settings.js';
import { configuredRegistryClient } from './configured-registry-client.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-configured-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

it('reports to the operator of the hub what of a signature policy cannot be read, and starts', async () => {
  const file = join(folder, 'policy.yaml');
  await writeFile(
    file,
    'rules: [{scope: r.example, accept: [{key: {file: none.pub}}]}, {scope: q.example, admitUnsigned: true}]',
  );
  const problems: string[] = [];
  const settings = readSettings({ FLOTILLA_SIGNATURE_POLICY_FILE: file });
  const client = await configuredRegistryClient(settings, { onPolicyProblem: (one) => problems.push(one) });
  expect(problems).toEqual([expect.stringMatching(/policy\.yaml: rules\[0\]: .*none\.pub/)]);
  expect(client.asksForSignature('r.example/a:1')).toBe(true);
  expect(client.asksForSignature('q.example/a:1')).toBe(false);
});

it('asks for no signatures without a policy', async () => {
  const client = await configuredRegistryClient(readSettings({}));
  expect(client.asksForSignature('r.example/a:1')).toBe(false);
});
