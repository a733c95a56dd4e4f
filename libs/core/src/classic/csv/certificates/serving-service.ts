import { PodSpec } from '../../../catalog/bundle/subscription-config.js';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvNamespace, ownedApiServices, strategyDeployments, webhooks } from '../../../kernel/api/csv-facts.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';

/** A port that the API server calls, and the port or named port of the container behind it. */
type ServingPort = Readonly<{ port: number; targetPort: number | string }>;

/**
 * The names and ports that the API server needs to call one Deployment of an operator (spec: csv-lifecycle.md
 * §7).
 */
export type ServingService = Readonly<{
  deployment: string;
  /** `<deployment>-service`, dots as dashes: a Service's name is a DNS label. */
  name: string;
  /** Name of the Secret with its certificate, and of the Role and RoleBinding that allow reading it. */
  secretName: string;
  serviceAccount: string;
  selector: Readonly<Record<string, string>>;
  ports: readonly ServingPort[];
  hosts: readonly string[];
}>;

const DEFAULT_PORT = 443;
const DEFAULT_SERVICE_ACCOUNT = 'default';

/** Name of the Service in front of a Deployment. */
export const servingServiceName = (deployment: string): string => `${deployment.replaceAll('.', '-')}-service`;

/** Returns the port at which a description expects calls. */
export const servingPort = ({ containerPort }: Readonly<{ containerPort?: number | undefined }>): number =>
  containerPort || DEFAULT_PORT;

/**
 * Returns one Service for each Deployment that backs an owned APIService or a webhook, in the order of the
 * CSV's Deployments.
 */
export function servingServices(csv: ClusterServiceVersion): readonly ServingService[] {
  const called = [...ownedApiServices(csv).map((one) => ({ ...one, targetPort: undefined })), ...webhooks(csv)];
  const namespace = csvNamespace(csv);
  return strategyDeployments(csv).flatMap(({ name: deployment, spec }) => {
    const mine = called.filter(({ deploymentName }) => deploymentName === deployment);
    if (mine.length === 0) return [];
    const name = servingServiceName(deployment);
    const host = `${name}.${namespace}`;
    const { serviceAccountName, matchLabels } = podOf(spec);
    return {
      deployment,
      name,
      secretName: `${name}-cert`,
      serviceAccount: serviceAccountName || DEFAULT_SERVICE_ACCOUNT,
      selector: matchLabels,
      ports: portsOf(mine),
      hosts: [host, `${host}.svc`, `${host}.svc.cluster.local`],
    };
  });
}

/**
 * Returns the reason a webhook cannot be called: it names no Deployment of the CSV. APIServices are among the
 * requirements.
 */
export function servingRefusal(csv: ClusterServiceVersion): string | undefined {
  const deployments = new Set(strategyDeployments(csv).map(({ name }) => name));
  const homeless = webhooks(csv).find(({ deploymentName = '' }) => !deployments.has(deploymentName));
  if (homeless === undefined) return undefined;
  return `webhook ${homeless.generateName} names deployment "${homeless.deploymentName ?? ''}", which the CSV does not have`;
}

/** Returns one port for each distinct number; its first description decides the target. */
function portsOf(
  called: readonly Readonly<{ containerPort?: number | undefined; targetPort?: number | string | undefined }>[],
): readonly ServingPort[] {
  const ports = new Map<number, ServingPort>();
  for (const one of called) {
    const port = servingPort(one);
    if (!ports.has(port)) ports.set(port, { port, targetPort: one.targetPort || port });
  }
  return [...ports.values()].toSorted((a, b) => byCodeUnit(String(a.port), String(b.port)));
}

function podOf(spec: Readonly<Record<string, unknown>>): {
  serviceAccountName: string;
  matchLabels: Readonly<Record<string, string>>;
} {
  const template = record(spec['template']);
  const pod = PodSpec.safeParse(template['spec']);
  const account = pod.success ? pod.data['serviceAccountName'] : '';
  const labels = Object.entries(record(record(spec['selector'])['matchLabels']));
  return {
    serviceAccountName: typeof account === 'string' ? account : '',
    matchLabels: Object.fromEntries(
      labels.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
    ),
  };
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? { ...value } : {};
