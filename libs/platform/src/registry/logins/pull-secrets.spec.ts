import { expect, it } from 'vitest';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { KubeClient } from '../../kube/client/kube-client.port.js';
import { InvalidPullSecret } from './docker-config.js';
import { pullSecretsOf } from './pull-secrets.js';

const config = (host: string, filling = 0) =>
  Buffer.from(JSON.stringify({ auths: { [host]: { auth: 'dTpw', email: 'x'.repeat(filling) } } })).toString('base64');

/** A cluster whose Secrets all have logins; `asked` are those that were read. */
function cluster(filling = 0) {
  const asked: string[] = [];
  const get = async ({ name }: { name: string }) => {
    asked.push(name);
    return {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name } },
      data: { '.dockerconfigjson': config(`${name}.test`, filling) },
    };
  };
  return { asked, client: { get } as unknown as KubeClient };
}
const source = (secrets: string[]): CatalogSource => ({
  ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' },
  metadata: { name: 'shelf', namespace: 'olm' },
  spec: { sourceType: 'grpc', secrets },
});

it('reads each pull secret once, however often it is named (R9)', async () => {
  const { client, asked } = cluster();
  const logins = await pullSecretsOf(client, source([...Array<string>(5_000).fill('a'), 'b']));
  expect(asked).toEqual(['a', 'b']);
  expect(Object.keys(logins)).toEqual(['a.test', 'b.test']);
});

it('reads a hundred pull secrets, and no more (R9)', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`);
  expect(Object.keys(await pullSecretsOf(cluster().client, source(names(100))))).toHaveLength(100);
  const { client, asked } = cluster();
  await expect(pullSecretsOf(client, source(names(101)))).rejects.toThrow(
    new InvalidPullSecret(
      'CatalogSource olm/shelf names 101 pull secrets; the limit is 100: remove some from spec.secrets',
    ),
  );
  expect(asked).toEqual([]);
});

it('reads four megabytes of pull secrets, and no more (R9)', async () => {
  const { client, asked } = cluster(900_000);
  const names = Array.from({ length: 10 }, (_, at) => `s${at}`);
  await expect(pullSecretsOf(client, source(names))).rejects.toThrow('have more than 4194304 characters together');
  expect(asked).toHaveLength(4);
});
