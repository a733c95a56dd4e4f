import { z } from 'zod';
import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion, WebhookDescription } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, webhooks } from '../../../kernel/api/csv-facts.js';
import { KIND } from '../../../kernel/api/kinds.js';
import { type KubernetesObject, refOf } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { csvOwnerLabels, MANAGED_LABEL } from '../../../kernel/api/owner-labels.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { fnv1a64Hex, sha224Base62 } from '../../../kernel/hashes/digest.js';
import { base64 } from '../../../kernel/text/base64.js';
import { isGlobal, targetsOf } from '../../operator-group/group-facts.js';
import { GROUP_UID_LABEL_PREFIX } from '../../operator-group/namespace-labels.js';
import { saysNothing } from '../../operator-group/select-targets.js';
import { servingPort, servingServiceName, servingServices } from '../certificates/serving-service.js';
import { certificateFor } from '../world/certificates-of.js';
import type { ComponentProblem } from '../world/component-problem.js';
import type { CsvWorld } from '../world/csv-world.js';
import { holds } from './holds.js';

const NAME_LABEL = 'olm.webhook-description-generate-name';
const HASH_LABEL = 'olm.webhook-description-hash';
const SUFFIX_LENGTH = 5;

/** Kind of the configuration, by the type of the description. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['ValidatingAdmissionWebhook', 'ValidatingWebhookConfiguration'],
  ['MutatingAdmissionWebhook', 'MutatingWebhookConfiguration'],
]);

/** Fields of a description that the API server reads as they are. */
const PASSED_ON = [
  'rules',
  'failurePolicy',
  'matchPolicy',
  'objectSelector',
  'sideEffects',
  'timeoutSeconds',
  'admissionReviewVersions',
] as const;

/** True if a description is of a webhook that is called before objects are stored. */
export const isAdmission = ({ type }: WebhookDescription): boolean => KINDS.has(type);

const admissionWebhooks = (csv: ClusterServiceVersion): readonly WebhookDescription[] =>
  webhooks(csv).filter(isAdmission);

/**
 * Applies a configuration for each description, and deletes those of descriptions that are no more
 * (spec: csv-lifecycle.md §7).
 */
export function installAdmissionWebhooks(csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] {
  const wanted = admissionWebhooks(csv).flatMap((description) => configuration(csv, world, description) ?? []);
  const names = new Set(wanted.map(keyOf));
  const removed = world.webhookConfigurations.filter((one) => !names.has(keyOf(one)));
  return [...wanted.map((object): Action => ({ do: 'apply', object })), ...removed.map(deleteConfiguration)];
}

/**
 * Restores the address and the authority of an installed operator's webhooks: users may have changed them.
 */
export const repairAdmissionWebhooks = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  admissionWebhooks(csv).flatMap((description): Action[] => {
    const live = configurationOf(world, description);
    const wanted = configuration(csv, world, description);
    if (live === undefined || wanted === undefined) return [];
    return holds(clientConfigsOf(live), clientConfigsOf(wanted)) ? [] : [{ do: 'apply', object: wanted }];
  });

const clientConfigsOf = (configuration: KubernetesObject): unknown =>
  (Webhooks.safeParse(configuration['webhooks']).data ?? []).map(({ name, clientConfig }) => ({ name, clientConfig }));

const Webhooks = z.array(z.looseObject({ name: z.string(), clientConfig: z.unknown() }));

/**
 * Deletes every webhook configuration of the CSV with it. Otherwise the API server would call a service that
 * is gone.
 */
export const deleteAdmissionWebhooks = (world: CsvWorld): readonly Action[] =>
  world.webhookConfigurations.map(deleteConfiguration);

/** Checks that each description is unchanged in a configuration (spec: csv-lifecycle.md §5, Check). */
export function checkAdmissionWebhooks(csv: ClusterServiceVersion, world: CsvWorld): ComponentProblem | undefined {
  const stands = admissionWebhooks(csv).every((description) => {
    const live = configurationOf(world, description);
    return live?.metadata.labels?.[HASH_LABEL] === hashOf(description);
  });
  return stands ? undefined : { kind: 'webhooksMissing', message: 'webhooks not installed' };
}

function configuration(
  csv: ClusterServiceVersion,
  world: CsvWorld,
  description: WebhookDescription,
): KubernetesObject | undefined {
  const service = servingServices(csv).find(({ deployment }) => deployment === description.deploymentName);
  const certificate = service && certificateFor(world, service);
  if (certificate === undefined) return undefined;
  const { generateName } = description;
  const name = configurationOf(world, description)?.metadata.name ?? `${generateName}-${suffixOf(csv, description)}`;
  return {
    apiVersion: KIND.ValidatingWebhookConfiguration.apiVersion,
    kind: KINDS.get(description.type) ?? '',
    metadata: {
      name,
      generateName: `${generateName}-`,
      labels: {
        [MANAGED_LABEL]: 'true',
        ...csvOwnerLabels(csv),
        [NAME_LABEL]: generateName,
        [HASH_LABEL]: hashOf(description),
      },
    },
    webhooks: [
      {
        name: generateName,
        ...passedOn(description),
        namespaceSelector: namespaceSelector(world.operatorGroups[0]),
        clientConfig: {
          caBundle: base64(certificate.caPem),
          service: {
            namespace: csvNamespace(csv),
            name: servingServiceName(description.deploymentName ?? ''),
            port: servingPort(description),
            ...(description.webhookPath === undefined ? {} : { path: description.webhookPath }),
          },
        },
      },
    ],
  };
}

function passedOn(description: WebhookDescription): Record<string, unknown> {
  const mutating = description.type === 'MutatingAdmissionWebhook' ? (['reinvocationPolicy'] as const) : [];
  const fields = [...PASSED_ON, ...mutating].map((field) => [field, description[field]] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined && value !== null));
}

/** The namespaces that the operator watches, and no others. */
function namespaceSelector(group: OperatorGroup | undefined): Readonly<Record<string, unknown>> {
  if (group === undefined || isGlobal(targetsOf(group))) return {};
  const { selector } = group.spec ?? {};
  if ((group.spec?.targetNamespaces ?? []).length === 0 && selector !== undefined && !saysNothing(selector)) {
    return selector;
  }
  return { matchLabels: { [`${GROUP_UID_LABEL_PREFIX}${group.metadata.uid}`]: '' } };
}

/** Configurations are known by their labels: their names end in whatever was free when OLM made them. */
export const configurationOf = (
  { webhookConfigurations }: CsvWorld,
  { type, generateName }: WebhookDescription,
): KubernetesObject | undefined =>
  webhookConfigurations.find(
    ({ kind, metadata }) => kind === KINDS.get(type) && metadata.labels?.[NAME_LABEL] === generateName,
  );

const hashOf = (description: WebhookDescription): string => sha224Base62(canonicalJson(description));

/** The same for each pass, so that a repeated one makes nothing twice. */
const suffixOf = (csv: ClusterServiceVersion, { type, generateName }: WebhookDescription): string =>
  fnv1a64Hex(canonicalJson([csvNamespace(csv), csvName(csv), type, generateName])).slice(0, SUFFIX_LENGTH);

const keyOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.name}`;

const deleteConfiguration = (object: KubernetesObject): Action => ({
  do: 'delete',
  ref: { ...refOf(object), namespace: undefined },
  propagation: 'Background',
  uid: object.metadata.uid,
});
