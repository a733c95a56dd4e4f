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
  checkHub: () => advice('See that the hub runs and manages this cluster: flotilla status'),

  correctCatalogSpec: () => advice('Correct the spec of the CatalogSource.'),
  correctImageTemplate: (annotation: string) =>
    advice(`Correct annotation ${annotation}, or set spec.image, which counts while the template gives no image.`),
  enableDefaultSource: () =>
    advice('Enable it in spec.sources of OperatorHub cluster, if it is wanted; the hub reads that within 15 minutes.'),
  validateCatalogImage: (image: string) =>
    advice(
      `Correct spec.image, or publish a corrected image; see what is wrong with it: flotilla catalog validate ${shellWord(image)}`,
    ),
  /**
   * Advice for an image that ended its thread. `namespace`: that of a CatalogSource. A ClusterCatalog has
   * none.
   */
  retryCatalog: (name: string, namespace?: string) =>
    advice(
      `Push another image, smaller or with fewer files. Or have this one read once more, such as after a restart with other bounds: ${retryCommand(name, namespace)}`,
    ),
  /** Advice for an address that the hub's own policy refuses. */
  allowAddress: (host: string) =>
    advice(
      `Nothing is wrong with what is named: the hub is not set to reach the address of ${host}. If it may (link-local addresses never may), restart the hub with FLOTILLA_OUTBOUND_ADDRESSES=public,private,loopback`,
    ),
  allowHost: (setting: string, host: string) =>
    advice(
      `Nothing is wrong with what is named: the hub is not set to ask ${host}. If it may, add it to setting ${setting} of the hub, and restart it.`,
    ),
  signContent: (scope: string) =>
    advice(
      `Ask the publisher to sign this digest, or name who signs it in rule ${scope} of FLOTILLA_SIGNATURE_POLICY_FILE and restart the hub; without a restart it is tried again by itself. See its signatures: cosign tree IMAGE`,
    ),
  correctSignaturePolicy: () =>
    advice(
      'Nothing is wrong with what is named: correct the file of setting FLOTILLA_SIGNATURE_POLICY_FILE as the log of the hub says, and restart the hub.',
    ),
  /** A registry that does not answer, or not now. */
  reachRegistry: (host: string) =>
    advice(
      `The image need not be at fault: see that the hub reaches registry ${host}, as the message says (name, network, proxy, certificate, quota); it is tried again by itself.`,
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
  startRegistryServer: (address: string) =>
    advice(`See that a registry server answers at ${address}, as the hub reaches it.`),
  correctConfigMap: (namespace: string, name: string) => advice(`Correct ConfigMap ${name} in namespace ${namespace}.`),
  deleteCatalogSource: (namespace: string, name: string) =>
    advice(
      `Or delete CatalogSource ${name}; then nothing is resolved from it, and it blocks nothing: kubectl -n ${namespace} delete catalogsource ${name}`,
    ),

  createGroup: (namespace: string) =>
    advice(`Create an OperatorGroup in namespace ${namespace} that says which namespaces its operators watch.`),
  keepOneGroup: (namespace: string) =>
    advice(
      `Keep one OperatorGroup of namespace ${namespace} and delete the others; this deletes no operator: kubectl -n ${namespace} delete operatorgroup NAME`,
    ),
  createServiceAccount: (namespace: string, name: string) =>
    advice(
      `Create the ServiceAccount and give it the rights that the operator’s objects need: kubectl -n ${namespace} create serviceaccount ${shellWord(name)}`,
    ),
  giveRights: (account: string) =>
    advice(
      `Give ServiceAccount ${account} the right that is named, with a Role and a RoleBinding (a ClusterRole and a ClusterRoleBinding where no namespace is named); the plan then goes on by itself.`,
    ),
  checkHubRights: (user: string) =>
    advice(
      `Grant the hub’s account ${user} the right that is named; what waits for it then goes on by itself. See what else it lacks, and the command that grants all of it, with the hub’s kubeconfig: flotilla clusters check --kubeconfig FILE`,
    ),

  createCatalogSource: (name: string) =>
    advice(
      `Correct spec.source and spec.sourceNamespace, or create CatalogSource ${name}; others than those of its own and of the global namespace are not seen.`,
    ),
  seeGlobalCatalogs: (namespace: string, group: string) =>
    advice(
      `Name a CatalogSource of the same namespace; or let the namespace see the global catalogs: kubectl -n ${namespace} annotate operatorgroup ${group} ${EXCLUDE_GLOBAL}-`,
    ),
  validateBundleImage: (image: string) =>
    advice(
      `Publish an image that can be pulled and is a bundle; a private one needs spec.secrets at the CatalogSource. See what is wrong with it: flotilla bundle validate ${shellWord(image)}`,
    ),
  explainSubscription: (namespace: string, name: string) =>
    advice(`flotilla explain subscription ${name} -n ${namespace}`),
  /** Advice for two Subscriptions of one package. */
  dropSecond: (namespace: string, name: string, kept: string) =>
    advice(
      `Keep Subscription ${kept} and delete ${name}, which holds no operator; this deletes no operator: kubectl -n ${namespace} delete subscription ${name}`,
    ),
  adoptOperator: (namespace: string, subscription: string, csv: string) =>
    advice(
      `Let Subscription ${subscription} hold ClusterServiceVersion ${csv}, which no Subscription holds; it then gets upgrades again: kubectl -n ${namespace} patch subscription ${subscription} --subresource=status --type merge -p ${shellWord(JSON.stringify({ status: { installedCSV: csv } }))}`,
    ),
  subscribeAnew: () =>
    advice('Delete the Subscription and create it anew, if the ClusterServiceVersion was deleted; else wait for it.'),
  installAgain: (namespace: string, plan: string) =>
    advice(
      `If it was deleted, or was a copy whose original is gone, have it installed: ${replanCommand({ name: plan, namespace })}`,
    ),
  dropSubscription: (namespace: string, name: string) =>
    advice(
      `If that operator is enough, delete the Subscription; this deletes no operator: kubectl -n ${namespace} delete subscription ${name}`,
    ),
  replaceCopies: (namespace: string, group: string) =>
    advice(
      `Otherwise let plans of this namespace replace copies: kubectl -n ${namespace} annotate operatorgroup ${group} ${REPLACE_COPIES_ANNOTATION}=true`,
    ),
  replanOverCopy: (namespace: string, plan: string) =>
    advice(`Then have the plan made anew: ${replanCommand({ name: plan, namespace })}`),
  subscribeAfterCopy: () => advice('Then delete the Subscription and create it anew.'),
  narrowOriginalGroup: (original: string) =>
    advice(
      `Two operators may not provide the same API to the same namespace: narrow the OperatorGroup of namespace ${original} first, or the new one fails with InterOperatorGroupOwnerConflict.`,
    ),

  approve: (namespace: string, plan: string) => advice(`flotilla approve installplan ${plan} -n ${namespace}`),
  seeRollouts: (operator: string) =>
    advice(`See which roll-out decides, and what it waits for: ${fleetStatus(operator)}`),
  isolateSubscriptions: (namespace: string, group: string) =>
    advice(
      `Or have each Subscription planned by itself, Automatic ones without approval: kubectl -n ${namespace} annotate operatorgroup ${group} ${ISOLATION_ANNOTATION}=true`,
    ),
  planApart: (namespace: string, plan: string) =>
    advice(
      `Then delete the plan that waits for all of them; each gets one of its own: kubectl -n ${namespace} delete installplan ${plan}`,
    ),
  takeFromFleet: (namespace: string, subscription: string) =>
    advice(
      `Where the fleet does not work it any more, remove what it left there: kubectl -n ${namespace} annotate subscription ${subscription} ${FLEET_MARKS.map((mark) => `${mark}-`).join(' ')}`,
    ),
  retryPlan: (namespace: string, plan: string) =>
    advice(
      `Correct the cause; the plan then goes on by itself within five minutes, or at once: flotilla retry installplan ${plan} -n ${namespace}`,
    ),
  replanCorrected: (namespace: string, plan: string) =>
    advice(
      `Where the bundle is at fault, publish a corrected bundle in its catalog, then have the plan made anew: ${replanCommand({ name: plan, namespace })}`,
    ),
  replanForeign: (namespace: string, plan: string) =>
    advice(
      `Have the hub make a plan of its own for the Subscriptions in place of this one: ${replanCommand({ name: plan, namespace })}`,
    ),
  migrateStoredVersions: (namespace: string, group: string) =>
    advice(
      `Let Flotilla rewrite the objects that are stored in that version; the plan then goes on by itself: kubectl -n ${namespace} annotate operatorgroup ${group} ${MIGRATE_ANNOTATION}=true`,
    ),

  /** `labels`: labels of the Pods. Undefined if no single selector finds the Pods of all Deployments. */
  watchPods: (namespace: string, labels: string | undefined) =>
    advice(
      `Correct what keeps its Deployments from being available; see what their Pods report: kubectl -n ${namespace} describe pods${labels === undefined ? '' : ` -l ${shellWord(labels)}`}`,
    ),
  explainOriginal: (namespace: string, csv: string) => advice(`flotilla explain csv ${csv} -n ${namespace}`),
  allowUpgrade: (namespace: string, predecessor: string) =>
    advice(
      `Wait until the operator, or the administrator who set spec.overrides, allows the upgrade. Or overrule it, which can interrupt what the operator protects: kubectl -n ${namespace} patch operatorcondition ${shellWord(predecessor)} --type merge -p '${ALLOWED}'`,
    ),
  installApi: (crd: string) =>
    advice(`Install the operator that brings the API ${crd}, or create its CustomResourceDefinition.`),
  inspectCrd: (crd: string) =>
    advice(
      `See which operators own it, and whether the API server serves it: kubectl get crd ${shellWord(crd)} -o yaml`,
    ),
  inspectApiService: (name: string) =>
    advice(`Where it is there, see why it is not available: kubectl get apiservice ${shellWord(name)} -o yaml`),
  createOperatorAccount: (namespace: string, name: string) =>
    advice(
      `The InstallPlan brings ServiceAccount ${name}; if it was deleted, create it anew: kubectl -n ${namespace} create serviceaccount ${shellWord(name)}`,
    ),
  executeAgain: (namespace: string, plan: string) =>
    advice(
      `If it was deleted, or rights were changed that the InstallPlan gave, have the plan make again what is gone: flotilla retry installplan ${plan} -n ${namespace}`,
    ),
  giveOperatorRights: (name: string) =>
    advice(
      `Give ServiceAccount ${name} the rules named above, with a Role and a RoleBinding; the InstallPlan of the operator brings them.`,
    ),
  upgradeKubernetes: () =>
    advice('Upgrade the cluster; or have a version of the operator for this version of Kubernetes, as follows.'),
  serveNativeApi: (kind: string, group: string) =>
    advice(
      `Install what brings kind ${kind} of API group ${group}, or upgrade the cluster; see what the API server serves: kubectl api-resources --api-group=${shellWord(group)}`,
    ),
  changeTargets: () =>
    advice(
      'Change what the OperatorGroup targets to one of the install modes that the operator supports (spec.installModes).',
    ),
  separateProviders: () =>
    advice(
      'Another operator provides the same API to the same namespaces: narrow an OperatorGroup, or uninstall one of the two: delete its Subscription and its ClusterServiceVersion, which deletes its Deployments and keeps its custom resources.',
    ),
  addStaticApis: () =>
    advice('The OperatorGroup has staticProvidedAPIs: add the APIs to its annotation olm.providedAPIs, or unset it.'),
  removeRival: () =>
    advice(
      'Another operator of this namespace owns the same API: uninstall one of the two: delete its Subscription and its ClusterServiceVersion, which deletes its Deployments and keeps its custom resources.',
    ),
  replaceBundle: (namespace: string, csv: string) =>
    advice(
      `Publish a corrected version in the catalog, then delete this ClusterServiceVersion and the Deployments that it has: kubectl -n ${namespace} delete csv ${csv}`,
    ),
  subscribeAfterCorrection: () => advice('Then delete its Subscription, and create it anew.'),
  replanBundle: (namespace: string, plan: string) =>
    advice(`Then have it installed from the corrected catalog: ${replanCommand({ name: plan, namespace })}`),
  correctRefusal: () =>
    advice('Correct what the API server refuses, which is named above; the installation is tried again by itself.'),
  /** A webhook that does not answer stops a write. */
  wakeWebhook: (namespace: string, service: string) =>
    advice(
      `See why service ${namespace}/${service}, which the webhook calls, does not answer, and correct that; what it stops then goes on by itself: kubectl -n ${shellWord(namespace)} describe service ${shellWord(service)}`,
    ),
  inspectWebhook: (resource: string, name: string) =>
    advice(
      `See where the API server calls the webhook, and why nothing answers there; what it stops then goes on by itself: kubectl get ${resource} ${shellWord(name)} -o yaml`,
    ),
  /** Advice for a webhook of an operator. The install of the operator creates the webhook again. */
  deleteWebhook: (resource: string, name: string, owner: string) =>
    advice(
      `Or, if it is in the way of ${owner} itself, delete the configuration; the install of its operator makes it again: kubectl delete ${resource} ${shellWord(name)}`,
    ),
  correctObject: (crd: string, namespace: string, name: string) =>
    advice(
      `Correct the object that the new schema refuses, or delete it; the plan then goes on by itself: kubectl${namespace === '' ? '' : ` -n ${shellWord(namespace)}`} edit ${shellWord(crd)} ${shellWord(name)}`,
    ),
  retryForbidden: (namespace: string, group: string) =>
    advice(
      `Correct what is forbidden, which is named above; it is tried again when the OperatorGroup changes: kubectl -n ${namespace} annotate operatorgroup ${group} --overwrite ${RETRIED_ANNOTATION}="$(date +%s)"`,
    ),

  correctExtensionConfig: () =>
    advice('Correct the field of spec.config that is named; configuration which the bundle does not know has to go.'),
  setWatchNamespace: (namespace: string) =>
    advice(
      `Set spec.config.inline.watchNamespace (configType Inline) to the namespace that the operator watches: ${namespace} where it supports OwnNamespace, another one where it supports SingleNamespace.`,
    ),
  /** `isOnly`: the API server takes no configuration without a field. */
  removeWatchNamespace: (extension: string, isOnly: boolean) =>
    advice(
      `The bundle watches all namespaces and has nothing to choose; remove ${isOnly ? 'the configuration' : 'the field'}: kubectl patch clusterextension ${extension} --type merge -p '${isOnly ? WITHOUT_CONFIG : WATCHES_ALL}'`,
    ),
  chooseBundle: () =>
    advice(
      'The bundle is at fault, which its author has to correct; until then ask for another version in spec.source.catalog.version.',
    ),
  addPackage: (packageName: string) =>
    advice(`Add a ClusterCatalog that has package ${packageName}, or one that the selector of the extension takes.`),
  renamePackage: (extension: string) =>
    advice(
      `If the name is wrong, create the ClusterExtension again with the right one: packageName cannot be changed, and nothing is installed: kubectl delete clusterextension ${extension}`,
    ),
  correctRollout: () =>
    advice(
      'Correct what keeps the object that is named from being ready; the roll-out then goes on by itself, and a newer bundle is taken when there is one.',
    ),
  correctExtensionSpec: () =>
    advice('Correct what is named, in its spec or in its catalog; it is not tried again as it is.'),
  correctExtensionCause: () => advice('Correct what is named; it is tried again by itself.'),
  correctClusterCatalog: () =>
    advice(
      'Correct its image; or let resolution go on without it: set spec.availabilityMode of the ClusterCatalog to Unavailable.',
    ),
  makeCatalogAvailable: (name: string) =>
    advice(
      `ClusterCatalog ${name} is switched off by spec.availabilityMode; to have ClusterExtensions resolved from it: kubectl patch clustercatalog ${name} --type merge -p '${AVAILABLE}'`,
    ),
  createNamespace: (name: string) =>
    advice(
      `Create the namespace of the ClusterExtension, which then goes on by itself: kubectl create namespace ${shellWord(name)}`,
    ),
  allowEarlierVersion: (extension: string) =>
    advice(
      `To go back to that version, let resolution take a bundle that the catalog does not offer as an update: kubectl patch clusterextension ${extension} --type merge -p '${SELF_CERTIFIED}'`,
    ),
  holdAtRevision: (extension: string, revision: number) =>
    advice(
      `Or hold it at the content of revision ${revision}, which is of that version, until the annotation is removed: kubectl annotate clusterextension ${extension} ${ROLLBACK_KEY}=${revision}`,
    ),
  endRollback: (extension: string) =>
    advice(
      `Name a revision that is kept, or end the rollback: kubectl annotate clusterextension ${extension} ${ROLLBACK_KEY}-`,
    ),
  saveBeforeChange: (crd: string) =>
    advice(
      `First save the objects of that kind: kubectl get ${shellWord(crd)} -A -o yaml > ${shellWord(`${crd}.yaml`)}`,
    ),
  allowCrdChange: (extension: string) =>
    advice(
      `Then, if what is named above may be lost, allow the change; the API server drops fields that the new schema lacks when it writes an object: kubectl patch clusterextension ${extension} --type merge -p '${ENFORCE_NOTHING}'`,
    ),
  explainExtension: (name: string) => advice(`flotilla explain extension ${name}`),
  keepOwner: (extension: string) =>
    advice(
      `To keep what is there, delete the ClusterExtension, of which no revision has rolled out: kubectl delete clusterextension ${extension}`,
    ),
  saveObjects: (crd: string) =>
    advice(
      `To let the ClusterExtension have it, first save its objects: kubectl get ${shellWord(crd)} -A -o yaml > ${shellWord(`${crd}.yaml`)}`,
    ),
  uninstallOwner: (namespace: string, csv: string) =>
    advice(
      `Then uninstall the operator: delete the Subscription whose status.installedCSV is ${csv}, and its ClusterServiceVersion, which deletes its Deployments: kubectl -n ${namespace} delete csv ${csv}`,
    ),
  deleteCrd: (crd: string) =>
    advice(
      `Then delete the CustomResourceDefinition, which deletes EVERY object of that kind in all namespaces; the ClusterExtension then goes on by itself: kubectl delete crd ${shellWord(crd)}`,
    ),
  deleteInTheWay: (resource: string, name: string, namespace: string | undefined) =>
    advice(
      `If nothing uses ${resource} ${name} any more, delete it; the ClusterExtension then goes on by itself: kubectl${namespace === undefined ? '' : ` -n ${namespace}`} delete ${shellWord(resource)} ${shellWord(name)}`,
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
