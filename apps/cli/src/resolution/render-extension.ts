import { z } from 'zod';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { PolicyRule } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { readRegistryBundle } from '#core/v1/bundle-render/bundle/read-registry-bundle';
import { HUB_FEATURE_GATES } from '#core/v1/bundle-render/bundle/render-request';
import { phasesOf } from '#core/v1/bundle-render/phases';
import { renderBundle } from '#core/v1/bundle-render/render-bundle';
import { resolvedBundleError } from '#core/v1/extension/report-extension';
import { ownedPhases } from '#core/v1/revision/build-revision';
import { fitPhases } from '#core/v1/revision/fit-phases';
import type { PlannedPermission, PlannedStep } from './plan-steps.js';

/**
 * The content that a ClusterExtension would bring into a cluster: its objects, and the rights of its service
 * accounts.
 */
type ExtensionContent = Readonly<{
  objects: readonly PlannedStep[];
  permissions: readonly PlannedPermission[];
}>;

type Chosen = Readonly<{ name: string; version: string }>;

/**
 * Renders the files of the chosen bundle as the hub does in a cluster without cert-manager, or returns the
 * hub's refusal. Checks that depend on the cluster are not made here: collisions, CRD checks, rights of a
 * service account.
 */
export function extensionContent(
  { metadata, spec }: ClusterExtension,
  bundle: Chosen,
  files: readonly BundleFile[],
): ExtensionContent | Readonly<{ error: string }> {
  const refused = (why: string) => ({ error: resolvedBundleError(bundle, why) });
  const read = readRegistryBundle(files);
  if ('error' in read) return refused(read.error);
  const { namespace, config, source } = spec;
  const request = {
    namespace,
    config: config?.inline,
    certificateProvider: 'flotilla',
    gates: HUB_FEATURE_GATES,
  } as const;
  const rendered = renderBundle(read, request);
  if ('error' in rendered) return refused(rendered.error);
  const packageName = source.catalog?.packageName ?? '';
  const certificates = rendered.services.map(certificateSecret);
  const owned = ownedPhases(phasesOf([...certificates, ...rendered.objects]), metadata.name ?? '', {
    packageName,
    version: bundle.version,
  });
  const phases = fitPhases(owned);
  if ('error' in phases) return refused(phases.error);
  const objects = phases.flatMap((phase) => phase.objects);
  return { objects: objects.map(plannedObject), permissions: permissionsOf(objects) };
}

/** The hub issues these certificates; their names are known before. */
const certificateSecret = ({ secretName: name, namespace }: Readonly<{ secretName: string; namespace: string }>) => ({
  ...KIND.Secret,
  metadata: { name, namespace },
});

const plannedObject = ({ apiVersion, kind, metadata: { name = '', namespace } }: KubernetesObject): PlannedStep => ({
  apiVersion,
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

const Rules = z.object({ rules: z.array(z.custom<PolicyRule>()).nullish() });
const Binding = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: z.string(), name: z.string() })).nullish(),
});

/** Returns the subjects and their rights from the roles and bindings of the bundle itself. */
function permissionsOf(objects: readonly KubernetesObject[]): PlannedPermission[] {
  return objects.flatMap((object) => {
    const binding = /^(Cluster)?RoleBinding$/.test(object.kind) ? Binding.safeParse(object).data : undefined;
    if (binding === undefined) return [];
    const { namespace } = object.metadata;
    const { roleRef, subjects } = binding;
    const role = objects.find(
      ({ kind, metadata }) =>
        kind === roleRef.kind &&
        metadata.name === roleRef.name &&
        (kind === 'ClusterRole' || metadata.namespace === namespace),
    );
    const rules = role === undefined ? [] : (Rules.safeParse(role).data?.rules ?? []);
    const accounts = (subjects ?? []).filter(({ kind }) => kind === 'ServiceAccount');
    const place = object.kind === 'RoleBinding' && namespace !== undefined ? { namespace } : {};
    return rules.length === 0 ? [] : accounts.map(({ name }) => ({ serviceAccount: name, ...place, rules }));
  });
}
