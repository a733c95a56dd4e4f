import { type RegistryBundle, supportedInstallModes } from './registry-bundle.js';

/** The namespaces that an operator watches: all, or the ones named. */
export type Targets = Readonly<{ all: true }> | Readonly<{ all: false; namespaces: readonly string[] }>;

/** Value of the annotation `olm.targetNamespaces`: empty stands for all. */
export const targetsText = (targets: Targets): string => (targets.all ? '' : targets.namespaces.join(','));

/** Where the operator watches, or why the bundle does not support it (spec: v1-apply.md §2, item 7, and §4). */
export function targetNamespaces(
  bundle: RegistryBundle,
  namespace: string,
  watchNamespace: string | undefined,
): Targets | Readonly<{ error: string }> {
  const modes = supportedInstallModes(bundle);
  if (watchNamespace === undefined) {
    if (modes.includes('AllNamespaces')) return { all: true };
    const many = modes.includes('MultiNamespace') ? 'at least' : 'exactly';
    return invalid('', `${many} one target namespace must be specified`);
  }
  const own = watchNamespace === namespace;
  if (modes.includes(own ? 'OwnNamespace' : 'SingleNamespace')) return { all: false, namespaces: [watchNamespace] };
  const what = own ? 'targeting own namespace' : `target namespaces [${watchNamespace}]`;
  return invalid(watchNamespace, `supported install modes [${modes.join(' ')}] do not support ${what}`);
}

const invalid = (namespaces: string, why: string): { error: string } => ({
  error: `invalid option(s): invalid target namespaces [${namespaces}]: ${why}`,
});
