import { NOTIFICATION_FIELDS } from './notification-fields.js';
import { STRATEGY_FIELDS } from './strategy-fields.js';

type Descriptions = Readonly<Record<string, string>>;

const FleetCluster: Descriptions = {
  '': 'A managed cluster of the fleet: its labels, and the login of the hub.',
  spec: 'Desired membership of the cluster.',
  'spec.access': 'Login of the hub. Exactly one of `secretRef` and `context` is needed.',
  'spec.access.secretRef':
    'Names a Secret of type `fleet.flotilla.dev/kubeconfig`. Its key `kubeconfig` holds a kubeconfig with one context. With `format` it is a Secret of another tool.',
  'secretRef.name': 'Name of the Secret.',
  'secretRef.namespace':
    'Namespace of the Secret. Poller and applier need the right to read Secrets there. Default: the namespace of the hub.',
  'secretRef.format':
    'Tool that wrote the Secret: ArgoCD (a cluster Secret), ClusterAPI or Rancher (a kubeconfig in key `value`). The hub reads such a Secret and never writes it.',
  'spec.access.observeSecretRef': 'Names a Secret with a weaker login for the poller. Default: `secretRef`.',
  'observeSecretRef.name': 'Name of the Secret.',
  'observeSecretRef.namespace': 'Namespace of the Secret. Default: the namespace of the hub.',
  'observeSecretRef.format': 'Tool that wrote the Secret: ArgoCD, ClusterAPI or Rancher.',
  'spec.access.context': 'Name of a context in the kubeconfig files of the hub.',
  'spec.uid':
    'UID of namespace `kube-system` of the cluster. If another cluster answers, the hub writes nothing there. It cannot change once it is set. Default: the first UID that the hub sees.',
  'spec.paused': 'If true, the hub starts nothing in this cluster. A change that is under way is finished.',
  'spec.globalCatalogNamespace':
    'Namespace whose CatalogSources all namespaces of the cluster may use. Default: the setting of the hub (`olm`).',
  'spec.allowedNamespaces':
    'Namespaces of the hub whose FleetOperators and FleetCatalogs may select this cluster. Default: all.',
  status: 'Observed state of the cluster, written by the poller and the applier.',
  'status.uid': 'UID of namespace `kube-system` of the cluster.',
  'status.version': 'Version of the API server.',
  'status.credentialsExpireAt': 'Time at which the login of the hub expires.',
  'status.credentialsRenewedFrom': 'Time from which the hub renews its login. Absent if the hub does not renew it.',
  'status.lastAnswerAt':
    'Time of the last answer of a cluster that is silent now. The time of `offlineGrace` runs from here.',
  'status.facts': 'Facts about the cluster, for `expression` of selectors.',
  'status.facts.distribution': 'Distribution of Kubernetes, such as `openshift`.',
  'status.facts.arches': 'Architectures of the nodes.',
  'status.facts.nodes': 'Number of nodes.',
  'status.facts.provider': 'Cloud provider of most nodes.',
  'status.facts.claims': 'Claims of the owner, from ConfigMap `flotilla-system/cluster-claims` of the cluster.',
  'status.operators': 'Number of installed operators: Subscriptions and ClusterExtensions.',
  'status.missingRights': 'Rights that the logins of the hub do not have in the cluster.',
  'status.missingRights.poller': 'Missing rules of ClusterRole `flotilla:observe`.',
  'status.missingRights.applier': 'Missing rules of ClusterRole `flotilla:apply`.',
};

const FleetClusterSource: Descriptions = {
  '': 'Clusters that another tool knows, kept in step as FleetClusters by the poller.',
  spec: 'Tool and clusters to follow.',
  'spec.from':
    'Tool that knows the clusters: ArgoCD (cluster Secrets), ClusterAPI (Clusters), Rancher (Clusters of provisioning.cattle.io) or OCM (ManagedClusters, without logins). It cannot change.',
  'spec.namespace':
    'Namespace of the objects of the tool, in the API server of the hub. OCM has none, every other tool needs it. It cannot change.',
  'spec.selector': 'Selects objects of the tool by their labels. Default: all.',
  'spec.namePrefix': 'Text before the name of each FleetCluster, with a `-` between. Default: none.',
  'spec.paused': 'If true, the poller writes no FleetCluster and reports nothing new.',
  status: 'Observed state, written by the poller.',
  'status.observedGeneration': 'Generation of the object that the status is about.',
  'status.clusters': 'Number of FleetClusters that are in step.',
  'status.refused': 'Objects that are not taken, with the reason. At most 50 are listed.',
  'status.refused[].object': 'Object of the tool.',
  'status.refused[].message': 'Reason why it is not taken, and what to do.',
  'status.refusedCount': 'Number of objects that are not taken.',
  'status.left': 'FleetClusters that the tool has no more. They stay until people delete them. At most 50 are listed.',
  'status.left[].cluster': 'Name of the FleetCluster.',
  'status.left[].since': 'Time at which the poller noticed it.',
  'status.leftCount': 'Number of FleetClusters that the tool has no more.',
  'status.role':
    'Role and RoleBinding that the poller and the applier need to read the objects, as YAML. It is there while a right is missing.',
};

const FleetCatalog: Descriptions = {
  '': 'A catalog image that clusters receive by digest.',
  spec: 'Desired catalog.',
  'spec.image': 'Image of a file-based catalog. With a digest it is pinned; with a tag the hub polls the registry.',
  'spec.pollInterval': 'Time between two polls of the tag, as a Go duration of at least 1m.',
  'spec.catalogSource':
    'CatalogSource (OLM Classic) that the hub writes in the clusters. At least one of `catalogSource` and `clusterCatalog` is needed.',
  'spec.catalogSource.name': 'Name of the CatalogSource.',
  'spec.catalogSource.namespace':
    'Namespace of the CatalogSource. Default: the global catalog namespace of each cluster.',
  'spec.catalogSource.priority': 'Priority among the catalogs of a cluster. The highest is preferred.',
  'spec.catalogSource.displayName': 'Name of the catalog for people.',
  'spec.catalogSource.secrets': 'Pull Secrets in the namespace of the CatalogSource.',
  'spec.clusterCatalog': 'ClusterCatalog (OLM v1) that the hub writes in the clusters.',
  'spec.clusterCatalog.name': 'Name of the ClusterCatalog.',
  'spec.clusterCatalog.priority': 'Priority among the catalogs of a cluster. The highest is preferred.',
  'spec.paused': 'If true, no new rollout of the catalog starts, and a running one is paused.',
  'spec.promotion':
    'WithOperators: a cluster receives the newest digest with the rollout of an operator that needs it. Staged: the digest has rollouts of its own; it needs `strategyRef` and `catalogSource`.',
  'spec.adopt':
    'If true, the hub takes over a CatalogSource or ClusterCatalog of this name. If false, such an object is a Conflict.',
  status: 'Observed state, written by the poller and the fleet controller.',
  'status.clusters': 'Number of clusters that must have the catalog.',
  'status.digests': 'Number of clusters for each digest of the content.',
  'status.digests[].digest': 'Digest of the content.',
  'status.digests[].clusters': 'Number of clusters that have it.',
  'status.current': 'Digest of the image at the last poll.',
  'status.revisions': 'Newest digests of the image, the last one last.',
  'status.revisions[].digest': 'Digest of the image.',
  'status.revisions[].seenAt': 'Time at which the poller first saw the digest.',
  'status.revisions[].packages': 'Number of packages in the catalog.',
};

const FleetOperator: Descriptions = {
  '': 'An operator that the fleet installs and upgrades in the selected clusters.',
  spec: 'Desired operator.',
  'spec.package': 'Name of the package in the catalog. It cannot change.',
  'spec.namespace': 'Namespace of the operator in the clusters. It cannot change.',
  'spec.api': 'Classic: the hub writes a Subscription. V1: it writes a ClusterExtension. It cannot change.',
  'spec.catalog': 'Catalog of the package: either `fleetCatalog`, or the `name` of a catalog in the clusters.',
  'spec.catalog.fleetCatalog': 'Name of a FleetCatalog of the same namespace.',
  'spec.catalog.name': 'Name of a CatalogSource or ClusterCatalog that the clusters have already.',
  'spec.catalog.namespace': 'Namespace of that CatalogSource. Default: the global catalog namespace of each cluster.',
  'spec.classic': 'Fields for `api: Classic`.',
  'spec.classic.channel': 'Channel of the package. Default: the default channel of the catalog.',
  'spec.classic.config': 'Field `spec.config` of the Subscription: environment, resources, node selector and others.',
  'spec.classic.operatorGroup': 'OperatorGroup of the namespace.',
  'spec.classic.operatorGroup.manage':
    'Create: the hub makes the group. Adopt: it takes over the group of the namespace. Use: it changes nothing of that group.',
  'spec.classic.operatorGroup.targetNamespaces': 'Namespaces that the operator watches. Default: all namespaces.',
  'spec.classic.operatorGroup.serviceAccountName': 'ServiceAccount whose rights bound the installation.',
  'spec.v1': 'Fields for `api: V1`.',
  'spec.v1.channels': 'Channels of the package. Default: all.',
  'spec.v1.serviceAccountName': 'ServiceAccount that the installation impersonates. Default: the login of the applier.',
  'spec.v1.config': 'Field `spec.config` of the ClusterExtension.',
  'spec.v1.upgradeConstraintPolicy':
    'CatalogProvided: follow the upgrade edges of the catalog. SelfCertified: any version of the range.',
  'spec.versions': 'Versions that clusters may have.',
  'spec.versions.range':
    'Range of versions, in the syntax of the API. A range of one version pins it. Example: `>=2.3.0 <3.0.0`. Default: any.',
  'spec.versions.deny': 'Ranges of versions that no cluster receives.',
  'spec.overrides': 'Other settings for some clusters. The first entry that matches a cluster holds.',
  'spec.overrides[].channel': 'Channel for these clusters.',
  'spec.overrides[].range': 'Range of versions for these clusters.',
  'spec.overrides[].config': 'Configuration for these clusters. It replaces the configuration of the operator.',
  'spec.adopt':
    'If true, the hub takes over a Subscription or ClusterExtension of this package in this namespace. If false, such an object is a Conflict.',
  'spec.drift':
    'Correct: the hub reverts changes that others make to the fields it writes. Report: it only reports them.',
  'spec.removal':
    'Keep: the operator stays if the FleetOperator is deleted or no longer selects the cluster. Delete: the hub removes it. A deleted ClusterExtension takes its CRDs along.',
  'spec.paused': 'If true, no new rollout of the operator starts, and a running one is paused.',
  'spec.historyLimit': 'Number of finished rollouts to keep.',
  status: 'Observed state, written by the fleet controller.',
  'status.active': 'Rollout that is under way.',
  'status.standing': 'Newest completed rollout. Clusters that join receive its target.',
  'status.counts': 'Number of clusters in each phase of the newest rollout.',
  'status.done': 'Clusters that are done, out of all clusters of the newest rollout: `940/1000`.',
  'status.versions': 'Installed bundles, the most common first.',
  'status.versions[].bundle': 'Name of the bundle.',
  'status.versions[].clusters': 'Number of clusters that have it.',
  'status.denied': 'Bundles that were rolled back. The fleet does not install them again.',
  'status.denied[].bundle': 'Name of the bundle.',
  'status.denied[].digest': 'Digest of the image of the bundle.',
  'status.denied[].rollout': 'Rollout that was rolled back.',
  'status.denied[].since': 'Time of the rollback.',
};

const FleetStrategy: Descriptions = {
  '': 'Rules for rollouts: waves, checks, approvals, and the answer to failures.',
  spec: 'Rules of the strategy.',
  ...Object.fromEntries(Object.entries(STRATEGY_FIELDS).map(([path, text]) => [`spec.${path}`, text])),
  status: 'Observed state, written by the fleet controller.',
  'status.observedGeneration': 'Generation of the object that the status is about.',
};

const FleetWindow: Descriptions = {
  '': 'Times at which changes may start, or must not.',
  spec: 'Times and scope of the window.',
  'spec.type':
    'Allow: changes start only while one Allow that matches is active. Deny: none starts while it is active.',
  'spec.schedule':
    'Repeated times. Only one of `schedule` and `period` may be given; a Deny with neither is always active.',
  'spec.schedule.cron': 'Start of the window in cron syntax with five fields. Example: `0 22 * * 6`.',
  'spec.schedule.duration': 'Length of the window, as a Go duration of at most 168h.',
  'spec.schedule.timeZone': 'Time zone of `cron`, such as `Europe/Berlin`.',
  'spec.period': 'One period of time.',
  'spec.period.from': 'Start of the period (RFC 3339).',
  'spec.period.to': 'End of the period (RFC 3339).',
  'spec.subjects': 'FleetOperators and FleetCatalogs that the window concerns. Default: all.',
  'spec.subjects.kinds': 'Kinds that the window concerns.',
  'spec.subjects.selector': 'Selects FleetOperators and FleetCatalogs by their labels.',
  'spec.needs': 'Time that an Allow must have left for a cluster to start.',
  'spec.breakGlassGroups': 'Groups whose members may lift the window with a BreakGlass decision.',
  status: 'Observed state, written by the fleet controller.',
  'status.active': 'True while the window is active.',
  'status.nextStart': 'Next time at which the window becomes active.',
  'status.nextEnd': 'Next time at which the window ends.',
  'status.clusters': 'Number of clusters that the window matches.',
  'status.observedGeneration': 'Generation of the object that the status is about.',
};

const FleetDecision: Descriptions = {
  '': 'A decision of a person about a rollout. It never changes.',
  spec: 'The decision, with its author and reason.',
  'spec.rollout': 'Name of the FleetRollout in the same namespace.',
  'spec.action':
    'Approve or Reject a class of plans; Pause, Resume, Abort or Rollback the rollout; Promote a wave; Retry or Skip clusters; BreakGlass to lift windows.',
  'spec.class': 'Hash of the class of plans, or its beginning. Approve and Reject need it.',
  'spec.changes':
    'Kinds of change that the author saw. An approval has no effect if the class has further kinds of change.',
  'spec.wave': 'Wave that the decision is about. Default: all waves that it applies to.',
  'spec.clusters': 'Clusters that the decision is about. Default: all clusters that it applies to.',
  'spec.reason': 'Reason for the decision, such as the number of a change request.',
  'spec.by': 'Author of the decision. An admission policy demands that it is the caller.',
  'spec.by.user': 'User name of the author.',
  'spec.by.groups': 'Groups of the author that count for the decision.',
  'spec.expiresAt': 'End of a BreakGlass, at most 4h ahead.',
  status: 'Answer of the fleet controller.',
  'status.effective': 'True if the decision had an effect.',
  'status.reason':
    'Effective, NotAllowed, NotApplicable, UnknownRollout, UnknownClass, UnknownWave, UnknownCluster or Expired.',
  'status.message': 'Explains the reason to people.',
  'status.at': 'Time of the answer.',
};

/** Descriptions of the kinds that people write, by the path of the field. */
export const WRITTEN_KINDS = {
  ...{ FleetCluster, FleetClusterSource, FleetCatalog, FleetOperator, FleetStrategy, FleetWindow, FleetDecision },
  FleetNotification: NOTIFICATION_FIELDS,
};
