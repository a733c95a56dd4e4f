import type { PodSpec } from '../subscription-config.js';

type Named = Readonly<{ name: string }>;
type Mounts = readonly Readonly<{ name: string; mountPath?: unknown }>[];

const MOUNTS = [
  {
    name: 'apiservice-cert',
    mountPath: '/apiserver.local.config/certificates',
    files: { 'tls.crt': 'apiserver.crt', 'tls.key': 'apiserver.key' },
  },
  {
    name: 'webhook-cert',
    mountPath: '/tmp/k8s-webhook-server/serving-certs',
    files: { 'tls.crt': 'tls.crt', 'tls.key': 'tls.key' },
  },
] as const;

/**
 * The pod with its serving certificate in every container, at the two places where operators look for it. A volume of
 * one of the names is replaced; a mount of the name stays as it is, and one at the same path gives way (spec:
 * csv-lifecycle.md §7).
 */
export function withServingCertificate(pod: PodSpec, secretName: string): PodSpec {
  const names = new Set<string>(MOUNTS.map(({ name }) => name));
  const kept = (pod.volumes ?? []).filter(({ name }: Named) => !names.has(name));
  const volumes = MOUNTS.map(({ name, files }) => ({
    name,
    secret: { secretName, items: Object.entries(files).map(([key, path]) => ({ key, path })) },
  }));
  const containers = (pod.containers ?? []).map((one) => ({ ...one, volumeMounts: mounted(one.volumeMounts ?? []) }));
  return { ...pod, volumes: [...kept, ...volumes], containers };
}

function mounted(mounts: Mounts): { name: string }[] {
  const missing = MOUNTS.filter(({ name }) => !mounts.some((one) => one.name === name));
  const paths = new Set<unknown>(missing.map(({ mountPath }) => mountPath));
  const kept = mounts.filter(({ mountPath }) => !paths.has(mountPath));
  return [...kept, ...missing.map(({ name, mountPath }) => ({ name, mountPath }))];
}
