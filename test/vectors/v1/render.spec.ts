import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { type KubernetesObject, splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { readRegistryBundle } from '#core/v1/bundle-render/bundle/read-registry-bundle';
import { CERTIFICATE_PROVIDERS, type Rendered, type RenderRefusal } from '#core/v1/bundle-render/bundle/render-request';
import { phasesOf } from '#core/v1/bundle-render/phases';
import { renderBundle } from '#core/v1/bundle-render/render-bundle';

const ROOT = fileURLToPath(new URL('./render', import.meta.url));

const Cases = z.array(
  z.object({
    name: z.string(),
    spec: z.looseObject({
      namespace: z.string(),
      config: z.looseObject({ inline: z.unknown() }).optional(),
    }),
    certProvider: z.enum([...CERTIFICATE_PROVIDERS, '']),
    singleOwnNamespace: z.boolean(),
    deploymentConfig: z.boolean(),
  }),
);
type Case = z.infer<typeof Cases>[number];

const bundles = globSync('*/cases.json', { cwd: ROOT }).map((path) => path.split('/')[0] ?? '');
const rows = bundles.toSorted().flatMap((bundle) =>
  Cases.parse(JSON.parse(readFileSync(join(ROOT, bundle, 'cases.json'), 'utf8'))).map((one) => ({
    bundle,
    name: one.name,
    one,
    expected: join(ROOT, bundle, 'expected', one.name),
  })),
);

function render(
  bundle: string,
  { spec, certProvider, singleOwnNamespace, deploymentConfig }: Case,
): Rendered | RenderRefusal {
  const directory = join(ROOT, bundle, 'bundle');
  const files = globSync('**/*', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(directory.length + 1), bytes: readFileSync(path) }));
  const read = readRegistryBundle(files);
  if ('error' in read) return read;
  return renderBundle(read, {
    namespace: spec.namespace,
    config: spec.config?.inline,
    certificateProvider: certProvider === '' ? undefined : certProvider,
    gates: { SingleOwnNamespaceInstallSupport: singleOwnNamespace, DeploymentConfig: deploymentConfig },
  });
}

function rendered(bundle: string, one: Case): readonly KubernetesObject[] {
  const result = render(bundle, one);
  if ('error' in result) throw new Error(result.error);
  return result.objects;
}

/** Go writes these two where there is nothing to say; they may be there or not. */
const withoutZeroes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key: string, inner: unknown) =>
      (key === 'strategy' || key === 'resources') && JSON.stringify(inner) === '{}' ? undefined : inner,
    ),
  );

describe("OLM v1's recorded renderings of bundles", () => {
  const good = rows.filter(({ expected }) => existsSync(`${expected}.yaml`));
  it.each(good)('$bundle, $name: objects', ({ bundle, one, expected }) => {
    const documents = parseAllDocuments(readFileSync(`${expected}.yaml`, 'utf8')).map((document) => document.toJS());
    expect(withoutZeroes(rendered(bundle, one))).toEqual(withoutZeroes(documents));
  });

  it.each(good)('$bundle, $name: phases', ({ bundle, one, expected }) => {
    const named = ({ apiVersion, kind, metadata }: KubernetesObject) =>
      [splitApiVersion(apiVersion).group, kind, metadata.namespace ?? '', metadata.name].join('/');
    const phases = phasesOf(rendered(bundle, one)).map(({ name, objects }) => ({ name, objects: objects.map(named) }));
    expect(phases).toEqual(JSON.parse(readFileSync(`${expected}.phases.json`, 'utf8')));
  });

  const refused = rows.filter(({ expected }) => existsSync(`${expected}.error.json`));
  it.each(refused)('$bundle, $name: refusal', ({ bundle, one, expected }) => {
    const wanted: unknown = JSON.parse(readFileSync(`${expected}.error.json`, 'utf8'));
    const result = render(bundle, one);
    const { error, reason } = 'error' in result ? result : { error: undefined, reason: undefined };
    expect({ error, progressingReason: reason }).toEqual(wanted);
  });

  it('are all compared', () => {
    expect(good.length + refused.length).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(20);
  });
});
