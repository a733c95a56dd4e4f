import { CONFIG_MAP_ROLE } from '../../classic/catalog-source/config-map-role.js';
import { MIGRATE_ANNOTATION } from '../../classic/crd-upgrade/stored-versions.js';
import { REPLACE_COPIES_ANNOTATION } from '../../classic/install-plan/execution/replace-copy.js';
import { replanCommand } from '../../classic/install-plan/execution/replan-command.js';
import { EXCLUDE_GLOBAL, ISOLATION_ANNOTATION } from '../../classic/resolution/problem/desired-namespace.js';
import { shellWord } from '../../kernel/text/shell-word.js';
import { ROLLBACK_KEY } from '../../v1/revision/revision-keys.js';
import { FLEET_MARKS } from '../marks/fleet-marks.js';

declare const MADE_HERE: unique symbol;

/**
 * A text that says what a user can do: prose, or prose, a colon and one command. Only {@link ADVICE} creates
 * it. A test (test/advice) carries each entry out to the promised end, and fails for an entry that it does
 * not know.
 */
export type Advice = string & { readonly [MADE_HERE]: true };

const advice = (text: string): Advice => text as Advice;

const retryCommand = (name: string, namespace?: string): string =>
  namespace === undefined
    ? `flotilla retry clustercatalog ${name}`
    : `flotilla retry catalogsource ${name} -n ${namespace}`;

/**
 * Returns the command that shows the rollouts in the namespace of `<namespace>/<name>`. Shows all rollouts if
 * the operator is not known.
 */
function fleetStatus(operator: string): string {
  const [namespace = ''] = operator.split('/');
  return namespace === '' ? 'flotilla fleet status' : `flotilla fleet status -n ${namespace}`;
}

/**
 * One function for each advice. A command that deletes an object names it. Text from a spec, a bundle or a
 * message is quoted as one word of the shell. Names that the API server itself checks are not.
 */
export const ADVICE = {
  /** Advice for an object without a status. */
  checkHub: () => advice('Check that the hub runs and manages this cluster: flotilla status'),

  correctCatalogSpec: () => advice('Correct the spec of the CatalogSource.'),
  correctImageTemplate: (annotation: string) =>
    advice(
      `Correct annotation ${annotation}, or set spec.image. The hub uses spec.image while the template gives no image.`,
    ),
  enableDefaultSource: () =>
    advice(
      'Enable the source in spec.sources of OperatorHub cluster if you need it. The hub reads the change within 15 minutes.',
    ),
  validateCatalogImage: (image: string) =>
    advice(
      `Correct spec.image, or publish a corrected image. List the errors of the image: flotilla catalog validate ${shellWord(image)}`,
    ),
  /**
   * Advice for an image that ended its thread. `namespace`: that of a CatalogSource. A ClusterCatalog has
   * none.
   */
  retryCatalog: (name: string, namespace?: string) =>
    advice(
      `Push another image, smaller or with fewer files. Or read this image again, for example after a restart with higher limits: ${retryCommand(name, namespace)}`,
    ),
  /** Advice for an address that the hub's own policy refuses. */
  allowAddress: (host: string) =>
    advice(
      `The image reference is correct, but the settings of the hub do not allow the address of ${host}. To allow it (link-local addresses are never allowed), restart the hub with FLOTILLA_OUTBOUND_ADDRESSES=public,private,loopback`,
    ),
  allowHost: (setting: string, host: string) =>
    advice(
      `The image reference is correct, but the settings of the hub do not allow requests to ${host}. To allow them, add the host to setting ${setting} and restart the hub.`,
    ),
  signContent: (scope: string) =>
    advice(
      `Ask the publisher to sign this digest; the hub retries by itself. Or add its signer to rule ${scope} of FLOTILLA_SIGNATURE_POLICY_FILE and restart the hub. List the signatures: cosign tree IMAGE`,
    ),
  correctSignaturePolicy: () =>
    advice(
      'The image reference is correct. Correct the file of setting FLOTILLA_SIGNATURE_POLICY_FILE (the log of the hub names the error) and restart the hub.',
    ),
  /** A registry that does not answer, or not now. */
  reachRegistry: (host: string) =>
    advice(
      `The image may be correct. Check that the hub reaches registry ${host}: name, network, proxy, certificate, quota. The hub retries by itself.`,
    ),
  createPullSecret: (namespace: string, name: string) =>
    advice(
      `Create the pull secret: kubectl -n ${namespace} create secret docker-registry ${shellWord(name)} --docker-server=HOST --docker-username=USER --docker-password=PASSWORD`,
    ),
  namePullSecret: () =>
    advice(
      'Name a Secret of type kubernetes.io/dockerconfigjson with a valid login in spec.secrets of the CatalogSource.',
    ),
  allowPullSecrets: (namespace: string, user: string) =>
    advice(
      `Let the hub read Secrets in this namespace: kubectl -n ${namespace} create rolebinding flotilla-observe-pull-secrets --clusterrole=flotilla:observe-pull-secrets --user=${shellWord(user)}`,
    ),
  allowConfigMaps: (namespace: string, user: string) =>
    advice(
      `Let the hub read ConfigMaps in this namespace: kubectl -n ${namespace} create rolebinding flotilla-observe-config-maps --clusterrole=${CONFIG_MAP_ROLE} --user=${shellWord(user)}`,
    ),
  startRegistryServer: (address: string) => advice(`Check that a registry server answers the hub at ${address}.`),
  correctConfigMap: (namespace: string, name: string) => advice(`Correct ConfigMap ${name} in namespace ${namespace}.`),
  deleteCatalogSource: (namespace: string, name: string) =>
    advice(
      `Or delete CatalogSource ${name}, so that resolution no longer waits for it: kubectl -n ${namespace} delete catalogsource ${name}`,
    ),

  createGroup: (namespace: string) =>
    advice(
      `Create an OperatorGroup in namespace ${namespace}. Its targets are the namespaces that the operators watch.`,
    ),
  /** `others`: all but the oldest. */
  keepOneGroup: (namespace: string, others: readonly string[]) =>
    advice(
      `Keep one OperatorGroup of namespace ${namespace} and delete the others (no operator is deleted). To keep the oldest: kubectl -n ${namespace} delete operatorgroup ${others.join(' ')}`,
    ),
  createServiceAccount: (namespace: string, name: string) =>
    advice(
      `Create the ServiceAccount and give it the rights that the operator’s objects need: kubectl -n ${namespace} create serviceaccount ${shellWord(name)}`,
    ),
  giveRights: (account: string) =>
    advice(
      `Give ServiceAccount ${account} the missing right with a Role and a RoleBinding (if the message names no namespace: a ClusterRole and a ClusterRoleBinding). The plan then continues by itself.`,
    ),
  checkHubRights: (user: string) =>
    advice(
      `Grant the hub’s account ${user} the missing right; blocked work then continues by itself. List all missing rights, and the command that grants them, with the hub’s kubeconfig: flotilla clusters check --kubeconfig FILE`,
    ),

  createCatalogSource: (name: string) =>
    advice(
      `Correct spec.source and spec.sourceNamespace, or create CatalogSource ${name}. A Subscription sees only the CatalogSources of its own and of the global namespace.`,
    ),
  seeGlobalCatalogs: (namespace: string, group: string) =>
    advice(
      `Name a CatalogSource of the same namespace. Or include the global catalogs in the namespace: kubectl -n ${namespace} annotate operatorgroup ${group} ${EXCLUDE_GLOBAL}-`,
    ),
  validateBundleImage: (image: string) =>
    advice(
      `Publish a bundle image that the hub can pull. A private image needs spec.secrets in the CatalogSource. List the errors of the image: flotilla bundle validate ${shellWord(image)}`,
    ),
  explainSubscription: (namespace: string, name: string) =>
    advice(`flotilla explain subscription ${name} -n ${namespace}`),
  /** Advice for two Subscriptions of one package. */
  dropSecond: (namespace: string, name: string, kept: string) =>
    advice(
      `Keep Subscription ${kept} and delete ${name}, which manages no operator (no operator is deleted): kubectl -n ${namespace} delete subscription ${name}`,
    ),
  adoptOperator: (namespace: string, subscription: string, csv: string) =>
    advice(
      `To give the operator upgrades again, assign ClusterServiceVersion ${csv}, which has no Subscription, to Subscription ${subscription}: kubectl -n ${namespace} patch subscription ${subscription} --subresource=status --type merge -p ${shellWord(JSON.stringify({ status: { installedCSV: csv } }))}`,
    ),
  subscribeAnew: () =>
    advice(
      'If the ClusterServiceVersion was deleted, delete the Subscription and create it again. Otherwise wait for the ClusterServiceVersion.',
    ),
  installAgain: (namespace: string, plan: string) =>
    advice(
      `If the ClusterServiceVersion was deleted, or was a copy without an original, install it again: ${replanCommand({ name: plan, namespace })}`,
    ),
  dropSubscription: (namespace: string, name: string) =>
    advice(
      `If that operator is enough, delete the Subscription (no operator is deleted): kubectl -n ${namespace} delete subscription ${name}`,
    ),
  replaceCopies: (namespace: string, group: string) =>
    advice(
      `Otherwise allow plans of this namespace to replace copies: kubectl -n ${namespace} annotate operatorgroup ${group} ${REPLACE_COPIES_ANNOTATION}=true`,
    ),
  replanOverCopy: (namespace: string, plan: string) =>
    advice(`Then recreate the plan: ${replanCommand({ name: plan, namespace })}`),
  subscribeAfterCopy: () => advice('Then delete the Subscription and create it again.'),
  narrowOriginalGroup: (original: string) =>
    advice(
      `First narrow the OperatorGroup of namespace ${original}. Two operators must not provide the same API to one namespace: the new one would fail with InterOperatorGroupOwnerConflict.`,
    ),

  approve: (namespace: string, plan: string) => advice(`flotilla approve installplan ${plan} -n ${namespace}`),
  seeRollouts: (operator: string) =>
    advice(`List the rollouts of the operator, with the reason that each waits for: ${fleetStatus(operator)}`),
  isolateSubscriptions: (namespace: string, group: string) =>
    advice(
      `Or give each Subscription a plan of its own (Automatic ones then need no approval): kubectl -n ${namespace} annotate operatorgroup ${group} ${ISOLATION_ANNOTATION}=true`,
    ),
  planApart: (namespace: string, plan: string) =>
    advice(
      `Then delete the common plan, so that each Subscription gets a plan of its own: kubectl -n ${namespace} delete installplan ${plan}`,
    ),
  takeFromFleet: (namespace: string, subscription: string) =>
    advice(
      `If no fleet manages the Subscription any more, remove the annotations of the fleet: kubectl -n ${namespace} annotate subscription ${subscription} ${FLEET_MARKS.map((mark) => `${mark}-`).join(' ')}`,
    ),
  retryPlan: (namespace: string, plan: string) =>
    advice(
      `Correct the cause. The plan continues by itself within five minutes; to continue at once: flotilla retry installplan ${plan} -n ${namespace}`,
    ),
  replanCorrected: (namespace: string, plan: string) =>
    advice(
      `If the bundle is at fault, publish a corrected bundle in its catalog and recreate the plan: ${replanCommand({ name: plan, namespace })}`,
    ),
  replanForeign: (namespace: string, plan: string) =>
    advice(
      `Replace this plan by a plan of the hub for the same Subscriptions: ${replanCommand({ name: plan, namespace })}`,
    ),
  migrateStoredVersions: (namespace: string, group: string) =>
    advice(
      `To let the plan continue, allow Flotilla to rewrite the objects that are stored in that version: kubectl -n ${namespace} annotate operatorgroup ${group} ${MIGRATE_ANNOTATION}=true`,
    ),

  /** `labels`: labels of the Pods. Undefined if no single selector finds the Pods of all Deployments. */
  watchPods: (namespace: string, labels: string | undefined) =>
    advice(
      `Correct the cause that keeps the Deployments unavailable. See the reports of their Pods: kubectl -n ${namespace} describe pods${labels === undefined ? '' : ` -l ${shellWord(labels)}`}`,
    ),
  explainOriginal: (namespace: string, csv: string) => advice(`flotilla explain csv ${csv} -n ${namespace}`),
  allowUpgrade: (namespace: string, predecessor: string) =>
    advice(
      `Wait until the operator, or the administrator who set spec.overrides, allows the upgrade. Or override the condition, which can interrupt work that the operator protects: kubectl -n ${namespace} patch operatorcondition ${shellWord(predecessor)} --type merge -p '${ALLOWED}'`,
    ),
  installApi: (crd: string) =>
    advice(`Install the operator that provides the API ${crd}, or create its CustomResourceDefinition.`),
  inspectCrd: (crd: string) =>
    advice(`Check its owners, and that the API server serves it: kubectl get crd ${shellWord(crd)} -o yaml`),
  inspectApiService: (name: string) =>
    advice(`If the APIService exists, see why it is not available: kubectl get apiservice ${shellWord(name)} -o yaml`),
  createOperatorAccount: (namespace: string, name: string) =>
    advice(
      `The InstallPlan creates ServiceAccount ${name}. If the account was deleted, create it again: kubectl -n ${namespace} create serviceaccount ${shellWord(name)}`,
    ),
  executeAgain: (namespace: string, plan: string) =>
    advice(
      `If the account was deleted, or its rights were changed, execute the plan again to restore them: flotilla retry installplan ${plan} -n ${namespace}`,
    ),
  giveOperatorRights: (name: string) =>
    advice(
      `Give ServiceAccount ${name} the rules named above, with a Role and a RoleBinding. The InstallPlan of the operator contains them.`,
    ),
  upgradeKubernetes: () =>
    advice('Upgrade the cluster, or install a version of the operator for this version of Kubernetes, as follows.'),
  serveNativeApi: (kind: string, group: string) =>
    advice(
      `Install the provider of kind ${kind} of API group ${group}, or upgrade the cluster. List the kinds that the API server serves: kubectl api-resources --api-group=${shellWord(group)}`,
    ),
  changeTargets: () =>
    advice(
      'Change the targets of the OperatorGroup to an install mode that the operator supports (spec.installModes).',
    ),
  separateProviders: () =>
    advice(
      'Another operator provides the same API to the same namespaces. Narrow an OperatorGroup, or uninstall one of the two operators: delete its Subscription and its ClusterServiceVersion. This deletes its Deployments and keeps its custom resources.',
    ),
  addStaticApis: () =>
    advice(
      'The OperatorGroup has staticProvidedAPIs: add the APIs to its annotation olm.providedAPIs, or unset staticProvidedAPIs.',
    ),
  /** `rival`: the ClusterServiceVersion that owns the API. Undefined if it is not known. */
  removeRival: (rival: string | undefined) =>
    advice(
      `${rival === undefined ? 'Another operator' : `ClusterServiceVersion ${rival}`} of this namespace owns the same API. Uninstall one of the two: delete its Subscription and its ClusterServiceVersion. This deletes its Deployments and keeps its custom resources.`,
    ),
  /** `packageName` has no channel with the requested name; `channel` is the one to request. */
  setChannel: (subscription: Readonly<{ namespace: string; name: string }>, packageName: string, channel: string) =>
    advice(
      `Package ${packageName} has no such channel. Request channel ${channel}: kubectl -n ${shellWord(subscription.namespace)} patch subscription ${shellWord(subscription.name)} --type merge -p ${shellWord(JSON.stringify({ spec: { channel } }))}`,
    ),
  replaceBundle: (namespace: string, csv: string) =>
    advice(
      `Publish a corrected version in the catalog, then delete this ClusterServiceVersion and its Deployments: kubectl -n ${namespace} delete csv ${csv}`,
    ),
  subscribeAfterCorrection: () => advice('Then delete its Subscription and create it again.'),
  replanBundle: (namespace: string, plan: string) =>
    advice(`Then install it from the corrected catalog: ${replanCommand({ name: plan, namespace })}`),
  correctRefusal: () =>
    advice('Correct the object that the API server refuses, as named above. The installation is retried by itself.'),
  /** A webhook that does not answer stops a write. */
  wakeWebhook: (namespace: string, service: string) =>
    advice(
      `Service ${namespace}/${service}, the target of the webhook, does not answer. Blocked writes continue by themselves once it answers. See why it does not: kubectl -n ${shellWord(namespace)} describe service ${shellWord(service)}`,
    ),
  inspectWebhook: (resource: string, name: string) =>
    advice(
      `Nothing answers at the address of the webhook. Blocked writes continue by themselves once a server answers. See the address: kubectl get ${resource} ${shellWord(name)} -o yaml`,
    ),
  /** Advice for a webhook of an operator. The install of the operator creates the webhook again. */
  deleteWebhook: (resource: string, name: string, owner: string) =>
    advice(
      `Or, if the webhook blocks ${owner} itself, delete the configuration, which the install of its operator recreates: kubectl delete ${resource} ${shellWord(name)}`,
    ),
  correctObject: (crd: string, namespace: string, name: string) =>
    advice(
      `To let the plan continue, correct or delete the object that the new schema refuses: kubectl${namespace === '' ? '' : ` -n ${shellWord(namespace)}`} edit ${shellWord(crd)} ${shellWord(name)}`,
    ),
  retryForbidden: (namespace: string, group: string) =>
    advice(
      `Grant the missing right that is named above. Then change the OperatorGroup, so that the installation is retried: kubectl -n ${namespace} annotate operatorgroup ${group} --overwrite ${RETRIED_ANNOTATION}="$(date +%s)"`,
    ),

  correctExtensionConfig: () =>
    advice('Correct the named field of spec.config. Remove fields that the bundle does not know.'),
  setWatchNamespace: (namespace: string) =>
    advice(
      `Set spec.config.inline.watchNamespace (configType Inline) to the namespace that the operator watches: ${namespace} if it supports OwnNamespace, another namespace if it supports SingleNamespace.`,
    ),
  /** `isOnly`: the API server takes no configuration without a field. */
  removeWatchNamespace: (extension: string, isOnly: boolean) =>
    advice(
      `The bundle watches all namespaces, without a choice. Remove ${isOnly ? 'the configuration' : 'the field'}: kubectl patch clusterextension ${extension} --type merge -p '${isOnly ? WITHOUT_CONFIG : WATCHES_ALL}'`,
    ),
  chooseBundle: () =>
    advice(
      'The bundle is at fault; its author must correct it. Until then request another version in spec.source.catalog.version.',
    ),
  addPackage: (packageName: string) =>
    advice(`Add a ClusterCatalog with package ${packageName} that the selector of the extension matches.`),
  renamePackage: (extension: string) =>
    advice(
      `If the package name is wrong, delete the ClusterExtension, which has nothing installed, and create it with the right name (packageName cannot be changed): kubectl delete clusterextension ${extension}`,
    ),
  correctRollout: () =>
    advice(
      'Correct the cause that keeps the named object from being ready. The rollout then continues by itself. A newer bundle replaces this one.',
    ),
  correctExtensionSpec: () =>
    advice('Correct the named error in the spec or in the catalog. There is no retry before a change.'),
  correctExtensionCause: () => advice('Correct the named cause. The ClusterExtension is retried by itself.'),
  correctClusterCatalog: () =>
    advice(
      'Correct the image of the ClusterCatalog. Or resolve without this catalog: set its spec.availabilityMode to Unavailable.',
    ),
  makeCatalogAvailable: (name: string) =>
    advice(
      `ClusterCatalog ${name} is switched off by spec.availabilityMode. To resolve ClusterExtensions from it: kubectl patch clustercatalog ${name} --type merge -p '${AVAILABLE}'`,
    ),
  createNamespace: (name: string) =>
    advice(
      `To let the installation continue, create the namespace of the ClusterExtension: kubectl create namespace ${shellWord(name)}`,
    ),
  allowEarlierVersion: (extension: string) =>
    advice(
      `To go back to that version, allow bundles that the catalog does not offer as an update: kubectl patch clusterextension ${extension} --type merge -p '${SELF_CERTIFIED}'`,
    ),
  holdAtRevision: (extension: string, revision: number) =>
    advice(
      `Or hold the ClusterExtension at revision ${revision}, which has that version, until you remove the annotation: kubectl annotate clusterextension ${extension} ${ROLLBACK_KEY}=${revision}`,
    ),
  endRollback: (extension: string) =>
    advice(
      `Name an existing revision, or end the rollback: kubectl annotate clusterextension ${extension} ${ROLLBACK_KEY}-`,
    ),
  saveBeforeChange: (crd: string) =>
    advice(
      `First save the objects of that kind: kubectl get ${shellWord(crd)} -A -o yaml > ${shellWord(`${crd}.yaml`)}`,
    ),
  allowCrdChange: (extension: string) =>
    advice(
      `Then, if the fields named above may be lost, allow the change (the API server drops fields that are missing from the new schema when it writes an object): kubectl patch clusterextension ${extension} --type merge -p '${ENFORCE_NOTHING}'`,
    ),
  explainExtension: (name: string) => advice(`flotilla explain extension ${name}`),
  keepOwner: (extension: string) =>
    advice(
      `To keep the existing objects, delete the ClusterExtension, which has rolled out no revision: kubectl delete clusterextension ${extension}`,
    ),
  saveObjects: (crd: string) =>
    advice(
      `To give the CRD to the ClusterExtension, first save the objects of that kind: kubectl get ${shellWord(crd)} -A -o yaml > ${shellWord(`${crd}.yaml`)}`,
    ),
  uninstallOwner: (namespace: string, csv: string) =>
    advice(
      `Then uninstall the operator: delete the Subscription with status.installedCSV ${csv}, then the ClusterServiceVersion, which deletes its Deployments: kubectl -n ${namespace} delete csv ${csv}`,
    ),
  deleteCrd: (crd: string) =>
    advice(
      `Then delete the CustomResourceDefinition, which deletes EVERY object of that kind in all namespaces, so that the ClusterExtension can continue: kubectl delete crd ${shellWord(crd)}`,
    ),
  deleteInTheWay: (resource: string, name: string, namespace: string | undefined) =>
    advice(
      `If nothing uses ${resource} ${name} any more, delete it, so that the ClusterExtension can continue: kubectl${namespace === undefined ? '' : ` -n ${namespace}`} delete ${shellWord(resource)} ${shellWord(name)}`,
    ),
} as const;

/**
 * Annotation of an OperatorGroup, as `explain` advises. Any change of the group counts; nothing reads the
 * value.
 */
const RETRIED_ANNOTATION = 'flotilla.dev/retried-at';

const ALLOWED = JSON.stringify({
  spec: {
    overrides: [
      { type: 'Upgradeable', status: 'True', reason: 'AllowedByAdministrator', message: 'the upgrade is allowed' },
    ],
  },
});

const AVAILABLE = JSON.stringify({ spec: { availabilityMode: 'Available' } });
const WITHOUT_CONFIG = JSON.stringify({ spec: { config: null } });
const WATCHES_ALL = JSON.stringify({ spec: { config: { inline: { watchNamespace: null } } } });
const SELF_CERTIFIED = JSON.stringify({ spec: { source: { catalog: { upgradeConstraintPolicy: 'SelfCertified' } } } });
const ENFORCE_NOTHING = JSON.stringify({
  spec: { install: { preflight: { crdUpgradeSafety: { enforcement: 'None' } } } },
});
