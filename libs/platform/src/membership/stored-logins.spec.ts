import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import { loginStore } from './stored-logins.js';

it('keeps every token of a file whose logins are renewed at the same time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-logins-'));
  const file = join(folder, 'kubeconfig');
  const names = Array.from({ length: 20 }, (_, index) => `east-${index}.`);
  await writeFile(file, names.map((name) => `token: ${name}old`).join('\n'));
  const store = loginStore(undefined);
  const access = (name: string) => ({ file, user: { token: `${name}old` } }) as unknown as ClusterAccess;
  await Promise.all(names.map((name) => store(access(name), `${name}new`)));
  expect(await readFile(file, 'utf8')).toBe(names.map((name) => `token: ${name}new`).join('\n'));
  await rm(folder, { recursive: true });
});
