import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { run } from '../../program.js';

const VECTORS = fileURLToPath(new URL('../../../../../test/vectors/v1/render', import.meta.url));
const bundle = (name: string) => join(VECTORS, name, 'bundle');

let folder = '';
const watching = (watchNamespace: unknown) => ({
  namespace: 'lamps',
  config: { configType: 'Inline', inline: { watchNamespace } },
});
const specs: Record<string, unknown> = {
  'plain.yaml': { namespace: 'lamps' },
  'extension.yaml': {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name: 'lamp' },
    spec: { namespace: 'lamps', source: { sourceType: 'Catalog' } },
  },
  'own.yaml': watching('lamps'),
  'bad.yaml': watching('Not_Ok'),
  'env.yaml': { namespace: 'lamps', config: { inline: { deploymentConfig: { env: [{ value: 'x' }] } } } },
  'env-named.yaml': {
    namespace: 'lamps',
    config: { inline: { deploymentConfig: { env: [{ name: 'LAMP_COLOUR', value: 'red' }] } } },
  },
  'nowhere.yaml': { config: {} },
  'other.yaml': { apiVersion: 'v1', kind: 'Secret', metadata: {} },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-render-'));
  for (const [name, spec] of Object.entries(specs)) await writeFile(join(folder, name), stringify(spec));
  await writeFile(join(folder, 'broken.yaml'), 'namespace: [');
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function render(...argv: string[]) {
  const [out, err, codes]: [string[], string[], number[]] = [[], [], []];
  const placed = argv.map((one) => (one.endsWith('.yaml') ? join(folder, one) : one));
  await run(['bundle', 'render', ...placed], {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    exit: (code) => void codes.push(code),
    stdin: async () => stringify(specs['plain.yaml']),
  });
  return { out: out.join(''), err: err.join('').replaceAll(`${folder}/`, ''), code: codes.at(-1) };
}
const spec = (name: string) => ['--spec', name];
const named = (text: string) =>
  parseAllDocuments(text).map((one) => `${one.get('kind')} ${one.getIn(['metadata', 'name'])}`);

describe('flotilla bundle render', () => {
  it('prints the objects as OLM v1 makes them, keys sorted', async () => {
    const { out, err, code } = await render(
      bundle('webhooks'),
      ...spec('plain.yaml'),
      '--cert-provider',
      'cert-manager',
    );
    const expected = await readFile(join(VECTORS, 'webhooks/expected/cert-manager.yaml'), 'utf8');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(named(out)).toEqual(named(expected));
    // The recorded form has two empty values of Go which say nothing, and other quotes.
    const lines = expected
      .replaceAll("'*'", '"*"')
      .split('\n')
      .filter((line) => !/(strategy|resources): \{\}$/.test(line));
    expect(out).toBe(lines.join('\n'));
  });

  it.each([
    { argv: spec('plain.yaml'), because: 'a spec alone' },
    { argv: spec('extension.yaml'), because: 'a whole ClusterExtension' },
    { argv: spec('-'), because: 'standard input' },
  ])('reads $because', async ({ argv }) => {
    const { out, code } = await render(bundle('all-namespaces'), ...argv);
    expect(code).toBe(0);
    expect(parseAllDocuments(out).at(-1)?.getIn(['subjects', 0, 'namespace'])).toBe('lamps');
  });

  it('installs into a namespace named like the package where nothing else is said', async () => {
    const { out } = await render(bundle('all-namespaces'));
    expect(parse(out.split('---\n')[1] ?? '')).toMatchObject({ kind: 'ConfigMap', metadata: { namespace: 'lamp' } });
  });

  it('refuses a bundle that brings one object twice, as OLM v1 does with its revision', async () => {
    const twice = join(folder, 'twice');
    await cp(bundle('all-namespaces'), twice, { recursive: true });
    for (const file of ['a', 'b']) {
      const manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'same', namespace: file } };
      await writeFile(join(twice, 'manifests', `${file}.yml`), stringify(manifest));
    }
    const { out, err, code } = await render(twice);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(
      /^\/v1, Kind=Secret lamp\/same: duplicate object found in phases: configuration\n→ keep one of/,
    );
  });

  it('refuses an object that no revision may hold, as OLM v1 does with its revision', async () => {
    const invalid = join(folder, 'invalid');
    await cp(bundle('all-namespaces'), invalid, { recursive: true });
    const manifest = { kind: 'ConfigMap', metadata: { name: 'old' }, data: {} };
    await writeFile(join(invalid, 'manifests', 'old.yml'), stringify(manifest));
    const { out, err, code } = await render(invalid);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(/^\/, Kind=ConfigMap lamp\/old: apiVersion: Required value: must not be empty\n/);
  });

  it('gives one List as JSON', async () => {
    const { out, code } = await render(bundle('all-namespaces'), '-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ apiVersion: 'v1', kind: 'List', items: { length: 9 } });
  });

  it('answers for the hub where no option is given: a namespace to watch, and a configuration of its Deployment', async () => {
    const one = await render(bundle('own-and-single-only'), ...spec('own.yaml'));
    expect(one.code).toBe(0);
    expect(named(one.out)).toContain('Role desk.v0.3.0-desk-sa-8gu3gdnwjzzc3a4rgp7pylqwdl78tg2oflsyfihn5rg');
    const two = await render(bundle('all-namespaces'), ...spec('env-named.yaml'));
    expect(two.code).toBe(0);
    expect(two.out).toContain('name: LAMP_COLOUR');
  });

  it.each(['SingleOwnNamespaceInstallSupport', 'SingleOwnNamespaceInstallSupport=true,DeploymentConfig=false'])(
    'watches one namespace with the feature gate %s',
    async (gates) => {
      const { out, code } = await render(bundle('own-and-single-only'), ...spec('own.yaml'), '--feature-gates', gates);
      expect(code).toBe(0);
      expect(named(out)).toContain('Role desk.v0.3.0-desk-sa-8gu3gdnwjzzc3a4rgp7pylqwdl78tg2oflsyfihn5rg');
    },
  );

  it.each([
    { argv: [], because: 'without options' },
    { argv: ['--cert-provider', 'flotilla'], because: 'and when it is named' },
  ])('leaves the caBundle to the installation where Flotilla makes the certificate, $because', async ({ argv }) => {
    const { out, err, code } = await render(bundle('webhooks'), ...spec('plain.yaml'), ...argv);
    expect(code).toBe(0);
    expect(err).toMatch(/^note: the hub issues the certificate in Secret lamps\/lamp-ctl-service-cert, /);
    expect(out).not.toContain('caBundle');
    expect(out).toContain('secretName: lamp-ctl-service-cert');
    expect(named(out)).not.toContain('Secret lamp-ctl-service-cert');
  });

  it.each([
    {
      name: 'webhooks',
      argv: ['--as-olm'],
      says: 'unsupported bundle: webhookDefinitions are not supported\n→ its webhooks need certificates: set --cert-provider to flotilla',
    },
    {
      name: 'webhooks',
      argv: ['--cert-provider', 'none'],
      says: 'unsupported bundle: webhookDefinitions are not supported\n',
    },
    {
      name: 'own-and-single-only',
      argv: ['--as-olm', ...spec('own.yaml')],
      says: 'bundle does not support AllNamespaces install mode\n→ OLM v1 requires a feature gate: --feature-gates SingleOwnNamespaceInstallSupport.',
    },
    {
      name: 'own-and-single-only',
      argv: [],
      says: 'required field "watchNamespace" is missing\n→ this operator watches one namespace: set spec.config.inline.watchNamespace',
    },
    {
      name: 'all-namespaces',
      argv: ['--as-olm', ...spec('env.yaml')],
      says: 'unknown field "deploymentConfig"\n→ OLM v1 requires a feature gate: --feature-gates DeploymentConfig.',
    },
    {
      name: 'all-namespaces',
      argv: [...spec('bad.yaml'), '--feature-gates', 'SingleOwnNamespaceInstallSupport'],
      says: 'invalid ClusterExtension configuration: invalid configuration: multiple errors found:\n  - invalid value',
    },
    {
      name: 'all-namespaces',
      argv: [...spec('env.yaml'), '--feature-gates', 'DeploymentConfig'],
      says: 'validation failed\ndeploymentConfig.env.0: required field "name" is missing\n',
    },
  ])('says why $name cannot be installed so, with exit code 1', async ({ name, argv, says }) => {
    const { out, err, code } = await render(bundle(name), ...argv);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toContain(says);
  });

  it('gives the reason as data, too', async () => {
    const { out, code } = await render(bundle('multi-only'), '--as-olm', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      error: 'unsupported bundle: bundle does not support AllNamespaces install mode',
      progressingReason: 'Retrying',
    });
  });

  it('gives advice as data where an option helps', async () => {
    const { out } = await render(bundle('own-and-single-only'), '--as-olm', '-o', 'json');
    expect(JSON.parse(out).advice).toContain('--feature-gates SingleOwnNamespaceInstallSupport');
  });

  it('says that a directory is not a bundle', async () => {
    const { err, code } = await render(folder);
    expect({ err, code }).toEqual({ err: 'open metadata/annotations.yaml: no such file or directory\n', code: 1 });
  });

  it.each([
    { argv: spec('absent.yaml'), says: 'absent.yaml: no such file or directory: ' },
    { argv: spec('broken.yaml'), says: 'broken.yaml: not YAML: ' },
    { argv: spec('nowhere.yaml'), says: 'nowhere.yaml: not a spec of a ClusterExtension: namespace: ' },
    { argv: spec('other.yaml'), says: 'other.yaml: not a spec of a ClusterExtension: kind: ' },
    { argv: ['--feature-gates', 'Boxcutter'], says: '--feature-gates: "Boxcutter" is not one of SingleOwn' },
    { argv: ['--feature-gates', 'DeploymentConfig=yes'], says: 'alone or with =true or =false' },
    {
      argv: ['--cert-provider', 'acme'],
      says: 'Allowed choices are cert-manager, openshift-service-ca, flotilla, none',
    },
  ])('refuses $argv.1 as bad input: $says', async ({ argv, says }) => {
    const { out, err, code } = await render(bundle('all-namespaces'), ...argv);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toContain(says);
  });

  it('refuses a directory that is not there as bad input', async () => {
    const { code, err } = await render(join(folder, 'nothing'));
    expect(code).toBe(2);
    expect(err).toContain('nothing');
  });
});
