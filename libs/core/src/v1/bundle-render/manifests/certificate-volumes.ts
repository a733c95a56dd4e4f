import type { Container, PodSpec } from '../../../catalog/bundle/subscription-config.js';

/** The paths from which operators read their certificate, under the volume names of OLM Classic. */
const VOLUMES = [
  {
    name: 'webhook-cert',
    mountPath: '/tmp/k8s-webhook-server/serving-certs',
    files: { 'tls.crt': 'tls.crt', 'tls.key': 'tls.key' },
  },
  {
    name: 'apiservice-cert',
    mountPath: '/apiserver.local.config/certificates',
    files: { 'tls.crt': 'apiserver.crt', 'tls.key': 'apiserver.key' },
  },
] as const;
const PATHS: ReadonlySet<unknown> = new Set(VOLUMES.map(({ mountPath }) => mountPath));

/**
 * The pod with the certificate of a Secret in every container. Volumes of the same names, and whatever is
 * mounted at the same paths, give way, in all containers (spec: v1-apply.md §4, "Certificate volumes";
 * OLM Classic keeps more).
 */
export function withCertificateVolumes(pod: PodSpec, secretName: string): PodSpec {
  const containers = pod.containers ?? [];
  const atPaths = containers.flatMap(mounts).filter((mount) => PATHS.has(mount['mountPath']));
  const replaced = new Set<string>([...VOLUMES, ...atPaths].map(({ name }) => name));
  const stays = ({ name }: Readonly<{ name: string }>) => !replaced.has(name);
  const volumes = VOLUMES.map(({ name, files }) => ({
    name,
    secret: { secretName, items: Object.entries(files).map(([key, path]) => ({ key, path })) },
  }));
  const mounted = VOLUMES.map(({ name, mountPath }) => ({ name, mountPath }));
  return {
    ...pod,
    volumes: [...(pod.volumes ?? []).filter(stays), ...volumes],
    containers: containers.map((one) => ({ ...one, volumeMounts: [...mounts(one).filter(stays), ...mounted] })),
  };
}

const mounts = ({ volumeMounts }: Container) => volumeMounts ?? [];
