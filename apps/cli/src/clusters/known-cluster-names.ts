import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { joinedKubeconfigs } from '#platform/clusters/joined-clusters';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';
import { commandSettings } from '../hub/command-settings.js';

/** The contexts of the kubeconfigs that live verbs would take, sorted. No cluster is asked. */
export async function knownClusterNames(kubeconfigs: readonly string[]): Promise<readonly string[]> {
  const settings = commandSettings(process.env);
  const named = process.env['FLOTILLA_KUBECONFIG'] ? settings.kubeconfig.split(':') : [];
  const chosen = [kubeconfigs, named].find((files) => files.length > 0) ?? (await joinedKubeconfigs(settings, []));
  const files = chosen.length > 0 ? chosen : kubectlFiles();
  const names = await Promise.all(
    files.map(async (file) => parseKubeconfig(file, await readFile(file, 'utf8')).contexts),
  );
  return [...new Set(names.flat())].sort();
}

function kubectlFiles(): readonly string[] {
  const { KUBECONFIG = '', HOME = homedir() } = process.env;
  const files = KUBECONFIG.split(delimiter).filter((file) => file !== '');
  return files.length > 0 ? files : [join(HOME, '.kube', 'config')];
}
