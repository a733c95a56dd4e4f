import type { ClusterExtension } from '#core/kernel/api/cluster-extension';
import { KIND } from '#core/kernel/api/kinds';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { readRegistryBundle } from '#core/v1/bundle-render/bundle/read-registry-bundle';
import {
  type CertificateProvider,
  HUB_FEATURE_GATES,
  type RenderRequest,
} from '#core/v1/bundle-render/bundle/render-request';
import { phasesOf } from '#core/v1/bundle-render/phases';
import { renderBundle } from '#core/v1/bundle-render/render-bundle';
import type { ExtensionTrouble } from '#core/v1/extension/report-extension';
import { type DesiredRevision, ownedPhases } from '#core/v1/revision/build-revision';
import { fitPhases } from '#core/v1/revision/fit-phases';
import { OLM_PROPERTIES_KEY } from '#core/v1/revision/revision-keys';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ExtensionPass } from '../extensions/extension-pass.js';
import type { PulledFiles } from './pull-bundle-content.js';
import type { DesiredBundle } from './wanted-bundle.js';
import { webhookCertificates } from './webhook-certificates.js';

/** Raise it whenever the same bundle and spec may now be rendered differently. */
const RENDERER = 2;

type Chosen = Extract<DesiredBundle, { kind: 'bundle' }>;

/** Hash of all that determines the manifests of a revision, its image apart from its content. */
export const inputsOf = ({ spec }: ClusterExtension, { bundle }: Chosen, provider: CertificateProvider): string =>
  canonicalHash({
    renderer: RENDERER,
    provider,
    image: bundle.image,
    bundle: bundle.bundle,
    package: spec.source.catalog?.packageName,
    namespace: spec.namespace,
    config: spec.config ?? null,
  });

/**
 * Returns the certificate provider for webhooks in a cluster: Flotilla itself, if the cluster has no other.
 */
export async function certificateProvider(client: KubeClient): Promise<CertificateProvider> {
  if (await client.serves({ apiVersion: 'cert-manager.io/v1', kind: 'Certificate' })) return 'cert-manager';
  const isOpenshift = await client.serves(KIND.ClusterVersion);
  return isOpenshift ? 'openshift-service-ca' : 'flotilla';
}

/** The content of a revision for the chosen bundle, or why there can be none. */
export async function prepareRevision(
  pass: ExtensionPass,
  chosen: Chosen,
  content: PulledFiles,
  provider: CertificateProvider,
): Promise<DesiredRevision | ExtensionTrouble> {
  const { extension, name } = pass.read;
  const { namespace, config, source } = extension.spec;
  const bundle = readRegistryBundle(content.files);
  if ('error' in bundle) return { reason: bundle.reason, message: bundle.error };
  const request: RenderRequest = {
    namespace,
    config: config?.inline,
    certificateProvider: provider,
    gates: HUB_FEATURE_GATES,
  };
  const first = renderBundle(bundle, request);
  if ('error' in first) return { reason: first.reason, message: first.error };
  const called = provider === 'flotilla' ? first.services : [];
  const { secrets, authorities, until } = await webhookCertificates(pass, called);
  const rendered = called.length === 0 ? first : renderBundle(bundle, { ...request, authorities });
  if ('error' in rendered) return { reason: rendered.reason, message: rendered.error };
  const objects = [...secrets, ...rendered.objects];
  const packageName = source.catalog?.packageName ?? '';
  const { version } = chosen.bundle.bundle;
  const phases = fitPhases(ownedPhases(phasesOf(objects), name, { packageName, version }));
  if ('error' in phases) return { reason: 'Blocked', message: phases.error };
  return {
    from: chosen.bundle,
    phases,
    olmProperties: bundle.csv.metadata.annotations[OLM_PROPERTIES_KEY],
    inputs: inputsOf(extension, chosen, provider),
    query: chosen.query,
    digest: content.digest,
    certificatesUntil: until?.toISOString(),
  };
}
