/**
 * Commands of pages without `$` for `test/integration/played-pages.extended.spec.ts`, which runs them on a
 * simulated hub: the page, and the beginning of the command.
 */
export const PLAYED: readonly (readonly [page: string, begin: string])[] = [
  ['docs/fleet-start.md', 'flotilla fleet export --from-clusters'],
  ['docs/fleet-start.md', 'flotilla fleet plan -f'],
  ['docs/fleet-folder.md', 'flotilla fleet plan -f'],
  ['docs/fleet-start.md', 'flotilla fleet init --context hub --dry-run'],
  ['docs/fleet-start.md', 'flotilla fleet init --context hub'],
  ['docs/catalog-impact.md', 'flotilla catalog impact'],
  ['docs/compose.md', 'kubectl config view'],
  ['docs/cluster-packages.md', 'flotilla catalog packages --cluster east'],
  ['docs/cluster-packages.md', 'curl http://HUB:8080/clusters'],
  ['docs/cluster-catalogs.md', 'curl "$BASE/api/v1/metas'],
  ['docs/console-install.md', 'kubectl create secret generic console'],
  ['docs/console-install.md', 'kubectl patch secret redis-passwords'],
  ['docs/notifications.md', 'kubectl create namespace'],
  ['docs/notifications.md', 'kubectl create rolebinding'],
  ['docs/notifications.md', 'kubectl create secret generic chat'],
  ['docs/install-plans.md', 'kubectl annotate'],
  ['docs/crd-changes.md', 'kubectl annotate'],
  ['docs/install-kubernetes.md', 'flotilla health --hub'],
  ['docs/install-kubernetes.md', 'flotilla status --kubeconfig'],
  ['docs/command.md', 'flotilla clusters list'],
  ['docs/command-status.md', 'flotilla status --hub'],
  ['docs/command-status.md', 'flotilla health --hub'],
  ['docs/command-status.md', 'flotilla version'],
  ['docs/recovery.md', 'kubectl patch csv'],
  ['docs/recovery.md', 'kubectl delete clusterrole'],
];

/** The same for a release in an empty folder, run by `test/integration/distribution.extended.spec.ts`. */
export const PLAYED_OF_RELEASE = [
  ['docs/install.md', 'npx '],
  ['docs/install.md', 'npm install '],
] as const;

/** Commands that are not run from their page: the beginning, the reason, and the test that does the same. */
export const NOT_PLAYED: readonly Readonly<{ begin: RegExp; because: string; instead: string }>[] = [
  {
    begin: /^flotilla up /,
    because: 'it runs until Ctrl-C',
    instead: 'test/integration/have-olm.extended.spec.ts',
  },
  {
    begin: /^(docker compose|docker (build|network|run --detach))/,
    because: 'it needs a Docker engine',
    instead: 'test/compose/compose.spec.ts',
  },
  {
    begin: /^docker (run -d|push)/,
    because: 'it needs a Docker engine and the images or the registry of others',
    instead: 'test/e2e/guide.spec.ts',
  },
  {
    begin: /^flotilla demo$/,
    because: 'it plays for a minute',
    instead: 'test/integration/one-file.extended.spec.ts',
  },
  {
    begin: /^kubectl krew /,
    because: 'it needs krew, which no package of Debian has; the plugin is put where krew puts it',
    instead: 'test/integration/distribution.extended.spec.ts',
  },
  {
    begin: /^flotilla retry installplan install-/,
    because: 'it needs a plan that failed, whose name has a hash',
    instead: 'test/e2e/failed-plans.spec.ts',
  },
  {
    begin: /^kubectl -n flotilla-system create secret generic store-02/,
    because: 'it needs the kubeconfig of a further cluster',
    instead: 'test/e2e/fleet-rollout.spec.ts',
  },
  {
    begin: /^kubectl get fleetclustersource argocd -o jsonpath=/,
    because: 'it needs a FleetClusterSource whose poller lacks a right; the test applies the same Role',
    instead: 'libs/lifecycle/src/clusters/sources/cluster-sources.spec.ts',
  },
  {
    begin: /^flotilla clusters (add --kubeconfig|remove)/,
    because: 'it changes the list of clusters that the other commands ask',
    instead: 'apps/cli/src/commands/live-verbs.spec.ts',
  },
  {
    begin: /^flotilla fleet export --from-clusters /,
    because: 'it wants an empty folder; the test reads the commands of the page about folders',
    instead: 'test/integration/fleet-folder.extended.spec.ts',
  },
  {
    begin: /^flotilla fleet (status|plan|explain|approve|export) .*--fleet fleet\/$/,
    because: 'it needs a folder with rollouts that flotilla up has begun; the test reads the commands of the page',
    instead: 'test/integration/fleet-folder.extended.spec.ts',
  },
  {
    begin: /^redis-cli ACL SETUSER/,
    because: 'it needs redis-cli and a Redis whose users it may change',
    instead: 'test/integration/redis-users.spec.ts',
  },
  {
    begin:
      /^(kubectl -n flotilla (port-forward|logs)|kubectl exec -n flotilla |helm uninstall|kubectl delete namespace flotilla)/,
    because: 'it needs pods of a hub in Kubernetes',
    instead: 'test/e2e/install-pages.spec.ts',
  },
  {
    begin: /^curl -H "Authorization: Bearer TOKEN" .*\/queues/,
    because: 'the page of queues is off by default',
    instead: 'test/integration/queue.spec.ts',
  },
  {
    begin: /^(flotilla clusters pause east|kubectl delete (clusterobjectsets|secrets -n flotilla-system))/,
    because: 'it needs an operator that OLM v1 installed as a Helm release',
    instead: 'test/e2e/helm-releases.spec.ts',
  },
];
