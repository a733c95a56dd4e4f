/**
 * Every code of a cause, with its meaning. The web console groups equal causes of many clusters by code, and
 * `status` and `explain` print the codes with `-o json`. Never change or reuse a code.
 */
export const CAUSE_CODES = {
  well: 'no problem is known',
  'hub-hindered': 'something keeps the hub from working in the cluster',
  'hub-event': 'an Event reports that the hub is missing a right (many users can write Events)',
  'not-read-yet': 'the hub has not read the object yet',
  'object-unreadable': 'the object does not have the form of its kind',
  // Catalogs
  'catalog-spec-invalid': 'the spec of a catalog is not valid',
  'catalog-first-fetch': 'the content of a catalog is being fetched for the first time',
  'catalog-not-ready': 'a catalog has no content',
  'catalog-not-renewed': 'a catalog serves content that could not be renewed',
  'catalog-incomplete': 'a catalog serves its content without its unreadable bundles',
  'catalog-missing': 'the named catalog does not exist',
  'catalog-excluded': 'the OperatorGroup excludes the named catalog',
  // Namespaces
  'no-operator-group': 'the namespace has no OperatorGroup',
  'several-operator-groups': 'the namespace has several OperatorGroups',
  'service-account-missing': 'the ServiceAccount of the OperatorGroup does not exist',
  // Subscriptions and plans
  'not-resolved-yet': 'nothing was resolved yet',
  'resolution-failed': 'the namespace could not be resolved',
  'bundle-not-fetched': 'a bundle could not be fetched',
  'bundle-not-admitted': 'the signature policy of the hub refuses a bundle',
  'bundle-unusable': 'a bundle cannot be installed',
  'copy-in-the-way': 'a copied operator blocks the requested operator',
  'operator-missing': 'the ClusterServiceVersion does not exist',
  'approval-needed': 'a plan waits for approval',
  'fleet-decides': 'a plan waits for the approval of a rollout of the fleet',
  planning: 'a plan is being created',
  'plan-approved': 'a plan is approved and will be carried out',
  'plan-installing': 'a plan is being executed',
  'plan-refused': 'a step of a plan is refused until a user grants the right',
  'plan-failed': 'a plan failed',
  // Operators
  'operator-installing': 'an operator is being installed',
  'operator-replaced': 'a newer version replaces the operator',
  'copy-of-unfinished': 'the original of a copied operator has not succeeded',
  'upgrade-held-back': 'an OperatorCondition does not allow the upgrade',
  'requirements-unknown': 'the requirements of an operator are being checked',
  'requirements-not-met': 'a requirement of an operator is missing',
  'install-mode-unsupported': 'the operator does not support the namespaces of the OperatorGroup',
  'api-owned-by-other': 'another operator provides the same APIs',
  'objects-refused': 'the API server refuses objects of an operator',
  'operator-unhealthy': 'the pods of an operator are not ready',
  'operator-failed': 'an operator failed',
  // OLM v1
  'extension-config-invalid': 'the configuration of a ClusterExtension is not valid',
  'rollout-too-slow': 'a revision did not become ready in time',
  'spec-blocked': 'the spec of an object cannot be applied',
  retrying: 'the last attempt failed and is retried',
  progressing: 'the work is in progress',
  'objects-in-the-way': 'objects of another owner block the installation',
} as const;

export type CauseCode = keyof typeof CAUSE_CODES;
