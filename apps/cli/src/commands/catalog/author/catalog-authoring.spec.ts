import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const EXAMPLES = join(import.meta.dirname, '../../../../../../examples');

const flotilla = (...argv: string[]) => runFlotilla(['catalog', ...argv], 'schema: olm.package\nname: ant\n');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'authoring-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(root, name), content);
  return join(root, name);
};

describe('catalog dockerfile', () => {
  const written = () => readFileSync(join(root, 'cat.Dockerfile'), 'utf8');
  beforeEach(() => mkdirSync(join(root, 'cat')));

  it('is what opm generates', async () => {
    const { out, err, exit } = await flotilla('dockerfile', `${root}/cat/`);
    expect({ out, err, exit }).toEqual({ out: '', err: `wrote ${root}/cat.Dockerfile\n`, exit: 0 });
    expect(written()).toBe(`# The builder image is expected to contain
# /bin/opm (with serve subcommand)
FROM quay.io/operator-framework/opm:latest as builder

# Copy FBC root into image at /configs and pre-populate serve cache
ADD cat /configs
RUN ["/bin/opm", "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]

FROM quay.io/operator-framework/opm:latest
# The base image is expected to contain
# /bin/opm (with serve subcommand) and /bin/grpc_health_probe

# Configure the entrypoint and command
ENTRYPOINT ["/bin/opm"]
CMD ["serve", "/configs", "--cache-dir=/tmp/cache"]

COPY --from=builder /configs /configs
COPY --from=builder /tmp/cache /tmp/cache

# Set FBC-specific label for the location of the FBC root directory
# in the image
LABEL operators.operatorframework.io.index.configs.v1=/configs
`);
  });

  it('leaves opm out on scratch, and adds labels, of which the last of a name counts', async () => {
    const labels = ['-l', 'b=1,a=x=y', '-l', 'b=2'];
    await flotilla('dockerfile', join(root, 'cat'), '-i', 'scratch', '-b', 'registry.example/opm:v1', ...labels);
    expect(written()).toContain('FROM registry.example/opm:v1 as builder\n');
    expect(written()).toContain('FROM scratch\n# OLMv0 CatalogSources that use binary-less images must set:\n');
    expect(written()).not.toContain('ENTRYPOINT');
    expect(written().endsWith('\n# Set other custom labels\nLABEL "a"="x=y"\nLABEL "b"="2"\n')).toBe(true);
  });

  it.each([
    { argv: ['cat', '-b', 'scratch'], says: 'invalid builder image: "scratch"' },
    { argv: ['cat', '-l', 'x'], says: 'invalid label "x"' },
    { argv: ['cat', '-l', 'x=1\nRUN rm'], says: 'contains a line break' },
    { argv: ['none'], says: 'none: no such file or directory' },
    { argv: ['plain'], says: 'plain" is not a directory' },
  ])('is not written: $says', async ({ argv: [name = '', ...rest], says }) => {
    file('plain', '');
    const { err, exit } = await flotilla('dockerfile', join(root, name), ...rest);
    expect(exit).toBe(2);
    expect(err).toContain(says);
    expect(existsSync(join(root, `${name}.Dockerfile`))).toBe(false);
  });

  it('is overwritten with --force alone', async () => {
    file('cat.Dockerfile', 'mine');
    const { err, exit } = await flotilla('dockerfile', join(root, 'cat'));
    expect(exit).toBe(2);
    expect(err).toContain(`path "${root}/cat.Dockerfile": file already exists`);
    expect(written()).toBe('mine');
    expect(await flotilla('dockerfile', join(root, 'cat'), '--force')).toMatchObject({ exit: 0 });
    expect(written()).toContain('FROM ');
  });
});

describe('catalog init', () => {
  it('prints the package with description and icon', async () => {
    const svg = '<?xml version="1.0"?>\n<!-- a <svg> -->\n<svg xmlns="http://www.w3.org/2000/svg"></svg>\n';
    const described = ['-d', file('README.md', '# Ant\n'), '-i', file('icon.svg', svg)];
    const { out, err, exit } = await flotilla('init', 'ant', '-c', 'stable', ...described, '-o', 'yaml');
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    const data = Buffer.from(svg).toString('base64');
    expect(out).toBe(
      `---\ndefaultChannel: stable\ndescription: |\n  # Ant\nicon:\n  base64data: ${data}\n  mediatype: image/svg+xml\nname: ant\nschema: olm.package\n`,
    );
    expect(JSON.parse((await flotilla('init', 'ant')).out)).toEqual({
      schema: 'olm.package',
      name: 'ant',
      defaultChannel: '',
    });
  });

  it.each([
    { bytes: '\x89PNG\r\n\x1a\n', type: 'image/png' },
    { bytes: '\xff\xd8\xff\xe0', type: 'image/jpeg' },
    { bytes: 'GIF89a', type: 'image/gif' },
    { bytes: 'RIFF0000WEBPVP8 ', type: 'image/webp' },
  ])('knows $type by its bytes', async ({ bytes, type }) => {
    const { out } = await flotilla('init', 'ant', '-i', file('icon', Buffer.from(bytes, 'latin1')));
    expect(JSON.parse(out)).toMatchObject({ icon: { mediatype: type } });
  });

  it.each([
    { argv: ['-i', 'text'], says: 'detected invalid type "": not an image' },
    { argv: ['-i', 'pdf'], says: 'detected invalid type "application/pdf": not an image' },
    { argv: ['-i', 'none'], says: 'open icon file: open none: no such file or directory' },
    { argv: ['-d', 'none'], says: 'open description file: open none: no such file or directory' },
    { argv: ['-o', 'xml'], says: 'invalid --output value "xml", expected (json|yaml)' },
  ])('refuses $argv', async ({ argv: [flag = '', name = ''], says }) => {
    file('text', 'hello');
    file('pdf', '%PDF-1.4');
    const path = existsSync(join(root, name)) ? join(root, name) : name;
    const { out, err, exit } = await flotilla('init', 'ant', flag, path);
    expect({ out, exit }).toEqual({ out: '', exit: 2 });
    expect(err).toContain(says);
  });
});

describe('catalog migrate', () => {
  it('writes a directory for each package, which holds the same catalog', async () => {
    const outdir = join(root, 'out/deep');
    const { out, err, exit } = await flotilla('migrate', join(EXAMPLES, 'catalogs/v2'), outdir, '-o', 'yaml');
    expect({ out, err, exit }).toEqual({
      out: '',
      err: `wrote rendered file-based catalog to "${outdir}"\n`,
      exit: 0,
    });
    expect(readdirSync(outdir)).toEqual(['harbor-operator', 'lighthouse-operator']);
    expect((await flotilla('render', outdir)).out).toBe((await flotilla('render', join(EXAMPLES, 'catalogs/v2'))).out);
  });

  it('puts blobs without package at the root', async () => {
    const catalog = file('c.yaml', 'schema: x.one\n---\nschema: x.two\nPackage: ant\n');
    await flotilla('migrate', catalog, join(root, 'out'));
    expect(JSON.parse(readFileSync(join(root, 'out/catalog.json'), 'utf8'))).toEqual({ schema: 'x.one' });
    expect(JSON.parse(readFileSync(join(root, 'out/ant/catalog.json'), 'utf8'))).toMatchObject({ schema: 'x.two' });
  });

  it.each([
    { name: '../evil', says: 'invalid package name "../evil": must be a single local path element' },
    { name: '..', says: 'invalid package name "..": must be a single local path element' },
  ])('writes nothing for a package called $name', async ({ name, says }) => {
    const catalog = file('c.yaml', `schema: olm.package\nname: ant\n---\nschema: olm.package\nname: ${name}\n`);
    const { err, exit } = await flotilla('migrate', catalog, join(root, 'out'));
    expect(exit).toBe(2);
    expect(err).toContain(says);
    expect(existsSync(join(root, 'out'))).toBe(false);
  });

  it('refuses a directory that holds something, and bundles', async () => {
    const full = await flotilla('migrate', join(EXAMPLES, 'catalogs/v1'), join(EXAMPLES, 'bundles'));
    expect(full.exit).toBe(2);
    expect(full.err).toContain(`output dir "${join(EXAMPLES, 'bundles')}" must be empty`);
    const bundle = await flotilla('migrate', join(EXAMPLES, 'bundles/harbor-operator/v1.0.0'), join(root, 'out'));
    expect(bundle.exit).toBe(2);
    expect(bundle.err).toContain('is a bundle: not allowed');
  });
});

describe('catalog convert-template', () => {
  const catalog = join(EXAMPLES, 'catalogs/v1/harbor-operator/catalog.yaml');

  it('keeps of a bundle its image, in a basic template', async () => {
    const { out, err, exit } = await flotilla('convert-template', 'basic', catalog);
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    const image = 'registry.example/flotilla-samples/harbor-operator-bundle:v1.0.0';
    const { schema, entries } = JSON.parse(out) as { schema: string; entries: { schema: string }[] };
    expect(schema).toBe('olm.template.basic');
    expect(entries.map((entry) => entry.schema)).toEqual(['olm.package', 'olm.channel', 'olm.bundle']);
    expect(entries.at(-1)).toEqual({ schema: 'olm.bundle', image });
  });

  it('makes a substitutes template that renders to the same catalog', async () => {
    const template = file('t.yaml', (await flotilla('convert-template', 'substitutes', catalog, '-o', 'yaml')).out);
    expect(readFileSync(template, 'utf8')).toContain('substitutions: []\n');
    expect((await flotilla('template', template)).out).toBe((await flotilla('render', catalog)).out);
  });

  it('reads standard input', async () => {
    expect(JSON.parse((await flotilla('convert-template', 'basic')).out)).toEqual({
      schema: 'olm.template.basic',
      entries: [{ name: 'ant', schema: 'olm.package' }],
    });
  });

  it.each([
    { argv: ['semver'], says: 'invalid template type "semver", must be one of: basic, substitutes' },
    { argv: ['basic', '-o', 'xml'], says: 'invalid --output value "xml", expected (json|yaml)' },
    { argv: ['basic', '/none'], says: 'open /none: no such file or directory' },
    { argv: ['basic', 'BAD'], says: 'c.yaml:1: object \'{"name":"x"}\' is missing root schema field' },
  ])('refuses $argv', async ({ argv, says }) => {
    const bad = file('c.yaml', 'name: x\n');
    const { out, err, exit } = await flotilla('convert-template', ...argv.map((one) => (one === 'BAD' ? bad : one)));
    expect({ out, exit }).toEqual({ out: '', exit: 2 });
    expect(err).toContain(says);
  });
});
