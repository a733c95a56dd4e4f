import type { PodSpec } from '../../../catalog/bundle/subscription-config.js';

type Volume = Readonly<{ name: string; secret?: unknown }>;
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
 * The pod with its serving certificate mounted in every container, at the two paths that operators read it
 * from. A volume of one of the names is replaced; a mount of the name stays as it is, and one at the same
 * path is replaced, whichever comes first (spec: csv-lifecycle.md §7).
 */
export function withServingCertificate(pod: PodSpec, secretName: string): PodSpec {
  const volumes = MOUNTS.reduce<readonly Volume[]>((list, { name, files }) => {
    const items = Object.entries(files).map(([key, path]) => ({ key, path }));
    return inPlace(list, (one) => one.name === name, { name, secret: { secretName, items } });
  }, pod.volumes ?? []);
  const containers = (pod.containers ?? []).map((one) => ({ ...one, volumeMounts: mounted(one.volumeMounts ?? []) }));
  return { ...pod, volumes: [...volumes], containers };
}

const mounted = (mounts: Mounts): { name: string }[] => [
  ...MOUNTS.reduce<Mounts>((list, { name, mountPath }) => {
    const first = list.find((one) => one.name === name || one.mountPath === mountPath);
    return first?.name === name ? list : inPlace(list, (one) => one === first, { name, mountPath });
  }, mounts),
];

/** Returns the list with `wanted` in place of the first match, or at the end if nothing matches. */
function inPlace<T>(list: readonly T[], matches: (one: T) => boolean, wanted: T): readonly T[] {
  const at = list.findIndex(matches);
  return at < 0 ? [...list, wanted] : list.with(at, wanted);
}
