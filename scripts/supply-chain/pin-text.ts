/** Base images, each with all files of the project that name it. */
export const PINNED_IMAGES: Readonly<Record<string, readonly string[]>> = {
  'node:24-slim': ['Dockerfile', 'docker-compose.yml'],
  'redis:7.4-alpine': [
    ...['docker-compose.yml', 'k8s/base/hub/redis.yaml'],
    ...['charts/flotilla/values.yaml', 'charts/flotilla/README.md'],
  ],
  'registry.k8s.io/kas-network-proxy/proxy-agent:v0.34.0': ['k8s/tunnel/agent.yaml'],
  'registry.k8s.io/kas-network-proxy/proxy-server:v0.34.0': ['k8s/tunnel/server.yaml'],
  'rancher/k3s:v1.34.4-k3s1': ['docker-compose.k3s.yml'],
};

/** Puts the digest behind each place of the image; replaces a digest that is there already. */
export function pinText(text: string, image: string, digest: string): string {
  const name = image.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(
    new RegExp(`(?<![\\w./]|(?<!:)-)${name}(@sha256:[0-9a-f]{64})?(?![\\w.@-])`, 'g'),
    `${image}@${digest}`,
  );
}
