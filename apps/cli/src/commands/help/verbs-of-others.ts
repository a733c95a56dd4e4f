const UNINSTALL =
  'kubectl delete subscription NAME -n NAMESPACE, then kubectl delete csv NAME -n NAMESPACE, which also deletes its Deployments';

/** Verbs of kubectl, helm, opm and argocd, with the command here for the same task. */
const HINTS: Readonly<Record<string, string>> = {
  list: 'flotilla get subscriptions',
  ls: 'flotilla get subscriptions',
  describe: 'flotilla explain subscription NAME -n NAMESPACE',
  install:
    'kubectl apply -f subscription.yaml, as for OLM; flotilla plan -f subscription.yaml shows what it would install',
  apply: 'kubectl apply -f FILE; flotilla plan -f FILE shows what it would change',
  create: 'kubectl create -f FILE; flotilla plan -f FILE shows what it would change',
  uninstall: UNINSTALL,
  delete: UNINSTALL,
  remove: UNINSTALL,
  edit: 'kubectl edit subscription NAME -n NAMESPACE',
  upgrade: 'flotilla approve subscription NAME -n NAMESPACE; flotilla path shows the versions on the way',
  update: 'flotilla approve subscription NAME -n NAMESPACE; flotilla path shows the versions on the way',
  rollout: 'flotilla fleet status',
  rollback: 'flotilla fleet rollback NAME',
  undo: 'flotilla fleet rollback NAME',
  logs: 'kubectl logs -n NAMESPACE deployment/NAME for an operator; docker compose logs for the services of a hub',
  log: 'kubectl logs -n NAMESPACE deployment/NAME for an operator; docker compose logs for the services of a hub',
  events: 'kubectl get events -n NAMESPACE',
  search: 'flotilla catalog packages CATALOG',
  show: 'flotilla explain subscription NAME -n NAMESPACE',
  history: 'flotilla get installplans -n NAMESPACE',
  diff: 'flotilla catalog diff OLD NEW; flotilla plan -f FILE for manifests',
  sync: 'flotilla status; a hub reconciles by itself',
  wait: 'kubectl wait --for=jsonpath={.status.state}=AtLatestKnown subscription/NAME -n NAMESPACE',
  validate: 'flotilla catalog validate REF, or flotilla bundle validate FOLDER',
  render: 'flotilla catalog render REF, or flotilla bundle render REF',
  serve: 'flotilla catalog serve REF',
  start: 'flotilla up',
  run: 'flotilla up',
  init: 'flotilla fleet init, or flotilla catalog init PACKAGE',
};
/** Verbs of others as part of `flotilla fleet`. */
const FLEET_HINTS: Readonly<Record<string, string>> = {
  rollout: 'flotilla fleet status',
  list: 'flotilla fleet status',
  get: 'flotilla fleet status',
  describe: 'flotilla fleet explain NAME',
  history: 'flotilla fleet export',
  undo: 'flotilla fleet rollback NAME',
  logs: 'flotilla fleet explain NAME',
};

/** Returns the command for a verb of another tool, below the verb `path`; undefined for other words. */
export function hintForVerb(word: string, path = ''): string | undefined {
  const hints = path === '' ? HINTS : path === 'fleet' ? FLEET_HINTS : {};
  return Object.hasOwn(hints, word) ? hints[word] : undefined;
}
