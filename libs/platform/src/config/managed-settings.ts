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
    'Kubeconfig that `flotilla clusters add` writes; all its contexts are managed where no other kubeconfig is named',
  ),
  hubId: text(
    '',
    'What this hub is called in its clusters (annotation `flotilla.dev/hub` of namespace kube-system); another hub leaves them alone. Empty: made of the hub’s key; `flotilla up` without one keeps its own beside the clusters file',
    {
      pattern: /^$|^(?!olm$)[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/,
      wants: 'lower-case letters, digits, "-" and "."; not "olm"',
    },
  ),
  globalCatalogNamespace: text(
    '',
    'Namespace whose catalogs all namespaces see. Empty: `openshift-marketplace` where the cluster serves the config API of OpenShift, `olm` elsewhere',
    {
      pattern: /^$|^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
      wants: NAMESPACE.wants,
    },
  ),
  systemNamespace: text('flotilla-system', 'Namespace in a managed cluster for what must lie there', NAMESPACE),
  helmReleaseNamespace: text(
    '',
    'Namespace in which OLM v1 has stored Helm releases of ClusterExtensions, which are taken over. Empty: `openshift-operator-controller` where the cluster serves the config API of OpenShift, `olmv1-system` elsewhere',
    { pattern: /^$|^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, wants: NAMESPACE.wants },
  ),
  joinInstall: flag(
    true,
    'The applier installs and upgrades OLM’s CustomResourceDefinitions, and what comes with them, in the clusters',
  ),
  clustersBesideOlm: list(
    'Clusters, by context, in which Flotilla acts although OLM itself is at work there; `*`: all. Elsewhere it leaves such clusters alone',
  ),
  bundleReleaseSupport: flag(
    false,
    'Feature gate BundleReleaseSupport of OLM v1: an explicit `release` in a bundle’s `olm.package` property counts, and `status.install.bundle` has it as a field of its own. The poller’s counts for the hub; `flotilla plan` and `explain` read their own',
  ),
  fleet: text(
    '',
    'Where the objects of roll-outs over the fleet are: `context:NAME`, the API server of a context of the kubeconfig files; `in-cluster`, that of the cluster in which the hub runs; `dir:PATH`, a folder with their YAML, for `flotilla up` alone. Empty: no roll-outs. The same for all services',
    { pattern: FLEET_PLACE, wants: 'context:NAME, in-cluster or dir:PATH' },
  ),
  fleetGateHosts: list(
    'Hosts that the gates of roll-outs may ask, `HOST` or `HOST:PORT`, `*.example.com` for all below: of Prometheus servers and webhooks. Empty: none, so that such gates get no answer. At addresses that FLOTILLA_OUTBOUND_ADDRESSES allows',
  ),
  foreignInstallPlans: oneOf(
    ['accept', 'refuse'],
    'accept',
    'What becomes of InstallPlans that the hub did not make (by hand, by OLM, before the hub’s key was replaced): `accept` executes them once approved (as in OLM), `refuse` fails them. Annotation `flotilla.dev/refuse-foreign-installplans: "true"` of a Namespace refuses them there. With `refuse` `flotilla up` needs FLOTILLA_HUB_KEY_FILE',
  ),
  protectedCopiedCsvNamespaces: list('Namespaces that keep their copied CSVs when copies are switched off (as in OLM)'),
};
