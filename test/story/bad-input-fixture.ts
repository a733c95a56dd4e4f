import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { Subscription } from '#core/kernel/api/subscription';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import { createIgnoringExisting as create } from '../../apps/cli/src/commands/demo/environment/create-object.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';

/** A namespace with as many OperatorGroups of its own as are named. */
export async function createNamespace(client: KubeClient, name: string, groups = ['own']): Promise<void> {
  await create(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const group of groups) {
    await create(client, {
      apiVersion: 'operators.coreos.com/v1',
      kind: 'OperatorGroup',
      metadata: { name: group, namespace: name },
      spec: { targetNamespaces: [name] },
    });
  }
}

/** A CatalogSource named `shelf`, unless it says otherwise. */
export const createCatalog = (
  client: KubeClient,
  namespace: string,
  spec: Readonly<Record<string, unknown>>,
  name = 'shelf',
): Promise<void> =>
  create(client, {
    apiVersion: V1ALPHA1,
    kind: 'CatalogSource',
    metadata: { name, namespace },
    spec: { sourceType: 'grpc', displayName: name, publisher: 'tests', ...spec },
  });

/** A Subscription named like its package. */
export const subscribe = (
  client: KubeClient,
  namespace: string,
  packageName: string,
  source: Readonly<{ name: string; namespace: string }> = { name: 'shelf', namespace },
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> =>
  create(client, {
    apiVersion: V1ALPHA1,
    kind: 'Subscription',
    metadata: { name: packageName, namespace },
    spec: { name: packageName, channel: 'stable', source: source.name, sourceNamespace: source.namespace, ...more },
  });

/** Status of the CatalogSource, as users read it. */
export async function catalogStatus(client: KubeClient, namespace: string, name = 'shelf'): Promise<string> {
  const found = await client.get<CatalogSource>({ apiVersion: V1ALPHA1, kind: 'CatalogSource', name, namespace });
  const { connectionState, reason, message } = found?.status ?? {};
  return [connectionState?.lastObservedState, reason, message].filter((part) => part !== undefined).join(' | ');
}

/** Returns the address of the CatalogSource's content; another content has another address. */
export async function contentAddress(client: KubeClient, namespace: string, name = 'shelf'): Promise<string> {
  const found = await client.get<CatalogSource>({ apiVersion: V1ALPHA1, kind: 'CatalogSource', name, namespace });
  return found?.status?.connectionState?.address ?? '';
}

/** Returns the Subscription's complaints, as `Type Reason: message`, and its state. */
export async function subscriptionStatus(client: KubeClient, namespace: string, name: string): Promise<string[]> {
  const found = await client.get<Subscription>({ apiVersion: V1ALPHA1, kind: 'Subscription', name, namespace });
  const held = (found?.status?.conditions ?? []).filter(({ status }) => status === 'True');
  return held.map(({ type, reason, message }) => `${type} ${reason}: ${message ?? ''}`);
}

/** Warnings about this namespace or its objects, as `Reason: message`. */
export async function warnings(client: KubeClient, namespace: string): Promise<string[]> {
  const found = await client.list({ apiVersion: 'v1', kind: 'Event' });
  return (found?.items ?? []).flatMap((event) => {
    const { namespace: of, name } = Object(event['involvedObject']);
    const concerned = of === namespace || name === namespace || event.metadata.namespace === namespace;
    return concerned && event['type'] === 'Warning' ? [`${event['reason']}: ${event['message']}`] : [];
  });
}

/** Phase of the namespace's CSVs, as `name phase`. */
export async function operators(client: KubeClient, namespace: string): Promise<string[]> {
  const kind = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion' };
  const found = await client.list(kind, { namespace });
  return (found?.items ?? []).map(({ metadata, ...csv }) => `${metadata.name} ${Object(csv['status']).phase}`);
}

export const deleteCatalog = (client: KubeClient, namespace: string, name = 'shelf'): Promise<boolean> =>
  client.delete({ apiVersion: V1ALPHA1, kind: 'CatalogSource', name, namespace });

/** Catalog files by path, as an image. */
export const catalogImage = (files: Readonly<Record<string, string>>): Promise<BuiltImage> =>
  buildImage({
    files: Object.entries(files).map(([path, text]) => ({ path: `configs/${path}`, bytes: Buffer.from(text) })),
    labels: { [CATALOG_LABEL]: '/configs' },
  });

/** A catalog with one package, one channel `stable` and one bundle; `more` is put behind. */
export const packageYaml = (name: string, bundleImage: string, more = ''): string => `---
schema: olm.package
name: ${name}
defaultChannel: stable
---
schema: olm.channel
package: ${name}
name: stable
entries:
  - name: ${name}.v1.0.0
---
schema: olm.bundle
package: ${name}
name: ${name}.v1.0.0
image: ${bundleImage}
properties:
  - type: olm.package
    value: {packageName: ${name}, version: 1.0.0}
${more}`;
