import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { objectName } from './object-name.js';
import { type BundleWebhook, deploymentsOf, type RegistryBundle, webhooksOf } from './registry-bundle.js';

/** A port that the API server calls, and the port or named port of the container behind it. */
type WebhookPort = Readonly<{ port: number; targetPort: number | string }>;

/**
 * The names and ports that the API server needs to call the webhooks of one Deployment (spec: v1-apply.md §4,
 * services and certificates).
 */
export type WebhookService = Readonly<{
  deployment: string;
  namespace: string;
  name: string;
  /** Name of the Secret with its certificate, and of cert-manager's Certificate. */
  secretName: string;
  /** Labels of the pods behind it; absent if the Deployment has no selector. */
  selector: Readonly<Record<string, string>> | undefined;
  ports: readonly WebhookPort[];
  /** DNS names under which it is called. */
  hosts: readonly string[];
}>;

const DEFAULT_PORT = 443;

/** Returns one service for each Deployment with webhooks, in the order of the bundle's Deployments. */
export function webhookServices(bundle: RegistryBundle, namespace: string): readonly WebhookService[] {
  return deploymentsOf(bundle).flatMap(({ name: deployment, spec }) => {
    const webhooks = webhooksOf(bundle).filter(({ deploymentName }) => deploymentName === deployment);
    if (webhooks.length === 0) return [];
    const name = objectName(deployment.replaceAll('.', '-'), 'service');
    const host = `${name}.${namespace}`;
    return {
      deployment,
      namespace,
      name,
      secretName: objectName(name, 'cert'),
      selector: spec?.selector?.matchLabels ?? undefined,
      ports: portsOf(webhooks),
      hosts: [host, `${host}.svc`, `${host}.svc.cluster.local`],
    };
  });
}

/** Returns the distinct pairs of port and target, by port and then by the number of the target. */
function portsOf(webhooks: readonly BundleWebhook[]): readonly WebhookPort[] {
  const ports = new Map<string, WebhookPort>();
  for (const { containerPort, targetPort } of webhooks) {
    const port = containerPort && containerPort > 0 ? containerPort : DEFAULT_PORT;
    const target = targetPort ?? port;
    ports.set(JSON.stringify([port, target]), { port, targetPort: target });
  }
  return [...ports.values()].toSorted(
    (a, b) =>
      a.port - b.port ||
      numberOf(a.targetPort) - numberOf(b.targetPort) ||
      byCodeUnit(String(a.targetPort), String(b.targetPort)),
  );
}

/** A named port counts as 0. */
const numberOf = (target: number | string): number => Number(target) || 0;
