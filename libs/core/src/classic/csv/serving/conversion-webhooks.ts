import { z } from 'zod';
import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion, WebhookDescription } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, ownedCrds, webhooks } from '../../../kernel/api/csv-facts.js';
import { KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { groupOfName, isProtectedGroup, protectedApiText } from '../../../kernel/crd/protected-apis.js';
import { base64 } from '../../../kernel/text/base64.js';
import { servingPort, servingServiceName, servingServices } from '../certificates/serving-service.js';
import { certificateFor } from '../world/certificates-of.js';
import type { ComponentProblem } from '../world/component-problem.js';
import type { CsvWorld } from '../world/csv-world.js';

const DEFAULT_PATH = '/';

const Crd = z.looseObject({
  spec: z.looseObject({
    preserveUnknownFields: z.boolean().nullish(),
    conversion: z
      .looseObject({
        strategy: z.string(),
        webhook: z
          .looseObject({
            clientConfig: z
              .looseObject({
                caBundle: z.string().nullish(),
                service: z.looseObject({ name: z.string(), namespace: z.string() }).nullish(),
              })
              .nullish(),
          })
          .nullish(),
      })
      .nullish(),
  }),
});

const conversionWebhooks = (csv: ClusterServiceVersion): readonly WebhookDescription[] =>
  webhooks(csv).filter(({ type }) => type === 'ConversionWebhook');

/**
 * Returns the reason the operator's conversion webhooks cannot be installed, in OLM's words. Undefined if
 * they can (spec: csv-lifecycle.md §7).
 */
export function conversionRefusal(csv: ClusterServiceVersion, world: CsvWorld): string | undefined {
  const described = conversionWebhooks(csv);
  if (described.length === 0) return undefined;
  const onlyGlobal = (csv.spec.installModes ?? []).every(
    ({ type, supported }) => (type === 'AllNamespaces') === supported,
  );
  if (!onlyGlobal) {
    return 'unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces';
  }
  return described.map((one) => crdRefusal(csv, world, one)).find((text) => text !== undefined);
}

function crdRefusal(
  csv: ClusterServiceVersion,
  { crds }: CsvWorld,
  { conversionCRDs }: WebhookDescription,
): string | undefined {
  const names = conversionCRDs ?? [];
  if (names.length === 0) {
    // The misspelling is OLM's.
    return 'unable to manager conversion webhook: conversion webhook must have at least one CRD specified';
  }
  const owned = new Set(ownedCrds(csv).map(({ name }) => name));
  for (const name of names) {
    if (!owned.has(name)) return `csv ${csvName(csv)} does not own CRD ${name}`;
    if (isProtectedGroup(groupOfName(name))) return protectedApiText(name);
    const live = Crd.safeParse(crds.get(name));
    if (live.success && live.data.spec.preserveUnknownFields === true) {
      return 'crd.Spec.PreserveUnknownFields must be false to let API Server call webhook to do the conversion';
    }
  }
  return undefined;
}

/** Has the API server convert the CRDs through the operator (spec: csv-lifecycle.md §7). */
export const installConversions = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  conversionWebhooks(csv).flatMap((description) =>
    (description.conversionCRDs ?? []).flatMap((name): Action[] => {
      const live = world.crds.get(name);
      const conversion = wantedConversion(csv, world, description);
      if (live === undefined || conversion === undefined) return [];
      const is = Crd.safeParse(live);
      if (is.success && canonicalJson(is.data.spec.conversion ?? null) === canonicalJson(conversion)) return [];
      return [patchConversion(live, conversion)];
    }),
  );

function wantedConversion(
  csv: ClusterServiceVersion,
  world: CsvWorld,
  description: WebhookDescription,
): Readonly<Record<string, unknown>> | undefined {
  const { deploymentName = '', webhookPath, admissionReviewVersions } = description;
  const service = servingServices(csv).find(({ deployment }) => deployment === deploymentName);
  const certificate = service && certificateFor(world, service);
  if (certificate === undefined) return undefined;
  return {
    strategy: 'Webhook',
    webhook: {
      clientConfig: {
        service: {
          namespace: csvNamespace(csv),
          name: servingServiceName(deploymentName),
          path: webhookPath ?? DEFAULT_PATH,
          port: servingPort(description),
        },
        caBundle: base64(certificate.caPem),
      },
      conversionReviewVersions: admissionReviewVersions ?? [],
    },
  };
}

/** True if a webhook with a known authority converts a CRD's objects. */
export function convertsThroughWebhook(crd: KubernetesObject | undefined): boolean {
  const view = Crd.safeParse(crd);
  return view.success && Boolean(view.data.spec.conversion?.webhook?.clientConfig?.caBundle);
}

/** Checks that each CRD is converted through this operator, with the authority of its certificate. */
export function checkConversions(csv: ClusterServiceVersion, world: CsvWorld): ComponentProblem | undefined {
  const ready = conversionWebhooks(csv).every((description) => {
    const service = servingServices(csv).find(({ deployment }) => deployment === description.deploymentName);
    const certificate = service && certificateFor(world, service);
    return (description.conversionCRDs ?? []).every((name) => {
      const crd = Crd.safeParse(world.crds.get(name));
      const conversion = crd.success ? crd.data.spec.conversion : undefined;
      const bundle = conversion?.strategy === 'Webhook' ? conversion.webhook?.clientConfig?.caBundle : undefined;
      return certificate !== undefined && bundle === base64(certificate.caPem);
    });
  });
  return ready ? undefined : { kind: 'webhookFailed', message: 'conversionWebhook not ready' };
}

/**
 * Removes the conversion of a CSV that is deleted: otherwise objects of the CRD could no longer be read.
 * Keeps it if another CSV of the namespace succeeds this one and serves the same conversion (spec:
 * csv-lifecycle.md §9).
 */
export function resetConversions(csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] {
  if (world.csvs.some(({ spec }) => spec.replaces === csvName(csv))) return [];
  const names = new Set(conversionWebhooks(csv).flatMap(({ conversionCRDs }) => conversionCRDs ?? []));
  return [...names].flatMap((name): Action[] => {
    const live = world.crds.get(name);
    const crd = Crd.safeParse(live);
    const service = crd.success ? crd.data.spec.conversion?.webhook?.clientConfig?.service : undefined;
    if (live === undefined || service?.namespace !== csvNamespace(csv)) return [];
    return [patchConversion(live, { strategy: 'None', webhook: null })];
  });
}

const patchConversion = (
  { metadata: { name = '', resourceVersion } }: KubernetesObject,
  conversion: Readonly<Record<string, unknown>>,
): Action => ({
  do: 'patch',
  ref: { ...KIND.CustomResourceDefinition, name },
  patch: { ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }), spec: { conversion } },
});
