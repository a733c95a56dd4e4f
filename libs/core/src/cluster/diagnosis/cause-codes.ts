/**
 * Every code of a cause, with its meaning. The web console groups equal causes of many clusters by code, and
 * `status` and `explain` print the codes with `-o json`. Never change or reuse a code.
 */
export const CAUSE_CODES = {
  well: 'nothing stands against it',
  'hub-hindered': 'something keeps the hub from working in the cluster',
  'hub-event': 'an Event, which many users may write, says that the hub is missing a right',
  'not-read-yet': 'the hub has not read the object yet',
  'object-unreadable': 'the object is of another form than its kind',
  // Catalogs
  'catalog-spec-invalid': 'the spec of a catalog is not valid',
  'catalog-first-fetch': 'the content of a catalog is being fetched for the first time',
  'catalog-not-ready': 'a catalog has no content',
  'catalog-not-renewed': 'a catalog serves content that could not be renewed',
  'catalog-incomplete': 'a catalog serves its content without bundles that cannot be read',
  'catalog-missing': 'the catalog that is named is not there',
  'catalog-excluded': 'the OperatorGroup excludes the catalog that is named',
  // Namespaces
  'no-operator-group': 'the namespace has no OperatorGroup',
  'several-operator-groups': 'the namespace has several OperatorGroups',
  'service-account-missing': 'the ServiceAccount of the OperatorGroup is not there',
  // Subscriptions and plans
  'not-resolved-yet': 'nothing was resolved yet',
  'resolution-failed': 'the namespace could not be resolved',
  'bundle-not-fetched': 'a bundle could not be fetched',
  'bundle-not-admitted': 'the signature policy of the hub refuses a bundle',
  'bundle-unusable': 'a bundle cannot be installed as it is',
  'copy-in-the-way': 'a copied operator stands in the place of the one that is asked for',
  'operator-missing': 'the ClusterServiceVersion is not there',
  'approval-needed': 'a plan waits for approval',
  'fleet-decides': 'a plan waits until a roll-out of the fleet approves it',
  planning: 'a plan is being made',
  'plan-approved': 'a plan is approved and will be carried out',
  'plan-installing': 'a plan is being carried out',
  'plan-refused': 'a step of a plan is refused until a user gives the right',
  'plan-failed': 'a plan failed',
  // Operators
  'operator-installing': 'an operator is being installed',
  'operator-replaced': 'a newer version replaces the operator',
  'copy-of-unfinished': 'the original of a copied operator has not succeeded',
  'upgrade-held-back': 'an OperatorCondition does not allow the upgrade',
  'requirements-unknown': 'what an operator needs is being looked at',
  'requirements-not-met': 'what an operator needs is not there',
  'install-mode-unsupported': 'the operator does not support the namespaces of the OperatorGroup',
  'api-owned-by-other': 'another operator provides the same APIs',
  'objects-refused': 'the API server refuses objects of an operator',
  'operator-unhealthy': 'the pods of an operator are not ready',
  'operator-failed': 'an operator failed',
  // OLM v1
  'extension-config-invalid': 'the configuration of a ClusterExtension is not valid',
  'rollout-too-slow': 'a revision did not become ready in time',
  'spec-blocked': 'the spec of an object cannot be carried out',
  retrying: 'the last attempt failed, and is made again',
  progressing: 'it is on its way',
  'objects-in-the-way': 'objects of another owner stand in the way',
} as const;

export type CauseCode = keyof typeof CAUSE_CODES;
