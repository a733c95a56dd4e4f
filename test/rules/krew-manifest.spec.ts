import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { krewManifest } from '../../scripts/distribution/krew-manifest.js';

const PACKAGE = {
  version: '1.2.3',
  homepage: 'https://e.test',
  uri: 'https://e.test/flotilla-1.2.3.tgz',
  sha256: 'a1',
};
const ONE_FILE = {
  uri: 'https://e.test/flotilla-1.2.3-linux-x64.tar.gz',
  sha256: 'b2',
  folder: 'flotilla-1.2.3-linux-x64',
};

describe('the manifest of the kubectl plugin', () => {
  it('names the command as one file first for Linux on amd64, which needs no Node', () => {
    const { spec } = parse(krewManifest({ ...PACKAGE, oneFile: ONE_FILE }));
    expect(spec.platforms[0]).toEqual({
      selector: { matchLabels: { os: 'linux', arch: 'amd64' } },
      ...{ uri: ONE_FILE.uri, sha256: 'b2', bin: 'flotilla' },
      files: [{ from: 'flotilla-1.2.3-linux-x64/*', to: '.' }],
    });
    expect(spec.platforms[1].uri).toBe(PACKAGE.uri);
    expect(spec.caveats).toContain('Node 24 or newer on the PATH, but for Linux on amd64');
  });

  it('names the npm package alone if no such file was made', () => {
    const { spec } = parse(krewManifest(PACKAGE));
    expect(spec.platforms.map(({ uri }: { uri: string }) => uri)).toEqual([PACKAGE.uri]);
    expect(spec.caveats).toContain('Node 24 or newer on the PATH:');
  });
});
