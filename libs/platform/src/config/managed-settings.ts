import { FLEET_PLACE } from './fleet-place.js';
import { flag, list, oneOf, path, text } from './setting.js';

const NAMESPACE = { pattern: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, wants: 'the name of a namespace' };

/** Settings of the clusters that the hub manages: their names, and the hub's permissions there. */
export const managedSettings = {
  kubeconfig: path(
    '',
    'Kubeconfig files with the managed clusters, colons between them; empty: `~/.kube/config`, or the service account of the pod',
    { aliases: ['KUBECONFIG'] },
  ),
  kubeconfigSecret: text(
    '',
    'Secret of the hub’s namespace that FLOTILLA_KUBECONFIG is mounted from. The hub stores renewed logins there. Empty: in the files themselves',
    { pattern: /^$|^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, wants: 'the name of a Secret' },
  ),
  contexts: list(
    'Contexts to manage; each is a cluster of that name. Empty: all contexts of the kubeconfig files named, or the current one of `~/.kube/config`',
  ),
  clustersFile: path(
    '~/.config/flotilla/clusters.yaml',
    'Kubeconfig that `flotilla clusters add` writes; all its contexts are managed if no other kubeconfig is named',
  ),
  hubId: text(
    '',
    'Identity of this hub in its clusters (annotation `flotilla.dev/hub` of namespace kube-system); another hub does not touch them. Empty: derived from the hub’s key; `flotilla up` without one keeps its own beside the clusters file',
    {
      pattern: /^$|^(?!olm$)[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/,
      wants: 'lower-case letters, digits, "-" and "."; not "olm"',
    },
  ),
  globalCatalogNamespace: text(
    '',
    'Namespace with catalogs for all namespaces. Empty: `openshift-marketplace` if the cluster serves the config API of OpenShift, otherwise `olm`',
    {
      pattern: /^$|^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
      wants: NAMESPACE.wants,
    },
  ),
  systemNamespace: text('flotilla-system', 'Namespace in a managed cluster for objects of the hub', NAMESPACE),
  helmReleaseNamespace: text(
    '',
    'Namespace in which OLM v1 has stored Helm releases of ClusterExtensions; the hub takes them over. Empty: `openshift-operator-controller` if the cluster serves the config API of OpenShift, otherwise `olmv1-system`',
    { pattern: /^$|^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, wants: NAMESPACE.wants },
  ),
  joinInstall: flag(
    true,
    'The applier installs and upgrades OLM’s CustomResourceDefinitions, and the objects that come with them, in the clusters',
  ),
  clustersBesideOlm: list(
    'Clusters, by context, in which Flotilla acts although OLM itself runs there; `*`: all. In other clusters with OLM it writes nothing',
  ),
  bundleReleaseSupport: flag(
    false,
    'Feature gate BundleReleaseSupport of OLM v1: an explicit `release` in a bundle’s `olm.package` property counts, and `status.install.bundle` has it as a field of its own. The poller’s value counts for the hub; `flotilla plan` and `explain` read their own',
  ),
  fleet: text(
    '',
    'Place of the objects for rollouts over the fleet: `context:NAME`, the API server of a context of the kubeconfig files; `in-cluster`, that of the cluster in which the hub runs; `dir:PATH`, a folder with their YAML, for `flotilla up` alone. Empty: no rollouts. The same for all services',
    { pattern: FLEET_PLACE, wants: 'context:NAME, in-cluster or dir:PATH' },
  ),
  fleetGateHosts: list(
    'Hosts that the gates of rollouts may query, `HOST` or `HOST:PORT`, `*.example.com` for all below: of Prometheus servers and webhooks. Empty: none, so that such gates get no answer. At addresses that FLOTILLA_OUTBOUND_ADDRESSES allows',
  ),
  notificationHosts: list(
    'Hosts that FleetNotifications may send messages to, `HOST` or `HOST:PORT`, `*.example.com` for all below. Empty: none. At addresses that FLOTILLA_OUTBOUND_ADDRESSES allows',
  ),
  foreignInstallPlans: oneOf(
    ['accept', 'refuse'],
    'accept',
    'Treatment of InstallPlans that the hub did not create (by hand, by OLM, before the hub’s key was replaced): `accept` executes them once approved (as in OLM), `refuse` fails them. Annotation `flotilla.dev/refuse-foreign-installplans: "true"` of a Namespace refuses them there. With `refuse` `flotilla up` needs FLOTILLA_HUB_KEY_FILE',
  ),
  protectedCopiedCsvNamespaces: list('Namespaces that keep their copied CSVs when copies are switched off (as in OLM)'),
};
