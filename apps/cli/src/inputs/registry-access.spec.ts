import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readTree } from '#platform/files/read-tree';
import { buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { UsageError } from '../terminal/io.js';
import { loadReference } from './load-reference.js';

const BUNDLE = join(import.meta.dirname, '../../../../examples/bundles/harbor-operator/v1.0.0');

describe('the command pulls as the hub is set to', () => {
  let directory: string;
  let registry: InMemoryRegistry;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'access-'));
    registry = await startRegistry();
    const labels = { 'operators.operatorframework.io.bundle.package.v1': 'harbor-operator' };
    registry.put('mirrored/harbor:v1', await buildImage({ files: await readTree(BUNDLE), labels }));
  });
  afterAll(async () => {
    await registry.stop();
    rmSync(directory, { recursive: true, maxRetries: 5 });
  });
  afterEach(() => vi.unstubAllEnvs());

  const mirrorsFile = (text: string) => {
    writeFileSync(join(directory, 'mirrors.yaml'), text);
    vi.stubEnv('FLOTILLA_REGISTRY_MIRRORS_FILE', join(directory, 'mirrors.yaml'));
  };

  it('from the mirrors of an image, whose name stays', async () => {
    mirrorsFile(
      `apiVersion: config.openshift.io/v1\nkind: ImageTagMirrorSet\nmetadata: {name: m}\nspec:\n  imageTagMirrors:\n  - {source: registry.example/acme, mirrors: ['${registry.host}/mirrored']}\n`,
    );
    const loaded = await loadReference('registry.example/acme/harbor:v1');
    expect(loaded.kind === 'bundle' && [loaded.image, loaded.bundle.csv.metadata.name]).toEqual([
      'registry.example/acme/harbor:v1',
      'harbor-operator.v1.0.0',
    ]);
  });

  it.each([
    { set: () => mirrorsFile('kind: Wrong\n'), because: 'a mirror file that is none' },
    { set: () => vi.stubEnv('FLOTILLA_REGISTRY_ATTEMPTS', 'many'), because: 'a setting that cannot be read' },
  ])('and calls it bad input: $because', async ({ set }) => {
    set();
    await expect(loadReference(`${registry.host}/mirrored/harbor:v1`)).rejects.toThrow(UsageError);
  });
});
