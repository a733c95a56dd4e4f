import { diagnoseExtension } from '../../cluster/diagnosis/diagnose-extension.js';
import { named } from '../../cluster/diagnosis/diagnosis.js';
import type { ClusterExtension } from '../../kernel/api/cluster-extension.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { isDeprecated } from '../../kernel/conditions/deprecation-types.js';
import { rowCause, rowText } from './row-text.js';
import type { OperatorRow } from './rows.js';

/** Facts for the row of a ClusterExtension, in addition to the object. */
type ExtensionPlace = Readonly<{
  cluster: string;
  /** CSVs, without copies. */
  csvs: readonly ClusterServiceVersion[];
  clusterCatalogs: readonly KubernetesObject[];
}>;

const NOT_SERVED = /catalog "([^"]+)" is not being served/;

export function extensionRow(extension: ClusterExtension, facts: ExtensionPlace, now: string): OperatorRow {
  const { cluster } = facts;
  const { metadata, spec, status } = extension;
  const { name = '' } = metadata;
  const { packageName = '', channels = [], selector } = spec.source.catalog ?? {};
  const found = diagnoseExtension(extension, facts);
  const catalog = found.because.map((text) => NOT_SERVED.exec(text)?.[1]).find((one) => one !== undefined);
  const root = catalog === undefined ? {} : { root: { kind: 'ClusterCatalog', name: catalog } };
  const cause = rowCause({ ...found, ...root }, named(extension), [packageName]);
  const { bundle } = status?.install ?? {};
  const deprecated = isDeprecated(status?.conditions);
  return {
    ...{ kind: 'operator', id: `extension/${name}`, cluster, namespace: '', name, updatedAt: now, api: 'v1' },
    package: packageName,
    catalog: selector?.matchLabels?.['olm.operatorframework.io/metadata.name'] ?? '',
    channel: channels.join(','),
    installed: bundle?.name ?? '',
    version: rowText(bundle?.version ?? ''),
    ...{ next: '', newest: '', approval: 'Automatic', standing: found.standing },
    ...(cause !== undefined && { cause }),
    ...{ since: now, plan: '', planHash: '', deprecated },
  };
}
