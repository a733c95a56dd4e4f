import { pagePaths } from '#core/view/questions/page-paths';
import type { Settings } from '#platform/config/settings';

type Public = Pick<Settings, 'consoleExternalUrl'>;

/** Returns the line with the console's page, or nothing if the console has no public address. */
export const consoleLine = ({ consoleExternalUrl }: Public, path: string): string =>
  consoleExternalUrl === '' ? '' : `Console ${new URL(consoleExternalUrl).origin}${path}\n`;

type Explained = Readonly<{ cluster: string; kind: string; namespace?: string | undefined; name: string }>;

/** Returns the page about an object. That of a cluster shows its plans and CSVs. */
export function pageOf({ cluster, kind, namespace = '', name }: Explained): string {
  if (kind === 'Subscription') return pagePaths.operator({ cluster, namespace, name, api: 'classic' });
  if (kind === 'ClusterExtension') return pagePaths.operator({ cluster, namespace, name, api: 'v1' });
  if (kind === 'CatalogSource') return pagePaths.catalogIn(cluster, `${namespace}/${name}`);
  return kind === 'ClusterCatalog' ? pagePaths.catalogIn(cluster, name) : pagePaths.cluster(cluster);
}
