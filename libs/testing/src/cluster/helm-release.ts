import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

export type HelmReleaseParts = Readonly<{
  /** The ClusterExtension, as it is stored. */
  extension: KubernetesObject;
  /** `deployed` by default. */
  status?: string;
  /** Number of the release, 1 by default. */
  number?: number;
  bundle: Readonly<{ packageName: string; name: string; version: string; image: string }>;
  objects: readonly object[];
  /** `olmv1-system` by default. */
  namespace?: string;
  /** Bytes of one Secret; as OLM v1 by default. */
  chunkBytes?: number;
}>;

const KEY = 'olm.operatorframework.io/';

/**
 * Returns the Secrets of a ClusterExtension's release, as OLM v1's Helm runtime stores them. The first has
 * the names of the others (spec: v1-apply.md §6). Written from the format, not taken from a cluster.
 */
export function helmReleaseSecrets(parts: HelmReleaseParts): KubernetesObject[] {
  const { extension, status = 'deployed', number = 1, bundle, objects, namespace = 'olmv1-system' } = parts;
  const name = extension.metadata.name ?? '';
  const manifest = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const files = objects.map((object) => Buffer.from(JSON.stringify(object)).toString('base64'));
  const release = {
    name,
    info: { status, description: 'Install complete' },
    chart: { metadata: { name, version: bundle.version }, templates: files.map((data) => ({ name: 'object', data })) },
    manifest,
    version: number,
    namespace: extension['spec'] === undefined ? '' : Object(extension['spec']).namespace,
  };
  const bytes = gzipSync(JSON.stringify(release));
  const size = parts.chunkBytes ?? 1016 * 1024;
  const chunks = Array.from({ length: Math.max(1, Math.ceil(bytes.length / size)) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const key = `sh.helm.release.v1.${name}.v${number}`;
  const names = chunks.map((chunk) => `${key}-${createHash('sha256').update(chunk).digest('hex').slice(0, 13)}`);
  const owner = { apiVersion: extension.apiVersion, kind: extension.kind, name, uid: extension.metadata.uid ?? '' };
  const index: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'operatorframework.io/index.v1',
    metadata: {
      name: key,
      namespace,
      labels: {
        ...{ name, owner: 'operator-controller', status, version: String(number), key, type: 'index' },
        [`${KEY}bundle-name`]: bundle.name,
        [`${KEY}package-name`]: bundle.packageName,
        [`${KEY}bundle-version`]: bundle.version,
      },
      // No value of a label has a colon or slash.
      annotations: { [`${KEY}bundle-reference`]: bundle.image },
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    data: { chunk: base64(chunks[0]), extraChunks: base64(Buffer.from(JSON.stringify(names.slice(1)))) },
  };
  const further = chunks.slice(1).map(
    (chunk, at): KubernetesObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'operatorframework.io/chunk.v1',
      metadata: { name: names[at + 1] ?? '', namespace, labels: { owner: 'operator-controller', key, type: 'chunk' } },
      immutable: true,
      data: { chunk: base64(chunk) },
    }),
  );
  return [index, ...further];
}

const base64 = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('base64');
