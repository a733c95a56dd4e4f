import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../files/project-root.js';
import { readSettings, unknownSettings } from './settings.js';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const dockerfile = read('Dockerfile');
const ignoreLines = read('.dockerignore').split('\n');

const sourcesOf = (stage: string) =>
  [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => (sources ?? '').split(' '));
const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
/** Paths below the project root that are in the image. */
const inImage = [...lastStage.matchAll(/^COPY .* (\S+)$/gm)].map(([, target]) =>
  target === './' ? 'package.json' : target,
);

/** Every file that runs in the image. */
async function programFiles(): Promise<string[]> {
  const files = (await Promise.all(['apps', 'libs'].map((folder) => list(folder)))).flat();
  return files.filter((path) => path.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(path));
}

async function list(folder: string): Promise<string[]> {
  const entries = await readdir(join(PROJECT_ROOT, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('Dockerfile', () => {
  it('copies only what exists and .dockerignore lets through', () => {
    for (const source of sourcesOf(dockerfile)) {
      expect(existsSync(join(PROJECT_ROOT, source)), source).toBe(true);
      expect(ignoreLines, source).toContain(`!${source}`);
    }
  });

  it('sets settings that exist', () => {
    const set = [...dockerfile.matchAll(/\b(FLOTILLA_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    expect(set.length).toBeGreaterThan(0);
    expect(unknownSettings(Object.fromEntries(set))).toEqual([]);
    expect(() => readSettings(Object.fromEntries(set))).not.toThrow();
  });

  it('has every file that the programs read below the project root', async () => {
    const uses: string[] = [];
    for (const path of await programFiles()) {
      const text = readFileSync(path, 'utf8');
      const all = [...text.matchAll(/\bPROJECT_ROOT\b/g)].length;
      const declared = [...text.matchAll(/(import \{[^}]*|export const )\bPROJECT_ROOT\b/g)].length;
      const joined = [...text.matchAll(/join\(PROJECT_ROOT((?:, '[^']+')+)/g)].map(([, parts]) =>
        [...(parts ?? '').matchAll(/'([^']+)'/g)].map(([, part]) => part).join('/'),
      );
      expect(joined.length, `${path} names the path in other words than join(PROJECT_ROOT, '…')`).toBe(all - declared);
      uses.push(...joined);
    }
    expect(uses).toContain('k8s/base/managed-cluster');
    const missing = uses.filter((path) => !inImage.some((kept) => path === kept || path.startsWith(`${kept}/`)));
    expect(missing).toEqual([]);
  });

  it('takes its base image and what reaches npm’s registry from the build, and keeps no secret', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-slim$/m);
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases.map((base) => base?.replace(/[${}]/g, ''))).toEqual(['NODE_IMAGE', 'packages', 'NODE_IMAGE']);
    const installs = dockerfile.split('\nRUN ').filter((command) => command.includes('npm ci'));
    expect(installs).toHaveLength(2);
    for (const command of installs) {
      expect(command).toContain('--mount=type=secret,id=npmrc,target=/root/.npmrc');
      expect(command).toContain('--mount=type=secret,id=build-ca');
    }
  });

  it('runs as a user without rights', () => {
    expect(lastStage).toMatch(/^USER 1000:1000$/m);
  });
});
