import { labelFaults, metadataFaults, nameFaults } from '../../kernel/admission/metadata-faults.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { definesProtectedApi, protectedApiText } from '../../kernel/crd/protected-apis.js';
import { isRecord, recordAt, recordsAt, textAt } from '../../kernel/json/json-access.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { typeFaults } from './type-faults.js';

/**
 * Most characters of a CSV's name. OLM writes it into labels of the objects that it creates, and a label
 * holds no more.
 */
const LONGEST_CSV_NAME = 63;

/**
 * Returns why no cluster takes an object of a bundle as it is written, one text for each field. An install
 * with such an object cannot end well, so it is refused before anything of it is applied.
 */
export function objectFaults(object: KubernetesObject): string[] {
  return [
    ...metadataFaults(object),
    ...typeFaults(object),
    ...(object.kind === 'ClusterServiceVersion' ? csvFaults(object) : []),
    ...(object.kind === 'CustomResourceDefinition' ? crdFaults(object) : []),
  ];
}

function csvFaults(csv: KubernetesObject): string[] {
  const { length } = csv.metadata.name ?? '';
  const tooLong =
    length <= LONGEST_CSV_NAME
      ? []
      : [`metadata.name has ${length} characters: OLM writes it into labels of at most ${LONGEST_CSV_NAME}`];
  return [...tooLong, ...missingLists(csv), ...deploymentsOf(csv).flatMap(deploymentFaults), ...accountFaults(csv)];
}

const isList = (value: unknown): boolean => Array.isArray(value);

/**
 * Fields that OLM writes as null if a CSV leaves them out, and that the definition of the kind demands. The
 * API server refuses such a CSV.
 */
function missingLists(csv: KubernetesObject): string[] {
  const strategy = recordAt(csv, 'spec', 'install', 'spec');
  if (!isList(strategy['deployments'])) return [`${STRATEGY}.deployments is missing`];
  const ofDeployments = deploymentsOf(csv).flatMap(({ spec }, index) => {
    const field = `${STRATEGY}.deployments[${index}].spec`;
    const isThere = isList(recordAt(spec, 'template', 'spec')['containers']);
    return [
      ...(isRecord(recordAt(spec)['selector']) ? [] : [`${field}.selector is missing`]),
      ...(isThere ? [] : [`${field}.template.spec.containers is missing`]),
    ];
  });
  const ofPermissions = ['permissions', 'clusterPermissions'].flatMap((list) =>
    recordsAt(strategy, list).flatMap((permission, index) => {
      const field = `${STRATEGY}.${list}[${index}].rules`;
      if (!isList(permission['rules'])) return [`${field} is missing`];
      const rules = recordsAt(permission, 'rules');
      return rules.flatMap((rule, at) => (isList(rule['verbs']) ? [] : [`${field}[${at}].verbs is missing`]));
    }),
  );
  const ofWebhooks = recordsAt(csv, 'spec', 'webhookdefinitions').flatMap((webhook, index) => {
    const field = `spec.webhookdefinitions[${index}]`;
    return [
      ...(isList(webhook['admissionReviewVersions']) ? [] : [`${field}.admissionReviewVersions is missing`]),
      ...(textAt(webhook, 'sideEffects') === '' ? [`${field}.sideEffects is missing`] : []),
    ];
  });
  return [...ofDeployments, ...ofPermissions, ...ofWebhooks];
}

const STRATEGY = 'spec.install.spec';

const deploymentsOf = (csv: KubernetesObject) => recordsAt(csv, 'spec', 'install', 'spec', 'deployments');

function deploymentFaults(deployment: Readonly<Record<string, unknown>>, index: number): string[] {
  const field = `${STRATEGY}.deployments[${index}]`;
  const name = textAt(deployment, 'name');
  const pod = recordAt(deployment, 'spec', 'template', 'metadata', 'labels');
  const matched = recordAt(deployment, 'spec', 'selector', 'matchLabels');
  const unmatched = Object.keys(matched).find((key) => matched[key] !== pod[key]);
  return [
    ...(name === '' ? [`${field}.name is missing`] : nameFaults(`${field}.name`, name)),
    ...labelFaults(`${field}.label`, recordAt(deployment, 'label')),
    ...labelFaults(`${field}.spec.template.metadata.labels`, pod),
    ...(unmatched === undefined
      ? []
      : [`${field}.spec.selector.matchLabels.${unmatched} is not among the labels of spec.template`]),
  ];
}

function accountFaults(csv: KubernetesObject): string[] {
  return ['permissions', 'clusterPermissions'].flatMap((list) =>
    recordsAt(csv, 'spec', 'install', 'spec', list).flatMap((permission, index) => {
      const name = textAt(permission, 'serviceAccountName');
      return name === '' ? [] : nameFaults(`${STRATEGY}.${list}[${index}].serviceAccountName`, name);
    }),
  );
}

function crdFaults(crd: KubernetesObject): string[] {
  const name = crd.metadata.name ?? '';
  if (definesProtectedApi(crd)) return [protectedApiText(name)];
  const group = textAt(crd, 'spec', 'group');
  const plural = textAt(crd, 'spec', 'names', 'plural');
  const wanted = `${plural}.${group}`;
  if (group === '' || plural === '' || name === '' || name === wanted) return [];
  return [`metadata.name ${goQuote(name)} must be ${goQuote(wanted)}: spec.names.plural and spec.group`];
}
