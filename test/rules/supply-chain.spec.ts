import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { advisoriesOf } from '../../scripts/supply-chain/advisories.js';
import { stableBill } from '../../scripts/supply-chain/bill-of-materials.js';
import { copyPackages, isRead } from '../../scripts/supply-chain/copy-packages.js';
import { isLicenceAllowed } from '../../scripts/supply-chain/licences.js';
import { productionPackages } from '../../scripts/supply-chain/lock-file.js';
import { PackageNotLocked, packageClosure } from '../../scripts/supply-chain/package-closure.js';
import { pinText } from '../../scripts/supply-chain/pin-text.js';
import { productionOnly } from '../../scripts/supply-chain/production-only.js';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const HASH = `sha512-${'A'.repeat(86)}==`;

describe('the lock file', () => {
  const packages = productionPackages(read('package-lock.json'));

  it('pins every production package by its hash, under a licence that is allowed', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(packages.filter(({ unpinned }) => unpinned !== undefined)).toEqual([]);
    expect(packages.filter(({ licence }) => !isLicenceAllowed(licence))).toEqual([]);
  });

  it('is installed without install scripts, wherever it is', () => {
    const places = ['scripts/setup.sh', 'Dockerfile'];
    const lines = places.flatMap((place) =>
      read(place)
        .split('\n')
        .filter((line) => /\bnpm (ci|install) -/.test(line)),
    );
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => !line.includes('--ignore-scripts'))).toEqual([]);
    expect(read('.npmrc')).toContain('ignore-scripts=true');
  });
});

describe('docs/dependencies.md', () => {
  const lockFile = read('package-lock.json');
  const { packages } = JSON.parse(lockFile) as { packages: Record<string, { license?: string }> };
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  const rows = new Map(
    [...read('docs/dependencies.md').matchAll(/^\| ([\w@/-]+) \| [^|]+ \| ([^|]+) \| (\d+) \|/gm)].map(
      ([, name = '', licences = '', count]) => [name, { licences, count: Number(count) }],
    ),
  );
  /** They write the old field `licenses`, absent from lock files: MIT. */
  const OLD_FIELD = ['buildcheck', 'cpu-features', 'ssh2'].map((name) => `node_modules/${name}`);
  const licenceOf = (folder: string) => packages[folder]?.license ?? (OLD_FIELD.includes(folder) ? 'MIT' : 'none');

  it('has a row of each package that builds, checks or tests', () => {
    expect([...rows.keys()]).toEqual(Object.keys(devDependencies));
  });

  it.each(Object.keys(devDependencies))('%s: its licences and how many packages it brings are as it says', (name) => {
    const folders = packageClosure(lockFile, [name]);
    const words = folders.flatMap((folder) => licenceOf(folder).split(/ (?:AND|OR) /));
    expect(
      (rows.get(name)?.licences ?? '')
        .trim()
        .split(/, | or /)
        .sort(),
    ).toEqual([...new Set(words)].sort());
    expect(rows.get(name)?.count).toBe(folders.length);
    expect(
      folders.filter((folder) => ![licenceOf(folder)].every((one) => one === 'MPL-2.0' || isLicenceAllowed(one))),
    ).toEqual([]);
  });
});

describe('productionPackages', () => {
  const lock = (packages: object) => JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...packages } });

  it('leaves development packages out, and names packages within packages', () => {
    const entry = { version: '1.0.0', license: 'MIT', integrity: HASH };
    const found = productionPackages(
      lock({
        'node_modules/b': entry,
        'node_modules/b/node_modules/@x/a': entry,
        'node_modules/d': { ...entry, dev: true },
      }),
    );
    expect(found.map(({ id }) => id)).toEqual(['@x/a@1.0.0', 'b@1.0.0']);
  });

  it.each([
    { entry: { integrity: HASH }, because: undefined },
    { entry: {}, because: 'it has no SHA-512' },
    { entry: { integrity: 'sha1-AAAA' }, because: 'it has no SHA-512' },
    { entry: { integrity: HASH, resolved: 'git+ssh://git@example.org/x.git' }, because: /^it comes from git/ },
    { entry: { integrity: HASH, resolved: 'https://registry.npmjs.org.example/x' }, because: /^it comes from https/ },
    { entry: { link: true }, because: 'it is a link to a folder' },
  ])('$entry: $because', ({ entry, because }) => {
    const [{ unpinned } = { unpinned: 'nothing found' }] = productionPackages(lock({ 'node_modules/x': entry }));
    if (because instanceof RegExp) expect(unpinned).toMatch(because);
    else expect(unpinned).toBe(because);
  });
});

describe('productionOnly', () => {
  it('keeps what production needs, also where packages for development need it', () => {
    const files = { packageJson: read('package.json'), lockFile: read('package-lock.json') };
    const { packageJson, lockFile } = productionOnly(files);
    expect(JSON.parse(packageJson)).not.toHaveProperty('devDependencies');
    expect(productionPackages(lockFile)).toEqual(productionPackages(files.lockFile));
    const { packages } = JSON.parse(lockFile);
    expect(packages['']).not.toHaveProperty('devDependencies');
    expect(packages).toHaveProperty(['node_modules/@grpc/grpc-js']);
    expect(packages).not.toHaveProperty(['node_modules/typescript']);
    expect(Object.values(packages).filter((one) => Object(one).dev)).toEqual([]);
  });
});

describe('packageClosure', () => {
  const lock = (packages: object) => JSON.stringify({ packages });

  it('finds what a package needs where Node does: in its own folder, in those above, at the top', () => {
    const found = packageClosure(
      lock({
        'node_modules/a': { dependencies: { b: '1', c: '1' } },
        'node_modules/a/node_modules/b': { dependencies: { c: '1', '@x/d': '1' } },
        'node_modules/b': { dependencies: { e: '1' } },
        'node_modules/c': { dependencies: { a: '1' }, optionalDependencies: { f: '1' } },
        'node_modules/@x/d': {},
        'node_modules/e': {},
      }),
      ['a'],
    );
    const expected = ['node_modules/@x/d', 'node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c'];
    expect(found).toEqual(expected);
  });

  it('refuses a package that is not locked', () => {
    const text = lock({ 'node_modules/a': { dependencies: { b: '1' } } });
    expect(() => packageClosure(text, ['a'])).toThrow(PackageNotLocked);
    expect(() => packageClosure(text, ['b'])).toThrow(/the program needs the package b/);
  });

  it('of what the programs import is a small part of the production packages', () => {
    const found = packageClosure(read('package-lock.json'), ['@grpc/grpc-js', '@grpc/proto-loader', 'logic-solver']);
    expect(found).toContain('node_modules/protobufjs');
    expect(found.length).toBeLessThan(60);
  });
});

describe('isLicenceAllowed', () => {
  it.each([
    { expression: 'MIT', allowed: true },
    { expression: 'GPL-3.0-only', allowed: false },
    { expression: '', allowed: false },
    { expression: '(MIT OR GPL-3.0-only)', allowed: true },
    { expression: 'MIT AND GPL-3.0-only', allowed: false },
    { expression: '(MIT OR GPL-3.0-only) AND ISC', allowed: true },
    { expression: '(MIT AND GPL-3.0-only) OR (GPL-2.0-only AND ISC)', allowed: false },
    { expression: 'SEE LICENSE IN LICENSE', allowed: false },
  ])('$expression: $allowed', ({ expression, allowed }) => expect(isLicenceAllowed(expression)).toBe(allowed));
});

describe('advisoriesOf', () => {
  it('is one line for each advisory, not for each package on the way to it', () => {
    const advisory = { title: 'Bad', url: 'https://example.org/1', severity: 'high', range: '<2' };
    const vulnerabilities = { x: { severity: 'high', via: [advisory] }, y: { severity: 'high', via: ['x'] } };
    expect(advisoriesOf(JSON.stringify({ vulnerabilities }))).toEqual({
      checked: true,
      found: ['x <2: high: Bad (https://example.org/1)'],
    });
    expect(advisoriesOf('{"vulnerabilities":{}}')).toEqual({ checked: true, found: [] });
  });

  it.each([
    { output: '{"message":"405 Method Not Allowed","error":{}}', because: '405 Method Not Allowed' },
    { output: '', because: 'npm audit gave no report' },
  ])('never takes a registry that does not answer for one without advisories: $output', ({ output, because }) => {
    expect(advisoriesOf(output)).toEqual({ checked: false, because });
  });
});

describe('stableBill', () => {
  it('has the same bytes for the same lock file, whenever and wherever it is made', () => {
    const npmOutput = (folder: string, timestamp: string) =>
      JSON.stringify({
        bomFormat: 'CycloneDX',
        serialNumber: `urn:uuid:${timestamp}`,
        metadata: { timestamp, component: { name: folder, version: '1' } },
        components: [{ name: 'x' }],
      });
    const one = stableBill(npmOutput('here', '1'), 'lock', { name: 'flotilla' });
    expect(one).toBe(stableBill(npmOutput('there', '2'), 'lock', { name: 'flotilla' }));
    expect(JSON.parse(one)).toMatchObject({
      serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      metadata: { component: { name: 'flotilla', version: '1' } },
      components: [{ name: 'x' }],
    });
  });
});

describe('pinText', () => {
  const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

  it('writes the digest behind the tag, and replaces an older one', () => {
    const text = `ARG NODE_IMAGE=node:24-slim\nx: \${N:-node:24-slim}\ny: my-node:24-slim\nz: node:24-slim-more\n`;
    const once = pinText(text, 'node:24-slim', digest('a'));
    expect(once).toBe(
      `ARG NODE_IMAGE=node:24-slim@${digest('a')}\nx: \${N:-node:24-slim@${digest('a')}}\ny: my-node:24-slim\nz: node:24-slim-more\n`,
    );
    expect(pinText(once, 'node:24-slim', digest('b'))).toBe(once.replaceAll(digest('a'), digest('b')));
  });
});

describe('the files of a package that are shipped', () => {
  it('have no scripts, which npm would run when the command is installed', () => {
    const root = mkdtempSync(join(tmpdir(), 'flotilla-packages-'));
    const put = (path: string, value: unknown) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), JSON.stringify(value));
    };
    try {
      const nested = 'node_modules/a/node_modules/b';
      put('package-lock.json', { packages: { 'node_modules/a': { dependencies: { b: '1' } }, [nested]: {} } });
      put('dist/programs/packages.json', ['a']);
      put('node_modules/a/package.json', { name: 'a', main: 'a.js', scripts: { postinstall: 'node x' } });
      put(`${nested}/package.json`, { name: 'b', scripts: { install: 'node-gyp rebuild' }, gypfile: true });
      copyPackages(root, join(root, 'out'));
      const manifest = (path: string) => JSON.parse(readFileSync(join(root, 'out', path, 'package.json'), 'utf8'));
      expect(manifest('node_modules/a')).toEqual({ name: 'a', main: 'a.js' });
      expect(manifest(nested)).toEqual({ name: 'b' });
    } finally {
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it.each([
    'node_modules/a/index.js',
    'node_modules/a/package.json',
    'node_modules/a/LICENSE.md',
    'node_modules/@grpc/grpc-js/proto/channelz.proto',
    'node_modules/underscore/underscore-node.cjs',
    'node_modules/cjs/modules/index.js',
  ])('have %s', (path) => expect(isRead(path)).toBe(true));

  it.each([
    'node_modules/a/index.js.map',
    'node_modules/a/src/index.ts',
    'node_modules/a/index.d.mts',
    'node_modules/a/README.md',
    'node_modules/underscore/modules',
    'node_modules/protobufjs/dist',
  ])('leave %s', (path) => expect(isRead(path)).toBe(false));
});
