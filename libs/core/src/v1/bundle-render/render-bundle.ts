import { type KubernetesObject, splitApiVersion } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import {
  type BundleWebhook,
  deploymentsOf,
  ownedApiServiceCount,
  type RegistryBundle,
  supportedInstallModes,
  webhooksOf,
} from './bundle/registry-bundle.js';
import type { Rendered, RenderRefusal, RenderRequest } from './bundle/render-request.js';
import { targetsOf } from './bundle/target-namespaces.js';
import { type WebhookService, webhookServices } from './bundle/webhook-service.js';
import { readConfig } from './config/bundle-config.js';
import { type CertificateInjection, certificateInjection } from './manifests/certificate-injection.js';
import { type Conversion, crdManifest } from './manifests/crd-manifests.js';
import { deploymentManifest } from './manifests/deployment-manifests.js';
import { rbacManifests } from './manifests/rbac-manifests.js';
import { serviceManifests } from './manifests/service-manifests.js';
import { webhookConfiguration } from './manifests/webhook-manifests.js';
import { isNamespacedKind } from './refusals/bundle-kinds.js';
import { bundleProblems } from './refusals/bundle-problems.js';
import { WEBHOOK_TYPE } from './refusals/webhook-problems.js';

/**
 * The objects that a bundle brings into a cluster for a ClusterExtension, or why it cannot
 * (spec: v1-apply.md §2 to §4). Everything in it is decided here: the same bundle and
 * request give the same objects.
 */
export function renderBundle(bundle: RegistryBundle, request: RenderRequest): Rendered | RenderRefusal {
  const refusal = unsupportedBundle(bundle, request);
  if (refusal !== undefined) return refusal;
  const config = readConfig(bundle, request);
  if ('error' in config) return config;
  const problems = bundleProblems(bundle);
  if (problems.length > 0) return refused(problems.join('\n'));
  const { namespace } = request;
  const targets = targetsOf(config.watchNamespace);
  const called = calledServices(bundle, request);
  const crds = crdManifests(bundle, called);
  if ('error' in crds) return refused(crds.error);
  const { annotations } = bundle.csv.metadata;
  const setting = { namespace, targets, annotations, config: config.deploymentConfig };
  const objects = [
    ...rbacManifests(bundle, namespace, targets),
    ...crds,
    ...bundle.others.map((object) => placed(object, namespace)),
    ...deploymentsOf(bundle).map((one) => deploymentManifest(one, setting, called.get(one.name)?.service.secretName)),
    ...webhooksOf(bundle).flatMap((webhook) => {
      const by = called.get(webhook.deploymentName);
      return by === undefined ? [] : (webhookConfiguration(webhook, by.service, targets, by.injection) ?? []);
    }),
    ...[...called.values()].flatMap(({ service, injection }) => serviceManifests(service, injection)),
  ];
  return { objects: objects.sort(byGroupAndKind), services: [...called.values()].map(({ service }) => service) };
}

const refused = (error: string): RenderRefusal => ({ error, reason: 'Retrying' });

const INSTALL_MODES = ['AllNamespaces', 'SingleNamespace', 'OwnNamespace'];

/** Returns the features that OLM v1 does not support at all. The order is contract: users see the first. */
function unsupportedBundle(bundle: RegistryBundle, request: RenderRequest): RenderRefusal | undefined {
  if (ownedApiServiceCount(bundle) > 0) return unsupported('apiServiceDefintions are not supported');
  if (webhooksOf(bundle).length > 0 && request.certificateProvider === undefined) {
    return { ...unsupported('webhookDefinitions are not supported'), needs: 'certificateProvider' };
  }
  const modes = supportedInstallModes(bundle);
  const usable = INSTALL_MODES.some((mode) => modes.includes(mode));
  if (request.gates.SingleOwnNamespaceInstallSupport !== true && !modes.includes('AllNamespaces')) {
    const refusal = unsupported('bundle does not support AllNamespaces install mode');
    return usable ? { ...refusal, needs: 'SingleOwnNamespaceInstallSupport' } : refusal;
  }
  return usable
    ? undefined
    : unsupported(`bundle must support at least one of [${INSTALL_MODES.join(' ')}] install modes`);
}

const unsupported = (why: string): RenderRefusal => refused(`unsupported bundle: ${why}`);

type Called = Readonly<{ service: WebhookService; injection: CertificateInjection }>;

/** The services in front of Deployments with webhooks, by the name of the Deployment. */
const calledServices = (bundle: RegistryBundle, request: RenderRequest): ReadonlyMap<string, Called> =>
  new Map(
    webhookServices(bundle, request.namespace).map((service) => [
      service.deployment,
      { service, injection: certificateInjection(service, request) },
    ]),
  );

function crdManifests(
  bundle: RegistryBundle,
  called: ReadonlyMap<string, Called>,
): KubernetesObject[] | Readonly<{ error: string }> {
  const converting = webhooksOf(bundle).filter(({ type }) => type === WEBHOOK_TYPE.conversion);
  const manifests: KubernetesObject[] = [];
  for (const crd of bundle.crds) {
    const webhook = converting.find(({ conversionCRDs }) => conversionCRDs.includes(crd.metadata.name ?? ''));
    const result = crdManifest(crd, webhook && conversionBy(webhook, called));
    if ('error' in result) return result;
    manifests.push(result.manifest);
  }
  return manifests;
}

function conversionBy(webhook: BundleWebhook, called: ReadonlyMap<string, Called>): Conversion | undefined {
  const by = called.get(webhook.deploymentName);
  return by && { webhook, ...by };
}

/**
 * Puts namespaced kinds into the install namespace, even if the bundle names another. Fields that a cluster
 * fills in are dropped.
 */
function placed({ status: _status, ...object }: KubernetesObject, namespace: string): KubernetesObject {
  const { creationTimestamp: _created, ...metadata } = object.metadata;
  return { ...object, metadata: isNamespacedKind(object.kind) ? { ...metadata, namespace } : metadata };
}

/** Compares by group, kind, namespace and name: the order of rendered objects. */
function byGroupAndKind(a: KubernetesObject, b: KubernetesObject): number {
  return (
    byCodeUnit(splitApiVersion(a.apiVersion).group, splitApiVersion(b.apiVersion).group) ||
    byCodeUnit(a.kind, b.kind) ||
    byCodeUnit(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
    byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '')
  );
}
