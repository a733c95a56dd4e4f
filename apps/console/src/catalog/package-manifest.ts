import { dump } from 'js-yaml';
import { KIND } from '#core/kernel/api/kinds';
import type { CatalogRow } from '#core/view/rows/rows';

type Wanted = Readonly<{
  package: string;
  channel: string;
  installModes: readonly Readonly<{ type: string; supported: boolean }>[];
}>;

/** The manifest that installs a package from a catalog: to copy, or for Git. */
export function installManifest({ source, namespace, name }: CatalogRow, wanted: Wanted): string {
  const { package: packageName, channel, installModes } = wanted;
  const place = installModes.some(({ type, supported }) => type === 'AllNamespaces' && supported)
    ? 'operators'
    : packageName;
  const object =
    source === 'ClusterCatalog'
      ? {
          ...KIND.ClusterExtension,
          metadata: { name: packageName },
          spec: {
            namespace: packageName,
            serviceAccount: { name: `${packageName}-installer` },
            source: {
              sourceType: 'Catalog',
              catalog: {
                packageName,
                channels: [channel],
                selector: { matchLabels: { 'olm.operatorframework.io/metadata.name': name } },
              },
            },
          },
        }
      : {
          ...KIND.Subscription,
          metadata: { name: packageName, namespace: place },
          spec: { name: packageName, channel, source: name, sourceNamespace: namespace },
        };
  return dump(object, { lineWidth: -1 });
}
