import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Environment } from '#platform/config/setting';

const NAMES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
export const KUBERNETES_VERSION = '1.34.4';

export type BinaryName = (typeof NAMES)[number];
export type Binaries = Readonly<Record<BinaryName, string>>;

/** Returns the folder for files that take long to make; outlives the checkout. */
export function cacheFolderOf(environment: Environment): string {
  const home = environment['HOME'] ?? homedir();
  return environment['FLOTILLA_CACHE_DIR'] || join(environment['XDG_CACHE_HOME'] || join(home, '.cache'), 'flotilla');
}

/** Returns the folder of the binaries that we build ourselves. */
export const cacheFolder = (environment: Environment): string =>
  join(cacheFolderOf(environment), 'control-plane', `kubernetes-${KUBERNETES_VERSION}`);

/**
 * Returns each binary from the first place that has it: KUBEBUILDER_ASSETS, PATH, our cache; otherwise the
 * missing ones.
 */
export function findBinaries(environment: Environment): Binaries | Readonly<{ missing: readonly BinaryName[] }> {
  const assets = environment['KUBEBUILDER_ASSETS'];
  const path = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [...(assets ? [assets] : []), ...path, cacheFolder(environment)];
  const found = NAMES.map((name) => [name, executableIn(folders, name)] as const);
  const missing = found.flatMap(([name, file]) => (file === undefined ? [name] : []));
  return missing.length === 0 ? (Object.fromEntries(found) as Binaries) : { missing };
}

export function executableIn(folders: readonly string[], name: string): string | undefined {
  return folders
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
