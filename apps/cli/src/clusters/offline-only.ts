import { UsageError } from '../terminal/io.js';

/** Options that only mean something if the command asks clusters, by their names in commander. */
const CLUSTER_ONLY: Readonly<Record<string, string>> = {
  kubeconfig: '--kubeconfig',
  context: '--context',
  cluster: '--cluster',
  requestTimeout: '--request-timeout',
  allowMissing: '--allow-missing',
  allNamespaces: '--all-namespaces',
  hub: '--hub',
};

/** @throws UsageError if an option is given that an offline answer would ignore; `instead` says what to do */
export function refuseClusterOptions(options: Readonly<Record<string, unknown>>, instead: string): void {
  const given = Object.entries(CLUSTER_ONLY).find(([name]) => options[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(
    `${given[1]} is for clusters, but --catalog and -f read no cluster: remove the option, or ${instead}`,
  );
}
